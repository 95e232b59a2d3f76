"""Options that exclude each other are refused, because all but one would be ignored."""

from __future__ import annotations

import pytest

from foureyes.ui.cli.main import main


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("merge --list --retry fe-7k2", "--list and --retry exclude each other."),
        ("merge fe-7k2 --list", "TASK does not go with --list."),
        ("merge --retry fe-7k2 --wait", "--wait does not go with --retry."),
        ("show fe-7k2 --rounds --diff", "--diff and --rounds exclude each other."),
        ("show fe-7k2 --context --prompt review", "--context and --prompt exclude each other."),
        ("show fe-7k2 --since 1", "--since goes with --diff."),
        ("show fe-7k2 --rounds --since 1", "--since does not go with --rounds."),
        ("finding list fe-7k2 --concerns", "TASK does not go with --concerns."),
        ("finding answer TL-1 --fixed --rejected", "--fixed and --rejected exclude each other."),
        ("finding judge TL-1 --verified --withdraw", "--verified and --withdraw exclude each other."),
        ("review request fe-7k2 --ask bob --prompt", "--ask and --prompt exclude each other."),
        ("config set review.policy strict --default", "VALUE does not go with --default."),
        ("audit log --export --task fe-7k2", "--task does not go with --export."),
        ("sprint status --all --report", "--all and --report exclude each other."),
        ("pause --project --now", "--project and --now exclude each other."),
        ("resume --project --agent ses-1", "--project and --agent exclude each other."),
        ("update fe-7k2 --bump --lower", "--bump and --lower exclude each other."),
        ("worktree --dry-run", "--dry-run goes with --prune."),
        ("help --all P2", "COMMAND|RULE does not go with --all."),
    ],
)
def test_an_option_that_would_be_ignored_is_refused(typed: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(typed.split())
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    words = [word for word in typed.split()[:2] if word.isalpha()]
    command = " ".join(words if words[0] in {"finding", "review", "config", "audit", "sprint"} else words[:1])
    assert said.err == f"fe: {says}\n  next: fe {command} --help\n"
