"""What runs when: debouncing, time slices, work beside the event loop."""
