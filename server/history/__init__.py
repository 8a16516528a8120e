"""Pass history: the store on disk, the service that looks things up, and the view of one buffer."""
