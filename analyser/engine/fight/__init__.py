"""Longer fights by Monte Carlo: trials that go from crossing to crossing, every die rolled and every card drawn."""
