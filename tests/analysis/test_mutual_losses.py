"""What suppression takes of an act: by facts of the rules, by a plain reading of the table, and by planted prices."""

import numpy as np
import pytest

import analyser
from analyser.analysis.matchups import matchups
from analyser.analysis.mutual_losses import exchange_of, mean_hits_of_die, p_rally
from analyser.analysis.prices import fair_points
from analyser.analysis.situations import EXCHANGES
from analyser.game.ruleset import Deck, Die, Rating
from tests.helpers.planted import kin

RIFLES = "crown/rifle-platoon@basic"
KEPT = 6 / 7  # of the hits of a neutral attack a weakened one has, with the shipped die


@pytest.mark.parametrize("faces", [(1, 2, 1, 1, 1), (2, 0, 3, 0, 1), (0, 3, 1, 4, 2), (1, 0, 0, 5, 0)])
def test_the_hits_of_a_die_are_those_of_the_exact_engine(faces):
    die = Die(**dict(zip(("heroic", "strike", "glancing", "miss", "blank"), faces)))
    for rating in Rating:
        scenario = {
            "ruleset": {"die": die.model_dump(), "deck": {1: 1}},
            "attack": {"kind": "ranged", "dice": 3, "rating": rating.name.lower()},
            "target": {"models": 40, "defence": 1, "damage_limit": 1},
        }
        assert analyser.exact(scenario).mean("models_destroyed") == pytest.approx(3 * mean_hits_of_die(die)[rating])


def test_who_rallies(library):
    deck = Deck(copies={1: 1, 5: 2, 9: 1})
    unit = library[RIFLES].unit
    for discipline, passes in ((0, 0), (1, 0.25), (4, 0.25), (5, 0.75), (12, 1), (None, 1)):
        assert p_rally(unit.model_copy(update={"discipline": discipline}), deck) == passes
    for rule in ("Automata", "Irrepressible", "Hot Headed"):
        sure = library[RIFLES].with_(rules=f"+{rule}").unit.model_copy(update={"discipline": 0})
        assert p_rally(sure, deck) == 1


def left_of(advantage):
    """Of the mean hits of a die with one penalty more: 28, 98/3 and 112/3 of 36."""
    hits = {-1: 28, 0: 98 / 3, 1: 112 / 3}
    return hits[int(np.sign(advantage[1]))] / hits[int(np.sign(advantage[0]))]


class Reading:
    """What each of a table does to each, pair by pair."""

    def __init__(self, table):
        rows = table.frame.to_dict("records")
        self.rows = {(row["attacker"], row["defender"], row["situation"]): row for row in rows}
        self.sides = {each.selector: each for each in table.attackers}

    def gain(self, me, other, row, left=1.0):
        ours, theirs = (self.sides[each].level.points for each in (me, other))
        own = row["attacker_share_lost"]
        return row["mean_share_lost"] * left * theirs - (0 if np.isnan(own) else own) * ours

    def advantage(self, me, other, row):
        """Bonuses less penalties."""
        mine, theirs = (self.sides[each].unit for each in (me, other))
        if row["situation"] == "charge":
            return mine.has("Onslaught") + (mine.type == "infantry" and theirs.type in ("armour", "fortification"))
        fired = next(each for each in mine.rows if each.id == row["row"])
        concealed = theirs.has("Shrouded", "Obfuscating") and not fired.has("Torrent")
        if row["situation"] == "long-range":
            return -concealed
        return 1 + (fired.short_range is not None and not fired.has("Indirect")) - concealed

    def left(self, me, other, row, *, rallied):
        if row["situation"] == "charge" and not rallied:
            return 0.0
        before = self.advantage(me, other, row)
        return left_of((before, before - 1 - (row["situation"] == "short-range-aimed" and not rallied)))

    def act(self, me, other, place):
        """The row of what it does as it likes, and of what it does shaken."""
        there = [self.rows[me, other, name] for name in place]
        there = [row for row in there if row["why_not"] is None or row["why_not"] != row["why_not"]]
        likes = max(there, key=lambda row: self.gain(me, other, row), default=None)
        left = [(row, self.left(me, other, row, rallied=False)) for row in there]
        able = [(row, share) for row, share in left if share > 0]
        shaken, _ = max(able, key=lambda each: self.gain(me, other, *each), default=(None, 0))
        return likes, shaken

    def done(self, me, other, place, deck):
        """The shares of the other and of oneself that are lost by one's own act."""
        likes, shaken = self.act(me, other, place)
        before, _ = self.act(other, me, place)
        cryo = 0.0 if before is None else before["p_activated"]
        suppressed = cryo / 2 + (0.0 if before is None else before["p_suppressed"])
        rallies = p_rally(self.sides[me].unit, deck)
        ways = [
            (1 - suppressed - cryo / 2, likes, 1.0),
            (suppressed * rallies, likes, likes and self.left(me, other, likes, rallied=True)),
            (suppressed * (1 - rallies), shaken, shaken and self.left(me, other, shaken, rallied=False)),
        ]
        lost = sum(chance * row["mean_share_lost"] * left for chance, row, left in ways if row)
        own = sum(chance * np.nan_to_num(row["attacker_share_lost"]) for chance, row, _ in ways if row)
        return lost, own


@pytest.mark.slow
def test_losses_are_those_of_a_plain_reading(library):
    names = ("crown/rifle-platoon@basic", "crown/drake-field-guns@reinforced", "imperium/panzerwagen*@full-strength")
    names += ("commonwealth/mamont-subterranean-cryo-transport@full-strength", "crown/horse-guard-cavalry@basic")
    names += ("imperium/totenkopf*@basic", "commonwealth/winged-hussar-treadbikes@basic")
    table = matchups(names, names, situations=EXCHANGES, profiles=library)
    read = Reading(table)
    assert table.frame["p_activated"].max() > 0.3
    assert set(table.frame.dropna(subset="attacker_share_lost")["situation"]) == {"charge"}
    for situations in (["long-range"], ["short-range-aimed", "charge"]):
        some = [each for each in table.situations if each.name in situations]
        found = exchange_of(table.frame, table.attackers, some, table.ruleset)
        assert len(found.loadouts) >= len(names) - 1
        for at, me in enumerate(found.loadouts):
            for to, other in enumerate(found.loadouts):
                there = read.done(me.selector, other.selector, situations, table.ruleset.deck)
                back = read.done(other.selector, me.selector, situations, table.ruleset.deck)
                assert found.losses[0, at, to] == pytest.approx(there[0] + back[1], abs=1e-12)


@pytest.mark.parametrize(("quality", "event"), [("Cryo", "activated"), ("Suppressive", "suppressed")])
def test_of_copies_the_one_that_suppresses_worse_is_worth_what_it_prevents(library, quality, event):
    """It destroys what they do, each does less to it: its price is the root of the one over the other."""
    loadout = library[RIFLES]
    plain = loadout.model_copy(update={"unit": loadout.unit.model_copy(update={"break_limit": None})})
    sides = kin(plain, 6, qualities=f"+{quality}")
    shots = (analyser.attack(each, sides[1], row="ranged-light", profiles=library) for each in sides[:2])
    ours, theirs = (float(shot.probability(status)) for shot, status in zip(shots, (event, "suppressed")))
    rallied = 1 - KEPT  # nobody aims at long range, so that it is the same with a rally and without
    prevented = ours / 2 + ours / 2 * rallied if quality == "Cryo" else ours * rallied
    price = np.sqrt((1 - theirs * rallied) / (1 - prevented))
    found = fair_points(sides, against=sides, situations=["long-range"]).frame.set_index("loadout")
    prices = found["trades_evenly_at"]
    assert prices.iloc[0] / prices.iloc[1] == pytest.approx(price, rel=1e-9)
    assert price > (1.08 if quality == "Cryo" else 1.0)
    if quality == "Cryo":
        why = f"suppressing its enemies (Cryo) prevents {prevented:.0%} of its losses (other infantry: 5%)"
        assert found["why"].iloc[0].endswith(f"; {why}")
        assert found["lean"].iloc[0].startswith("probably")
