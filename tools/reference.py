"""Writes docs/reference from the code (commands, configuration, errors, life cycle, rules, documents and their schemas) and the tables that other pages take from it.

`python -m tools.reference` writes, `--check` compares and names what is stale. When code and page say the same thing,
the page asks the code.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from foureyes.core.documents.shapes import DOCUMENTS
from foureyes.core.rules.policy import Profile
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
        case Profile():
            usual = msgspec.to_builtins(Profile())
            return toml({key: item for key, item in msgspec.to_builtins(value).items() if item != usual[key]})
        case msgspec.Struct():
            return toml(msgspec.to_builtins(value))
        case None:
            return ""
        case _:
            return str(value)


def kind_of(setting: Any) -> str:
    """What a setting takes: its allowed values if they are listed, otherwise its kind."""
    allowed = getattr(setting, "allowed", ())
    if allowed and not isinstance(allowed, str):
        return ", ".join(code(toml(each) if not isinstance(each, str) else each) for each in allowed)
    return str(allowed or setting.kind)


def setting_row(setting: Any) -> tuple[str, ...]:
    name = setting.key.rpartition(".")[2]
    return code(name), kind_of(setting), code(toml(setting.default)), setting.meaning, code(setting.env)


def configuration() -> str:
    """Every setting of foureyes.toml, from foureyes.config.SETTINGS."""
    from foureyes.config.settings import SETTINGS

    sections: dict[str, list[Any]] = {}
    for setting in SETTINGS:
        section, _, _ = setting.key.rpartition(".")
        sections.setdefault(section, []).append(setting)
    head = ("key", "takes", "default", "meaning", "environment")
    blocks = [
        f"## {code(f'[{section}]') if section else 'Top level'}\n\n{table(head, map(setting_row, settings))}"
        for section, settings in sections.items()
    ]
    blocks += [built_in_lists(), former_keys(), own_file()]
    intro = (
        "`foureyes.toml` at the root of the repository. An unknown key or an impossible value is an error. What is "
        "only about your own screen is in [your own file](#your-own-file)."
    )
    return page("Configuration", "`foureyes.config`", intro, linked("\n\n".join(blocks), "rules.md"))


def built_in_lists() -> str:
    """What each `extra_` key adds to."""
    from foureyes.config.settings import SETTINGS

    text = "An `extra_` key adds entries to one of these lists. No entry of a built-in list can be taken away."
    lists = [f"### {code(each.key)}\n\n{' '.join(map(code, each.builtin))}" for each in SETTINGS if each.builtin]
    return "\n\n".join(["## Built-in lists", text, *lists])


def former_keys() -> str:
    """Keys of earlier versions, and what to write instead."""
    from foureyes.config.settings import ALIASES, REMOVED, instead_of

    text = "Keys of earlier versions are still accepted. `fe doctor` names those that a project uses."
    lines = [f"- {sentence}" for key in sorted({*ALIASES, *REMOVED}) if (sentence := instead_of(key))]
    return "\n\n".join(["## Former keys", text, "\n".join(lines)])


def own_file() -> str:
    """Every setting of the user's own file, from foureyes.config.own_settings."""
    import msgspec

    from foureyes.config.own_settings import MEANINGS, OWN_FILE, THEMES

    defaults = {"theme": "default", "pager": "less", "editor": "vi"}
    takes = {"theme": ", ".join(map(code, THEMES))}
    rows = [
        (code(key), takes.get(key, "a command"), code(msgspec.json.encode(defaults[key]).decode()), meaning)
        for key, meaning in MEANINGS.items()
    ]
    text = (
        f"`~/.config/{OWN_FILE}` (or below `$XDG_CONFIG_HOME`) is how you like to read. It decides nothing, and no "
        "project reads it. What is wrong in it is said, and left aside."
    )
    return f"## Your own file\n\n{text}\n\n{table(('key', 'takes', 'default', 'meaning'), rows)}"


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
        (code(cls.code), str(cls.exit_code), doc(cls))
        for cls in sorted(found, key=lambda cls: cls.exit_code)
        if cls is not FoureyesError and "code" in vars(cls)
    ]
    intro = (
        "With `--json` an error is one object on stdout: "
        '`{"error": {"code", "message", "reasons": [{"rule", "message", "next"}], "next"}}`. '
        "The exit code is 0 when the thing is done, also when it was done before."
    )
    return page("Errors", "`foureyes.errors`", intro, table(("code", "exit code", "meaning"), rows))


def lifecycle() -> str:
    """The table of transitions."""
    from foureyes.core.words.lifecycle import TRANSITIONS

    rows = [
        (code(action), ", ".join(code(s) for s in each.from_), ", ".join(code(s) for s in each.to), each.note)
        for action, each in TRANSITIONS.items()
    ]
    intro = "The statuses of a task and the only ways from one to another. There is no other way to change a status."
    head = ("action", "from", "to", "who, and notes")
    return page("The life of a task", "`foureyes.core.words.lifecycle`", intro, table(head, rows))


# ------------------------------------------------------------------------------------------------------ documents


def struct_block(name: str, shape: dict[str, Any], level: str) -> str:
    head = ("field", "takes", "default", "meaning")
    return "\n\n".join([f"{level} {name}", cell(shape.get("description", "")), table(head, field_rows(shape))])


def documents() -> str:
    """Every document of reviews: its fields, an example, and then the objects in them."""
    blocks, parts = [], {}
    for name, kind in DOCUMENTS.items():
        shapes = schema_of(name)["$defs"]
        blocks.append(struct_block(code(name), shapes.pop(kind.__name__), "##"))
        blocks.append(
            f"Schema: [{name}.schema.json](schemas/{name}.schema.json). For "
            f"example:\n\n```json\n{example_text(name)}\n```"
        )
        parts.update(shapes)
    blocks += ["## Objects in documents", *(struct_block(name, parts[name], "###") for name in sorted(parts))]
    intro = (
        "JSON in UTF-8. A document is read whole or not at all: every wrong field is named by its path, an "
        "unknown field and a key that is "
        "given twice are errors. A title, an id or a word has at most 500 characters on one line, another "
        "text 20,000, a list 2,000 items, "
        "a document 5,000,000 bytes."
    )
    return page("Documents", "`foureyes.core.documents.shapes`", intro, *blocks)


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
