"""SARIF 2.1.0 as other tools write it: results become findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from foureyes.adapters.exchange.cleaning import found, inside, replacement
from foureyes.adapters.exchange.document import Node, Wrong, shown
from foureyes.core.nouns.finding import Found, Severity

LEVELS: dict[str, Severity] = {"error": "HIGH", "warning": "MEDIUM", "note": "LOW"}
LEVEL_WORDS = ("error", "warning", "note", "none")
CRITICAL, HIGH = 9.0, 7.0
"""On the scale from 0 to 10 of `security-severity`; `rank` is on one from 0 to 100."""
OWN = "foureyes/"
"""Rules that only say that a person or an agent found it; see `sarif_log`."""
ROOTS = frozenset(
    {
        "SRCROOT",
        "SOURCEROOT",
        "PROJECTROOT",
        "REPOROOT",
        "ROOTPATH",
        "ROOT",
        "WORKSPACE",
        "WORKINGDIR",
        "WORKINGDIRECTORY",
        "PWD",
    }
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLACEHOLDER = re.compile(r"\{([0-9]{1,3})\}")
_DEPTH = 8


def results(log: Node, roots: Sequence[str]) -> Iterator[Found]:
    """Every result that is a finding. A run that broke says nothing about what it did not reach (G1, lesson 30): it is
    refused.
    """
    if (version := log.text("version")) != "2.1.0":
        raise Wrong(f"version: only 2.1.0 is read, not {shown(version) or 'a log without one'}")
    runs = log.children("runs")
    if not runs:
        raise Wrong("runs: there is no run of any tool in it")
    for run in runs:
        if "results" in run.fields and not run.has("results"):
            raise Wrong(f"{run.at('results')}: is null, so the tool did not scan")
        for invocation in run.children("invocations"):
            if not invocation.flag("executionSuccessful", True):
                raise Wrong(f"{invocation.at('executionSuccessful')}: is false, so the tool broke")
        context = _Run(run, roots)
        for result in run.children("results"):
            if (one := context.finding(result)) is not None:
                yield one


class _Run:
    """What the results of one run refer to: rules, messages, files and base directories."""

    def __init__(self, run: Node, roots: Sequence[str]) -> None:
        tool = run.child("tool")
        self._driver = tool.child("driver")
        extensions = tool.children("extensions")
        self._rules = [component.children("rules") for component in (self._driver, *extensions)]
        self._by_id = {rule.text("id"): rule for rules in reversed(self._rules) for rule in rules}
        self._files = run.children("artifacts")
        self._bases = run.child("originalUriBaseIds")
        self._roots = [*roots, *self._own_roots()]

    def finding(self, result: Node) -> Found | None:
        """One finding; None for what is none: suppressed, gone since the baseline, or no failure at all."""
        rule = self._rule(result)
        default = rule.child("defaultConfiguration").word("level", LEVEL_WORDS, "warning")
        level = result.word("level", LEVEL_WORDS, default)
        is_failure = (result.text("kind") or "fail") == "fail" and level != "none"
        if not is_failure or _is_suppressed(result) or result.text("baselineState") == "absent":
            return None
        if not result.has("message"):
            raise Wrong(f"{result.at('message')}: is missing")
        place, line, quote = self._place(result)
        name = _rule_id(result) or rule.text("id")
        return found(
            _severity(level, result, rule),
            self._said(result.child("message"), rule),
            place=place,
            path=inside(place, self._roots) if not _SCHEME.match(place) else "",
            line=line,
            rule="" if name.startswith(OWN) else name,
            fix=_fix(result),
            quote=quote,
            otherwise=rule.child("shortDescription").text("text"),
        )

    def _rule(self, result: Node) -> Node:
        """The rule of a result: by its index, else by its name or the part of it before a slash; an empty one when
        there is none.
        """
        reference = result.child("rule")
        component = reference.child("toolComponent").index("index") + 1
        rules = self._rules[component] if component < len(self._rules) else []
        index = max(result.index("ruleIndex"), reference.index("index"))
        if 0 <= index < len(rules):
            return rules[index]
        name = _rule_id(result)
        while name and name not in self._by_id:
            name = name.rpartition("/")[0]
        return self._by_id.get(name, Node({}))

    def _said(self, message: Node, rule: Node) -> str:
        """A message's text, or what its id stands for, with its arguments in their places."""
        text, name = message.text("text"), message.text("id")
        for strings in (rule.child("messageStrings"), self._driver.child("globalMessageStrings")):
            text = text or (strings.child(name).text("text") if name else "")
        text = text or message.text("markdown") or name
        arguments = message.texts("arguments")

        def put(place: re.Match[str]) -> str:
            number = int(place[1])
            return arguments[number] if number < len(arguments) else place[0]

        return _PLACEHOLDER.sub(put, text)

    def _place(self, result: Node) -> tuple[str, int, str]:
        """Path, line and quoted code of the first location that is in a file."""
        places = (
            location.child("physicalLocation")
            for location in result.children("locations")
            if location.has("physicalLocation")
        )
        place = next(places, None)
        if place is None:
            return "", 0, ""
        region = place.child("region")
        return (
            self._path(place.child("artifactLocation")),
            region.whole("startLine"),
            region.child("snippet").text("text"),
        )

    def _path(self, file: Node) -> str:
        index = file.index("index")
        if not file.has("uri") and 0 <= index < len(self._files):
            file = self._files[index].child("location")
        return self._resolved(file)

    def _resolved(self, file: Node, depth: int = 0) -> str:
        """The path of an address, below the directory that it is relative to; one that is no file is given back as it
        is.
        """
        path, base = _decoded(file.text("uri")), file.text("uriBaseId")
        is_whole = path.startswith("/") or _SCHEME.match(path)
        if is_whole or not base or not self._bases.has(base) or depth > _DEPTH:
            return path
        folder = self._resolved(self._bases.child(base), depth + 1)
        return f"{folder.rstrip('/')}/{path}" if folder else path

    def _own_roots(self) -> list[str]:
        """The directories that the run itself calls the root of the sources; the only one that it names is it."""
        names = [name for name in self._bases.fields if name.strip("%").replace("_", "").upper() in ROOTS]
        if len(self._bases.fields) == 1:
            names = list(self._bases.fields)
        folders = [self._resolved(self._bases.child(name)) for name in names]
        return [folder for folder in folders if folder.startswith("/") and folder.strip("/")]


def _rule_id(result: Node) -> str:
    return result.text("ruleId") or result.child("rule").text("id")


def _severity(level: str, result: Node, rule: Node) -> Severity:
    """That of the level, or the higher one that a score gives."""
    scores = [
        result.child("properties").score("security-severity"),
        rule.child("properties").score("security-severity"),
    ]
    rank = result.score("rank")
    score = max(scores[0] if scores[0] is not None else scores[1] or 0.0, (rank or 0.0) / 10)
    if score >= CRITICAL:
        return "CRITICAL"
    return "HIGH" if score >= HIGH else LEVELS[level]


def _is_suppressed(result: Node) -> bool:
    """Beyond doubt: nobody has rejected it, and nobody is still looking at it."""
    said = [suppression.text("status") or "accepted" for suppression in result.children("suppressions")]
    return bool(said) and all(status == "accepted" for status in said)


def _decoded(uri: str) -> str:
    """The path of a `file:` address or of a relative one; what is another kind of address stays one."""
    from urllib.parse import unquote

    if uri[:5].lower() == "file:":
        uri = uri[5:]
        uri = "/" + uri[2:].partition("/")[2] if uri.startswith("//") else uri
    elif _SCHEME.match(uri):
        return uri
    path = unquote(uri)
    return "./" + path if _SCHEME.match(path) else path


def _fix(result: Node) -> str:
    """The first way to fix it, as its author describes it, and what would be written."""
    fix = next(iter(result.children("fixes")), None)
    if fix is None:
        return ""
    words = [fix.child("description").text("text")]
    for change in fix.children("artifactChanges"):
        for each in change.children("replacements"):
            gone = each.child("deletedRegion")
            first = gone.whole("startLine")
            words.append(replacement(first, gone.whole("endLine") or first, each.child("insertedContent").text("text")))
    return "\n\n".join(word for word in words if word)
