"""Calls of verbs by name, with parameters from their signatures (G3). Servers such as MCP and a run's socket call verbs
through here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, get_args, get_origin

import msgspec

from foureyes.app.catalog import WHO, Verb, class_of, verbs, why_here
from foureyes.app.context import refuse_verb, why_barred
from foureyes.errors import BadInput, Reason
from foureyes.steps import fe, prose

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor

Input = type[msgspec.Struct]
InputField = tuple[str, Any] | tuple[str, Any, Any]
Method = Callable[..., Any]
KEPT: dict[str, tuple[str, ...]] = {"claims.unstart": ("how",), "answers.respond": ("document",)}
"""Parameters that only this program may set, and a remote caller never."""
ELSEWHERE = "elsewhere"
"""Name of the parameter for a caller without a current directory."""


def by_name() -> dict[str, Verb]:
    """Return every verb by `noun.verb`."""
    return {f"{verb.noun}.{verb.name}": verb for verb in verbs()}


def method_of(verb: Verb) -> Method:
    """Return the verb's method, importing its module."""
    method: Method = getattr(class_of(verb.noun), verb.name)
    return method


def takes_actor(method: Method) -> bool:
    """Return True if the verb takes the caller."""
    return list(inspect.signature(method).parameters)[1:2] == ["actor"]


def parameters(
    method: Method, without: Sequence[str] = (), instead: Mapping[str, Any] | None = None
) -> list[InputField]:
    """Return a verb's parameters except the caller and `without`. `instead` replaces types, optionally with a default."""
    given = instead or {}
    fields: list[InputField] = []
    for name, parameter in inspect.signature(method).parameters.items():
        if name in ("self", "actor", *without):
            continue
        default = parameter.default
        kind = given.get(name) or _type(parameter.annotation, method)
        if isinstance(kind, tuple):
            kind, default = kind
        fields.append((name, kind) if default is inspect.Parameter.empty else (name, kind, default))
    return fields


def _type(annotation: Any, method: Method) -> Any:
    try:
        kind = eval(annotation, method.__globals__) if isinstance(annotation, str) else annotation  # noqa: S307 - our own
    except NameError:
        kind = eval(annotation, _for_checkers(method.__module__))  # noqa: S307
    if get_origin(kind) is Sequence:
        return tuple[get_args(kind)[0], ...]  # type: ignore[misc]  # a list that nobody changes
    return kind


@cache
def _for_checkers(module: str) -> dict[str, Any]:
    """Return the names in a module, including those imported only for type checkers."""
    import ast
    import sys

    names = dict(vars(sys.modules[module]))
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module, "exec"), names)  # noqa: S102 - our own
    return names


def call(app: Application, actor: Actor, verb: Verb, values: Mapping[str, Any]) -> object:
    """Call a verb as this caller."""
    method = getattr(getattr(app, verb.noun), verb.name)
    return method(*((actor,) if takes_actor(method_of(verb)) else ()), **values)


class RemoteCall(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call of a verb from another process, without the caller. `knows`: the sender passed a caller."""

    verb: str
    args: list[Any] = []
    given: dict[str, Any] = {}
    knows: bool = False


def ask(app: Application, actor: Actor, asked: RemoteCall) -> object:
    """Run a verb for a caller in another process, without a current directory here."""
    verb = by_name().get(asked.verb)
    if verb is None or why_here(verb.noun, verb.name) or _takes_a_runner(method_of(verb)):
        raise BadInput(
            f"{asked.verb!r} is not something that a run can request from its runner.", next_step=fe("--help")
        )
    method = method_of(verb)
    names, into = _taken(method, KEPT.get(asked.verb, ()))
    if len(asked.args) > len(names) or not asked.given.keys() <= {*names}:
        raise BadInput(f"{asked.verb} was called with unknown arguments.", next_step=_OTHER)
    _refuse_nobodys(actor, verb)
    values = _converted(asked, dict(zip(names, asked.args, strict=False)) | asked.given, into)
    if ELSEWHERE in names:
        values[ELSEWHERE] = True
    who = (actor,) if takes_actor(method) and (asked.knows or _must_know(method)) else ()
    answer = getattr(getattr(app, verb.noun), verb.name)(*who, **values)
    if actor.kind not in WHO[verb.who]:
        _refuse(verb)
    return answer


_OTHER = prose("this fe has a different version than the runner. Use the runner's version")


def _takes_a_runner(method: Method) -> bool:
    return list(inspect.signature(method).parameters)[1:2] == ["runner"]


def _must_know(method: Method) -> bool:
    return inspect.signature(method).parameters["actor"].default is inspect.Parameter.empty


def _refuse_nobodys(actor: Actor, verb: Verb) -> None:
    """Refuse a verb that is not for this kind of caller. (I5)

    The verb itself should refuse, in its own words. If it would not, refuse here. A verb that only reads and needs no
    right is called for its refusal. If it answers instead, the answer is withheld.
    """
    if actor.kind in WHO[verb.who] or not (verb.rights or verb.writes):
        return
    if not all(why_barred(actor, right) for right in verb.rights or ("",)):
        _refuse(verb)


def _refuse(verb: Verb) -> NoReturn:
    refuse_verb(f"{verb.name} is not allowed here", Reason("I5", f"{verb.noun}.{verb.name} is for {verb.who}"))


@cache
def _taken(method: Method, kept: tuple[str, ...]) -> tuple[list[str], Input]:
    """Return the parameters that a remote caller can set, in order, and a struct for them. Functions are left out."""
    taken = [field for field in parameters(method, without=("runner", *kept)) if not _is_function(field[1])]
    fields = [(name, kind, msgspec.UNSET) if default else (name, kind) for name, kind, *default in taken]
    return [field[0] for field in taken], msgspec.defstruct("Given", fields, kw_only=True, frozen=True)


def _is_function(kind: Any) -> bool:
    return any(get_origin(part) is Callable or getattr(part, "_is_protocol", False) for part in (kind, *get_args(kind)))


def _converted(asked: RemoteCall, given: dict[str, Any], into: Input) -> dict[str, Any]:
    try:
        made = msgspec.convert(given, into)
    except msgspec.ValidationError as problem:
        raise BadInput(f"{asked.verb} was called wrongly: {problem}.", next_step=_OTHER) from problem
    return {name: getattr(made, name) for name in given}
