"""Attack roll: the distribution of a pool of dice, and the kernel that rolls it."""
