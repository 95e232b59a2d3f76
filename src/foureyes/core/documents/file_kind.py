"""The kind of a changed file, in words: a link, an executable or a submodule is another thing than its lines say."""

from __future__ import annotations

FILE = "100644"
KINDS = {FILE: "file", "100664": "file", "100755": "executable", "120000": "link", "160000": "submodule"}
"""The modes that git knows; `100664` is a file of very old repositories."""
_COMMIT = 12
"""So many digits of a submodule's commit are shown."""


def kind_in_words(old_mode: str, new_mode: str, old: str = "", new: str = "") -> str:
    """What kind of file was made, taken away or changed; nothing where it is an ordinary file before and after, or
    where git does not say. `old` and `new` name the objects: a submodule's are commits.
    """
    was, now = _kind(old_mode), _kind(new_mode)
    if was == now:
        return _unchanged(now, old, new)
    if not was:
        return "" if now == "file" else f"new {now}{_commit(now, new)}"
    if not now:
        return "" if was == "file" else f"removed {was}{_commit(was, old)}"
    if {was, now} == {"file", "executable"}:
        return "now executable" if now == "executable" else "no longer executable"
    return f"was {_a(was)}{_commit(was, old)}, now {_a(now)}{_commit(now, new)}"


def _kind(mode: str) -> str:
    return KINDS.get(mode, f"file of mode {mode}") if mode.strip("0") else ""


def _unchanged(kind: str, old: str, new: str) -> str:
    if kind == "submodule":
        return f"submodule, from{_commit(kind, old)} to{_commit(kind, new)}".replace(" at ", " ")
    return "" if kind == "file" else kind


def _commit(kind: str, name: str) -> str:
    return f" at {name[:_COMMIT]}" if kind == "submodule" and name else ""


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
