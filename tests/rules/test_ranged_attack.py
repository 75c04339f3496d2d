"""Every numbered rule of a ranged attack (AC-2 to AC-7), each changing its number as it should: tables of cases.

Most attacks here are rigged: each die is a strike, so `dice=5` is five hits for certain, on ten models that one hit
destroys one of, and each card is a 12, so that every test that goes by card is failed. Each case says what it
changes of that. Expected values are worked by hand from the rules; every key together with every other one is
compared with the plain reading, on scenarios at random.
"""

import pytest

import analyser
from tests.oracle.attacks import (
    SHIPPED_DECK,
    SHIPPED_DIE,
    TOLERANCE,
    attack,
    certain,
    chance,
    defence_of,
    hits_in,
    hits_law,
    law,
    marginal,
    modified_discipline,
    rating_of,
    refusal,
    scenario,
)
from tests.oracle.fight_files import COIN, LOW_CARDS

# --- the combat rating (AC-3.1, AC-4.2) -------------------------------------------------------------------

INDIRECT = {"qualities": ["Indirect"], "bonuses": ["aiming", "ammo_supply"]}
BADLY = {"qualities": ["Indirect"], "penalties": ["suppressed", "reforming"]}
OUTSIDE = {"qualities": ["Turret"], "penalties": ["outside_front_arc"]}
RATED = {
    "neutral": [
        {},
        {"bonuses": ["aiming", "aiming"], "penalties": ["suppressed"]},  # named twice it counts once
        {"penalties": ["concealed"], "exposed": 4},  # AC-3.9
        {"obstacle": True, "type": "armour"},  # AC-4.3
        {"concealed": True, "qualities": ["Torrent"]},
        {"garrisoned": True, "qualities": ["Torrent"]},
        {"garrisoned": True, "qualities": ["Seismic"]},  # concealed, so one bonus makes it even
        {"opportunity_fire": True, "qualities": ["Lock On"]},
        {"rules": ["Shrouded"], "qualities": ["Torrent"]},
    ],
    "improved": [
        *({"bonuses": [bonus]} for bonus in ("aiming", "short_range", "ammo_supply")),
        {"line_of_sight": "spotter", **BADLY},
        {"line_of_sight": "own", **INDIRECT},
    ],
    "weakened": [
        *({"penalties": [penalty]} for penalty in ("concealed", "suppressed", "opportunity_fire", "reforming")),
        {"penalties": ["concealed"], "exposed": 10},  # all ten are no choice of the exposed ones
        *({key: True} for key in ("opportunity_fire", "concealed", "garrisoned")),
        {"obstacle": True, "type": "infantry"},
        OUTSIDE,
        {"line_of_sight": "none", **INDIRECT},
        *({"rules": [rule]} for rule in ("Shrouded", "Obfuscating (12)")),
        {"rules": ["Shrouded"], "exposed": 4},
    ],
}


@pytest.mark.parametrize(("rating", "keys"), [(rating, keys) for rating, every in RATED.items() for keys in every])
def test_ac_3_1_the_rating_is_the_majority_of_bonuses_and_penalties(rating, keys):
    assert rating_of(**keys) == rating


# --- dice and hits (AC-2.3, AC-3.2 to AC-3.6) -------------------------------------------------------------

PARENTHESES = {"dice": 3, "dice_in_parentheses": 7}
HITS = [  # of rigged dice: so many for certain
    (7, {"dice": 7}),
    (7, {"qualities": ["Point Blank"], "bonuses": ["short_range"], **PARENTHESES}),
    (3, {"qualities": ["Point Blank"], **PARENTHESES}),
    (3, {"qualities": ["Shock"], "category": "heavy", **PARENTHESES}),
    (7, {"qualities": ["Wreckers"], "category": "heavy", **PARENTHESES}),
    (8, {"dice": 2, "qualities": ["Full Steam Ahead"], "carriages": 3}),
    (5, {"dice": 3, "veteran": 2}),
    (3, {"dice": 3, "veteran": 2, "rules": ["Durable"]}),  # a heroic strike is no more than a strike there
    (12, {"die": {"heroic": 1}, "dice": 3}),  # three dice, three added ones that add no more, two hits each
    (6, {"die": {"heroic": 1}, "dice": 1, "qualities": ["Arc"]}),
    (6, {"die": {"heroic": 1}, "dice": 3, "rules": ["Durable"]}),  # they explode all the same
]


@pytest.mark.parametrize(("hits", "keys"), HITS)
def test_ac_3_6_so_many_hits(hits, keys):
    assert hits_law(attack(**keys)) == {hits: 1.0}


@pytest.mark.parametrize(
    ("of", "die", "keys", "hits"),
    [
        # Heroic or blank: blank 2 of 4; heroic, then blank 1; heroic, then heroic 1.
        (4, {"heroic": 1, "blank": 1}, {"dice": 1}, {0: 2, 2: 1, 4: 1}),
        # A side of the face and a side that strikes; if the face is rolled again it strikes with 1 of 2 (AC-3.4).
        (4, {"strike": 1, "glancing": 1}, {"dice": 1, "rating": "weakened"}, {0: 2, 1: 2}),
        (4, {"strike": 1, "glancing": 1}, {"dice": 1, "rating": "neutral"}, {0: 1, 1: 3}),
        (4, {"strike": 1, "miss": 1}, {"dice": 1, "rating": "neutral"}, {0: 2, 1: 2}),
        (4, {"strike": 1, "miss": 1}, {"dice": 1, "rating": "improved"}, {0: 1, 1: 3}),
        (4, {"strike": 1, "blank": 1}, {"dice": 1, "rating": "improved"}, {0: 2, 1: 2}),
        # Miss, then miss: 0 hits, 2 of 8. Miss, then heroic: 2 hits and no more, 2 of 8 (AC-3.4).
        # Heroic: 2 hits and a die that in its turn gives 2 hits with 3 of 4.
        (8, {"heroic": 1, "miss": 1}, {"dice": 1, "rating": "improved"}, {0: 2, 2: 2 + 1, 4: 3}),
        # 0, 1, 2 strikes with 4, 8, 4 of 16. One blank rolled again is a strike half the time (AC-3.5).
        (16, COIN, {"dice": 2, "extra_reroll": {"faces": ["blank"], "dice": 1}}, {0: 2, 1: 2 + 4, 2: 4 + 4}),
        (16, COIN, {"dice": 2, "extra_reroll": {"faces": ["blank"], "dice": 2}}, {0: 1, 1: 6, 2: 9}),
        # A weakened attack takes none, and no die is rolled a third time.
        (
            4,
            COIN,
            {"dice": 2, "rating": "weakened", "extra_reroll": {"faces": ["blank"], "dice": 2}},
            {0: 1, 1: 2, 2: 1},
        ),
        (
            4,
            {"strike": 1, "miss": 1},
            {"dice": 1, "rating": "improved", "extra_reroll": {"faces": ["miss"], "dice": 5}},
            {0: 1, 1: 3},
        ),
    ],
)
def test_ac_3_3_to_3_5_explosions_and_rerolls(of, die, keys, hits):
    assert hits_in(of, die, **keys) == hits


RIFLES, MORTAR = ({"attacker": "rifles@basic", "row": row, "veteran": 0} for row in ("rifles", "mortar"))


@pytest.mark.parametrize(
    ("quality", "keys", "dice"),
    [
        *((None, RIFLES | {"attacker_models": models}, dice) for models, dice in ((1, 2), (3, 2), (4, 5), (6, 5))),
        # 7 models in a building count as 4 (half, rounded up), 6 as 3 (AC-4.4).
        (None, RIFLES | {"attacker_garrisoned": True, "attacker_models": 7}, 5),
        (None, RIFLES | {"attacker_garrisoned": True, "attacker_models": 6}, 2),
        # A behemoth's band goes by the damage it suffered.
        *(
            (None, {"attacker": "walker", "row": "guns", "attacker_damage": d}, dice)
            for d, dice in ((0, 8), (4, 8), (5, 4))
        ),
        (None, {"attacker": "rifles@basic", "row": "rifles"}, 5 + 2),  # Veteran (2) of its profile
        ("Point Blank", MORTAR | {"distance": 6}, 7),
        ("Point Blank", MORTAR | {"distance": 7}, 3),
    ],
)
def test_ac_2_3_the_dice_of_a_row(armoury, quality, keys, dice):
    assert hits_law(attack(profiles=armoury(*([quality] if quality else [])), **keys)) == {dice: 1.0}


@pytest.mark.parametrize(
    ("qualities", "row", "keys", "told", "allowed"),
    [
        ([], "rifles", {"attacker": "rifles@reinforced"}, "no attack dice for 12 models", {}),  # AC-2.4
        ([], "rifles", {"category": "heavy"}, "the target is heavy", {"category": "light"}),  # AC-4.1
        ([], "mortar", {"category": "aerial"}, "the target is aerial", {"category": "heavy"}),
        ([], "rifles", {"distance": 12.5}, "long range is 12", {"distance": 12}),
        ([], "bayonets", {}, "melee row", None),
        (["Indirect"], "mortar", {"distance": 6}, "within short range", {"distance": 7}),
        (["Slow to Fire"], "mortar", {"attacker_reloading": True}, "Slow to Fire", {"attacker_advanced": True}),
        (["Move or Fire"], "mortar", {"attacker_advanced": True}, "Move or Fire", {"attacker_reloading": True}),
        (["Reactive"], "mortar", {}, "Reactive", {"opportunity_fire": True}),
    ],
)
def test_ac_4_1_when_a_row_may_be_used(armoury, qualities, row, keys, told, allowed):
    of_all = {"row": row, "profiles": armoury(*qualities)}
    assert told in refusal(**{"attacker": "rifles@basic"} | of_all | keys)
    if allowed is not None:
        assert attack(attacker="rifles@basic", **of_all, **allowed)


@pytest.mark.parametrize(
    ("quality", "keys"),
    [
        ("Turret", {"penalties": ["outside_front_arc"]}),
        ("Indirect", {"line_of_sight": "none"}),
        ("Full Steam Ahead", {"carriages": 3}),
    ],
)
def test_ac_6_what_takes_a_quality_is_refused_without_it(quality, keys):
    assert quality in refusal(dice=1, **keys)


# --- DEFENCE, damage and models (AC-3.7 to AC-3.9, AC-4.3) ------------------------------------------------

TAKING_COVER, PAVISES, FRONT = {"taking_cover": True}, {"rules": ["Pavises"]}, {"rules": ["Resilient (Front)"]}


@pytest.mark.parametrize(
    ("keys", "defence"),
    [
        (TAKING_COVER, 1),
        (TAKING_COVER | {"concealed": True}, 2),
        ({"garrisoned": True}, 2),
        (TAKING_COVER | {"garrisoned": True}, 3),
        (TAKING_COVER | {"garrisoned": True, "qualities": ["Torrent"]}, 1),
        (FRONT | {"from_front": True}, 2),
        (FRONT | {"from_front": True, "garrisoned": True}, 2),  # the building gives one, and takes that of the rule
        ({"rules": ["Emplacement"], "obstacle": True}, 2),
        (PAVISES | TAKING_COVER, 2),
        (PAVISES | TAKING_COVER | {"qualities": ["Torrent"]}, 1),
        (TAKING_COVER | {"rules": ["Shrouded"]}, 2),
    ],
)
def test_ac_4_3_defence(keys, defence):
    assert defence_of(**keys) == defence


PENETRATING, DEVASTATING = {"qualities": ["Penetrating"]}, {"qualities": ["Devastating"]}
BEHEMOTH = {"models": 1, "behemoth": True, "damage_limit": 10, **PENETRATING}


@pytest.mark.parametrize(
    ("keys", "destroyed", "damage"),
    [
        *(
            ({"dice": hits, "defence": 3, "damage_limit": 100}, 0, lost)
            for hits, lost in ((2, 0), (3, 1), (5, 1), (6, 2))
        ),
        # 7 damage at DAMAGE LIMIT 3: two models, and 1 damage is left on the unit; earlier damage counts.
        ({"dice": 7, "damage_limit": 3}, 2, 1),
        ({"dice": 7, "damage_limit": 3, "damage": 2}, 3, 0),
        ({"dice": 8, "damage_limit": 3, "models": 2}, 2, 0),
        ({"dice": 14, "damage_limit": 3, "exposed": 4}, 4, 0),  # the rest is discarded
        # One more for hits that are left over, none where none is.
        *(
            ({"dice": hits, "defence": 3, "damage_limit": 100} | DEVASTATING, 0, lost)
            for hits, lost in ((2, 1), (3, 1), (4, 2), (5, 2), (6, 2))
        ),
        # The damage left costs one model more, if there is any.
        ({"dice": 7, "damage_limit": 3} | PENETRATING, 3, 0),
        ({"dice": 6, "damage_limit": 3} | PENETRATING, 2, 0),
        # Damage of before counts, but the attack needs damage of its own.
        ({"dice": 1, "damage_limit": 3, "damage": 1} | PENETRATING, 1, 0),
        ({"dice": 1, "damage_limit": 3, "damage": 1, "defence": 2} | PENETRATING, 0, 1),
        ({"dice": 7} | BEHEMOTH, 0, 8),
        ({"dice": 9} | BEHEMOTH, 1, 0),
        ({"dice": 5, "damage_limit": 3, "exposed": 1} | PENETRATING, 1, 0),
        ({"dice": 5, "damage_limit": 3, "exposed": 2} | PENETRATING, 2, 0),
    ],
)
def test_ac_3_7_to_3_9_models_and_damage(keys, destroyed, damage):
    outcome = certain(**keys)
    assert (outcome.models_destroyed, outcome.damage_left) == (destroyed, damage)
    assert outcome.models_left == keys.get("models", 10) - destroyed
    assert outcome.annihilated == (outcome.models_left == 0)


# --- the test after it (AC-4.5, AC-5) ---------------------------------------------------------------------


@pytest.mark.parametrize("discipline", [0, 1, 7, 11, 12])
def test_ac_5_1_a_card_of_at_most_discipline_passes(discipline):
    # The shipped deck has every value from 1 to 12 equally often.
    failed = chance("suppressed", deck=SHIPPED_DECK, dice=1, discipline=discipline)
    assert failed == pytest.approx((12 - discipline) / 12, rel=0, abs=TOLERANCE)


OFFICER_FIRST = {"formation": "open", "officer": "first"}


@pytest.mark.parametrize(
    ("keys", "discipline"),
    [
        # 4 of 10 models are less than half, 5 are not; 4 of 8 and 5 of 9 (half is 4.5) are not either (AC-5.2).
        *(({"dice": 4, "models": models}, left) for models, left in ((10, 6), (8, 5), (9, 6))),
        *(({"dice": 5, "models": models}, 5) for models in (10, 9)),
        ({"disordered": True}, 5),
        ({"qualities": ["Suppressive"]}, 5),
        ({"dice": 5, "disordered": True, "qualities": ["Suppressive"]}, 3),
        ({"chain_of_command": True}, 7),
        (OFFICER_FIRST, 5),  # the loss counts in the test of the same attack
        (OFFICER_FIRST | {"near_commander": True}, 6),
    ],
)
def test_ac_5_2_discipline(keys, discipline):
    assert modified_discipline(**keys) == discipline


def one(*flags, **keys):
    """A hit that costs one of ten models, and what becomes of the rest."""
    return {"dice": 1} | keys, flags


CRYO, SEISMIC, PRECISION = ({"qualities": [name]} for name in ("Cryo", "Seismic", "Precision"))
AIR, SHAKEN = {"aircraft": True}, {"suppressed": True}
FATES = [
    # AC-4.5: who lost a model and lives takes a test, except to opportunity fire; aircraft take none.
    one("suppressed"),
    ({"dice": 10}, ("annihilated",)),
    one(opportunity_fire=True),
    one(opportunity_fire=True, qualities=["Lock On"]),
    one(**AIR),
    one(type="aircraft"),
    one("suppressed", type="rotorcraft"),
    one("suppressed", **AIR, rules=["Hot Headed"]),
    # AC-5.1: without DISCIPLINE no test; on purpose it fails, unless it is passed without a card.
    one(discipline=None),
    one(deck={"0": 1}, discipline=0),
    one(deck=LOW_CARDS),
    one("suppressed", deck=LOW_CARDS, fail_on_purpose=True),
    *(
        one(rules=[rule], fail_on_purpose=purpose)
        for rule in ("Automata", "Irrepressible")
        for purpose in (False, True)
    ),
    one(peer_review=True),
    # AC-5.4: break, else fall back, else become suppressed.
    ({"dice": 4, "break_limit": 5}, ("suppressed",)),
    ({"dice": 5, "break_limit": 5}, ("broken", "annihilated")),
    ({"dice": 5, "break_limit": 5, "edge_distance": 1} | SHAKEN, ("broken", "annihilated")),
    one("suppressed", "fell_back", **SHAKEN),
    *(one("fell_back", "fled", "annihilated", edge_distance=edge, **SHAKEN) for edge in (0, 3)),
    one("suppressed", "fell_back", edge_distance=3.1, **SHAKEN),
    # AC-5.5: models without room are lost in falling back only.
    one("suppressed", models_without_room=2),
    one("annihilated", "fell_back", models_without_room=9, **SHAKEN),
    # AC-5.8: the officer falls last in close formation, as stated in open; Precision (AC-6) takes it first.
    *(
        ({"dice": 9, "formation": "close", "officer": officer}, ("suppressed",))
        for officer in ("last", "first", "random")
    ),
    one("suppressed", "disordered", **OFFICER_FIRST),
    one("suppressed", near_commander=True, **OFFICER_FIRST),
    *(one("suppressed", type=kind, officer="first") for kind in ("infantry", "field gun")),
    *(one("suppressed", "disordered", type=kind, officer="first") for kind in ("cavalry", "armour", "artillery")),
    *(one("suppressed", "disordered", type=kind, officer="first") for kind in ("fortification", "rotorcraft")),
    one("suppressed", "disordered", type="infantry", rules=["Irregular"], officer="first"),
    one("suppressed", type="cavalry", rules=["Lockstep"], officer="first"),
    *(one("suppressed", "disordered", formation=formation, **PRECISION) for formation in ("close", "open")),
    one("suppressed", rules=["Bodyguard"], **PRECISION),
    # AC-6: Cryo activates instead of suppressing, and neither breaks nor drives back less.
    one("activated", **CRYO),
    one("broken", "annihilated", break_limit=9, **CRYO),
    one("suppressed", "fell_back", **CRYO, **SHAKEN),
    # AC-6, AC-7: Seismic and Construct disorder a unit that becomes suppressed; Seismic not what flies.
    *(one("suppressed", "disordered", **how) for how in (SEISMIC, {"rules": ["Construct"]})),
    *(one(deck=LOW_CARDS, **how) for how in (SEISMIC, {"rules": ["Construct"]})),
    *(one("suppressed", near_commander=True, **how) for how in (SEISMIC, {"rules": ["Construct"]})),
    one("suppressed", type="rotorcraft", **SEISMIC),
    one("suppressed", rules=["Hover"], **SEISMIC),
]


@pytest.mark.parametrize(("keys", "flags"), FATES)
def test_ac_5_4_what_becomes_of_the_target(keys, flags):
    outcome = vars(certain(**keys))
    assert {name for name, value in outcome.items() if value is True} == set(flags)


@pytest.mark.parametrize(("dice", "lost"), [(1, 0.1), (3, 0.3)])
def test_ac_5_8_an_officer_anywhere_falls_with_its_share_of_the_models(dice, lost):
    disordered = chance("disordered", dice=dice, formation="open", officer="random")
    assert disordered == pytest.approx(lost, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("keys", "points"),
    [
        ({"dice": 10}, 4),
        ({"dice": 9}, 0),
        ({"dice": 9, "break_limit": 1}, 4),
        ({"dice": 1, "edge_distance": 2} | SHAKEN, 4),
    ],
)
def test_ac_5_9_annihilation_gives_the_victory_points(keys, points):
    assert attack(victory_points=4, **keys).summary["expected_victory_points"] == points


# --- Overcharge (AC-6) ------------------------------------------------------------------------------------


def test_ac_6_overcharge_adds_the_cards_value_in_dice():
    # 2 dice and a card of 3 or 5.
    assert hits_law(attack(deck={"3": 1, "5": 3}, dice=2, overcharge=True, discipline=None)) == {5: 0.25, 7: 0.75}


@pytest.mark.parametrize(
    ("models", "damage", "lost"), [(6, 0, (2, 1)), (6, 1, (3, 0)), (1, 0, (1, 0))], ids=["whole", "hurt", "no more"]
)
def test_ac_6_overcharge_costs_the_attacker_one_damage_for_each_final_blank(models, damage, lost):
    # 1 die and a card of 4, all blank: 5 damage on models with DAMAGE LIMIT 2; no more models than it has.
    keys = {"dice": 1, "overcharge": True, "attacker_damage_limit": 2, "attacker_models": models}
    outcome = certain({"blank": 1}, {"4": 1}, attacker_damage=damage, **keys)
    assert (outcome.attacker_models_destroyed, outcome.attacker_damage_left) == lost


def test_ac_6_overcharge_counts_the_blanks_that_lie_at_the_end():
    # One die and a card of 0: strike or blank, the blank rolled again. A blank at the end with 1 of 4.
    keys = {"deck": {"0": 1}, "dice": 1, "overcharge": True, "extra_reroll": {"faces": ["blank"], "dice": 1}}
    found = marginal(law(attack(COIN, **keys)), "attacker_models_destroyed")
    assert found == {(0,): 0.75, (1,): 0.25}


# --- what is told, and what is not modelled (AC-7) --------------------------------------------------------


def test_ac_7_corrosive_fumes_disorder_an_enemy_within_reach(armoury):
    keys = {"attacker": "rifles@basic", "row": "rifles", "profiles": armoury(), "deck": LOW_CARDS}
    assert certain(distance=3, **keys).disordered
    for safe in (
        {"distance": 3.5},
        {},
        {"distance": 3, "rules": ["Automata"]},
        {"distance": 3, "near_commander": True},
    ):
        assert not certain(**safe, **keys).disordered


@pytest.mark.parametrize("rule", ["Fiery Demise (3)", "Tail Gunner (2)", "Slow", "Capacity (6)"])
def test_ac_7_rules_that_no_number_comes_from_are_reported_by_name(rule):
    result = attack(dice=1, rules=[rule])
    assert result.not_modelled == (rule,)
    assert law(result) == law(attack(dice=1))


def test_ac_7_an_unknown_rule_is_reported_and_warned_of():
    result = attack(dice=1, rules=["Moon Walk"], qualities=["Sun Burn", "Coruscating", "Fields of Fire"])
    assert result.not_modelled == ("Sun Burn", "Coruscating", "Fields of Fire", "Moon Walk")
    assert [warning for warning in result.warnings if "Moon Walk" in warning]
    assert [warning for warning in result.warnings if "Sun Burn" in warning]


# --- a whole attack by hand -------------------------------------------------------------------------------


def test_one_die_of_the_shipped_ruleset_from_roll_to_card():
    # One neutral die, DEFENCE 2, one hit a model, three models, DISCIPLINE 4, BREAK LIMIT 1 (AC-3, AC-5). In 216ths:
    # 0, 1, 2, 3, 4 hits are 90, 84, 21, 14, 7. So no model 174, one 21 + 14 = 35, two 7.
    # One of three destroyed: suppressed with 8 of 12. Two, at least half: fails with 9 of 12, and breaks.
    result = analyser.exact(
        scenario(SHIPPED_DIE, SHIPPED_DECK, dice=1, models=3, defence=2, discipline=4, break_limit=1)
    )
    found = marginal(law(result), "models_left", "models_destroyed", "suppressed", "broken")
    wanted = {
        (3, 0, False, False): 174 / 216,
        (2, 1, False, False): 35 / 216 * 4 / 12,
        (2, 1, True, False): 35 / 216 * 8 / 12,
        (1, 2, False, False): 7 / 216 * 3 / 12,
        (0, 2, False, True): 7 / 216 * 9 / 12,
    }
    assert found == pytest.approx(wanted, rel=0, abs=TOLERANCE)
