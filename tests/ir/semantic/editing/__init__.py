"""After any edits, a snapshot must equal one of the text opened afresh."""
