"""The one place that turns data into types of the protocol, and adapts pygls."""
