"""Questions over many values: curves and maps, searches among variants, trials in words, and the luck of an outcome."""
