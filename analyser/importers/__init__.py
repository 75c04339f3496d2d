"""Other people's files, read as units."""
