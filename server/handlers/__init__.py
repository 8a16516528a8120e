"""The requests and notifications of the protocol, each answered in a few lines by a feature or by the workspace."""
