"""Base class of checked input records, and conversion of pydantic's errors to InputError."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from analyser.common.errors import InputError, MisspeltError, allowed_names, did_you_mean, python_value, shown, within
from analyser.common.files import check_plain

ItemT = TypeVar("ItemT")
ModelT = TypeVar("ModelT", bound="Record")


class Record(BaseModel):
    """Base class of input records: frozen, without unknown keys, and without silent conversion of types."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", populate_by_name=True, defer_build=True)
    page: ClassVar[str] = ""  # page of the documentation with all keys
    also_read: ClassVar[tuple[str, ...]] = ()  # further keys, which a validator converts to values of fields


def as_tuple(value: object) -> object:
    """Convert a list, as in TOML or JSON, to a tuple; return other values unchanged."""
    return tuple(value) if isinstance(value, list) else value


Several = Annotated[tuple[ItemT, ...], BeforeValidator(as_tuple)]  # a list in a file


def optional(default: Any, description: str, **bounds: Any) -> Any:
    """Return an optional key of a record, with its default and its description in the help of commands."""
    return Field(default, description=description, **bounds)


def plain_data(data: Any, where: str) -> Any:
    """Return data after :func:`check_plain`, with the NumPy scalars in tables and lists as Python values."""
    check_plain(data, where)
    return _python_values(data)


def _python_values(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _python_values(value) for key, value in data.items()}
    return type(data)(map(_python_values, data)) if type(data) in (list, tuple) else python_value(data)


def checked(
    model: type[ModelT], data: Mapping[str, Any], *, where: str = "", is_plain: bool = False, house_rules: Any = None
) -> ModelT:
    """Return `data` as a record of class `model`; InputError for an unknown key, or else for a missing or wrong value.

    `where` names the file or section. `is_plain` says that `data` comes from :func:`plain_data`, which is slow and then
    not called again. Qualities and special rules in `data` may be those in `house_rules`, a mapping by name.
    """
    if not is_plain:
        data = plain_data(data, where)
    try:
        return model.model_validate(data, context=house_rules)
    except ValidationError as error:
        findings = error.errors(include_url=False)
        # a misspelt key also causes the less helpful finding that a key is missing
        first = next((finding for finding in findings if finding["type"] == "extra_forbidden"), findings[0])
        errors = [_input_error(model, finding, where) for finding in findings if _key(finding) == _key(first)]
        allowed_by_branch = dict.fromkeys(error.allowed for error in errors)  # a union has an error for each branch
        allowed = " or ".join(filter(None, allowed_by_branch))
        raise type(errors[0])(errors[0].problem, where=errors[0].where, allowed=allowed) from None


_NO_KEYS = ("constrained-", "function-", "literal[", "NAME")  # beginnings of steps that are not keys
_BOUNDS = {"greater_than_equal": "ge", "less_than_equal": "le", "greater_than": "gt", "less_than": "lt"}
_LENGTHS = {"too_short": ("at least", "min_length"), "too_long": ("up to", "max_length")}
_ALLOWED = {  # allowed types, in the words of a TOML file
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "text in quotes",
    "bool_type": "a boolean, true or false",
    "tuple_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "invalid_key": "a key that is text",
}

_TYPE_FINDINGS = {*_ALLOWED, "literal_error", "enum"}  # findings about the type of a value, not its size


def _key(finding: Mapping[str, Any]) -> str:
    return ".".join(str(step) for step in finding["loc"] if not str(step).startswith(_NO_KEYS))


def _input_error(model: type[Record], finding: Mapping[str, Any], where: str) -> InputError:
    kind, value, location = finding["type"], finding["input"], within(where, _key(finding))
    message = str(finding["msg"]).removeprefix("Value error, ").removeprefix("String should ")
    if kind == "extra_forbidden":
        record = _innermost_model(model, finding["loc"])
        names = [*(field.alias or name for name, field in record.model_fields.items()), *record.also_read]
        name, page = str(finding["loc"][-1]), record.page or model.page
        allowed = allowed_names(names, name, page)
        return MisspeltError(f"unknown key{did_you_mean(name, names)}", where=location, allowed=allowed)
    if kind == "missing":
        return InputError("this key is missing", where=location)
    if kind == "value_error":  # raised by this package, with a complete message
        return InputError(message, where=location)
    if kind in _LENGTHS:
        words, bound = _LENGTHS[kind]
        allowed = f"{words} {finding['ctx'][bound]}"
        return InputError(f"{finding['ctx']['actual_length']} entries", where=location, allowed=allowed)
    allowed = _ALLOWED.get(kind, message.removeprefix("Input should be "))
    if kind == "tuple_type" and isinstance(value, str):
        allowed += f", such as {json.dumps([value], ensure_ascii=False)}"
    if kind == "tuple_type" and isinstance(value, Mapping) and len(finding["loc"]) == 1:
        allowed += f" of tables, in a file [[{finding['loc'][0]}]] in double brackets"
    if bounds := kind in ("float_type", *_BOUNDS) and _allowed_range(model, finding):
        allowed = f"{allowed}, {bounds}" if kind == "float_type" else bounds
    if kind == "string_pattern_mismatch":
        allowed = "lower case, with hyphens"
    hint = ""
    if kind in ("literal_error", "enum") and isinstance(value, str):
        hint = did_you_mean(value, str(finding["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", "))
    error_type = MisspeltError if kind in _TYPE_FINDINGS and value is not None else InputError
    return error_type(f"{shown(value)} is not usable{hint}", where=location, allowed=allowed)


def _allowed_range(model: type[Record], finding: Mapping[str, Any]) -> str:
    """Return the allowed range for a number outside it, such as ``2 to 12``; empty if only one end is bounded."""
    violated = _BOUNDS.get(finding["type"], "")
    keys = [step for step in finding["loc"] if isinstance(step, str) and not step.startswith(_NO_KEYS)]
    field = _innermost_model(model, finding["loc"]).model_fields.get(keys[-1])
    all_bounds = () if field is None else _bounds_in(field)
    ranges = [bounds for bounds in all_bounds if bounds.keys() & {"ge", "gt"} and "le" in bounds]
    causes = [bounds for bounds in ranges if bounds.get(violated) == finding.get("ctx", {}).get(violated)]
    for bounds in (causes or ranges)[:1]:
        low = f"{bounds['ge']:g} to" if "ge" in bounds else f"above {bounds['gt']:g}, up to"
        return f"{low} {bounds['le']:g}"
    return ""


def _types_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for inner in get_args(annotation):
        yield from _types_in(inner)


def _bounds_in(field: FieldInfo) -> Iterator[dict[str, float]]:
    """Yield the bounds of a field, and those of each type inside the field."""
    inner = [kind.__metadata__ for kind in _types_in(field.annotation) if get_origin(kind) is Annotated]
    for metadata in (field.metadata, *inner):
        parts = [part for datum in metadata for part in getattr(datum, "metadata", [datum])]
        bounds = [(name, getattr(part, name, None)) for part in parts for name in _BOUNDS.values()]
        yield {name: bound for name, bound in bounds if bound is not None}


def _innermost_model(model: type[Record], loc: tuple[Any, ...]) -> type[Record]:
    """Return the innermost model on the path `loc`, a sequence of keys and indices."""
    for step in loc[:-1]:
        field = next((info for name, info in model.model_fields.items() if step in (name, info.alias)), None)
        inner = _types_in(field.annotation) if field else ()
        model = next((kind for kind in inner if isinstance(kind, type) and issubclass(kind, Record)), model)
    return model
