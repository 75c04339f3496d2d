"""What must hold for every attack, tried on scenarios that are made to look for trouble."""

from hypothesis import given, settings
from hypothesis import strategies as st

import analyser
from analyser.results.attack import FLAGS
from tests.oracle.random_scenarios import RATINGS, random_scenario

SLACK = 1e-12

every_attack = settings(derandomize=True, deadline=None, database=None)
scenarios = st.builds(random_scenario, st.randoms(use_true_random=False))
small = st.integers(min_value=1, max_value=4)


def changed(scenario, section, **keys):
    """The scenario with other values for some keys of a section."""
    return scenario | {section: scenario[section] | keys}


def without_strike_rerolls(scenario):
    """Rolling a strike again may hurt, and the scenario's die decides whether: leave that out."""
    extra = scenario["attack"].get("extra_reroll", {"faces": [], "dice": 0})
    faces = [face for face in extra["faces"] if face != "strike"]
    return changed(scenario, "attack", extra_reroll={"faces": faces, "dice": extra["dice"]})


def with_room(scenario):
    """The models destroyed are then those that damage destroyed."""
    return changed(scenario, "target", models_without_room=0)


def with_quality(scenario, quality):
    return changed(scenario, "attack", qualities=[*scenario["attack"]["qualities"], quality])


def without_quality(scenario, quality):
    return changed(scenario, "attack", qualities=[each for each in scenario["attack"]["qualities"] if each != quality])


def at_least(weights):
    """The chance of at least 0, 1, 2, ... of something, from its law."""
    return [weights[number:].sum() for number in range(len(weights))]


def never_less(weights, than):
    """Whether one law is stochastically no smaller than another: no "at least so many" has a smaller chance."""
    more, less = at_least(weights), at_least(than)
    length = max(len(more), len(less))
    more, less = (chances + [0.0] * (length - len(chances)) for chances in (more, less))
    return all(a >= b - SLACK for a, b in zip(more, less))


def hits(scenario):
    return analyser.exact(scenario).hits_weights


def destroyed(scenario):
    return analyser.exact(scenario).destroyed_weights


def failed_test(scenario):
    """The chance that the unit fails its test: that it is suppressed, driven back, broken or fled after it.

    A unit that is suppressed already stays so, which is the same for any DISCIPLINE.
    """
    result = analyser.exact(scenario)
    worse = sum(result.column(name) for name in ("suppressed", "activated", "fell_back", "broken", "fled")) > 0
    return result.probabilities[worse].sum()


def outcomes(scenario):
    """Every outcome that is possible, as a row with a name for each column."""
    table = analyser.exact(scenario).to_frame(joint=True)
    return list(table[table.probability > 0].itertuples())


# --- chances ----------------------------------------------------------------------------------------------


@every_attack
@given(scenarios)
def test_the_law_is_a_law(scenario):
    result = analyser.exact(scenario)
    for weights in (result.weights, result.hits_weights):
        assert abs(weights.sum() - 1) <= SLACK
        assert (weights >= 0).all()
    assert len(set(result.outcomes.tolist())) == len(result.outcomes)


@every_attack
@given(scenarios, st.integers(min_value=2, max_value=9))
def test_only_the_proportions_of_die_and_deck_count(scenario, times):
    ruleset = {
        name: {key: times * number for key, number in table.items()} for name, table in scenario["ruleset"].items()
    }
    one, many = analyser.exact(scenario), analyser.exact(scenario | {"ruleset": ruleset})
    assert one.outcomes.tolist() == many.outcomes.tolist()
    assert abs(one.weights - many.weights).max() <= SLACK


@every_attack
@given(scenarios)
def test_a_scenario_echoed_and_read_again_is_the_same_attack(scenario):
    result = analyser.exact(scenario)
    again = analyser.exact(result.scenario.as_dict())
    assert again.outcomes.tolist() == result.outcomes.tolist()
    assert again.weights.tolist() == result.weights.tolist()


# --- more is more -----------------------------------------------------------------------------------------


@every_attack
@given(scenarios)
def test_a_better_rating_never_lowers_hits(scenario):
    scenario = without_strike_rerolls(scenario)
    weakened, neutral, improved = (hits(changed(scenario, "attack", rating=rating)) for rating in RATINGS)
    assert never_less(neutral, than=weakened)
    assert never_less(improved, than=neutral)


@every_attack
@given(scenarios, small)
def test_more_dice_never_score_fewer_hits(scenario, more):
    scenario = without_strike_rerolls(scenario)
    assert never_less(hits(changed(scenario, "attack", dice=scenario["attack"]["dice"] + more)), than=hits(scenario))


@every_attack
@given(scenarios, small)
def test_veterans_never_score_fewer_hits(scenario, more):
    veteran = scenario["attack"]["veteran"] + more
    assert never_less(hits(changed(scenario, "attack", veteran=veteran)), than=hits(scenario))


@every_attack
@given(scenarios)
def test_arc_never_scores_fewer_hits(scenario):
    scenario = without_strike_rerolls(scenario)
    assert never_less(hits(with_quality(scenario, "Arc")), than=hits(without_quality(scenario, "Arc")))


@every_attack
@given(scenarios)
def test_durable_never_suffers_more_hits(scenario):
    rules = scenario["target"]["rules"]
    durable = changed(scenario, "target", rules=[*rules, "Durable"])
    assert never_less(hits(changed(scenario, "target", rules=[r for r in rules if r != "Durable"])), than=hits(durable))


@every_attack
@given(scenarios, small)
def test_more_defence_never_raises_damage(scenario, more):
    scenario = with_room(scenario)
    harder = changed(scenario, "target", defence=scenario["target"]["defence"] + more)
    assert never_less(destroyed(scenario), than=destroyed(harder))


@every_attack
@given(scenarios, st.sampled_from(["Devastating", "Penetrating"]))
def test_qualities_of_damage_never_destroy_fewer_models(scenario, quality):
    scenario = with_room(scenario)
    assert never_less(destroyed(with_quality(scenario, quality)), than=destroyed(without_quality(scenario, quality)))


@every_attack
@given(scenarios, st.integers(min_value=0, max_value=11), small)
def test_more_discipline_never_raises_the_chance_to_fail(scenario, discipline, more):
    brave = changed(scenario, "target", discipline=discipline + more)
    assert failed_test(brave) <= failed_test(changed(scenario, "target", discipline=discipline)) + SLACK


@every_attack
@given(scenarios)
def test_suppressive_never_lowers_the_chance_to_fail(scenario):
    suppressive = failed_test(with_quality(scenario, "Suppressive"))
    assert suppressive >= failed_test(without_quality(scenario, "Suppressive")) - SLACK


@every_attack
@given(scenarios)
def test_a_higher_break_limit_never_lowers_the_chance_to_break(scenario):
    limit = scenario["target"].get("break_limit", 0)
    chances = [
        analyser.exact(changed(scenario, "target", break_limit=number)).probability("broken").probability
        for number in (limit, limit + 1)
    ]
    assert chances[0] <= chances[1] + SLACK


# --- what an outcome can be -------------------------------------------------------------------------------


@every_attack
@given(scenarios)
def test_a_unit_that_stands_has_the_models_that_were_not_destroyed(scenario):
    for outcome in outcomes(scenario):
        if not outcome.annihilated:
            assert outcome.models_left + outcome.models_destroyed == scenario["target"]["models"]
            assert outcome.damage < scenario["target"]["damage_limit"]


@every_attack
@given(scenarios)
def test_annihilated_is_no_models_left(scenario):
    for outcome in outcomes(scenario):
        assert outcome.annihilated == (outcome.models_left == 0)
        if outcome.annihilated and not outcome.broken and not outcome.fled:
            assert outcome.models_destroyed == scenario["target"]["models"]


@every_attack
@given(scenarios)
def test_a_unit_that_is_removed_keeps_nothing(scenario):
    for outcome in outcomes(scenario):
        if outcome.annihilated:
            assert (outcome.damage, outcome.suppressed, outcome.disordered) == (0, False, False)


@every_attack
@given(scenarios)
def test_who_breaks_and_who_flees(scenario):
    target = scenario["target"]
    for outcome in outcomes(scenario):
        if outcome.fled:
            assert outcome.fell_back
            assert outcome.annihilated
            assert target["edge_distance"] <= 3
        if outcome.fell_back:
            assert target["suppressed"]
            assert not outcome.broken
        if outcome.broken:
            assert outcome.annihilated
            assert target["models"] - outcome.models_destroyed <= target["break_limit"]


@every_attack
@given(scenarios)
def test_nothing_happens_to_a_unit_that_loses_no_model_but_its_damage(scenario):
    target = scenario["target"]
    for outcome in outcomes(scenario):
        if outcome.models_destroyed == 0:
            assert outcome.damage >= target["damage"]
            assert outcome.suppressed == target.get("suppressed", False)
            assert outcome.disordered == target.get("disordered", False)
            assert not any(getattr(outcome, flag) for flag in FLAGS if flag not in {"suppressed", "disordered"})


@every_attack
@given(scenarios)
def test_no_attack_takes_a_status_away(scenario):
    for outcome in outcomes(scenario):
        for status in ("suppressed", "disordered"):
            if scenario["target"].get(status) and not outcome.annihilated:
                assert getattr(outcome, status)


@every_attack
@given(scenarios)
def test_no_more_than_the_exposed_models_are_destroyed(scenario):
    exposed = scenario["target"].get("exposed", scenario["target"]["models"])
    for outcome in outcomes(with_room(scenario)):
        assert outcome.models_destroyed <= exposed


@every_attack
@given(scenarios)
def test_nobody_near_a_commander_becomes_disordered(scenario):
    calm = changed(scenario, "target", near_commander=True, disordered=False)
    assert analyser.exact(calm).probability("disordered").probability == 0


@every_attack
@given(scenarios)
def test_only_an_overcharge_hurts_the_attacker(scenario):
    result = analyser.exact(scenario)
    attack = result.scenario.attack
    suffered = result.column("attacker_models_destroyed") * attack.attacker_damage_limit
    suffered += result.column("attacker_damage")
    if attack.overcharge:
        assert (result.column("attacker_models_destroyed") <= (attack.attacker_models or 1000)).all()
        assert (result.column("attacker_damage") < attack.attacker_damage_limit).all()
    else:
        assert not suffered.any()
