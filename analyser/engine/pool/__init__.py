"""Attack rolls: the distribution of the score of a pool of dice, and the kernel that rolls pools."""
