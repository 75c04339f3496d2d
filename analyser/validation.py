"""One place where the validation library's findings become this package's errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from analyser.errors import InputError, did_you_mean

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
    try:
        return model.model_validate(data)
    except ValidationError as error:
        findings = error.errors(include_url=False)
        # a misspelt key is two findings, and that the right one is missing tells less
        finding = next((each for each in findings if each["type"] == "extra_forbidden"), findings[0])
        raise _input_error(model, finding, where) from None


def _input_error(model: type[Record], finding: Mapping[str, Any], where: str) -> InputError:
    key = ".".join(str(step) for step in finding["loc"])
    place = ": ".join(part for part in (where, key) if part)
    if finding["type"] == "extra_forbidden":
        names = _keys_beside(model, finding["loc"])
        hint = did_you_mean(str(finding["loc"][-1]), names)
        return InputError(f"unknown key{hint}", where=place, allowed=", ".join(names))
    if finding["type"] == "missing":
        return InputError("this key is missing", where=place, allowed="it must be given")
    message = str(finding["msg"]).removeprefix("Value error, ")
    if finding["type"] == "value_error":  # one of our own checks: its message says it all
        return InputError(message, where=place)
    if finding["type"] in _LENGTHS:
        length = finding["ctx"]["actual_length"]
        bound = finding["ctx"].get("min_length", finding["ctx"].get("max_length"))
        return InputError(f"{length} entries", where=place, allowed=f"{_LENGTHS[finding['type']]} {bound}")
    found = finding["input"]
    shown = repr(found) if len(repr(found)) < 80 else f"{repr(found)[:77]}..."
    allowed = _ALLOWED.get(finding["type"], message.removeprefix("Input should be "))
    hint = ""
    if finding["type"] in ("literal_error", "enum") and isinstance(found, str):
        hint = did_you_mean(found, str(finding["ctx"]["expected"]).replace("'", "").replace(" or ", ", ").split(", "))
    return InputError(f"{shown} is not usable{hint}", where=place, allowed=allowed)


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


def _keys_beside(model: type[BaseModel], loc: tuple[Any, ...]) -> list[str]:
    """The keys that the innermost model on the way to `loc` knows."""
    for step in loc[:-1]:
        field = next((each for name, each in model.model_fields.items() if step in (name, each.alias)), None)
        if field is not None:
            model = _model_in(field.annotation) or model
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in get_args(annotation):
        found = _model_in(argument)
        if found is not None:
            return found
    return None
