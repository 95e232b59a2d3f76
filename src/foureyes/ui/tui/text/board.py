"""What the board says: cards, agents, events, the status line."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from foureyes.app.results.board import BoardView, Card
from foureyes.app.results.journal import EventLine
from foureyes.app.results.run import AgentRow, Resting
from foureyes.app.results.sprint import SprintSummary
from foureyes.app.results.status import WORDS, AttentionRow
from foureyes.ui.tui.marks import CHECK_ROLES, Marks, Palette, visible
from foureyes.ui.tui.text.lines import age, clock, cut, short_age
from foureyes.ui.tui.widgets.rows import PaintedLine, plain

LONG_QUIET = 120
"""After so many seconds without a word the silence is shown."""
NARROW = 40
"""Below this width what was heard of an agent stands on a line of its own."""
NOTHING_PLANNED = [
    "",
    "Nothing planned yet.",
    "",
    "N   write a task    I   import a plan (Markdown)    ?   all keys",
    "The demo is played in a throw-away repository: fe demo, in a shell.",
    "",
    "A task without a review label waits for you in a batch. Labels change that:",
    "review:per-task · review:batch · review:auto · review:skip",
]
"""The board of a project without a task."""


def card_lines(card: Card, view: BoardView, marks: Marks, palette: Palette, *, tall: bool) -> list[PaintedLine]:
    """A card: one line in a tab, two in a column."""
    if not tall:
        return [PaintedLine(lambda width: _wide(card, view, marks, palette, width), card.task)]
    return [
        PaintedLine(lambda width: cut(_head(card, view, marks, palette), width), card.task),
        PaintedLine(lambda width: cut(Text(f"     {visible(card.title)}", palette["dim"]), width), card.task),
    ]


def checks_of(card: Card, view: BoardView, marks: Marks, palette: Palette) -> Text:
    """The checks, left to right as configured."""
    if card.review is None:
        return Text("")
    text = Text()
    for name in view.checks:
        word = card.review.check_word(name)
        text.append(marks.checks.get(word, "?"), palette[CHECK_ROLES.get(word, "dim")])
    return text


def _mark(card: Card, marks: Marks) -> str:
    states = {
        "waiting": marks.waits, "rejected": marks.rejected, "blocked": marks.waits, "deferred": "z",
        "in_progress": marks.working, "merged": marks.checks["passed"], "stuck": "E",
    }  # fmt: skip
    if card.held:
        return "H"
    if card.review is not None and card.review.mode == "per-task":
        return "P"
    return states.get(card.state, " ")


def _risk(card: Card, marks: Marks, palette: Palette) -> Text:
    if card.review is None:
        return Text("")
    level = card.review.risk.level
    width = max(map(len, marks.risks.values())) + 1  # in ASCII the highest mark has two signs
    return Text(f"{marks.risks[level]:<{width}}", palette[level])


def _what(card: Card) -> str:
    """Why a card stands where it stands."""
    if card.held:
        return f"held: {visible(card.note)}" if card.note else "held"
    words = {
        "waiting": f"waits {', '.join(card.waits_for)}" if card.waits_for else visible(card.note),
        "rejected": "rejected",
        "blocked": f"blocked: {visible(card.note)}" if card.note else "blocked",
        "deferred": "deferred",
        "merging": f"merging, place {card.place}" if card.place else "merging",
        "stuck": "merge stuck",
        "approved": f"approved, place {card.place}" if card.place else "approved",
        "merged": "by rule" if card.by_rule else "",
    }
    return words.get(card.state, "")


def _head(card: Card, view: BoardView, marks: Marks, palette: Palette) -> Text:
    text = Text.assemble(f" {_mark(card, marks)} ", (card.task, palette["title"]), " ")
    if card.review is not None:
        text.append_text(_risk(card, marks, palette))
        text.append_text(checks_of(card, view, marks, palette))
        return text.append(f" it {card.iteration}")
    if card.state == "in_progress":
        return text.append(f"{visible(card.owner)} {short_age(card.age_seconds)}")
    what = f"place {card.place}" if card.place and card.state == "approved" else _what(card)
    return text.append(what or f"P{card.priority}", palette["dim"])


def _wide(card: Card, view: BoardView, marks: Marks, palette: Palette, width: int) -> Text:
    left = Text.assemble(f" {_mark(card, marks)} ", (f"{card.task:<8}", palette["title"]), " ")
    left.append_text(_risk(card, marks, palette))
    left.append(visible(card.title))
    right = Text()
    if card.review is not None:
        right.append_text(checks_of(card, view, marks, palette))
        right.append(f"  it {card.iteration:<2} {age(card.age_seconds):>6} ")
    elif card.state == "in_progress":
        right.append(f"{visible(card.owner)}  it {max(1, card.iteration)}  {age(card.age_seconds):>6} ")
    else:
        right.append(f"{_what(card)}  P{card.priority} ", palette["dim"])
    left = cut(left, max(1, width - right.cell_len - 1), pad=True)
    return Text.assemble(left, " ", right)


WITH_RUNNER = ("Nobody is at work.", "The runner begins what", "is ready.")
NOBODY = ("Nobody is at work.", "fe run starts agents;", "fe next takes a task.")


def agent_lines(view: BoardView, palette: Palette, *, tall: bool = False) -> list[PaintedLine]:
    """Who works on what, since when, and what was last heard; `tall`: on two lines, where the pane is narrow."""
    rest = [plain(line) for row in view.resting for line in _resting(row, palette, tall=tall)]
    if not view.agents:
        words = WITH_RUNNER if view.runners else NOBODY
        rows = words if tall else (" ".join(words),)
        return [*[plain(Text(f" {words}", palette["dim"])) for words in rows], *rest]
    lines = []
    for row in view.agents:
        lines.append(PaintedLine(lambda width, row=row: _agent(row, palette, width), row.row))  # type: ignore[misc]
        if tall:
            lines.append(PaintedLine(lambda width, row=row: cut(_heard(row, palette), width), row.row))  # type: ignore[misc]
    return [*lines, *rest]


def _resting(row: Resting, palette: Palette, *, tall: bool) -> list[Text]:
    """A profile that is skipped: until when, and why, in the program's own words; `tall`: each on its line."""
    until = f"cooling down until {clock(row.until)}" if row.until else "skipped until it works"
    words = f" · {visible(row.text)}" if row.text else ""
    parts = [visible(row.profile), f"{until} ({row.error}){words}"]
    if tall:
        parts = [parts[0], f"  {until}", f"  {row.error}" + (f": {visible(row.text)}" if row.text else "")]
    lines = [f" {line}" for line in parts] if tall else [f"   {' '.join(parts)}"]
    return [Text(line, palette["warn"], no_wrap=True) for line in lines]


def _quiet(row: AgentRow) -> str:
    if row.left:
        return row.left
    if row.stopping:
        return "is being stopped"
    quiet = f"quiet {age(row.quiet_seconds)}" if row.quiet_seconds >= LONG_QUIET else ""
    return "silent" if row.silent else quiet


def _heard(row: AgentRow, palette: Palette) -> Text:
    """The second line of a narrow pane: how long nothing was heard, else what was."""
    return Text(
        f"   it {max(1, row.iteration)} · {_quiet(row) or visible(row.line) or visible(row.title)}", palette["dim"]
    )


def _of(row: AgentRow) -> str:
    return "review of " if row.reviews else ""


def _agent(row: AgentRow, palette: Palette, width: int) -> Text:
    right = f"{age(row.age_seconds):>6} "
    if width < NARROW:
        left = Text.assemble(f" {visible(row.name)} {_of(row)}", (row.task, palette["title"]))
        return cut(left, max(1, width - len(right)), pad=True).append(right)
    words = " · ".join(part for part in (visible(row.line), _quiet(row)) if part)
    left = Text.assemble(
        f"   {visible(row.name):<14} {_of(row)}", (row.task, palette["title"]), f" {visible(row.title)}"
    )
    half = cut(left, max(1, width - len(right) - 31), pad=True)
    return cut(Text.assemble(half, f" {right}", (f" {words}", palette["dim"])), width)


def event_lines(events: Sequence[EventLine], palette: Palette, *, tall: bool = False) -> list[PaintedLine]:
    """What happened, the latest first; `tall`: what and to which task on two lines, where the pane is narrow."""
    roles = {"refused": "bad", "security": "warn", "stop": "warn", "decision": "text"}
    lines = []
    for event in events:
        role = palette[roles.get(event.kind, "dim")]
        text = Text.assemble((f" {clock(event.at)} ", palette["dim"]), f"{event.task} " if event.task else "")
        what = event.text.removeprefix(event.actor).lstrip() if tall else ""
        text.append(visible(event.actor if tall else event.text), role)
        lines.append(PaintedLine(lambda width, text=text: cut(text.copy(), width), str(event.seq)))  # type: ignore[misc]
        if what:
            below = Text(f"   {visible(what)}", role)
            lines.append(PaintedLine(lambda width, text=below: cut(text.copy(), width), str(event.seq)))  # type: ignore[misc]
    return lines or [plain(Text(" nothing happened yet", palette["dim"]))]


SEGMENTS = 4
APART = "      "


def status_line(view: BoardView, width: int, palette: Palette, rows: Sequence[AttentionRow] = ()) -> Text:
    """At most four segments, the most urgent first; short forms, from the first on, as far as the long ones do not
    fit. `rows`: what waits for a person.
    """
    waiting, approved = view.reviewing.count, sum(card.state == "approved" for card in view.done.cards)
    pairs: list[tuple[str, str]] = []
    if config := next((row.text for row in rows if row.kind == "config"), ""):
        pairs.append((f"CONFIG: {visible(config)}. ! shows it", "CONFIG [!]"))
    if view.hold is not None:
        pairs.append((f'HOLD on the project: "{visible(view.hold)}". ! shows it', "HOLD [!]"))
    pairs += _waiting([row for row in rows if row.kind != "config" and (row.task or row.kind != "hold")])
    if waiting:
        word = "task" if waiting == 1 else "tasks"
        pairs.append((f"REVIEW PENDING │ {waiting:,} {word} │ Press [R] to review", f"REVIEW {waiting:,} [R]"))
    if view.sprint.state in ("running", "paused"):
        pairs.append(_sprint(view.sprint))
    if approved:
        pairs.append((f"{approved:,} approved: [G] merges", f"{approved:,} approved [G]"))
    if not pairs:
        working = f"{len(view.agents)} at work" if view.agents else "nobody at work"
        auto = f"; {view.auto_approved_today} approved by rule today" if view.auto_approved_today else ""
        return Text(f" Nothing waits for you. {working}{auto}.", palette["dim"], no_wrap=True)
    del pairs[SEGMENTS:]
    for shortened in range(len(pairs)):
        words = APART.join(pair[number < shortened] for number, pair in enumerate(pairs))
        if len(words) < width - 1:
            return Text(f" {words}", palette["banner"], no_wrap=True)
    return Text(f" {' · '.join(short for _, short in pairs)}", palette["banner"], no_wrap=True)


def _sprint(sprint: SprintSummary) -> tuple[str, str]:
    """X2: how far it is, in long and in short."""
    paused = f" │ paused: {visible(sprint.why)}" if sprint.state == "paused" else ""
    return f"SPRINT │ {sprint.line}{paused}", f"SPRINT {sprint.compact}{' · paused' if paused else ''}"


def _waiting(rows: Sequence[AttentionRow]) -> list[tuple[str, str]]:
    """What only a person can move, in long and in short; nothing where nothing waits so."""
    if not rows:
        return []
    kinds = {WORDS[row.kind] for row in rows}
    short = f"{kinds.pop() if len(kinds) == 1 else 'ATTENTION'} {len(rows)} [!]"
    if len(rows) > 1:
        return [(f"{short.removesuffix(' [!]')}: only a person can move them. ! shows them", short)]
    row = rows[0]
    return [(f"{WORDS[row.kind]} {f'{row.task}: ' if row.task else ''}{visible(row.text)}. ! shows it", short)]
