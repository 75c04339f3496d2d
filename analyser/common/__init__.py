"""Tools that every other package uses: errors, files, validation, compilation, intervals, text."""
