"""The import contracts of pyproject.toml are kept, and there are as many as were written."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib

from tests.architecture.house import PACKAGE, ROOT, modules, name_of, nodes_of, tree_of

CONTRACTS = {
    "layers", "app-rooms", "core-rooms", "git-rooms", "adapters", "adapters-see-ports", "faces-adapters",
    "faces-see-results", "faces", "sql", "programs", "textual", "mcp",
}  # fmt: skip


def test_all_import_contracts_are_kept() -> None:
    lint = "from importlinter.cli import lint_imports_command as lint; lint()"
    run = subprocess.run(
        [sys.executable, "-c", lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(rf"Contracts: {len(CONTRACTS)} kept, 0 broken", run.stdout), run.stdout


def test_no_contract_was_removed() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contracts = {contract["id"]: contract for contract in config["contracts"]}
    assert set(contracts) >= CONTRACTS
    assert config["include_external_packages"] is True, "without it the contracts on drivers and programs see nothing"
    for name in ("layers", "app-rooms", "core-rooms", "git-rooms", "adapters"):
        assert contracts[name]["exhaustive"] is True, name


def test_faces_may_import_views_application_catalog_and_calls_by_name_only() -> None:
    """A room that is added to `app` is closed to faces unless it is one of these four."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = (one for one in config["contracts"] if one["id"] == "faces-see-results")
    app = ROOT / "src" / "foureyes" / "app"
    rooms = {path.stem for path in app.iterdir() if path.stem not in ("__init__", "__pycache__")}
    closed = {name.removeprefix("foureyes.app.") for name in contract["forbidden_modules"]}
    assert closed == rooms - {"results", "application", "catalog", "verb_calls"}


RULES_OF_OTHERS = {
    "UNRESOLVED": "FindingView.open",
    "at_home": "bootstrap.wiring.newcomer",
    "fitting_home": "bootstrap.wiring.newcomer",
}
"""What a face worked out for itself once, and who says it now."""


def test_no_face_works_out_which_findings_are_open_or_where_a_caller_is_at_home_I3() -> None:
    imports = [
        f"{name_of(path)}:{node.lineno} imports {alias.name}: ask {RULES_OF_OTHERS[alias.name]}"
        for path in modules(PACKAGE / "ui")
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in RULES_OF_OTHERS
    ]
    assert not imports, "\n".join(imports)
