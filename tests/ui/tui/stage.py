"""A seat at the terminal app: a real project (git, SQLite, a check), people and agents at work in it, and the app over
it, opened as `fe` opens it.
"""

from __future__ import annotations

import asyncio
import os
import threading
import unicodedata
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from textual import events
from textual._context import visible_screen_stack
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key
from textual.pilot import Pilot

from foureyes.app.application import Application
from foureyes.app.results.task_list import ListQuery, TaskRow
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.config.own_settings import Own
from foureyes.core.nouns.session import Actor
from foureyes.ui.tui.app import FoureyesApp, open_app
from foureyes.ui.tui.worker import Desk

from tests.stage.checkout import Checkout, signed
from tests.stage.copies import copy_tree
from tests.stage.loose import plain
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.recalled import begin, forget, recalled
from tests.ui.tui.quick_checks import with_quick_checks
from tests.ui.tui.quickened import quickened

__all__ = [
    "ALICE", "BOB", "CI", "CLAUDE", "CODEX", "LARGE", "PATIENCE", "SMALL", "Clock", "Player", "Seat", "build", "held",
    "play", "screen_of", "small_work",
]  # fmt: skip

T = TypeVar("T")
SMALL, LARGE = (80, 24), (120, 40)
PATIENCE = 400
"""So many looks until a test says that something never came: a busy machine takes its time."""
TURNS = 3
"""Of the loop, in which nothing may stir before it is said to be quiet."""
SETTINGS = """
[review.human]
settle_seconds = 0

[[checks]]
name = "tests"
run = "sh check.sh"

[[checks]]
name = "lint"
run = "! grep -rn MESSY src"
"""
CHECK = "if grep -rq RED src; then echo '1 failed'; exit 1; fi; echo '12 passed'\n"
CODE = "".join(f"def step_{number}():\n    return {number}\n\n\n" for number in range(30))


def small_work(name: str) -> dict[str, str]:
    """Small work with its test. What two tasks leave behind differs: otherwise one would have the other inside (A7)."""
    return {f"src/{name}.py": f"x = 1  # {name}\n", f"tests/test_{name}.py": f"y = 1  # {name}\n"}


def environ(root: Path) -> dict[str, str]:
    """What the app reads of its environment: nothing of this machine's."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(root.parent),
        "TMPDIR": os.environ.get("TMPDIR", str(root.parent)),
        "PWD": str(root),
        "LANG": "C.UTF-8",
    }


def build(root: Path, **variables: str) -> Path:
    """A project to be copied: one source file, a pipeline of two checks that a person accepted."""
    checkout = Checkout(root)
    root.mkdir(parents=True)
    checkout.git("init", "-q", "-b", "main")
    checkout.git("config", "user.name", "Alice")
    checkout.git("config", "user.email", "alice@example.org")
    checkout.git("config", "maintenance.auto", "false")
    checkout.write("src/steps.py", CODE)
    checkout.write("check.sh", CHECK)
    checkout.git("add", "-A")
    checkout.git("commit", "-q", "-m", "begin")
    create_project(str(root), environ(root) | variables, ALICE, prefix="fe", target="main", commit=True)
    config = root / "foureyes.toml"
    checkout.commit("foureyes.toml", config.read_text() + SETTINGS, message="settings")
    app = open_project(str(root), environ(root) | variables)
    app.policy.accept(ALICE)
    app.close()
    return root


class Clock:
    """The seconds that the app counts: they stand until they are moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Seat:
    """A copy of the project, and short words for what others do in it while somebody sits at the app."""

    def __init__(self, template: Path, root: Path, **variables: str) -> None:
        copy_tree(template, root)
        if not variables:  # they may say that the store lies elsewhere
            begin(root, template)
        self.root, self.checkout = root, Checkout(root)
        self.environ = environ(root) | variables
        self._app: Application | None = None

    @property
    def app(self) -> Application:
        """What others work with: opened when somebody first does."""
        if self._app is None:
            self._app = with_quick_checks(open_project(str(self.root), self.environ), self.root, CHECK)
        return self._app

    @app.setter
    def app(self, app: Application) -> None:
        """Another one: from now on nothing is recalled."""
        forget(self.root)
        self._app = app

    def close(self) -> None:
        if self._app is not None:
            self._app.close()
            self._app = None

    @property
    def repo(self) -> Path:
        """The project, as `recalled` asks for it."""
        return self.root

    def state(self) -> None:
        """A word depends on nothing but the project and its arguments."""

    def resume(self, state: None) -> None:
        """Nothing is remembered."""

    def let_go(self) -> None:
        """The project is to be copied."""
        self.close()

    def sit(self, actor: Actor = ALICE, own: Own | None = None, **variables: str) -> FoureyesApp:
        """The app for somebody, with an Application of its own."""
        place, env = str(self.root), {**self.environ, **variables}
        app = open_app(Desk(lambda: open_project(place, env), lambda _: actor), env, own)
        app.raises = True
        return app

    # What others do

    @recalled
    def create(self, title: str = "Add login", *, labels: Sequence[str] = (), **fields: Any) -> str:
        return str(self.app.tasks.create(ALICE, title, labels=list(labels), **fields).task)

    def work(
        self, task: str, files: Mapping[str, str], actor: Actor = CLAUDE, signal: str = "DONE", via: Actor | None = None
    ) -> None:
        """Commit on the task's branch, and submit (or `via` does); the checkout stays on main."""
        if self.status(task) == "open":
            self.app.claims.start(actor, task)
        branch = f"fe/{task}"
        self.checkout.bring(branch, plain(files), signed(f"work on {task}", actor)[0])
        self.app.attempts.submit(via or actor, task, branch=branch, signal=signal)

    @recalled
    def deliver(
        self,
        title: str = "Add login",
        files: Mapping[str, str] | None = None,
        *,
        labels: Sequence[str] = (),
        actor: Actor = CLAUDE,
        checked: bool = True,
        via: Actor | None = None,
    ) -> str:
        """A task in review, its checks run by a service."""
        task = self.create(title, labels=labels)
        name = title.lower().replace(" ", "_")
        self.work(task, files or {f"src/{name}.py": f"def {name}():\n    return 1\n"}, actor, via=via)
        if checked:
            self.app.checks.run(CI, task)
        return task

    # What is so

    def status(self, task: str) -> str:
        return str(self.app.lists.show(ALICE, task).task.status)

    def rows(self, status: str) -> list[TaskRow]:
        """The tasks in a status."""
        return self.app.lists.page(ListQuery(status=status))

    def kinds(self, task: str) -> list[str]:
        """The kinds of a task's journal rows, the oldest first."""
        return [row.kind for row in self.app.audit.export() if row.task == task]


@contextmanager
def held(app: FoureyesApp) -> Iterator[None]:
    """The desk does nothing as long as this lasts: what is asked of it is answered late."""
    free = threading.Event()
    app.desk._thread.submit(free.wait)
    try:
        yield
    finally:
        free.set()


async def settle(app: FoureyesApp, pilot: Pilot[None]) -> None:
    """Until nothing is under way and everything is drawn. The pilot's own pauses wait until the whole process does
    nothing, which costs every key a tenth of a second; here what is under way is looked at itself. A message to every
    part, which comes back when that part has done all that it was sent, is sent only when nothing else is to be seen.
    """
    for _ in range(PATIENCE * 500):
        if app._exception is not None or app._exit:
            return
        if app.desk.pending:
            await asyncio.sleep(0.001)
        elif await _is_quiet(app):
            await pilot._wait_for_screen()
            await app._animator.wait_until_complete()
            if await _is_quiet(app):
                return
    raise AssertionError(f"{app.desk.pending} pieces of work never came back")


async def _is_quiet(app: FoureyesApp) -> bool:
    """Whether nothing is asked, sent, or not drawn yet, now and after a few turns of the loop; draws what is not."""
    for _ in range(TURNS):
        if app._exception is not None or app._exit:
            return True
        is_busy = _is_busy(app)
        for screen in (*app._background_screens, app.screen):
            screen._on_timer_update()
        await asyncio.sleep(0)
        if is_busy:
            return False
    return True


def _is_busy(app: FoureyesApp) -> bool:
    """Whether something is asked, sent, or not drawn yet."""
    screen = app.screen
    if app.desk.pending or screen._layout_required or screen._callbacks or screen._dirty_widgets:
        return True
    parts = (app, screen, *screen.walk_children())
    return any(
        part._next_callbacks or part._pending_message is not None or not part._message_queue.empty()
        for part in parts
        if part.is_running
    )


class Player:
    """Presses keys, and waits after each until the app has answered."""

    def __init__(self, app: FoureyesApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    async def press(self, *keys: str) -> str:
        """Press keys, and look at the screen."""
        await self.hit(*keys)
        return self.screen

    async def hit(self, *keys: str) -> None:
        """Press keys where nobody looks: to read a screen takes as long as a key."""
        for key in keys:
            self._send(key)
            await settle(self.app, self.pilot)

    def _send(self, key: str) -> None:
        name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
        try:
            character: str | None = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
        except KeyError:
            character = key if len(key) == 1 else None
        self.app.post_message(events.Key(name, character))

    async def burst(self, *keys: str) -> None:
        """Keys that come all at once, as a slow line or a paste brings them: nothing is waited for in between."""
        for key in keys:
            self.app.post_message(events.Key(_character_to_key(key) if len(key) == 1 else key, character_of(key)))
        for _ in range(5):
            await self.pilot.pause()

    async def settle(self) -> str:
        await settle(self.app, self.pilot)
        return self.screen

    async def until(self, text: str) -> str:
        """Until something is on screen that the app shows by itself."""
        for _ in range(PATIENCE):
            if text in self.screen:
                return await self.settle()
            await self.pilot.pause(0.05)
        raise AssertionError(f"never on screen: {text!r}\n{self.screen}")

    @property
    def screen(self) -> str:
        return screen_of(self.app)


def character_of(key: str) -> str | None:
    """What a key types."""
    return key if len(key) == 1 else {"space": " ", "enter": "\r"}.get(key)


def play(
    app: FoureyesApp,
    story: Callable[[Player], Awaitable[T]],
    size: tuple[int, int] = SMALL,
    *,
    paints: bool = False,
) -> T:
    """Run the app without a terminal, and play a story in it; with `paints` it paints as if there were one."""

    async def run() -> T:
        async with app.run_test(size=size) as pilot:
            player = Player(app, pilot)
            await settle(app, pilot)
            try:
                return await story(player)
            finally:
                app.exit()  # what is answered from now on is nobody's

    with quickened(paints=paints):
        return asyncio.run(run())


def screen_of(app: FoureyesApp) -> str:
    """What is on screen, as text."""
    visible_screen_stack.set(app._background_screens)  # what is behind a sheet is part of what is seen
    if app.screen.is_modal:
        app.screen._set_dirty()
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)
