"""A comparison of five systems: the break rules of each under the losses of a single stream."""
