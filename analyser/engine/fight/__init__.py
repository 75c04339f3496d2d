"""Longer fights: their programs, and the engines that work them out."""
