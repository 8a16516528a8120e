"""The process that passes run in: jobs, limits, what comes back."""
