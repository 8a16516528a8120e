"""What an editor shows beside the text without being asked: lines above functions, types, names, and passes."""
