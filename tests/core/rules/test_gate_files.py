"""A4: the files that only a person agrees to a change of, in every folder and however they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.adapters.identity.programs import PROGRAMS
from foureyes.core.rules.gate_files import GATE_FILES, is_gate_file

from tests.core.samples import quick

NAMED = [file.name.removeprefix("/").replace("*", "x") for file in GATE_FILES]
ASKED_FOR = """
    .cursor/rules/a.mdc .cursorrules QWEN.md .qwen/settings.json CLAUDE.local.md AGENTS.override.md AGENT.md
    .github/copilot-instructions.md .github/instructions/a.md .goosehints .aider.conf.yml .aiderignore CONVENTIONS.md
    opencode.json opencode.jsonc .opencode/agent/x.md .windsurfrules .windsurf/rules/x.md .clinerules .clinerules/a.md
    .clinerules-code .roo/rules/x.md .roomodes .kilocode/rules/x.md .amp/settings.json .augment/rules/x.md
    .augment-guidelines CRUSH.md .crush.json crush.json .crushrc .pi/SYSTEM.md lefthook.yml lefthook-local.yaml
    .lefthook.toml .lefthook/pre-commit/x.sh .pre-commit-config.yaml .pre-commit-config.yml .husky/pre-commit
    .foureyes/prompts/a.md .envrc .vscode/tasks.json .devcontainer/devcontainer.json .devcontainer.json mise.toml
    .mise.toml mise.local.toml .config/mise/config.toml .mcp.json .codex/config.toml .gemini/settings.json GEMINI.md
    .claude/settings.json .claude-plugin/plugin.json AGENTS.md CLAUDE.md .gitattributes .gitmodules .env SKILL.md
    .github/agents/x.md .github/prompts/a.prompt.md .githooks/pre-push allowed_signers
""".split()
PLAIN = """
    src/a.py README.md docs/guide.md agents/md agents.py src/claude.py vscode/x.json env .environment mise/notes.md
    docs/foureyes.toml github/instructions/a.md .github/ISSUE_TEMPLATE/bug.md .github/dependabot.yml lib/cursor.py
    docs/my-agents.md notes~ a~b.txt .gitignore .editorconfig conventions/a.md hooks/use.ts prompts.py .pylintrc
    roots/a.py piano.py .pinned src/instructions.md CODE_OF_CONDUCT.md promises.toml
""".split()


@pytest.mark.parametrize("name", ASKED_FOR)
def test_what_tells_an_agent_git_or_an_editor_what_to_do_is_a_gate_file_in_every_folder_A4(name: str) -> None:
    for path in (name, f"packages/x/{name}", name.upper(), f"Packages/{name.swapcase()}", f"{name}."):
        assert is_gate_file(path), path


@pytest.mark.parametrize("path", PLAIN)
def test_what_only_looks_like_one_is_none_A4(path: str) -> None:
    assert not is_gate_file(path)


@quick
@given(st.sampled_from(NAMED), st.lists(st.sampled_from("aZ_9ü"), max_size=3), st.sampled_from(["", "/x", "/a/b.md"]))
def test_a_link_or_a_folder_in_its_place_is_one_too_A4(name: str, above: list[str], below: str) -> None:
    top = any(file.name == f"/{name}" for file in GATE_FILES)
    assert is_gate_file("/".join([*([] if top else above), name]) + below)


@pytest.mark.parametrize(
    "path",
    ["AGENTS.md::$DATA", "AG\u200dENTS.md", "\uff21GENTS.md", "CLAUDE~1/settings.json", "FOUREY~1.TOM", ".claude \\x",
     ".Claude./x", "Foureyes.TOML", ".git\u200chooks/x", ".gıthooks/x"],
)  # fmt: skip
def test_a_name_that_another_file_system_reads_as_one_is_one_A4(path: str) -> None:
    assert is_gate_file(path)


def test_every_program_that_is_recognised_has_its_files_in_the_list_A4_I3() -> None:
    whose = {word.strip() for file in GATE_FILES for word in file.of.split(",")}
    assert {program.name for program in PROGRAMS} - whose == set()


def test_every_entry_says_whose_it_is_and_what_it_does_and_stands_once() -> None:
    assert all(file.of and file.what for file in GATE_FILES)
    assert len({file.name.lower() for file in GATE_FILES}) == len(GATE_FILES)
    verified = [file for file in GATE_FILES if file.source]
    assert len(verified) > len(GATE_FILES) * 3 // 4, "where it is written down, for most of them"
