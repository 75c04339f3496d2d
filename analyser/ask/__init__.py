"""Questions over many values: curves and maps, searches among variants, told trials, and the luck of an outcome."""
