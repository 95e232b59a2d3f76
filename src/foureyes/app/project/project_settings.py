"""Policy: settings in force, prompt templates, and changes to them. (P12, F4)"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import asdict, fields

from foureyes.app.context import StoredSetting, permit
from foureyes.app.project.accepted_config import (
    ACCEPT,
    BRING_HERE,
    RemoteTips,
    ask_remote,
    brought_along,
    is_missing,
    read_at,
    refuse_unpushed,
    unaccepted,
    wanted_target,
)
from foureyes.app.results.project import ProjectView
from foureyes.app.results.settings import Acceptance, ChangedSetting, ConfigurationOffer, SettingView
from foureyes.config import FILE
from foureyes.config.consistency import refuse_disagreement
from foureyes.config.layers import Layers, flag_names, in_force, resolve
from foureyes.config.loosening import is_loosened
from foureyes.config.parser import parse, parse_flag, read_file
from foureyes.config.settings import ALIASES, BY_KEY, FEATURES, REMOVED, SETTINGS, SettingValue
from foureyes.core.documents.prompt import PURPOSES
from foureyes.core.events.project import PolicyAccepted, SettingChanged, TemplateAccepted
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.policy import IdentityRule, LabelRule, Profile, digest_of
from foureyes.core.words.store_place import holds_password, shown_address, without_password
from foureyes.core.words.text import flat, lines_of
from foureyes.errors import BadInput, Conflict, NotFound, Refused
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.app.context import Context, Work
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.words.ids import TaskId


# ---- Settings ----


class Policy:
    """Settings and feature flags."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def show(self, actor: Actor) -> list[SettingView]:
        """Return every setting and flag with its source."""
        with self._context.store.read() as tx:
            layers = self._context.layers(tx, actor)
        resolved = [resolve(setting, layers) for setting in SETTINGS]
        settings = [
            SettingView(key=row.key, value=_plain(row.key, row.value), source=row.source, note=row.note)
            for row in resolved
        ]
        return [*settings, *(_flag(name, layers) for name in FEATURES)]

    def set(self, actor: Actor, key: str, text: str | None) -> SettingView:
        """Set a setting in the store, or unset it (None). The old and new values are recorded."""
        key = ALIASES.get(key, key)
        setting = BY_KEY.get(key)
        settable = [s.key for s in SETTINGS if s.kind in ("choice", "number", "yes/no") or s.of is IdentityRule]
        if setting is None or key not in settable:
            if key in REMOVED:
                raise NotFound(f"there is no setting {key} any more: {REMOVED[key]}.")
            raise NotFound(
                f"there is no setting {key} that can be set here.", next_step=prose(f"one of: {', '.join(settable)}")
            )
        if text is not None:
            parse(setting, text, key)
        self._change(actor, "config set" if text is not None else "config set --default", key, text)
        return next(row for row in self.show(actor) if row.key == key)

    def offered(self, actor: Actor) -> ConfigurationOffer:
        """Return everything that an acceptance would put in force, to show it before asking. (P12)"""
        permit(actor, "config accept")
        project, heard = ask_remote(self._context)
        offered = proposal(self._context, project, heard)
        if not offered.is_new(project):
            refuse_unpushed(self._context, project, heard)
        return ConfigurationOffer(
            target=offered.target,
            seen=offered.fingerprint,
            digest=offered.digest,
            new=offered.is_new(project),
            changed=offered.changed,
            lines=tuple(offered.lines),
        )

    def accept(self, actor: Actor, *, seen: str = "", own: str | None = None) -> Acceptance:
        """Accept the foureyes.toml on the target, which has no effect before that. (P12)

        `seen` is the seal of the proposal that was shown, and any other is refused. `own` is a file that the caller has
        just written. It is accepted without templates.
        """
        permit(actor, "config accept")
        project, heard = ask_remote(self._context)
        offered = proposal(self._context, project, heard)
        if own is not None:
            offered = msgspec.structs.replace(offered, templates={})
        elif not offered.is_new(project):
            refuse_unpushed(self._context, project, heard)
        if (seen and _digits(seen) != _digits(offered.fingerprint)) or (own is not None and own != offered.text):
            raise _another(project)
        digest, fresh = offered.digest, offered.templates
        changed = [line.text for line in offered.changed] + list(offered.template_lines)
        if offered.is_new(project):
            with self._context.deciding(actor, "config accept", diff_id=digest, reason="; ".join(changed)) as work:
                if self._context.repo.file_at(offered.at, FILE) != offered.text:  # changed while the person signed
                    raise _another(project)
                accept(work, "", fresh)
                moved = offered.target if offered.target != project.target else ""
                if digest != project.accepted_digest or moved:
                    commit = heard.get(offered.target, "")
                    text, tip = offered.text, "" if own is not None and len(offered.brought) > 1 else offered.tip
                    work.record("", PolicyAccepted(digest=digest, text=text, target=moved, tip=tip, commit=commit))
        return Acceptance(digest=digest, changed=changed, new=offered.is_new(project), seen=offered.fingerprint)

    def _change(self, actor: Actor, verb: str, name: str, text: str | None) -> None:
        signed = f"{name} = {text}" if text is not None else f"{name} unset"
        with self._context.deciding(actor, verb, reason=signed) as work:
            stored = {row.name: row.value for row in work.tx.all("project.settings", StoredSetting)}
            after = {
                key: value for key, value in (stored | {name: text or ""}).items() if key != name or text is not None
            }
            self._refuse_contradiction(after)
            accepted = self._context.project(work.tx).accepted_text
            refuse_disagreement(Layers(file=read_file(accepted) if accepted else {}, store=after), name)
            if stored.get(name) != text:
                work.record("", SettingChanged(name=name, old=stored.get(name), new=text))

    @staticmethod
    def _refuse_contradiction(stored: dict[str, str]) -> None:
        """Refuse a flag that contradicts its setting in the store."""
        resolve(BY_KEY["review.policy"], Layers(store=stored))

    def set_feature(self, actor: Actor, name: str, text: str | None) -> SettingView:
        """Set or unset a flag in the store."""
        known_feature(name)
        value = None if text is None else str(parse_flag(text, name)).lower()
        self._change(actor, "config set" if value is not None else "config set --default", f"feature.{name}", value)
        with self._context.store.read() as tx:
            return _flag(name, self._context.layers(tx, actor))


def _flag(name: str, layers: Layers) -> SettingView:
    policy = resolve(BY_KEY["review.policy"], layers)
    for variable in flag_names(name):
        if layers.environ.get(variable) and policy.source == "environment":
            return SettingView(
                key=name,
                value=parse_flag(layers.environ[variable], variable),
                source=f"environment ({variable})",
            )
    if f"feature.{name}" in layers.store:
        return SettingView(key=name, value=layers.store[f"feature.{name}"] == "true", source="store", note=policy.note)
    if f"features.{name}" in layers.file:
        return SettingView(key=name, value=layers.file[f"features.{name}"], source=FILE, note=policy.note)
    return SettingView(key=name, value=True, source="default", note=policy.note)


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """The target's foureyes.toml, and what accepting it would change. This includes prompt templates, and commits that
    a new target brings.
    """

    text: str
    digest: str
    changed: tuple[ChangedSetting, ...]
    templates: dict[str, str]
    target: str
    at: str
    """The ref that it was read from: the target, or the remote's head of it. (Q6)"""
    brought: tuple[str, ...] = ()
    tip: str = ""

    def is_new(self, project: ProjectView) -> bool:
        """Return True if accepting it changes anything."""
        return self.digest != project.accepted_digest or bool(self.templates) or self.target != project.target

    @property
    def template_lines(self) -> tuple[str, ...]:
        """One line per template."""
        path = path_of
        return tuple(f"{path(name)} {digest_of(text)[:15]}" for name, text in sorted(self.templates.items()))

    @property
    def lines(self) -> Iterator[str]:
        """Everything that would be put in force, in full, so that a person can read it first."""
        for changed in self.changed:
            yield flat(changed.text)
        yield from self.brought
        for head, (_, text) in zip(self.template_lines, sorted(self.templates.items()), strict=True):
            yield f"{head}   agents would see:"
            yield from (f"  | {flat(line)}" for line in lines_of(text))

    @property
    def fingerprint(self) -> str:
        """A digest of the proposal, to identify the one that a person saw."""
        parts = [
            self.digest,
            *[f"{name} {digest_of(text)}" for name, text in sorted(self.templates.items())],
            *self.brought,
        ]
        return digest_of("\n".join(parts))


def _another(project: ProjectView) -> Conflict:
    return Conflict(
        f"{FILE} on {project.target} has changed since you saw it. Nothing was changed.",
        next_step=prose("read it again, then: ") + ACCEPT,
    )


def _digits(fingerprint: str) -> str:
    return fingerprint.strip().lower().removeprefix("sha256:")


def proposal(context: Context, project: ProjectView, heard: RemoteTips | None = None) -> Proposal:
    """Return the proposal to accept. Raise the reason if it cannot be accepted. (P12)"""
    text = context.repo.file_at(read_at(context, project, project.target, heard), FILE)
    new = read_file(text) if text is not None else {}
    if new.get("project.id") not in (None, "", project.id):
        raise Refused(f"{FILE} on {project.target} names another project ({new['project.id']}).", next_step=BRING_HERE)
    target = wanted_target(context, project, heard)
    at = read_at(context, project, target, heard)
    text = context.repo.file_at(at, FILE)
    if text is None:
        left = unaccepted(context, project)
        step = left.next if left and is_missing(context, target) else prose("commit it there, then: ") + ACCEPT
        raise NotFound(f"there is no {FILE} on {target}.", next_step=step)
    new = read_file(text)
    refuse_disagreement(Layers(file=new))
    old = read_file(project.accepted_text) if project.accepted_text else {}
    changed = tuple(
        ChangedSetting(key, *_both(old, new, key), _is_loosened(key, old, new))
        for key in sorted({*old, *new})
        if old.get(key) != new.get(key)
    )
    if target != project.target and not any(setting.key == "project.target" for setting in changed):
        changed = (*changed, ChangedSetting("project.target", project.target, target))
    texts = on_target(context, at)
    with context.store.read() as tx:
        templates = changed_templates(tx, texts)
    brought, tip = brought_along(context, project, target, heard)
    return Proposal(
        text=text,
        digest=digest_of(text),
        changed=changed,
        templates=templates,
        target=target,
        at=at,
        brought=brought,
        tip=tip,
    )


def _is_loosened(key: str, old: dict[str, SettingValue], new: dict[str, SettingValue]) -> bool:
    """Return True if the effective value gets looser. Defaults and renamed keys are taken into account."""
    name = "review.policy" if key.startswith("features.") else ALIASES.get(key, key)
    setting = BY_KEY.get(name)
    if setting is None:
        return False
    was, now = (in_force(setting, Layers(file=values)) for values in (old, new))
    return is_loosened(name, was, now)


def _both(old: dict[str, SettingValue], new: dict[str, SettingValue], key: str) -> tuple[str, str]:
    """Return a setting before and after. Of a table that extends the built-in one, only changed entries are shown."""
    setting = BY_KEY.get(key)
    if setting is None or not isinstance(setting.default, dict):
        return _shown(old, key), _shown(new, key)
    was, now = (resolve(setting, Layers(file=values)).value for values in (old, new))
    assert isinstance(was, dict)
    assert isinstance(now, dict)
    names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    before, after = (
        "; ".join(f"{name}: {_fields(table[name]) or 'as usual'}" for name in names if name in table) or "(none)"
        for table in (was, now)
    )
    return before, after


def _plain(key: str, value: SettingValue) -> SettingValue:
    """Return a value for display, without passwords."""
    if key == BY_KEY["store.url"].key:
        return shown_address(str(value))
    return without_password(value) if isinstance(value, str) and holds_password(value) else value


def _shown(values: dict[str, SettingValue], key: str) -> str:
    if key not in values:
        default = BY_KEY[key].default if key in BY_KEY else ""
        return f"{_in_words(default)} (default)" if default not in ("", (), {}) else "(unset)"
    return _in_words(_plain(key, values[key]))


def _in_words(value: SettingValue) -> str:
    if isinstance(value, tuple):
        return ", ".join(_check(entry) if isinstance(entry, CheckRule) else entry for entry in value) or "(none)"
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_fields(entry)}" for name, entry in value.items()) or "(none)"
    return str(value)


def _check(rule: CheckRule) -> str:
    """Return a check with its non-default fields."""
    usual = CheckRule(name=rule.name, run=rule.run)
    other = [f"{name} {value}".lower() for name, value in asdict(rule).items() if value != getattr(usual, name)]
    return f"{rule.name}: {rule.run}" + (f" ({', '.join(other)})" if other else "")


def _fields(entry: LabelRule | Profile) -> str:
    usual = {field.name: field.default for field in fields(entry)} if isinstance(entry, Profile) else {}
    given = {
        name: value for name, value in asdict(entry).items() if value not in (None, "", ()) and value != usual.get(name)
    }
    return ", ".join(f"{name} {_word(value)}" for name, value in given.items())


def _word(value: object) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value).lower()


def known_feature(name: str) -> None:
    """Refuse an unknown flag."""
    if name not in FEATURES:
        raise BadInput(f"there is no feature {name!r}.", next_step=prose(f"known features: {', '.join(FEATURES)}"))


# ---- Prompt templates of a project (F4) ----

FOLDER = ".foureyes/prompts"


class Template(msgspec.Struct, frozen=True):
    """An accepted template."""

    name: str
    digest: str


def path_of(name: str) -> str:
    """Return the path of a purpose's template."""
    return f"{FOLDER}/{name}.md"


def on_target(context: Context, at: str) -> dict[str, str]:
    """Return the templates on the target by purpose. `at` is a branch, ref or commit."""
    head = context.repo.commit_of(at)
    texts = context.repo.texts(head, [path_of(name) for name in PURPOSES]) if head else {}
    return {name: texts[path_of(name)] for name in PURPOSES if path_of(name) in texts}


def accepted(tx: Tx) -> dict[str, str]:
    """Return the digest of each accepted template."""
    return {row.name: row.digest for row in tx.all("project.templates", Template)}


def changed_templates(tx: Tx, texts: dict[str, str]) -> dict[str, str]:
    """Return the templates that differ from the accepted ones."""
    known = accepted(tx)
    return {name: text for name, text in texts.items() if known.get(name) != digest_of(text)}


def accept(work: Work, task: TaskId | str, texts: dict[str, str]) -> list[str]:
    """Record the acceptance of changed templates and return their names."""
    fresh = changed_templates(work.tx, texts)
    for name, text in sorted(fresh.items()):
        work.record(task, TemplateAccepted(name=name, digest=digest_of(text)))
    return sorted(fresh)


def of_attempt(context: Context, work: Work, task: TaskId) -> dict[str, str]:
    """Return the templates that a task's latest attempt adds, or changes from what a person accepted. (P12)"""
    from foureyes.app.facts import attempt_of

    attempt = attempt_of(work.tx, task)
    # of a renamed file the approver was not shown the text
    changed = {file.path for file in attempt.files if not file.old_path} if attempt else set[str]()
    names = [name for name in PURPOSES if path_of(name) in changed]
    if attempt is None or not names:
        return {}
    paths = [path_of(name) for name in names]
    texts, before = context.repo.texts(attempt.head, paths), context.repo.texts(attempt.base, paths)
    old: dict[str, str] = {name: before[path_of(name)] for name in names if path_of(name) in before}
    unknown = changed_templates(work.tx, old)
    return {name: texts[path_of(name)] for name in names if path_of(name) in texts and name not in unknown}
