"""One stream of losses through the break rules of five systems, side by side."""
