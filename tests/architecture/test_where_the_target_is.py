"""Where is the target? Who decides asks the remote or the journal; the refs of a clone, which agents can write, are for
who looks (K1, K4, Q6).

`told_target`, `recorded_target` and `known_commits` are anybody's. Who reads the target from refs stands below, and why
no decision rests on that; the list only gets shorter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.house import PACKAGE, modules, name_of, tree_of

NOTED = "foureyes.app.call.noted_target"

NO_REMOTE = "where there is no remote the branch here is the target; where there is one it says so itself"
STRICTER = "it can only stop what would go on"
SHOWN = "shown, and decided by who asks again"

READERS: dict[str, dict[str, str]] = {
    "app/call/merge_stops": {"noted_tip": SHOWN, "branch_here": "tells of commits that the remote lacks"},
    "app/call/placing": {
        "furthest_target": STRICTER,
        "branch_here": STRICTER,
        "tip_of": "what is taken up is what was compared, and whatever comes later is not",
    },
    "app/call/told_target": {
        "branch_here": NO_REMOTE,
        "furthest_target": "what a claim looks at first: whether anything is there, and that nothing is merged already",
        "tip_of": "the same",
        "noted_name": "before the first merge, while nobody can say it: then the merge stops what is not there (Q2)",
    },
    "app/call/unbrought": {"noted_target": SHOWN},
    "app/gate/checks": {"noted_tip": "which tree is checked is told; red work goes back by what was checked"},
    "app/gate/merge_queue": {"branch_here": NO_REMOTE},
    "app/gate/target_line": {"branch_here": NO_REMOTE},
    "app/pages/attention": {"branch_here": SHOWN},
    "app/pages/completion": {"noted_target": SHOWN},
    "app/pages/doctor": {"branch_here": SHOWN},
    "app/pages/reviewable": {"noted_tip": SHOWN},
    "app/pages/waiting": {"noted_target": SHOWN},
    "app/project/acceptance": {"branch_here": SHOWN},
    "app/project/asking": {"branch_here": STRICTER},
    "app/project/retargeting": {
        "noted_name": "for who looks; who accepts goes by what was heard",
        "branch_here": "whether there is such a branch",
    },
    "app/review/prompts": {"noted_target": "a template counts by the digest that was accepted, wherever it lies"},
    "app/work/branches": {"noted_tip": SHOWN, "branch_here": NO_REMOTE},
    "app/work/other_machines": {"branch_here": "what follows the remote, and what stays behind"},
    "app/work/tree_files": {"noted_tip": "before the first merge: which environment is made from the files of a base"},
}
"""Module, what it takes, and why that decides nothing."""


def module_of(path: str) -> str:
    return path.removeprefix("src/foureyes/").removesuffix(".py")


def taken(tree: ast.AST) -> set[str]:
    """What is imported of the noted target; all of it, where the module is."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == NOTED:
            names |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module == NOTED.rpartition(".")[0]:
            names |= {"*" for each in node.names if each.name == "noted_target"}
        elif isinstance(node, ast.Import):
            names |= {"*" for each in node.names if each.name == NOTED}
    return names


def own_names(tree: ast.AST) -> Iterator[int]:
    """Lines that look up a ref of this clone by the target's name, or name what is noted of the remote's."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("commit_of", "tracked") and any(_is_target(each) for each in node.args):
                yield node.lineno


def _is_target(value: ast.expr) -> bool:
    """`target`, `project.target`, or a ref with one of these in its name; not a hash that is called so."""
    if isinstance(value, ast.JoinedStr):
        return any(_is_target(each.value) for each in value.values if isinstance(each, ast.FormattedValue))
    name = value.attr if isinstance(value, ast.Attribute) else value.id if isinstance(value, ast.Name) else ""
    return name == "target" and not (isinstance(value, ast.Attribute) and _is_told(value.value))


def _is_told(value: ast.expr) -> bool:
    """A hand-in, or what a run is measured by, has as its target what was told."""
    return isinstance(value, ast.Name) and value.id in ("hand", "yardstick")


def test_who_reads_the_target_from_the_refs_of_a_clone_is_listed_with_why_K1_K4_Q6() -> None:
    readers = {module_of(name_of(path)): taken(tree_of(path)) for path in modules()}
    named = {module: set(reasons) for module, reasons in READERS.items()}
    assert {module: names for module, names in readers.items() if names} == named, (
        "decide by told_target or recorded_target"
    )


def test_nobody_else_makes_the_name_of_such_a_ref_K1_K4_Q6() -> None:
    lines = {
        f"{module_of(name_of(path))}:{line}"
        for path in modules(PACKAGE / "app")
        for line in own_names(tree_of(path))
        if module_of(name_of(path)) != "app/call/noted_target"
    }
    assert not lines, "ask noted_target, and stand in its list: " + ", ".join(sorted(lines))


def test_the_search_finds_every_way_to_name_it() -> None:
    code = (
        "repo.commit_of(f'refs/heads/{target}')\n"
        "repo.commit_of(project.target)\n"
        "tracked(remote, f'refs/heads/{project.target}')\n"
        "commit_of(target)\n"
        "repo.commit_of(hand.target)\n"
        "repo.commit_of(attempt.ref)\n"
        "tracked(remote, attempt.ref)\n"
    )
    assert list(own_names(ast.parse(code))) == [1, 2, 3, 4]
    code = f"from {NOTED} import noted_tip, branch_here\nfrom foureyes.app.call.told_target import told_target\n"
    assert taken(ast.parse(code)) == {"noted_tip", "branch_here"}
    assert taken(ast.parse(f"from foureyes.app.call import noted_target\nimport {NOTED}")) == {"*"}
