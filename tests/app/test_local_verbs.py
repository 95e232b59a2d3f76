"""Verbs that no runner does for a run: each is one, and has its reason."""

from __future__ import annotations

from foureyes.app.catalog import HERE, HERE_NOUNS, NOUNS, verbs, why_here


def test_what_only_a_process_of_the_callers_own_does_is_on_a_list_with_reasons() -> None:
    known = {f"{verb.noun}.{verb.name}" for verb in verbs()}
    assert set(HERE) <= known
    assert set(HERE_NOUNS) <= set(NOUNS)
    assert all([*HERE.values(), *HERE_NOUNS.values()])


def test_I5_a_runner_starts_no_program_of_a_tree_and_writes_no_file_because_a_run_asks_for_it() -> None:
    starting = [verb for verb in verbs() if verb.noun == "checks" and verb.name.startswith("run")]
    writing = [verb for verb in verbs() if verb.writes == "files"]
    assert len(starting) == 3
    assert [verb for verb in (*starting, *writing) if not why_here(verb.noun, verb.name)] == []
    assert why_here("tasks", "create") == ""
