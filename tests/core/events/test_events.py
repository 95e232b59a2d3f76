"""J1, J2: the journal's vocabulary survives its text, has no floats, and every word of it does something."""

from __future__ import annotations

import types
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.adapters.store.projections import projection
from foureyes.core import events
from foureyes.core.events import KINDS, Event

from tests.core.samples import quick

kinds = pytest.mark.parametrize("kind", KINDS)


def parts(annotation: object) -> set[object]:
    """Every plain type that an annotation is made of."""
    supertype = getattr(annotation, "__supertype__", None)
    if supertype is not None:
        return parts(supertype)
    if get_origin(annotation) is Literal:
        return {type(value) for value in get_args(annotation)}
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return set().union(*(parts(hint) for hint in get_type_hints(annotation).values()))
    if get_args(annotation):
        return set().union(*(parts(inner) for inner in get_args(annotation) if inner is not Ellipsis))
    return {annotation}


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Any value that an annotation means."""
    supertype = getattr(annotation, "__supertype__", None)
    origin, inner = get_origin(annotation), get_args(annotation)
    if supertype is not None:
        return values(supertype)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*(values(each) for each in inner))
    if origin is tuple and inner[-1] is not Ellipsis:
        return st.tuples(*map(values, inner))
    if origin is tuple:
        return st.lists(values(inner[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(values(inner[0]), values(inner[1]), max_size=2)
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return st.builds(annotation, **{name: values(hint) for name, hint in get_type_hints(annotation).items()})
    plain: dict[object, st.SearchStrategy[Any]] = {
        str: st.text(max_size=5), int: st.integers(-(2**62), 2**62), bool: st.booleans(), type(None): st.none(),
    }  # fmt: skip
    return plain[annotation]


def test_every_event_of_the_package_is_in_the_vocabulary_J1() -> None:
    for file in Path(events.__file__).parent.glob("*.py"):
        module = import_module(f"foureyes.core.events.{file.stem}")
        defined = {
            name
            for name, thing in vars(module).items()
            if isinstance(thing, type) and issubclass(thing, Event) and thing.__module__ == module.__name__
        }
        assert defined - {"Event"} == set(events.MODULES.get(file.stem, ())), file.stem
    assert set(KINDS) == set(events.WHERE)


def test_an_event_that_does_not_exist_is_not_in_the_vocabulary_G1() -> None:
    assert not hasattr(events, "TaskForgotten")
    with pytest.raises(KeyError):
        events.kind_of("TaskForgotten")


@kinds
def test_no_field_of_an_event_can_hold_a_float_J1(kind: str) -> None:
    plain = parts(KINDS[kind])
    assert plain <= {str, int, bool, type(None)}, f"{kind} holds {plain}"


@kinds
@quick
@given(data=st.data())
def test_an_event_is_the_same_after_a_way_through_json_J1(kind: str, data: st.DataObject) -> None:
    event = data.draw(values(KINDS[kind]))
    text = msgspec.json.encode(event)
    assert msgspec.json.decode(text, type=KINDS[kind]) == event
    assert msgspec.json.encode(msgspec.json.decode(text, type=KINDS[kind])) == text


@kinds
def test_an_event_with_an_unknown_field_is_not_understood_silently_G1(kind: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"surprise": 1}', type=KINDS[kind])


@kinds
def test_every_event_has_a_projection_J2(kind: str) -> None:
    assert callable(projection(kind))


@kinds
def test_events_cannot_be_changed_J1(kind: str) -> None:
    assert KINDS[kind].__struct_config__.frozen
    assert KINDS[kind].__doc__


FIRST = {
    "SessionStarted": '{"kind":"agent","trust":"observed"}',
    "TaskStarted": '{"target_head":null}',
    "TokenIssued": '{"session":"ses-1","hash":"h","role":"review","bound":"process:1","name":"claude#2"}',
    "SessionEnded": '{"session":"ses-1"}',
    "ApprovalRecorded": '{"attempt":1,"diff_id":"sha256:d","rule":"P7"}',
    "ApprovalFinished": '{"approval":7,"status":"approved"}',
    "AttributionCleared": '{"session":"ses-1","attempt":1,"reason":"a typo"}',
    "KeyAdded": '{"fingerprint":"SHA256:k","public":"ssh-ed25519 k","person":"alice@box"}',
    "KeyRetired": '{"fingerprint":"SHA256:k","reason":"lost"}',
    "DecisionSigned": '{"key":"SHA256:k","statement":"{}","signature":"s"}',
}
"""The least that the first version of each of them wrote."""


@pytest.mark.parametrize("kind", FIRST)
def test_what_the_first_version_of_an_event_wrote_is_understood_for_ever_J1(kind: str) -> None:
    event = msgspec.json.decode(FIRST[kind], type=KINDS[kind])
    said = msgspec.json.decode(FIRST[kind])
    assert {name: value for name, value in msgspec.to_builtins(event).items() if name in said} == said


@pytest.mark.parametrize("role", ["", "admin", "Review"])
def test_a_token_of_an_unknown_role_is_not_understood_I2_G1(role: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(FIRST["TokenIssued"].replace("review", role), type=events.TokenIssued)


def test_an_old_session_has_no_other_name_and_an_old_claim_is_its_own_I4() -> None:
    assert msgspec.json.decode(FIRST["SessionStarted"], type=events.SessionStarted).base is None
    assert msgspec.json.decode(FIRST["TaskStarted"], type=events.TaskStarted).implementer is None
