"""One attack looked into: where its dice went, and what each number of either unit is worth."""
