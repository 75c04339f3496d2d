"""The questions about morale as a good user of NumPy would play them: the rules one after the other, on arrays.

Each module has a `QUESTION`, and `play(trials, seed)` that gives how often each column of its `TABLE` happened.
"""
