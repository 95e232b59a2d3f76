"""Nothing is decided by our own sentences: a reworded message must change what people read, and nothing else.

Rules, verbs and faces ask fields and types. Text that others write (git, a database, a report, a person's words, what
old journals say) is read at the edge, in the places that are named here, each with its reason.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.architecture.house import PACKAGE, modules, tree_of

SENTENCES = frozenset(
    {
        "banner", "behind", "closing", "detail", "done", "grade", "hint", "message", "news", "next",
        "next_step", "note", "noted", "notes", "problem", "reason", "reasons", "said", "sentence", "step", "summary",
        "told", "tried", "why",
    }
)  # fmt: skip
"""What holds a sentence in this house: attributes of errors, reasons and views, and the variables they are put into."""

TEXTS = frozenset({"line", "lines", "lowered", "text", "words"})
"""What may hold one; a pattern is what files and documents are read with."""

SEARCHES = frozenset(
    {
        "count", "endswith", "find", "index", "partition", "removeprefix", "removesuffix", "rfind", "rindex",
        "rpartition", "rsplit", "split", "startswith",
    }
)  # fmt: skip
CONSTANT = (ast.Constant, ast.JoinedStr)
EXPRESSIONS = frozenset({"findall", "finditer", "fullmatch", "match", "search", "split"})

READS = {
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
    """Every constant text that an expression is, or is made of."""
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
            if isinstance(how, ast.In | ast.NotIn) and isinstance(left, CONSTANT) and has_words(left):
                yield name_of(right)
            if isinstance(how, ast.Eq | ast.NotEq):
                yield from (name_of(one) for one, other in ((left, right), (right, left)) if is_sentence(other))


def is_sentence(node: ast.expr) -> bool:
    """A constant text of several words; one word may be a value."""
    return isinstance(node, CONSTANT) and any(re.search("[a-z] [a-z]", text) for text in constants(node))


def comparisons(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of every sentence that is searched or compared."""
    for node in ast.walk(tree):
        yield from ((getattr(node, "lineno", 0), name) for name in looked_at(node) if name in SENTENCES | TEXTS)


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
    ],
)
def test_a_field_may_be_asked(source: str) -> None:
    assert not list(comparisons(ast.parse(source)))
