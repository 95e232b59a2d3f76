"""Writes docs/reference from the code (commands, configuration, errors, life cycle, rules, documents and their schemas) and the tables that other pages take from it.

`python -m tools.reference` writes, `--check` compares and names what is stale. When code and page say the same thing,
the page asks the code.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from foureyes.core.documents.shapes import DOCUMENTS
from foureyes.errors import FoureyesError

from tools import blocks, command_pages, gate_files_page, keys_page, mcp_page, rules_page
from tools.documents import example_text, field_rows, schema_of, schema_text
from tools.markdown import cell, code, doc, page, table
from tools.rules_page import linked

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = "docs/reference"


# -------------------------------------------------------------------------------------------------- configuration


def toml(value: object) -> str:
    """A default as one writes it in foureyes.toml."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return msgspec.json.encode(value).decode()
        case list() | tuple() | set() | frozenset():
            items = sorted(value) if isinstance(value, set | frozenset) else value
            return "[" + ", ".join(toml(item) for item in items) + "]"
        case Mapping():
            return "{ " + ", ".join(f"{key} = {toml(item)}" for key, item in value.items()) + " }" if value else "{}"
        case msgspec.Struct():
            usual = msgspec.to_builtins(type(value)())
            return toml({key: item for key, item in msgspec.to_builtins(value).items() if item != usual[key]})
        case None:
            return ""
        case _:
            return str(value)


FILLED = ("rules", "profiles")
"""Kinds whose default is a table of its own. It is shown below the section."""


def takes(kind: str, default: str, allowed: Iterable[str] = ()) -> str:
    """The values of a setting, with its default in bold."""
    bold = f"**{code(default)}**"
    if words := list(allowed):
        return ", ".join(bold if word == default else code(word) for word in words)
    return kind if default in ('""', "[]", "{}") else f"{kind}, {bold}"


def setting_row(setting: Any) -> tuple[str, ...]:
    name = code(setting.key.rpartition(".")[2])
    if setting.kind in FILLED:
        return name, setting.kind, setting.meaning
    if setting.kind == "yes/no":
        return name, takes("", toml(setting.default), ("true", "false")), setting.meaning
    default = setting.default if setting.allowed else toml(setting.default)
    return name, takes(setting.kind, default, setting.allowed), setting.meaning


def configuration() -> str:
    """Every setting of foureyes.toml, from foureyes.config.SETTINGS."""
    from foureyes.config.settings import SETTINGS

    sections: dict[str, list[Any]] = {}
    for setting in sorted(SETTINGS, key=lambda each: "." not in each.key):
        sections.setdefault(setting.key.rpartition(".")[0], []).append(setting)
    blocks = [section_block(name, settings) for name, settings in sections.items()]
    intro = (
        "`foureyes.toml` is at the root of the repository. Defaults are bold. An unknown key or an impossible value is "
        "an error. Keys of earlier versions are still "
        "accepted, and `fe doctor` names those that a project uses."
    )
    text = "\n\n".join([*blocks, environment(), built_in_lists(), own_file()]).replace(
        "(docs/howto/agent-programs.md)", "([guide](../howto/agent-programs.md))"
    )
    return page("Configuration", "`foureyes.config`", intro, linked(text, "rules.md"))


def section_block(name: str, settings: Iterable[Any]) -> str:
    """One section: its keys, and the defaults that are tables."""
    settings = list(settings)
    filled = [f"# default of {each.key}\n{lines_of(each.default)}" for each in settings if each.kind in FILLED]
    parts = [
        f"## {code(f'[{name}]') if name else 'Top level'}",
        table(("key", "takes", "meaning"), map(setting_row, settings)),
        *(f"```toml\n{text}\n```" for text in filled),
    ]
    return "\n\n".join(parts)


def lines_of(value: Mapping[str, Any]) -> str:
    """A default that is a table, one line for each entry."""
    return "\n".join(f"{key} = {toml(item)}" for key, item in value.items())


def environment() -> str:
    """The keys that an environment variable can override."""
    from foureyes.config.settings import SETTINGS

    keys = [each for each in SETTINGS if each.env]
    never = " and ".join(code(each.key) for each in keys if each.only_tighter)
    text = (
        "The variable of a key is `FOUREYES_` and the key in capitals with `_` for the dot, for example "
        f"`{keys[0].env}`. It can make these keys stricter. A person can also make them looser, but never {never}, and "
        "not in a project with keys (P12):"
    )
    return f"## Environment variables\n\n{text} {', '.join(code(each.key) for each in keys)}."


def built_in_lists() -> str:
    """What each `extra_` key adds to."""
    from foureyes.config.settings import SETTINGS

    lists = {each.key: each.builtin for each in SETTINGS if each.builtin}
    text = "An `extra_` key adds entries to one of these lists. No entry of a built-in list can be taken away."
    blocks = [f"### {code(key)}\n\n{folded(key, lists)}" for key in lists]
    return "\n\n".join(["## Built-in lists", text, *blocks])


def folded(key: str, lists: Mapping[str, tuple[str, ...]]) -> str:
    """The entries of a list. Another list that it contains is only named."""
    inside = [other for other, items in lists.items() if other != key and set(items) < set(lists[key])]
    left = [item for item in lists[key] if not any(item in lists[other] for other in inside)]
    more = [f"and all of {code(other)}" for other in inside]
    return " ".join([*map(code, left), *more])


def own_file() -> str:
    """Every setting of the user's own file, from foureyes.config.own_settings."""
    from foureyes.config.own_settings import MEANINGS, OWN_FILE, THEMES

    kinds = {
        "theme": takes("", "default", THEMES),
        "pager": takes("a command", '"less"'),
        "editor": takes("a command", '"vi"'),
    }
    text = (
        f"`~/.config/{OWN_FILE}` (or below `$XDG_CONFIG_HOME`) has your own colours, pager and editor. A "
        "value that cannot be read is reported and ignored."
    )
    rows = ((code(key), kinds[key], meaning) for key, meaning in MEANINGS.items())
    return f"## Your own file\n\n{text}\n\n{table(('key', 'takes', 'meaning'), rows)}"


# ------------------------------------------------------------------------------------------ errors and life cycle


def descendants(cls: type[FoureyesError]) -> Iterator[type[FoureyesError]]:
    """A class and its subclasses, in the order they are written."""
    yield cls
    for child in cls.__subclasses__():
        yield from descendants(child)


def errors() -> str:
    """Every error: its code in JSON, its exit code, what it means."""
    found = [cls for cls in descendants(FoureyesError) if cls.__module__ == "foureyes.errors"]
    rows = [
        (code(cls.code), str(cls.exit_code), doc(cls).partition("\n\n")[0])
        for cls in sorted(found, key=lambda cls: cls.exit_code)
        if cls is not FoureyesError and "code" in vars(cls)
    ]
    intro = (
        "With `--json` an error is one object on stdout: "
        '`{"error": {"code", "message", "reasons": [{"rule", "message", "next"}], "next"}}`. '
        "Exit code 0 means done, now or before."
    )
    return page("Errors", "`foureyes.errors`", intro, linked(table(("code", "exit code", "meaning"), rows), "rules.md"))


def lifecycle() -> str:
    """The table of transitions."""
    from foureyes.core.words.lifecycle import TRANSITIONS

    rows = [
        (code(action), ", ".join(code(s) for s in each.from_), ", ".join(code(s) for s in each.to), each.note)
        for action, each in TRANSITIONS.items()
    ]
    intro = "These actions change the status of a task. Nothing else does."
    head = ("action", "from", "to", "by, notes")
    return page("Transitions", "`foureyes.core.words.lifecycle`", intro, linked(table(head, rows), "rules.md"))


# ------------------------------------------------------------------------------------------------------ documents


def struct_block(name: str, shape: dict[str, Any], level: str) -> str:
    parts = [
        f"{level} {name}",
        cell(shape.get("description", "")),
        table(("field", "takes", "meaning"), field_rows(shape)),
    ]
    return "\n\n".join(parts)


def object_block(name: str, parts: Mapping[str, dict[str, Any]]) -> str:
    """An object. Of one with the fields of another, only the fields that differ are listed."""
    own, fields = field_rows(parts[name]), parts[name]["properties"].keys()
    base = next((other for other in sorted(parts) if other < name and parts[other]["properties"].keys() == fields), "")
    if not base:
        return struct_block(name, parts[name], "###")
    text = f"{cell(parts[name].get('description', ''))} The other fields are those of [{base}](#{base.lower()})."
    different = [row for row in own if row not in field_rows(parts[base])]
    return "\n\n".join([f"### {name}", text, table(("field", "takes", "meaning"), different)])


def documents() -> str:
    """Every document of reviews: its fields, an example, and then the objects in them."""
    blocks, parts = [], {}
    for name, kind in DOCUMENTS.items():
        shapes = schema_of(name)["$defs"]
        blocks.append(struct_block(code(name), shapes.pop(kind.__name__), "##"))
        blocks.append(f"[Schema](schemas/{name}.schema.json). Example:\n\n```json\n{example_text(name)}\n```")
        parts.update(shapes)
    blocks += ["## Objects in documents", *(object_block(name, parts) for name in sorted(parts))]
    intro = (
        "Documents are JSON in UTF-8. `type` (the name below) and `version` (1) are fields of each. "
        "Bold fields are required. A document is read whole or refused, with the path of every wrong field. Unknown fields "
        "and fields given twice are wrong. Limits: 500 characters for a title, an id or a word on one line, 20,000 for "
        "other text, 2,000 items in a list, 5,000,000 bytes in all."
    )
    return page(
        "Documents", "`foureyes.core.documents.shapes`", intro, *(linked(block, "rules.md") for block in blocks)
    )


def rules() -> str:
    """Every rule by its id."""
    return page("Rules", "`src/foureyes/config/rules.md`", rules_page.body())


# ------------------------------------------------------------------------------------------------- write and check

PAGES: dict[str, Callable[[], str]] = {
    "configuration.md": configuration,
    "errors.md": errors,
    "lifecycle.md": lifecycle,
    "rules.md": rules,
    "keys.md": keys_page.keys_page,
    "mcp.md": mcp_page.mcp_page,
    "gate-files.md": gate_files_page.gate_files_page,
    "documents.md": documents,
    **{f"schemas/{name}.schema.json": partial(schema_text, name) for name in DOCUMENTS},
}


def files() -> dict[str, str]:
    """Every generated file, and every page with generated tables in it, as it should be: text by path."""
    pages = {name: make() for name, make in PAGES.items()} | command_pages.pages()
    return {f"{REFERENCE}/{name}": text for name, text in pages.items()} | blocks.files(ROOT)


def stale(name: str, text: str) -> str:
    """How the stored file differs; nothing when it does not."""
    path = ROOT / name
    if not path.exists():
        return f"{name} is missing"
    stored = path.read_text(encoding="utf-8")
    if stored == text:
        return ""
    lines = difflib.unified_diff(stored.splitlines(), text.splitlines(), "stored", "generated", lineterm="", n=1)
    return "\n".join([f"{name} is stale", *list(lines)[:20]])


def strays(made: Mapping[str, str]) -> list[str]:
    """Pages among the generated ones that nothing makes any more."""
    kept = (path for path in (ROOT / REFERENCE).rglob("*") if path.suffix in {".md", ".json"})
    return sorted({path.relative_to(ROOT).as_posix() for path in kept} - set(made))


def check() -> int:
    """0 when every page is what the code says; otherwise 1, and which are not."""
    made = files()
    found = [problem for name, text in made.items() if (problem := stale(name, text))]
    found += [f"{name} is not generated by anything any more" for name in strays(made)]
    if found:
        print("\n".join([*found, "next: make docs"]), file=sys.stderr)
    return 1 if found else 0


def write() -> int:
    """Write every page that changed, take away what nothing makes any more, and say which."""
    made = files()
    for name, text in made.items():
        if stale(name, text):
            (ROOT / name).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / name).write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    for name in strays(made):
        (ROOT / name).unlink()
        print(f"removed {name}")
    return 0


def main(arguments: list[str]) -> int:
    """The program: write, or with `--check` compare."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m tools.reference [--check]", file=sys.stderr)
        return 2
    return check() if arguments else write()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
