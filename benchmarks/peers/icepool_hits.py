"""The law of hits with icepool."""

from icepool import Die

FACES = Die(["heroic", "strike", "strike", "blank", "glancing", "miss"])
HITS = {"heroic": 2, "strike": 1}
REROLLED = ("glancing", "miss")


def law_of_hits(dice):
    """The chances of 0, 1, 2, ... hits."""
    stays = FACES.map(lambda face: HITS.get(face, 0))

    def settle(face):
        return stays if face in REROLLED else HITS.get(face, 0)

    added = FACES.map(settle)
    first = FACES.map(lambda face: 2 + added if face == "heroic" else settle(face))
    return (dice @ first).probabilities()
