"""What one client has opened: folders, settings, extensions, and the documents with their analysis."""
