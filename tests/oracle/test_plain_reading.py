"""The plain reading itself, against numbers worked by hand from the rules."""

from collections import defaultdict
from fractions import Fraction
from itertools import product

import pytest

from tests.oracle import plain_reading as plain

ONLY_STRIKES = {"strike": 1}  # as many hits as dice, for certain
LOW_CARD = {"1": 1}
HIGH_CARD = {"12": 1}


def scenario(hits=0, die=ONLY_STRIKES, deck=HIGH_CARD, attack=None, **target):
    """An attack that scores `hits` hits for certain on ten models that each hit destroys one of."""
    return {
        "attack": {"dice": hits, **(attack or {})},
        "target": {"models": 10, "defence": 1, "damage_limit": 1, "discipline": 6, **target},
        "ruleset": {"die": die, "deck": deck},
    }


def certain(given):
    """The one outcome of a scenario that has only one: the target's part of it."""
    (outcome,) = plain.law(given)
    assert plain.law(given)[outcome] == 1
    return plain.Outcome(*outcome[:10])


def hits_in(parts, law):
    """The law of hits in parts of a whole: {hits: parts}."""
    found = defaultdict(Fraction)
    for (hits, _blanks), chance in law.items():
        found[hits] += chance * parts
    return dict(found)


# --- the pool ---------------------------------------------------------------------------------------------


def test_one_neutral_die():
    # AC-3.3, AC-3.4, AC-3.6. A die that adds none: 2 hits 1/6 + 1/6*1/6 = 7/36, 1 hit 2/6 + 1/6*2/6 = 14/36,
    # 0 hits 15/36. A heroic strike (1/6) is 2 hits and one such die: 4, 3, 2 hits with 7, 14, 15 of 216.
    # Else: a glancing strike re-rolled into a heroic strike 6/216 (2 hits), 84/216 (1 hit), 90/216 (none).
    law = plain.pool_law(1, plain.DEFAULT_DIE, "neutral")
    assert hits_in(216, law) == {0: 90, 1: 84, 2: 15 + 6, 3: 14, 4: 7}


def test_arc_adds_two_dice():
    # AC-6 Arc, weakened. Two added dice, each 2, 1, 0 hits with 1, 2, 3 of 6: 4, 3, 2, 1, 0 hits with 1, 4, 10,
    # 12, 9 of 36. With the heroic strike (1/6) 2 more each. Else 1 hit 2/6 = 72/216, none 3/6 = 108/216.
    law = plain.pool_law(1, plain.DEFAULT_DIE, "weakened", arc=True)
    assert hits_in(216, law) == {6: 1, 5: 4, 4: 10, 3: 12, 2: 9, 1: 72, 0: 108}


def test_durable_halves_heroic_strikes_but_they_explode():
    # AC-7 Durable, weakened. Heroic strike 1/6: 1 hit and a die that hits once with 3/6. Strike 2/6: 1 hit.
    law = plain.pool_law(1, plain.DEFAULT_DIE, "weakened", durable=True)
    assert hits_in(36, law) == {2: 3, 1: 3 + 12, 0: 18}


def test_veteran_turns_a_strike_heroic_without_an_extra_die():
    # AC-7 Veteran, weakened. Strike 2/6: 2 hits, no die added. Heroic strike 1/6: 2 hits and a die that gives
    # 2 more (heroic strike, or a strike turned) with 3/6.
    law = plain.pool_law(1, plain.DEFAULT_DIE, "weakened", veteran=1)
    assert hits_in(36, law) == {4: 3, 2: 3 + 12, 0: 18}
    # Three strikes, two of them turned: 2 + 2 + 1.
    assert plain.pool_law(3, ONLY_STRIKES, "neutral", veteran=2) == {(5, 0): 1}
    # AC-7 Durable: a turned strike still scores 1.
    assert plain.pool_law(3, ONLY_STRIKES, "neutral", durable=True, veteran=2) == {(3, 0): 1}


def test_one_extra_reroll_takes_the_worst_die():
    # AC-3.5. Two dice of strike, miss, blank; one miss or blank is rolled again, the blank first. In 27ths:
    # strike+strike 3: (2,0) 3. strike+miss 6 and strike+blank 6: (2,0) 4, (1,0) 4, (1,1) 4.
    # miss+blank 6, the blank is rolled again: (1,0) 2, (0,0) 2, (0,1) 2. miss+miss 3: (1,0) 1, (0,0) 1, (0,1) 1.
    # blank+blank 3: (1,1) 1, (0,1) 1, (0,2) 1.
    die = {"strike": 1, "miss": 1, "blank": 1}
    law = plain.pool_law(2, die, "neutral", extra_faces=("miss", "blank"), extra_dice=1)
    in_27ths = {outcome: chance * 27 for outcome, chance in law.items()}
    assert in_27ths == {(2, 0): 7, (1, 0): 7, (1, 1): 5, (0, 0): 3, (0, 1): 4, (0, 2): 1}


def test_extra_rerolls_spare_what_the_rating_rolls_again():
    # AC-3.4, AC-3.5. Improved rolls the miss again itself, so the one extra die is there for a blank.
    die = {"strike": 1, "miss": 1, "blank": 1}
    extra = {"extra_faces": ("miss", "blank"), "extra_dice": 1}
    pool = plain.Pool(miss=2, blank=2, strike=1)
    assert plain.dice_to_reroll(pool, "improved", **extra) == plain.Pool(miss=2, blank=1)
    # A weakened attack takes none: one die is left as it fell.
    assert plain.pool_law(1, die, "weakened", **extra) == {
        (1, 0): Fraction(1, 3),
        (0, 0): Fraction(1, 3),
        (0, 1): Fraction(1, 3),
    }
    with pytest.raises(ValueError, match="heroic"):
        plain.pool_law(1, die, "neutral", extra_faces=("heroic",), extra_dice=1)


def each_die_in_turn(dice, die, rerolled, *, extra_faces, extra_dice, arc):
    """The law of (hits, blanks) with every die on its own, in order, as one would roll on the table."""
    sides = [face for face, count in die.items() for _ in range(count)]
    chances = defaultdict(Fraction)
    for first in product(sides, repeat=dice):
        number_added = first.count("heroic") * (2 if arc else 1)
        for added in product(sides, repeat=number_added):
            pool = sorted(first + added, key=["blank", "miss", "glancing", "strike", "heroic"].index)
            kept, again, extra_left = [], 0, extra_dice
            for face in pool:
                extra = face in extra_faces and face not in rerolled and extra_left > 0
                extra_left -= extra
                if face in rerolled or extra:
                    again += 1
                else:
                    kept.append(face)
            for new in product(sides, repeat=again):
                final = kept + list(new)
                hits = final.count("strike") + 2 * final.count("heroic")
                rolled = dice + number_added + again
                chances[hits, final.count("blank")] += Fraction(1, len(sides) ** rolled)
    return dict(chances)


@pytest.mark.parametrize("arc", [False, True])
@pytest.mark.parametrize("extra_faces", [(), ("blank",), ("strike", "glancing", "blank")])
@pytest.mark.parametrize("rating", ["neutral", "improved"])
def test_counting_faces_is_rolling_each_die(arc, extra_faces, rating):
    # AC-3.2 to AC-3.5: a multinomial count of faces against every die rolled in order.
    die = {"heroic": 1, "strike": 1, "glancing": 1, "miss": 1, "blank": 1}
    rerolled = ["glancing"] if rating == "neutral" else ["glancing", "miss"]
    dice = 1 if arc else 2
    expected = each_die_in_turn(dice, die, rerolled, extra_faces=extra_faces, extra_dice=1, arc=arc)
    assert plain.pool_law(dice, die, rating, arc=arc, extra_faces=extra_faces, extra_dice=1) == expected


# --- rating and DEFENCE -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attack", "target", "rating", "defence"),
    [
        # AC-3.1: one each is neutral, two to one is improved.
        ({"bonuses": ["aiming"], "penalties": ["suppressed"]}, {}, "neutral", 3),
        ({"bonuses": ["aiming", "short_range"], "penalties": ["suppressed"]}, {}, "improved", 3),
        # AC-4.2, AC-4.3: cover counts while concealed; a garrison is concealed, and +1 of its own.
        ({}, {"taking_cover": True}, "neutral", 3),
        ({"concealed": True}, {"taking_cover": True}, "weakened", 4),
        ({}, {"taking_cover": True, "garrisoned": True}, "weakened", 5),
        # AC-6 Torrent: neither penalty nor DEFENCE. Seismic: a bonus against the garrison's penalty.
        ({"qualities": ["Torrent"]}, {"taking_cover": True, "garrisoned": True}, "neutral", 3),
        ({"qualities": ["Seismic"]}, {"garrisoned": True}, "neutral", 4),
        # AC-6 Lock On, Indirect.
        ({"opportunity_fire": True}, {}, "weakened", 3),
        ({"opportunity_fire": True, "qualities": ["Lock On"]}, {}, "neutral", 3),
        (
            {"line_of_sight": "none", "qualities": ["Indirect"], "bonuses": ["aiming"]},
            {},
            "weakened",
            3,
        ),
        (
            {"line_of_sight": "spotter", "qualities": ["Indirect"], "concealed": True},
            {},
            "improved",
            3,
        ),
        # AC-3.9: exposed models are not concealed, unless Shrouded.
        ({"concealed": True}, {"exposed": 2, "taking_cover": True}, "neutral", 3),
        ({}, {"exposed": 2, "rules": ["Shrouded"]}, "weakened", 3),
        # AC-7 Pavises, Resilient (not while garrisoned), Emplacement behind its obstacle.
        ({}, {"taking_cover": True, "rules": ["Pavises"]}, "neutral", 4),
        ({}, {"from_front": True, "rules": ["Resilient (Front)"]}, "neutral", 4),
        (
            {},
            {"from_front": True, "garrisoned": True, "rules": ["Resilient (Front)"]},
            "weakened",
            4,
        ),
        ({}, {"obstacle": True, "type": "field gun", "rules": ["Emplacement"]}, "weakened", 4),
        ({}, {"obstacle": True, "type": "armour"}, "neutral", 3),
        # A stated rating stands; concealed then only serves the cover.
        ({"rating": "improved", "concealed": True}, {"taking_cover": True}, "improved", 4),
    ],
)
def test_rating_and_defence(attack, target, rating, defence):
    attack, target, _die, _deck = plain.read(scenario(attack=attack, **{"defence": 3, **target}))
    assert plain.combat_rating(attack, target) == rating
    assert plain.effective_defence(attack, target) == defence


# --- damage -----------------------------------------------------------------------------------------------


def test_damage_carries_over_to_the_next_model():
    # AC-3.7, AC-3.8: 11 hits on DEFENCE 2 are 5 damage (1 hit discarded); with 2 from before 7 on DAMAGE LIMIT 3:
    # two models and 1 damage.
    outcome = certain(scenario(hits=11, defence=2, damage_limit=3, damage=2, discipline=None))
    assert outcome == plain.Outcome(models_left=8, models_destroyed=2, damage=1)


def test_devastating_counts_excess_hits():
    # AC-6: 3 hits on DEFENCE 2 are 1 damage and 1 for the hit in excess; 4 hits are 2 damage, nothing in excess;
    # 1 hit is in excess too.
    for hits, models in [(3, 2), (4, 2), (1, 1), (0, 0)]:
        given = scenario(hits=hits, defence=2, attack={"qualities": ["Devastating"]}, discipline=None)
        assert certain(given).models_destroyed == models


def test_penetrating():
    attack = {"qualities": ["Penetrating"]}
    # AC-6: 4 damage on DAMAGE LIMIT 3: one model, 1 left, so one more model and none left.
    outcome = certain(scenario(hits=4, damage_limit=3, attack=attack, discipline=None))
    assert (outcome.models_destroyed, outcome.damage) == (2, 0)
    # No damage suffered, although some is left from before: nothing more.
    outcome = certain(scenario(hits=0, damage_limit=3, damage=1, attack=attack, discipline=None))
    assert (outcome.models_destroyed, outcome.damage) == (0, 1)
    # A behemoth suffers 1 more: 4 + 1 of 11, and the eleventh destroys it.
    behemoth = {
        "models": 1,
        "damage_limit": 11,
        "behemoth": True,
        "discipline": None,
        "attack": attack,
    }
    assert certain(scenario(hits=4, **behemoth)).damage == 5
    assert certain(scenario(hits=4, damage=6, **behemoth)).annihilated


def test_only_exposed_models_can_be_destroyed():
    # AC-3.9: 7 damage on DAMAGE LIMIT 2 would be three models and 1 damage; two exposed, the rest is discarded.
    given = {"hits": 7, "damage_limit": 2, "discipline": None}
    outcome = certain(scenario(**given, exposed=2))
    assert outcome == plain.Outcome(models_left=8, models_destroyed=2, damage=0)
    # Nothing is left then for Penetrating; and all models exposed restricts nothing.
    assert certain(scenario(**given, exposed=2, attack={"qualities": ["Penetrating"]})) == outcome
    assert certain(scenario(**given, exposed=10)).models_destroyed == 3


# --- suppression test -------------------------------------------------------------------------------------


def test_modifiers_of_the_suppression_test():
    # AC-5.2: 5 of 10 destroyed, DISCIPLINE 6 - 1: a 6 fails, a 5 passes; with 4 of 10 the 6 passes.
    assert certain(scenario(hits=5, deck={"6": 1})).suppressed
    assert not certain(scenario(hits=5, deck={"5": 1})).suppressed
    assert not certain(scenario(hits=4, deck={"6": 1})).suppressed
    # AC-5.3 disordered and AC-6 Suppressive, -1 each; AC-7 Chain of Command +1: 6 - 1 - 1 + 1 = 5.
    modified = {
        "disordered": True,
        "chain_of_command": True,
        "attack": {"qualities": ["Suppressive"]},
    }
    assert not certain(scenario(hits=1, deck={"5": 1}, **modified)).suppressed
    assert certain(scenario(hits=1, deck={"6": 1}, **modified)).suppressed
    # AC-5.1 with the default deck: DISCIPLINE 6 fails with half of the cards.
    law = plain.law(scenario(hits=1, deck=plain.DEFAULT_DECK))
    assert law == {
        (9, 1, 0, False, False, False, False, False, False, False, 0, 0): Fraction(1, 2),
        (9, 1, 0, True, False, False, False, False, False, False, 0, 0): Fraction(1, 2),
    }


def test_who_takes_the_test():
    opportunity = {"opportunity_fire": True, "rating": "neutral"}
    # AC-4.5: a model destroyed, not by opportunity fire, no aircraft; AC-7 Hot Headed takes both tests.
    assert not certain(scenario(hits=0)).suppressed
    assert not certain(scenario(hits=1, attack=opportunity)).suppressed
    assert not certain(scenario(hits=1, aircraft=True)).suppressed
    assert certain(scenario(hits=1, aircraft=True, attack=opportunity, rules=["Hot Headed"])).suppressed
    # AC-7: a pass without a card, also where the general would rather fail; AC-5.1 failing on purpose.
    assert not certain(scenario(hits=1, rules=["Automata"], fail_on_purpose=True)).suppressed
    assert not certain(scenario(hits=1, peer_review=True)).suppressed
    assert certain(scenario(hits=1, deck=LOW_CARD, fail_on_purpose=True)).suppressed


def test_break_before_fall_back_before_suppressed():
    # AC-5.4 (a): 3 left, BREAK LIMIT 3, suppressed already, at the edge: it breaks, it does not flee.
    state = {"hits": 7, "suppressed": True, "edge_distance": 3.0}
    assert certain(scenario(**state, break_limit=3)) == plain.Outcome(0, 7, broken=True, annihilated=True)
    # (b): 3 left, BREAK LIMIT 2: falls back 3" and reaches an edge 3" away, but not one 3.5" away.
    fled = plain.Outcome(0, 7, fell_back=True, fled=True, annihilated=True)
    assert certain(scenario(**state, break_limit=2)) == fled
    far = {**state, "edge_distance": 3.5}
    assert certain(scenario(**far)) == plain.Outcome(3, 7, suppressed=True, fell_back=True)
    # AC-5.5: without room for one, two are left; without room for five, none.
    cramped = certain(scenario(**far, models_without_room=1))
    assert cramped == plain.Outcome(2, 8, suppressed=True, fell_back=True)
    crushed = certain(scenario(**far, models_without_room=5))
    assert crushed == plain.Outcome(0, 10, fell_back=True, annihilated=True)
    # (c): not suppressed yet.
    assert certain(scenario(hits=7, break_limit=2)) == plain.Outcome(3, 7, suppressed=True)


def test_cryo_activates_instead():
    attack = {"qualities": ["Cryo", "Seismic"]}
    # AC-6: activated, not suppressed, so Seismic has nothing to add; suppressed as normal if it was activated.
    assert certain(scenario(hits=1, attack=attack)) == plain.Outcome(9, 1, activated=True)
    outcome = certain(scenario(hits=1, attack=attack, activated=True))
    assert outcome == plain.Outcome(9, 1, suppressed=True, disordered=True, activated=True)
    # AC-5.4: Cryo replaces only (c); a suppressed unit falls back.
    outcome = certain(scenario(hits=1, attack=attack, suppressed=True))
    assert outcome == plain.Outcome(9, 1, suppressed=True, fell_back=True)


def test_seismic_and_construct_disorder_the_newly_suppressed():
    seismic = {"qualities": ["Seismic"]}
    assert certain(scenario(hits=1, attack=seismic)).disordered
    assert certain(scenario(hits=1, rules=["Construct"])).disordered
    # AC-6: not a rotorcraft; AC-5.8: not near a commander.
    assert not certain(scenario(hits=1, attack=seismic, type="rotorcraft")).disordered
    assert not certain(scenario(hits=1, attack=seismic, near_commander=True)).disordered


def test_random_officer():
    # AC-5.8: 2 of 5 models destroyed, so the officer is lost with 2/5 and the card 5 then fails DISCIPLINE 5 - 1;
    # 2 of 5 is less than half. Else the test is passed.
    given = {"hits": 2, "models": 5, "discipline": 5, "deck": {"5": 1}, "officer": "random"}
    assert plain.law(scenario(**given, formation="open")) == {
        (3, 2, 0, True, True, False, False, False, False, False, 0, 0): Fraction(2, 5),
        (3, 2, 0, False, False, False, False, False, False, False, 0, 0): Fraction(3, 5),
    }
    # Close formation never loses it early; Precision takes it first even there, but not from a Bodyguard.
    close = {**given, "formation": "close"}
    precision = {"qualities": ["Precision"]}
    assert certain(scenario(**close)) == plain.Outcome(3, 2)
    assert certain(scenario(**close, attack=precision)).disordered
    assert certain(scenario(**close, attack=precision, rules=["Bodyguard"])) == plain.Outcome(3, 2)


# --- Overcharge -------------------------------------------------------------------------------------------


def test_overcharge_with_one_card():
    # AC-6: a card of 1, so 1 + 1 dice of strike or blank. Each blank is 1 damage to the attacker, DAMAGE LIMIT 2:
    # two blanks 1/4: one model lost; one of each 2/4: 1 damage, and 1 model of the target destroyed.
    given = scenario(
        hits=1,
        die={"strike": 1, "blank": 1},
        deck=LOW_CARD,
        attack={"overcharge": True, "qualities": ["Overcharge"], "attacker_damage_limit": 2},
    )
    nothing = (False,) * 7
    assert plain.law(given) == {
        (10, 0, 0, *nothing, 1, 0): Fraction(1, 4),
        (9, 1, 0, *nothing, 0, 1): Fraction(1, 2),
        (8, 2, 0, *nothing, 0, 0): Fraction(1, 4),
    }
    assert plain.hits_law(given) == {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}


def test_overcharge_cannot_cost_more_models_than_there_are():
    # AC-6, AC-3.8: four blanks on one model with 1 of 2 damage: it is gone and the rest is lost.
    attack = {
        "overcharge": True,
        "attacker_models": 1,
        "attacker_damage_limit": 2,
        "attacker_damage": 1,
    }
    law = plain.law(scenario(hits=3, die={"blank": 1}, deck=LOW_CARD, attack=attack))
    assert [outcome[10:] for outcome in law] == [(1, 0)]


# --- the whole --------------------------------------------------------------------------------------------


def test_the_law_sums_to_one_with_everything_at_once():
    given = {
        "attack": {
            "dice": 2,
            "qualities": [
                "Arc",
                "Devastating",
                "Penetrating",
                "Suppressive",
                "Seismic",
                "Full Steam Ahead",
            ],
            "carriages": 1,
            "veteran": 1,
            "bonuses": ["aiming"],
            "extra_reroll": {"faces": ["blank"], "dice": 1},
        },
        "target": {
            "models": 4,
            "defence": 2,
            "damage_limit": 2,
            "damage": 1,
            "discipline": 7,
            "break_limit": 1,
            "formation": "open",
            "officer": "random",
        },
    }
    law = plain.law(given)
    assert sum(law.values()) == 1
    assert sum(plain.hits_law(given).values()) == 1
    # AC-3.8: every model is either left or destroyed, except in a unit that broke.
    assert all(left + destroyed == 4 or broken for left, destroyed, *_, broken, _, _, _, _, _ in law)


def test_an_unknown_key_is_refused():
    with pytest.raises(ValueError, match="bonsues"):
        plain.law(scenario(hits=1, attack={"bonsues": ["aiming"]}))
