"""Longer fights: their programs, and the engines that compute them."""
