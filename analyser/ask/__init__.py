"""Questions about many values (curves, maps, the best variant), about one trial, and about the luck in a fight."""
