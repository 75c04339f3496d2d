"""Names of qualities and special rules: as written, as meant, as the rules spell them."""

import pytest

import analyser
from analyser.game.keywords import QUALITIES, SPECIAL_RULES, parse, recognise, tidy


@pytest.mark.parametrize(
    ("written", "name", "parameter"),
    [
        ("Veteran (2)", "Veteran", "2"),
        ("Veteran(2)", "Veteran", "2"),
        ("  Chain of  Command (6”) ", "Chain of Command", "6"),
        ('Corrosive Fumes (2")', "Corrosive Fumes", "2"),
        ("Corrosive Fumes (2'')", "Corrosive Fumes", "2"),
        ("Hit & Run", "Hit & Run", None),
    ],
)
def test_name_and_parameter(written, name, parameter):
    assert parse(written) == (name, parameter)


def test_one_kind_of_space_quote_and_dash():
    assert tidy("\u00a0All\u2011Out\tAttack \u201c2\u201d \u2019") == 'All-Out Attack "2" \''


@pytest.mark.parametrize("written", ["point blank", "POINT BLANK", "Point-Blank", " Point  Blank"])
def test_case_hyphens_and_spaces_are_forgiven(written):
    assert recognise(written, QUALITIES) == ("Point Blank", True)


def test_and_is_an_ampersand():
    assert recognise("Hit and Run", SPECIAL_RULES) == ("Hit & Run", True)


@pytest.mark.parametrize(
    ("written", "meant", "table"),
    [("Penertrating", "Penetrating", QUALITIES), ("Irrepresible", "Irrepressible", SPECIAL_RULES)],
)
def test_a_slip_of_the_pen_is_understood_and_reported(written, meant, table):
    assert recognise(written, table) == (meant, False)


@pytest.mark.parametrize("written", ["Moon Walk", "Ax", "Slo", ""])
def test_a_name_like_none_stays_as_it_is(written):
    assert recognise(written, QUALITIES) == (written, False)


def test_every_term_stands_under_its_own_name():
    for table in (QUALITIES, SPECIAL_RULES):
        assert all(name == term.name == parse(name)[0] for name, term in table.items())


def test_no_name_is_taken_for_another():
    # A likeness that loose would turn one rule into another.
    for table in (QUALITIES, SPECIAL_RULES):
        for name in table:
            assert recognise(name, table) == (name, True)
            others = {other: term for other, term in table.items() if other != name}
            assert recognise(name, others) == (name, False)


# AC-6 and AC-7: every name of the two tables of the rules is known.
AC_6 = (
    "Point Blank, Shock, Wreckers, Arc, Devastating, Penetrating, Suppressive, Torrent, Precision, Cryo, Seismic, "
    "Overcharge, Turret, Indirect, Lock On, Slow to Fire, Move or Fire, Reactive, Siegebreaker, Coruscating, "
    "Full Steam Ahead, Fields of Fire"
)
AC_7 = (
    "Durable, Veteran, Automata, Irrepressible, Peer Review, Chain of Command, Resilient, Emplacement, Pavises, "
    "Shrouded, Obfuscating, Construct, Sponsons, Stoic Defence, Storming Party, Static, Onslaught, Overrun, "
    "All-Out Attack, Hunter, Ammo Supply, Inspiring, Tail Gunner, Throw, Fiery Demise, Spectacular Demise, "
    "Hot Headed, Corrosive Fumes, Berserk, Run Amok, Bodyguard, Irregular, Lockstep, Pioneers, Large, Bulky, "
    "Cumbersome, Ponderous, Slow, Flying, Hover, Stilted, Vanguard, Hit & Run, Soar, Spotters, Stalkers, Capacity, "
    "Tow, Limber, Bank, Brake Turn, Interceptor, Occupy, Assault Ramp, Bail Out, Command Signals, Iron Resolve, "
    "Logistical Expertise, Locomotor Boosters, Dynamic Entry, Demolition, Support, Shockwave, Hazardous Aura, "
    "Spacious, Strongpoint, Supercharger, Carrier, Heavy Carrier, Inhuman, Bulwark"
)


@pytest.mark.parametrize(("names", "table"), [(AC_6, QUALITIES), (AC_7, SPECIAL_RULES)], ids=["AC-6", "AC-7"])
def test_every_name_of_the_rules_is_known(names, table):
    assert set(names.split(", ")) == table.keys()


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["Veteran"], r"target\.rules\.0: 'Veteran' has nothing in parentheses \(allowed: a whole number, such as"),
        (["Durable", "Veteran (-1)"], r"target\.rules\.1: 'Veteran \(-1\)' is not usable \(allowed: a whole number"),
        (["Veteran (1.5)"], "is not usable"),
        (["Sponsons (x)"], "is not usable"),
        (["Throw"], r"allowed: inches, such as Throw \(6\)"),
        (["Resilient (Rear)"], r"allowed: Resilient \(Front\)"),
        (["Veteran (1)", "Veteran (2)"], r"target\.rules: 'Veteran \(1\)' and 'Veteran \(2\)'"),
        (["Lockstep", "Irregular"], "'Lockstep' and 'Irregular' contradict each other"),
    ],
)
def test_a_rule_without_a_usable_parameter_is_refused(rules, message):
    target = {"models": 3, "defence": 1, "damage_limit": 1, "rules": rules}
    with pytest.raises(analyser.InputError, match=message):
        analyser.attack({"attack": {"dice": 3}, "target": target})


def test_a_usable_parameter_is_accepted_in_any_spelling():
    target = {"models": 3, "defence": 1, "damage_limit": 1, "discipline": 7}
    target["rules"] = [
        "veteran(2)",
        "Veteran (2)",
        "Corrosive Fumes (2.5”)",
        "Resilient",
        "Obfuscating",
        "Support (All)",
    ]
    analyser.attack({"attack": {"dice": 3}, "target": target})
