"""Nothing is decided by our own sentences: a reworded message must change what people read, and nothing else.

Rules, verbs and faces ask fields and types. Text that others write (git, a database, a report, a person's words, what
old journals say) is read at the edge, in the places that are named here, each with its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import pytest

from tests.architecture.house import PACKAGE, modules, tree_of

SENTENCES = frozenset(
    {
        "against", "banner", "because", "behind", "broken", "cause", "closing", "complaint", "detail", "details",
        "done", "error", "error_text", "explanation", "failure", "grade", "headline", "hint", "hints", "message",
        "messages", "news", "next", "next_step", "note", "noted", "notes", "notice", "obstacle", "problem", "problems",
        "reason", "reasons", "refusal", "said", "sentence", "sentences", "step", "str", "summary", "told", "tried",
        "trouble", "warning", "warnings", "why",
    }
)  # fmt: skip
"""What holds a sentence in this house: attributes of errors, reasons and views, and the variables they are put into;
`str(error)` is its message. A variable of another name that is given one of them counts as it (`aliases`).
"""

TEXTS = frozenset({"line", "lines", "lowered", "text", "words"})
"""What may hold one; a pattern is what files and documents are read with."""

SEARCHES = frozenset(
    {
        "count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "rfind", "rindex",
        "rpartition", "rsplit", "split", "startswith",
    }
)  # fmt: skip
CONSTANT = (ast.Constant, ast.JoinedStr)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)
SENTENCE = re.compile("[a-z] [a-z]")
EXPRESSIONS = frozenset({"findall", "finditer", "fullmatch", "match", "search", "split"})

READS = {
    ("adapters/agents/streams/opencode.py", "message"): "what an agent program says of its service",
    ("adapters/exchange/reports.py", "str"): "the address of a report's schema",
    ("adapters/identity/psutil_tree.py", "str"): "the name of a terminal",
    ("adapters/store/postgres.py", "str"): "the name of a schema",
    ("adapters/store/postgres_errors.py", "str"): "the driver's own words: it has no code for a server that is full",
    ("bootstrap/detecting_node.py", "str"): "npm's own words in a package.json",
    ("core/documents/drafted_plan.py", "line"): "a plan that an agent wrote",
    ("adapters/git/checkouts/patch.py", "message"): "git's own words",
    ("adapters/git/client/answers.py", "line"): "git's own words",
    ("adapters/git/client/answers.py", "message"): "git's own words",
    ("adapters/git/client/git.py", "words"): "git's own words",
    ("adapters/git/client/transport.py", "line"): "git's own words",
    ("adapters/git/remote.py", "line"): "git's own words",
    ("app/call/signing.py", "text"): "a fingerprint that somebody typed",
    ("app/project/sessions.py", "text"): "a foureyes.toml: whether it names agents",
    ("core/nouns/approval.py", "grade"): "basis_of: what journals say about approvals, read in one place",
    ("core/nouns/attempt.py", "why"): "source_of: what journals say about authors, read in one place",
    ("ui/tui/text/diff.py", "text"): "a line of somebody's code",
    ("ui/tui/text/finding.py", "text"): "somebody's sentence, cut at blanks",
    ("core/nouns/finding.py", "lowered"): "a person's or an agent's answer (L7)",
}
"""File and name: whose words are read there."""


def constants(node: ast.expr) -> list[str]:
    """Every constant text that an expression is, or is made of, also by the name of a sentence of ours."""
    return [text for part in ast.walk(node) for text in texts_of(part)]


def texts_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return named_sentences().get(name, []) if name.isupper() else []


@cache
def named_sentences() -> dict[str, list[str]]:
    """What has a name in capitals in any module of ours and is a sentence."""
    named: dict[str, list[str]] = {"HELD": ["is held by another"]}  # of the examples below
    for node in (node for path in modules() for node in tree_of(path).body if isinstance(node, ast.Assign)):
        if isinstance(node.value, CONSTANT) and (text := "".join(literals(node.value))) and SENTENCE.search(text):
            named.update({name: [*named.get(name, []), text] for name in map(name_of, node.targets)})
    return named


def literals(node: ast.expr) -> list[str]:
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def has_words(node: ast.expr) -> bool:
    """Whether the text has a word in it, or is what stands between words: marks of a format are none."""
    return any(re.search("[A-Za-z]{3}", text) or text in (" ", ": ", ", ", "; ") for text in constants(node))


def name_of(node: ast.expr) -> str:
    """The last name of what is looked at: `row.message[0]` and `said(row).message.lower()` are both `message`."""
    while isinstance(node, ast.Subscript | ast.Call):
        inner = node.value if isinstance(node, ast.Subscript) else node.func
        node = inner.value if isinstance(node, ast.Call) and isinstance(inner, ast.Attribute) else inner
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def searches(verb: str, what: ast.expr) -> bool:
    """Whether a text is looked through for words; blanks may be replaced."""
    words = "".join(constants(what))
    return (verb in SEARCHES and has_words(what)) or (verb == "replace" and bool(re.search("[A-Za-z]{3}", words)))


def looked_at(node: ast.AST) -> Iterator[str]:
    """The names of what a call or a comparison searches for words, or compares with a sentence."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        whose = node.func.value
        if node.func.attr in EXPRESSIONS and isinstance(whose, ast.Name) and (whose.id == "re" or whose.id.isupper()):
            yield from {name_of(node.args[-1])} - TEXTS
        elif searches(node.func.attr, node.args[0]):
            yield name_of(whose)
    if isinstance(node, ast.Compare):
        for left, how, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            if isinstance(how, ast.In | ast.NotIn) and is_text(left) and has_words(left):
                yield name_of(right)
            if isinstance(how, ast.Eq | ast.NotEq):
                both = ((left, right), (right, left))
                yield from (name_of(one) for one, other in both if is_sentence(other) or is_known_step(one, other))


def is_sentence(node: ast.expr) -> bool:
    """A constant text of several words, or its name; one word may be a value."""
    return is_text(node) and any(SENTENCE.search(text) for text in constants(node))


def is_known_step(node: ast.expr, other: ast.expr) -> bool:
    """What is proposed, compared with a step that has a name: what is proposed may change, and decides nothing."""
    return name_of(node) in ("next", "next_step") and name_of(other).isupper()


def is_text(node: ast.expr) -> bool:
    """A constant text, or the name of one."""
    return isinstance(node, CONSTANT) or bool(texts_of(node))


def comparisons(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of every sentence that is searched or compared."""
    known = {name: name for name in SENTENCES | TEXTS}
    for node, also in with_aliases(tree, {}):
        for name in looked_at(node):
            if name in known or name in also:
                yield getattr(node, "lineno", 0), known.get(name) or also[name]


def with_aliases(node: ast.AST, also: dict[str, str]) -> Iterator[tuple[ast.AST, dict[str, str]]]:
    """Every node, with the variables of its function that hold the sentence of an error, a reason or a view."""
    waiting = [(node, also)]
    while waiting:
        node, also = waiting.pop()
        if isinstance(node, FUNCTIONS):
            givers = [part for part in own_parts(node) if isinstance(part, ast.Assign | ast.NamedExpr)]
            also = also | dict(alias for part in givers for alias in aliases(part))
        yield node, also
        waiting += [(child, also) for child in ast.iter_child_nodes(node)]


def own_parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a function or a module, and in no function of it."""
    waiting = [node]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            yield child
            if not isinstance(child, FUNCTIONS):
                waiting.append(child)


def aliases(node: ast.AST) -> Iterator[tuple[str, str]]:
    """A variable that is given a sentence, and what that was called."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.NamedExpr(target=ast.Name(id=name), value=value)
        ):
            if isinstance(value, ast.Attribute) and value.attr in SENTENCES:
                yield name, value.attr
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "str":
                yield name, "str"
        case _:
            return


def test_nothing_is_decided_by_a_sentence_of_ours() -> None:
    found = [
        f"{file}:{line} looks for words in `{name}`"
        for path in modules()
        for file in [path.relative_to(PACKAGE).as_posix()]
        for line, name in comparisons(tree_of(path))
        if (file, name) not in READS
    ]
    assert not found, "ask a field or a type; whose words are read otherwise is named in READS\n" + "\n".join(found)


@pytest.mark.parametrize("read", READS, ids=lambda read: "-".join(read) if isinstance(read, tuple) else read)
def test_every_exception_is_still_needed(read: tuple[str, str]) -> None:
    file, name = read
    assert name in {found for _, found in comparisons(tree_of(PACKAGE / file))}, f"nothing reads `{name}` in {file}"


@pytest.mark.parametrize(
    "source",
    [
        'Conflict if all(r.rule == "D7" and "moved" in r.message for r in everything) else Refused',
        'step if "tests are gone" in one.message or "not compared" in one.message else one',
        'self.why.startswith("commit ")',
        'author.why.startswith("commit ")',
        'any(found.grade.startswith("human") for found in approvals)',
        'step += "x" if "trailer" in why else ""',
        'INIT if "is not on" in said else ACCEPT',
        'sum(not line.endswith("already") for line in planned)',
        'behind[0].rpartition(": ")[0]',
        'not self.tried.startswith(("crashed", "timed out"))',
        '"completeness" if "no line" in text else "integrity"',
        'prints = not line.split(": ", 1)[0].endswith(("passed", "failed"))',
        'problem.message == "the store is busy."',
        're.search("is (held|stale)", problem.message)',
        "WEAK.fullmatch(reason.message.lower())",
        'f"{task} is stale" in error.reasons[0].message',
        'outcome.next.removeprefix("a person runs: ")',
        'self.banner.startswith("STALE")',
        'sum(row.done.startswith("approved") for row in rows)',
        'closing.replace(" decided:", f" decided in {spent}:")',
        '"is stale" in str(problem)',
        '"is stale" in str(whatever)',
        "row.problem == HELD",
        "holding.HELD in row.problem",
        "row.problem.startswith(HELD)",
        'whatever = row.message\nif "stale" in whatever: pass',
        'if (whatever := str(row)) and "stale" in whatever: pass',
        'def judge(row):\n    whatever = row.why\n    return whatever.startswith("commit ")',
        '"is away" in problem.error_text',
        "left is not None and left.next == ACCEPT",
    ],
)
def test_a_decision_by_a_sentence_is_found(source: str) -> None:
    assert list(comparisons(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        'row.why == "document"',
        'reason.rule == "D7"',
        'ref.startswith("refs/heads/")',
        "if reason.next: pass",
        'text.replace("a", "b")',
        '"why" in fields',
        'lines = text.split("\\n")',
        "row.problem == DOWN",
        "row.state == HELD",
        'def one(row):\n    whatever = row.why\ndef other(whatever):\n    return whatever.startswith("commit ")',
    ],
)
def test_a_field_may_be_asked(source: str) -> None:
    assert not list(comparisons(ast.parse(source)))
