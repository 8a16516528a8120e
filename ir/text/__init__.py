"""Text and places in it: the line index, ranges, thousands of ranges at once. Offsets are code points."""
