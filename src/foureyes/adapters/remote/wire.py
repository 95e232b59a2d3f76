"""Encoding of requests and answers between a run and its runner.

An answer is a view or a complete refusal. It names its struct type, so that the caller gets the same value as from a
local call.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic
from typing import Any, NoReturn, Protocol

import msgspec

from foureyes import errors
from foureyes.errors import EnvironmentProblem, FoureyesError, Reason
from foureyes.steps import Step, Steps

# ---- Values on the wire ----


PACKAGE = "foureyes."
SEQUENCES: dict[str, type] = {"list": list, "tuple": tuple, "set": frozenset}


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A request: a verb and its arguments, without the caller, whom the runner identifies itself.

    `token` is one issued by hand, and `asserted` a name given with `--as`. `left`: the caller is a server whose starter
    has ended (I5).
    """

    verb: str
    args: list[Any] = []
    given: dict[str, Any] = {}
    knows: bool = False
    token: str = ""
    asserted: str = ""
    left: bool = False


class WireValue(msgspec.Struct, frozen=True, omit_defaults=True):
    """A value with its kind and, for structs, its type."""

    kind: str
    body: msgspec.Raw
    type: str = ""


class Refusal(msgspec.Struct, frozen=True):
    """A refusal as plain values."""

    message: str
    reasons: tuple[Reason, ...]
    next: Steps
    task: str


class Unreadable(Exception):
    """Raised for bytes that are neither a request nor an answer."""


def write(value: object) -> bytes:
    """Encode a value. Text that is not UTF-8, such as a path, is kept."""
    try:
        return msgspec.json.encode(value, enc_hook=_plain)
    except UnicodeEncodeError:
        from json import dumps

        return dumps(msgspec.to_builtins(value, enc_hook=_plain, str_keys=True)).encode()


def read(document: bytes | msgspec.Raw, kind: Any) -> Any:
    """Decode a value of this type. Raise Unreadable for anything else."""
    try:
        return msgspec.json.decode(document, type=kind, dec_hook=_made)
    except msgspec.ValidationError as problem:
        raise Unreadable(str(problem)) from problem
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _read_odd(bytes(document), kind)


def _read_odd(document: bytes, kind: Any) -> Any:
    """Decode text that is not UTF-8, as `write` encodes it. Raise Unreadable otherwise."""
    from json import loads

    try:
        decoded = loads(document)
        if kind is WireValue:
            return WireValue(
                str(decoded["kind"]), msgspec.Raw(write(decoded.get("body"))), str(decoded.get("type", ""))
            )
        return msgspec.convert(decoded, kind, dec_hook=_made, str_keys=True)
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as problem:
        raise Unreadable("it is no JSON that anybody here would write") from problem


def _plain(value: object) -> object:
    if isinstance(value, Steps):
        return value.steps
    raise TypeError(f"{type(value).__name__} is not for the wire")


def _made(kind: type, value: object) -> object:
    if kind is Steps:
        return Steps(*msgspec.convert(value, tuple[Step, ...]))
    raise TypeError(f"{kind.__name__} is not on the wire")


def answer(value: object) -> bytes:
    """Encode the result of a verb."""
    return write(_answer(value))


def _answer(value: object) -> WireValue:
    if isinstance(value, msgspec.Struct):
        return _struct(value)
    if isinstance(value, FoureyesError):
        return refused(value)
    if isinstance(value, bytes):
        return WireValue("bytes", _raw(value))
    if isinstance(value, dict):
        return WireValue("dict", _raw({str(key): _answer(each) for key, each in value.items()}))
    if isinstance(value, list | tuple | frozenset | set | Iterator):
        return _several(value)
    return WireValue("value", _raw(value))


def _struct(value: msgspec.Struct) -> WireValue:
    """Encode a struct. If a field can hold any object, encode its fields separately."""
    name = _name_of(type(value))
    if "object" not in type(value).__annotations__.values():
        return WireValue("struct", _raw(value), name)
    fields = {field: _answer(getattr(value, field)) for field in value.__struct_fields__}
    return WireValue("fields", _raw(fields), name)


def _several(value: Any) -> WireValue:
    shape = next((name for name, kind in SEQUENCES.items() if isinstance(value, kind)), "list")
    rows = list(value)
    types = {type(row) for row in rows}
    kind = types.pop() if len(types) == 1 else None
    if kind is not None and issubclass(kind, msgspec.Struct) and "object" not in kind.__annotations__.values():
        return WireValue(shape, _raw(rows), _name_of(kind))
    return WireValue(f"{shape} of any", _raw([_answer(row) for row in rows]))


def refused(problem: FoureyesError) -> WireValue:
    """Encode a refusal: its kind, all reasons, and the next step."""
    kind = next(base for base in type(problem).__mro__ if base.__module__ == errors.__name__)
    body = Refusal(problem.message, problem.reasons, problem.next_step, problem.task)
    return WireValue("refusal", _raw(body), kind.__name__)


def _raw(value: object) -> msgspec.Raw:
    return msgspec.Raw(write(value))


def _name_of(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def value_of(document: bytes) -> object:
    """Return the decoded result, or raise the decoded refusal."""
    try:
        return _value(read(document, WireValue))
    except Unreadable as problem:
        raise EnvironmentProblem(f"the runner of this run answered something else than it should: {problem}.") from None


def _value(given: WireValue) -> Any:
    kind, body = given.kind, given.body
    if kind == "refusal":
        _refuse(given)
    if kind == "value":
        return read(body, Any)
    if kind == "bytes":
        return read(body, bytes)
    if kind == "struct":
        return read(body, _type(given.type))
    if kind == "fields":
        return _type(given.type)(**_values(body))
    if kind == "dict":
        return _values(body)
    shape = SEQUENCES.get(kind.removesuffix(" of any"))
    if shape is None:
        raise Unreadable(f"nothing is called {kind!r}")
    if kind in SEQUENCES:
        return shape(read(body, list[_type(given.type)]))  # type: ignore[misc]
    return shape(_one_of_many(each) for each in read(body, list[WireValue]))


def _values(body: msgspec.Raw) -> dict[str, Any]:
    return {name: _value(each) for name, each in read(body, dict[str, WireValue]).items()}


def _one_of_many(given: WireValue) -> object:
    """Return one of several values. A refusal among them is returned, not raised."""
    try:
        return _value(given)
    except FoureyesError as problem:
        return problem


def _refuse(given: WireValue) -> NoReturn:
    body = read(given.body, Refusal)
    kind = getattr(errors, given.type, None)
    if not (isinstance(kind, type) and issubclass(kind, FoureyesError)):
        raise Unreadable(f"nobody refuses with {given.type!r}")
    raise kind(body.message, reasons=body.reasons, next_step=body.next, task=body.task)


def _type(name: str) -> type[msgspec.Struct]:
    """Return one of our structs by name."""
    module, _, kind = name.partition(":")
    if module.startswith(PACKAGE):
        try:
            loaded = __import__(module, fromlist=[kind])
        except ImportError:
            loaded = None
        if named := getattr(loaded, "named", None):
            vars(loaded).update(named())
        value = getattr(loaded, kind, None)
        if isinstance(value, type) and issubclass(value, msgspec.Struct):
            return value
    raise Unreadable(f"{name!r} is no value of ours")


# ---- Frames on a socket ----

HEADER = 4
LARGEST = 96 << 20
"""Largest frame in bytes: the largest document of any command, encoded as JSON."""
PIECE = 1 << 18


class AnySocket(Protocol):
    """A socket of the standard library, or of the C module, which loads faster."""

    def settimeout(self, value: float | None, /) -> None: ...

    def recv(self, bufsize: int, /) -> bytes: ...

    def sendall(self, data: bytes, /) -> None: ...


class BrokenFrame(Exception):
    """Raised if the peer sent a partial or oversized frame, or nothing for too long."""


def receive(wire: AnySocket, *, largest: int = LARGEST) -> bytes | None:
    """Return the next document, None if the peer closed the connection. There is no time limit."""
    length = length_of(wire, first=None, rest=None, largest=largest)
    return None if length is None else take(wire, length, rest=None)


def length_of(wire: AnySocket, *, first: float | None, rest: float | None, largest: int = LARGEST) -> int | None:
    """Return the length of the next document, or None if the peer closed the connection. `first` limits the wait for
    the first byte in seconds, `rest` that for the others."""
    wire.settimeout(first)
    head = wire.recv(HEADER)
    if not head:
        return None
    length = int.from_bytes(head + take(wire, HEADER - len(head), rest=rest), "big")
    if length > largest:
        raise BrokenFrame(f"a frame of {length} bytes is longer than any")
    return length


def take(wire: AnySocket, length: int, *, rest: float | None) -> bytes:
    """Return `length` bytes, received within `rest` seconds in total."""
    end = None if rest is None else monotonic() + rest
    pieces: list[bytes] = []
    while length > 0:
        if end is not None:
            wire.settimeout(max(0.001, end - monotonic()))
        piece = wire.recv(min(length, PIECE))
        if not piece or (end is not None and monotonic() > end):
            raise BrokenFrame("half a frame")
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def send(wire: AnySocket, document: bytes, *, within: float | None) -> None:
    """Send a document. Fails if the peer does not accept it in time."""
    wire.settimeout(within)
    wire.sendall(len(document).to_bytes(HEADER, "big") + document)
