"""Warmaster in vectorised NumPy: driven back by three dice past three friends, an enemy behind them."""

import numpy as np

SYSTEM, TABLE = "warmaster", "choices"
FRIENDS, ENEMY, DICE = (2, 4, 7), 12, 3
QUESTION = {
    "dice": DICE,
    "obstacles": [
        *({"distance": distance, "kind": "friend", "make_way": True} for distance in FRIENDS),
        {"distance": ENEMY, "kind": "enemy"},
    ],
}
CHUNK = 100_000


def play(trials, seed):
    """How often the unit was confused, by each cause; the joint table and the stops are counted on the way."""
    rng = np.random.default_rng(seed)
    columns = dict.fromkeys(
        ("p_confused", "p_six_on_drive_back_dice", "p_by_enemy_or_combat", "p_by_friends_that_made_way"), 0
    )
    joint = np.zeros((2, len(FRIENDS) + 1), np.int64)
    stops = np.zeros(6 * DICE + 1, np.int64)
    for start in range(0, trials, CHUNK):
        size = min(CHUNK, trials - start)
        dice = rng.integers(1, 7, (size, DICE))
        moved, six = dice.sum(axis=1), (dice == 6).any(axis=1)
        pushed, friends = np.zeros(size, bool), np.zeros(size, np.int64)
        for distance in FRIENDS:
            met = moved > distance
            pushed |= met & (rng.integers(1, 7, size) == 6)
            friends += met & (rng.integers(1, 7, size) == 6)
        enemy = moved > ENEMY - 1
        confused = six | pushed | enemy
        for name, flags in zip(columns, (confused, six, enemy, pushed)):
            columns[name] += np.count_nonzero(flags)
        joint += np.bincount(confused * (len(FRIENDS) + 1) + friends, minlength=joint.size).reshape(joint.shape)
        stops += np.bincount(np.where(enemy, ENEMY - 1, moved), minlength=len(stops))
    return {name: np.array([count]) for name, count in columns.items()}
