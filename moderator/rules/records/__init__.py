"""Records of matches, and the files that hold them."""
