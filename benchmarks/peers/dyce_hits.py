"""The law of hits with dyce: histograms of counts out of 36, 216 and so on, mixed by hand."""

from dyce import H

SIDES = ("heroic", "strike", "strike", "blank", "glancing", "miss")
HITS = {"heroic": 2, "strike": 1, "blank": 0, "glancing": 0, "miss": 0}
REROLLED = ("glancing", "miss")
STAYS = H([HITS[face] for face in SIDES])


def mixed(whole, law_of_face):
    """One law out of the laws that the faces lead to, each with `whole` counts in all or made so."""
    laws = [law_of_face(face) for face in SIDES]
    return H.from_counts(*[{hits: count * (whole // law.total) for hits, count in law.items()} for law in laws])


def law_of_hits(dice):
    """The chances of 0, 1, 2, ... hits."""
    settled = mixed(6, lambda face: STAYS if face in REROLLED else H({HITS[face]: 1}))
    first = mixed(
        36, lambda face: 2 + settled if face == "heroic" else STAYS if face in REROLLED else H({HITS[face]: 1})
    )
    return [float(chance) for _, chance in (dice @ first).probability_items()]
