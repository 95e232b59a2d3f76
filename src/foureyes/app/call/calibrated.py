"""Which reviewer profiles do not count, by their last calibration (V4, V6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.calibration import Calibration


def uncounted(context: Context, tx: Tx, names: Iterable[str]) -> dict[str, str]:
    """Of these profiles those whose agreement does not count, each with why; nobody where `min_recall` asks for
    nothing. A program that is no profile was never calibrated either.
    """
    wanted = sorted(set(names))
    least = context.gate_policy(tx).peers.min_recall if wanted else 0.0
    if least <= 0:
        return {}
    from foureyes.config.policy import agent_profiles
    from foureyes.core.rules.calibrated import why_uncounted

    known, profiles = calibrations(tx), agent_profiles(context.layers(tx, context.gate))
    reasons = {name: why_uncounted(name, profiles.get(name), known.get(name), least) for name in wanted}
    return {name: why for name, why in reasons.items() if why}


def without_voice(context: Context, tx: Tx, agents: Iterable[str]) -> dict[str, str]:
    """V3, V4: of these agents those whose agreement does not count, each with why: a script outside of a demo, a
    profile that was not calibrated or missed too much.
    """
    names, policy = set(agents), context.gate_policy(tx)
    scripts = names & policy.scripted if not policy.demo else set()
    return uncounted(context, tx, names) | {name: f"{name} plays a script, and this is no demo" for name in scripts}


def calibrations(tx: Tx) -> dict[str, Calibration]:
    """The last calibration of each profile that was ever calibrated."""
    from foureyes.core.nouns.calibration import Calibration

    return {row.profile: row for row in tx.once("calibrations", lambda: tx.all("calibration.latest", Calibration))}
