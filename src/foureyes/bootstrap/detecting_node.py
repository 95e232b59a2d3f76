"""Checks of a Node project: its scripts, by the program that its lock file or `packageManager` names."""

from __future__ import annotations

import re

from msgspec.structs import replace

from foureyes.bootstrap.looking import FolderFiles, table
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule

NODE_TESTS = ("test.js", "test.mjs", "test.cjs")
"""What `node --test` finds at the top without being told."""
NPM_RUN = re.compile(r"(?:npm|pnpm|yarn|bun) run(?:-script)? (?:--silent |-s )?([\w:.-]+)")
LINTS = re.compile(r"(?:npx )?(?:lint|eslint|standard|xo|jshint|jscs|biome|oxlint|prettier)\b")
ALONE = " --ignore-scripts"
"""npm runs the script that is named, and none before or after it."""
NO_TEST = "no test specified"
"""What `npm init` writes where there is no test."""
TYPES = ("typecheck", "type-check", "types:check", "check:types", "check-types", "tsc")
MANAGERS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}  # fmt: skip
LOCKED = {
    "npm": "npm ci", "pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --frozen-lockfile",
    "bun": "bun install --frozen-lockfile",
}  # fmt: skip
UNLOCKED = {
    "npm": "npm install --no-package-lock",
    "pnpm": "pnpm install",
    "yarn": "yarn install",
    "bun": "bun install",
}
MODERN_YARN = "yarn install --immutable"
OF_ITSELF = ("prepare", "postinstall", "install", "preinstall")
"""Scripts of a package that run when it is installed."""
NEEDS_GIT = re.compile(r"\b(husky|simple-git-hooks|lefthook)\b")
"""What sets hooks up when packages are installed: there is no repository in a throwaway checkout."""


def source_of(look: FolderFiles) -> str:
    return look.first("package.json", *NODE_TESTS) and "package.json"


def manager_of(look: FolderFiles) -> str:
    """npm, pnpm, yarn or bun."""
    manager = str(look.json("package.json").get("packageManager", "")).partition("@")[0]
    lock = look.first(*MANAGERS)
    return manager if manager in LOCKED else MANAGERS.get(lock, "pnpm" if look.has("pnpm-workspace.yaml") else "npm")


def ways_of(look: FolderFiles) -> list[CheckoutRule]:
    """How its packages are installed; none where it has none. Its own scripts would run where only manifests are: then
    they stay out, and what they make is made in each check's own copy.
    """
    how = _install(look)
    scripts = table(look.json("package.json"), "scripts")
    has_own = any(name in scripts for name in OF_ITSELF)
    if not how or not has_own or how.endswith(ALONE):
        return [CheckoutRule(prepare=how)] if how else []
    manager = manager_of(look)
    without = f"{how}{ALONE} && npm rebuild" if manager == "npm" else how + ALONE
    alone = CheckoutRule(prepare=without if how != MODERN_YARN else f"{how} --mode=skip-build")
    if "prepare" not in scripts:
        return [CheckoutRule(prepare=how), alone]
    return [replace(alone, build=f"{manager} run prepare"), alone]


def _install(look: FolderFiles) -> str:
    package, manager = look.json("package.json"), manager_of(look)
    if not look.has(*MANAGERS) and not any(table(package, name) for name in ("dependencies", "devDependencies")):
        return ""
    how = LOCKED[manager] if look.has(*MANAGERS) else UNLOCKED[manager]
    if manager == "yarn" and (look.has(".yarnrc.yml") or str(package.get("packageManager", ""))[5:6] not in ("", "1")):
        how = MODERN_YARN
    scripts = table(package, "scripts")
    hooks = " ".join(str(scripts.get(name, "")) for name in OF_ITSELF)
    return how + (ALONE if NEEDS_GIT.search(hooks) and how != MODERN_YARN else "")


def script_of(look: FolderFiles, run: str) -> str:
    """What a command runs: of one that names a script of the package, that."""
    named = NPM_RUN.match(run)
    return str(table(look.json("package.json"), "scripts").get(named[1], "")) if named else run


def is_workspace(look: FolderFiles) -> bool:
    """Whether it is several packages in one repository."""
    return bool(look.json("package.json").get("workspaces")) or look.has("pnpm-workspace.yaml")


def checks_of(look: FolderFiles) -> list[CheckRule]:
    """`quality` is the whole pipeline where there is one; else `test` and `lint` (and the types). Tests that no script
    runs are for node's own runner.
    """
    scripts = table(look.json("package.json"), "scripts")
    names = [name for name, run in scripts.items() if not (name == "test" and NO_TEST in str(run))]
    manager = manager_of(look)
    if "quality" in names:
        return [CheckRule(name="quality", run=f"{manager} run quality")]
    types = next((name for name in TYPES if name in names), "")
    wanted = {"test": "tests", types: "types", "lint": "lint"}
    apart = _lints_before(scripts) if "test" in names else ""
    alone = ALONE if apart and manager == "npm" else ""
    rules = [
        CheckRule(name=label, run=f"{manager} run {script}{alone if script == 'test' else ''}")
        for script, label in wanted.items()
        if script in names
    ]
    if apart and "lint" not in names:
        rules.append(CheckRule(name="lint", run=f"{manager} run {apart}"))
    if "test" not in names:
        rules = [*_without_a_script(look, manager), *rules]
    return rules


def _without_a_script(look: FolderFiles, manager: str) -> list[CheckRule]:
    if any(look.text(name) for name in NODE_TESTS):
        return [CheckRule(name="tests", run="node --test")]
    each = {"pnpm": "pnpm -r --if-present test", "npm": "npm test --workspaces --if-present"}.get(manager, "")
    return [CheckRule(name="tests", run=each)] if each and is_workspace(look) else []


def _lints_before(scripts: dict[str, object]) -> str:
    """The script that lints before every test, where one does: what it finds is no failing test."""
    before = str(scripts.get("pretest", "")).strip()
    named = NPM_RUN.fullmatch(before)
    if named and named[1] in scripts:
        return named[1] if LINTS.match(named[1]) or _only_lints(str(scripts[named[1]])) else ""
    return "pretest" if _only_lints(before) else ""


def _only_lints(script: str) -> bool:
    return all(LINTS.match(part.strip()) for part in re.split("[&|;]+", script))
