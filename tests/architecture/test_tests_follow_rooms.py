"""Tests follow the rooms: a module's test lies in the folder of its room and is called like it, or a list says why not.

The list only gets shorter: an entry whose test exists, or whose module has gone, fails.
"""

from __future__ import annotations

from tests.architecture.house import PACKAGE, ROOT, modules

WITHOUT: dict[str, str] = {
    "Data and no behaviour: whoever makes or reads it shows what it is": """
        app/views/attempt app/views/attention app/views/audit app/views/board app/views/check app/views/completion
        app/views/diff app/views/draft app/views/event app/views/finding app/views/loop app/views/merge app/views/news
        app/views/outcome app/views/plan app/views/project app/views/review app/views/run app/views/session
        app/views/stack app/views/stats app/views/task app/views/task_list app/views/work core/nouns/stack
        app/views/setup app/views/sprint app/views/cycle app/views/calibration app/catalog_runs
        app/views/at_work app/views/journal app/views/kept_store app/views/key app/views/security app/views/settings
        app/views/pause app/views/standstill app/views/status core/words/quick_issues
        adapters/agents/setup/programs
        adapters/store/engine app/call/case app/call/rows core/documents/sarif_shapes core/loop/metrics_rows
        core/documents/briefing core/rules/facts core/run/snapshot core/run/step
    """,
    "Events of every kind are tried in tests/core/events/test_events.py": """
        core/events/cycle core/events/decision core/events/event core/events/gate core/events/identity core/events/loop
        core/events/note core/events/project core/events/run core/events/sprint core/events/task
    """,
    "Projections of every kind are tried in tests/adapters/store/test_projections.py and test_replay.py": """
        adapters/store/projections/counting adapters/store/projections/cycle adapters/store/projections/decision
        adapters/store/projections/gate
        adapters/store/projections/identity adapters/store/projections/loop adapters/store/projections/note
        adapters/store/projections/project adapters/store/projections/run adapters/store/projections/sprint
        adapters/store/projections/steps
        adapters/store/projections/task
        adapters/store/folding
    """,
    "Ports, the clock and the workshop are tried in tests/contract, beside what stands in for them": """
        app/agent_ports app/ports app/git_ports adapters/clock adapters/git/workshop
    """,
    "A part of its port, tried through it in tests/adapters/git": """
        adapters/git/checkouts/checkouts adapters/git/checkouts/reset adapters/git/checkouts/status
        adapters/git/client/answers adapters/git/client/git adapters/git/client/lookup
        adapters/git/checkouts/worktree_states
        adapters/git/objects/export adapters/git/objects/merge adapters/git/reading/diff adapters/git/reading/history
    """,
    "A step of a reader or of observing, tried through its door in the same folder of tests": """
        adapters/exchange/cleaning adapters/exchange/rdjson adapters/exchange/sarif_report adapters/identity/programs
        adapters/store/lists adapters/store/store core/documents/json_text
        core/documents/prompt_contract core/documents/typed core/words/digest
    """,
    "Plumbing of every call: each test of a verb goes through it": """
        app/application app/call/attempts app/call/caller app/call/context app/call/facts app/call/feedback
        app/call/holding app/call/leasing app/call/modes app/call/outcome app/call/refusals
        app/call/stacks app/call/test_names app/call/work
        app/tasks/ids app/work/branches errors steps
    """,
    "A step of a verb, tried through the verb in the same folder of tests or one beside it": """
        app/exchange/settings app/findings/at_hand_in app/findings/lookup app/findings/page app/findings/raising
        app/gate/attempts app/gate/landing app/gate/one_merge app/gate/running app/pages/task
        app/pages/doctor app/pages/loop app/pages/reviewable app/pages/status app/pages/cards app/pages/choices
        app/pages/preview app/pages/waiting app/review/lead app/review/prompts
        app/cycles/answering app/cycles/opening
        app/cycles/reading app/review/cycle_pages app/review/look_reviews app/review/looks
    """,
    "A part of the runner, tried through its loop in tests/app/run/test_loop.py": """
        app/run/candidates app/run/ending app/run/glancing app/run/in_hand app/run/looking
        app/run/clarifying app/run/cycling app/run/performing app/run/prompting app/run/rows
        app/run/starting
    """,
    "A step of a calibration, tried through it: tests/app/run/test_calibrating.py and tests/scenarios": """
        app/run/trying ui/cli/calibrations
    """,
    "A part of sprints, tried through their verbs in tests/app/sprint and by runners in tests/app/run": """
        app/sprint/looking app/sprint/planning app/sprint/reporting app/sprint/starting app/tasks/sprinting
    """,
    "Tried by the command line as a whole: tests/bootstrap, tests/ui/cli and tests/scenarios": """
        __main__ bootstrap/instructing bootstrap/making bootstrap/moving bootstrap/places
        bootstrap/wiring config/primer config/rules config/writing
    """,
    "The demo is played as a whole: tests/scenarios/test_demo.py": """
        demo/__main__ demo/acts demo/live demo/proofs demo/script demo/shop demo/stage demo/story
        ui/cli/demonstrating
    """,
    "A thin face: its words are those of test_golden.py and test_manners.py, its deeds those of tests/scenarios": """
        ui/cli/attempts ui/cli/authors ui/cli/closing ui/cli/command ui/cli/decisions
        ui/cli/diagnostics ui/cli/entry ui/cli/files ui/cli/keys ui/cli/lists ui/cli/main ui/cli/notes ui/cli/output
        ui/cli/project ui/cli/prompts ui/cli/security ui/cli/sessions ui/cli/stops
        ui/cli/store ui/cli/tasks ui/cli/text/attention ui/cli/text/finding ui/cli/text/loop ui/cli/text/sprint
        ui/cli/text/task ui/cli/validation ui/cli/cycles
    """,
    "A part of the terminal app, tried through its pages: tests/ui/tui, and tests/scenarios/test_terminal_app.py": """
        ui/cli/terminal ui/tui/actions ui/tui/app ui/tui/board_reading ui/tui/comment_form ui/tui/crash
        ui/tui/deciding ui/tui/desk ui/tui/editor ui/tui/first_run ui/tui/following
        ui/tui/keeping ui/tui/looking ui/tui/memory ui/tui/news ui/tui/reviewing ui/tui/screens/ask_text
        ui/tui/screens/change ui/tui/screens/find ui/tui/screens/help
        ui/tui/screens/page ui/tui/screens/redo ui/tui/screens/reject ui/tui/screens/review ui/tui/screens/sheet
        ui/tui/screens/texts ui/tui/screens/too_small ui/tui/sprinting ui/tui/stack
        ui/tui/task_reading ui/tui/theming ui/tui/text/batch ui/tui/text/board ui/tui/text/feedback
        ui/tui/text/sprint ui/tui/text/reviews ui/tui/text/story
        ui/tui/text/summary ui/tui/text/task ui/tui/text/why
        ui/tui/widgets/bar
        ui/tui/widgets/canvas ui/tui/widgets/choice ui/tui/widgets/file_list ui/tui/widgets/hunks
        ui/tui/widgets/key_line ui/tui/widgets/options ui/tui/widgets/rows ui/tui/widgets/text_part
    """,
}
"""Why, and which modules."""


def all_modules() -> set[str]:
    paths = [path.relative_to(PACKAGE) for path in modules() if path.name != "__init__.py"]
    return {path.with_suffix("").as_posix() for path in paths}


def has_test(module: str) -> bool:
    room, _, name = module.rpartition("/")
    return (ROOT / "tests" / room / f"test_{name}.py").exists()


def listed() -> list[str]:
    return [module for names in WITHOUT.values() for module in names.split()]


def test_every_module_has_a_test_in_the_folder_of_its_room_or_a_reason() -> None:
    assert sorted(module for module in all_modules() - set(listed()) if not has_test(module)) == []


def test_the_list_of_reasons_only_gets_shorter() -> None:
    assert [module for module in listed() if has_test(module)] == [], "has a test: take it off the list"
    there = all_modules()
    assert [module for module in listed() if module not in there] == [], "has gone: take it off the list"
    assert len(listed()) == len(set(listed()))
