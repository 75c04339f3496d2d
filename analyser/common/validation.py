"""Records (checked pieces of input), and pydantic's errors about them as this package's errors."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from analyser.common.errors import InputError, MisspeltError, did_you_mean, listed, shown
from analyser.common.files import check_plain

ItemT = TypeVar("ItemT")
ModelT = TypeVar("ModelT", bound="Record")


class Record(BaseModel):
    """A validated, frozen piece of input without unknown keys or silent conversion of types."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", populate_by_name=True, defer_build=True)
    page: ClassVar[str] = ""  # page of the documentation with all keys
    also_read: ClassVar[tuple[str, ...]] = ()  # keys that a validator converts to fields


def as_tuple(value: object) -> object:
    """Return a list from TOML or JSON as a tuple for a frozen record; other values are unchanged."""
    return tuple(value) if isinstance(value, list) else value


Several = Annotated[tuple[ItemT, ...], BeforeValidator(as_tuple)]


def told(default: Any, description: str, **bounds: Any) -> Any:
    """Return an optional key with its default and the description in the help of commands."""
    return Field(default, description=description, **bounds)


def checked(
    model: type[ModelT], data: Mapping[str, Any], *, where: str = "", is_plain: bool = False, house_rules: Any = None
) -> ModelT:
    """Return `data` from a file or section `where` as a `model`; InputError names the first wrong key.

    `is_plain` skips the check of depth and size, which takes as long as all other checks. `house_rules` are house
    rules by name, to which keywords in the data may refer.
    """
    if not is_plain:
        check_plain(data, where)
    try:
        return model.model_validate(data, context=house_rules)
    except ValidationError as error:
        findings = error.errors(include_url=False)
        # a misspelt key also causes a finding that a key is missing, which tells less
        first = next((finding for finding in findings if finding["type"] == "extra_forbidden"), findings[0])
        same = [_input_error(model, finding, where) for finding in findings if _key(finding) == _key(first)]
        ways = dict.fromkeys(finding.allowed for finding in same)  # allowed values of each branch of a union
        allowed = " or ".join(filter(None, ways))
        raise type(same[0])(same[0].problem, where=same[0].where, allowed=allowed) from None


_BRANCH = ("constrained-", "literal[", "NAME")  # pydantic's names of branches of a union, and a stand-in for any name
_BOUNDS = {"greater_than_equal": "ge", "less_than_equal": "le", "greater_than": "gt", "less_than": "lt"}
_LENGTHS = {"too_short": ("at least", "min_length"), "too_long": ("up to", "max_length")}
_ALLOWED = {  # types in the words of a TOML file
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "text in quotes",
    "bool_type": "a boolean, true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "invalid_key": "a key that is text",
}


_OF_TYPES = {*_ALLOWED, "literal_error", "enum"}  # findings about the type of a value, not its size


def _key(finding: Mapping[str, Any]) -> str:
    return ".".join(str(step) for step in finding["loc"] if not str(step).startswith(_BRANCH))


def _input_error(model: type[Record], finding: Mapping[str, Any], where: str) -> InputError:
    kind, value, place = finding["type"], finding["input"], ": ".join(filter(None, (where, _key(finding))))
    message = str(finding["msg"]).removeprefix("Value error, ").removeprefix("String should ")
    if kind == "extra_forbidden":
        around = _model_around(model, finding["loc"])
        names = [
            *(field.alias or name for name, field in around.model_fields.items()),
            *around.also_read,
        ]
        name, page = str(finding["loc"][-1]), around.page or model.page
        allowed = listed(names, name, page)
        return MisspeltError(f"unknown key{did_you_mean(name, names)}", where=place, allowed=allowed)
    if kind == "missing":
        return InputError("this key is missing: it is required", where=place)
    if kind == "value_error":  # a check of this package, with a complete message
        return InputError(message, where=place)
    if kind in _LENGTHS:
        words, bound = _LENGTHS[kind]
        allowed = f"{words} {finding['ctx'][bound]}"
        return InputError(f"{finding['ctx']['actual_length']} entries", where=place, allowed=allowed)
    allowed = _ALLOWED.get(kind, message.removeprefix("Input should be "))
    if kind == "tuple_type" and isinstance(value, str):
        allowed += f", such as {json.dumps([value], ensure_ascii=False)}"
    if kind == "tuple_type" and isinstance(value, Mapping) and len(finding["loc"]) == 1:
        allowed += f" of tables, in a file [[{finding['loc'][0]}]] in double brackets"
    if kind == "float_type":
        allowed = ", ".join(filter(None, (allowed, _range_around(model, finding))))
    if kind in _BOUNDS:
        allowed = _range_around(model, finding) or allowed
    hint = ""
    if kind in ("literal_error", "enum") and isinstance(value, str):
        hint = did_you_mean(value, str(finding["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", "))
    refusal = MisspeltError if kind in _OF_TYPES and value is not None else InputError
    return refusal(f"{shown(value)} is not usable{hint}", where=place, allowed=allowed)


def _range_around(model: type[Record], finding: Mapping[str, Any]) -> str:
    """Return the range of a key that a number violates, such as ``2 to 12``; empty if only one end is bounded."""
    missed = _BOUNDS.get(finding["type"])
    keys = [step for step in finding["loc"] if isinstance(step, str) and not step.startswith(_BRANCH)]
    field = _model_around(model, finding["loc"]).model_fields.get(keys[-1])
    for bounds in () if field is None else _bounds_in(field):
        is_it = missed is None or bounds.get(missed) == finding["ctx"].get(missed)
        if is_it and bounds.keys() & {"ge", "gt"} and "le" in bounds:
            low = f"{bounds['ge']:g} to" if "ge" in bounds else f"above {bounds['gt']:g}, up to"
            return f"{low} {bounds['le']:g}"
    return ""


def _types_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for inner in get_args(annotation):
        yield from _types_in(inner)


def _bounds_in(field: FieldInfo) -> Iterator[dict[str, float]]:
    """Yield the bounds of a field, and of each type inside it."""
    inside = [one.__metadata__ for one in _types_in(field.annotation) if get_origin(one) is Annotated]
    for metadata in (field.metadata, *inside):
        parts = [part for datum in metadata for part in getattr(datum, "metadata", [datum])]
        bounds = [(name, getattr(part, name, None)) for part in parts for name in _BOUNDS.values()]
        yield {name: bound for name, bound in bounds if bound is not None}


def _model_around(model: type[Record], loc: tuple[Any, ...]) -> type[Record]:
    """Return the innermost model on the path `loc`."""
    for step in loc[:-1]:
        field = next((own for name, own in model.model_fields.items() if step in (name, own.alias)), None)
        inside = _types_in(field.annotation) if field else ()
        model = next((one for one in inside if isinstance(one, type) and issubclass(one, Record)), model)
    return model
