"""One place where the validation library's findings become this package's errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError

from analyser.common.errors import InputError, did_you_mean, shown
from analyser.common.files import check_plain

ModelT = TypeVar("ModelT", bound="Record")


class Record(BaseModel):
    """A validated, frozen piece of input: no unknown keys, no silent conversion of types."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", populate_by_name=True)


def as_tuple(value: object) -> object:
    """TOML and JSON have lists where a frozen record has tuples."""
    return tuple(value) if isinstance(value, list) else value


def checked(model: type[ModelT], data: Mapping[str, Any], *, where: str = "") -> ModelT:
    """`data` as a `model`, or an :class:`InputError` that names the first key at fault.

    Parameters
    ----------
    model : type of Record
    data : mapping
        As read from a file.
    where : str
        The file or the section that `data` came from; opens the message.

    Raises
    ------
    InputError
        Unknown key (with the nearest right one), wrong type, or a value out of range.
    """
    check_plain(data, where)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        findings = error.errors(include_url=False)
        # a misspelt key is two findings, and that the right one is missing tells less
        finding = next((each for each in findings if each["type"] == "extra_forbidden"), findings[0])
        same = [_input_error(model, each, where) for each in findings if _key(each) == _key(finding)]
        ways = dict.fromkeys(each.allowed for each in same)  # of a union, what each of its branches allows
        raise InputError(same[0].problem, where=same[0].where, allowed=" or ".join(filter(None, ways))) from None


def _key(finding: Mapping[str, Any]) -> str:
    return ".".join(str(step) for step in finding["loc"] if not str(step).startswith(_BRANCH))


def _input_error(model: type[Record], finding: Mapping[str, Any], where: str) -> InputError:
    place = ": ".join(part for part in (where, _key(finding)) if part)
    if finding["type"] == "extra_forbidden":
        names = _keys_beside(model, finding["loc"])
        hint = did_you_mean(str(finding["loc"][-1]), names)
        return InputError(f"unknown key{hint}", where=place, allowed=", ".join(names))
    if finding["type"] == "missing":
        return InputError("this key is missing", where=place, allowed="it must be given")
    message = str(finding["msg"]).removeprefix("Value error, ").removeprefix("String should ")
    if finding["type"] == "value_error":  # one of our own checks: its message says it all
        return InputError(message, where=place)
    if finding["type"] in _LENGTHS:
        length = finding["ctx"]["actual_length"]
        bound = finding["ctx"].get("min_length", finding["ctx"].get("max_length"))
        return InputError(f"{length} entries", where=place, allowed=f"{_LENGTHS[finding['type']]} {bound}")
    found = finding["input"]
    allowed = _ALLOWED.get(finding["type"], message.removeprefix("Input should be "))
    if finding["type"] == "tuple_type" and isinstance(found, str):
        allowed += f", such as {json.dumps([found], ensure_ascii=False)}"
    if finding["type"] == "tuple_type" and isinstance(found, Mapping) and len(finding["loc"]) == 1:
        allowed += f" of tables, in a file [[{finding['loc'][0]}]] in double brackets"
    if finding["type"] == "float_type":
        allowed = ", ".join(filter(None, (allowed, _range_around(model, finding))))
    if finding["type"] in _BOUNDS:
        allowed = _range_around(model, finding) or allowed
    hint = ""
    if finding["type"] in ("literal_error", "enum") and isinstance(found, str):
        hint = did_you_mean(found, str(finding["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", "))
    return InputError(f"{shown(found)} is not usable{hint}", where=place, allowed=allowed)


_BRANCH = ("constrained-", "literal[")  # of a union: pydantic's word for it, no key
_BOUNDS = {"greater_than_equal": "ge", "less_than_equal": "le", "greater_than": "gt", "less_than": "lt"}
_LENGTHS = {"too_short": "at least", "too_long": "up to"}
_ALLOWED = {  # types in the words of a TOML file
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "text in quotes",
    "bool_type": "a boolean, true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
}


def _range_around(model: type[BaseModel], finding: Mapping[str, Any]) -> str:
    """The whole range of a key, such as ``2 to 12``: that which a number has missed; nothing where it has one end."""
    missed = _BOUNDS.get(finding["type"])
    keys = [step for step in finding["loc"] if isinstance(step, str) and not step.startswith(_BRANCH)]
    field = _model_around(model, finding["loc"]).model_fields.get(keys[-1])
    for bounds in () if field is None else _bounds_in(field.annotation, field.metadata):
        is_it = missed is None or bounds.get(missed) == finding["ctx"].get(missed)
        if is_it and bounds.keys() & {"ge", "gt"} and "le" in bounds:
            low = f"{bounds['ge']:g} to" if "ge" in bounds else f"above {bounds['gt']:g}, up to"
            return f"{low} {bounds['le']:g}"
    return ""


def _bounds_in(annotation: Any, metadata: Sequence[Any]) -> Iterator[dict[str, float]]:
    """The bounds that stand together, of a field and of all types inside it."""
    yield {
        name: bound
        for each in metadata
        for part in getattr(each, "metadata", [each])
        for name in _BOUNDS.values()
        if (bound := getattr(part, name, None)) is not None
    }
    inside = get_args(annotation)
    annotated = get_origin(annotation) is Annotated
    for each in inside[:1] if annotated else inside:
        yield from _bounds_in(each, inside[1:] if annotated else ())


def _keys_beside(model: type[BaseModel], loc: tuple[Any, ...]) -> list[str]:
    """The keys that the innermost model on the way to `loc` knows."""
    return [field.alias or name for name, field in _model_around(model, loc).model_fields.items()]


def _model_around(model: type[BaseModel], loc: tuple[Any, ...]) -> type[BaseModel]:
    """The innermost model on the way to `loc`."""
    for step in loc[:-1]:
        field = next((each for name, each in model.model_fields.items() if step in (name, each.alias)), None)
        if field is not None:
            model = _model_in(field.annotation) or model
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
