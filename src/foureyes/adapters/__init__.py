"""Access to outside systems, with one package for each."""
