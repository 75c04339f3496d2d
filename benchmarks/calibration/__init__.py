"""Whether intervals cover what they say, and whether the random words are random: ``make calibration``."""
