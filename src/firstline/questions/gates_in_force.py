"""Which thresholds decide about a question: those calibrated for its knowledge base, else those that are shipped.

Calibrated thresholds mean something only for the values that they were calibrated on. Whatever changes these values
(the models, the ranking, what is read, the gates' own weights) is a knob; with another knob than at calibration time
nothing is decided at all, and the error says which one: to the operator. Whoever asks is handed over.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from firstline.domain import CalibratedGates, Snapshot
from firstline.errors import Broken, InvalidInput
from firstline.ports import GateLedger
from firstline.questions.asked import ReadGate
from firstline.questions.gate import GateModel, read

RETRIEVAL_VERSION: Final = "3"
"""Raise it when the code between a question and its gates' values changes without a knob: it is one itself."""

logger = logging.getLogger(__name__)

CACHED_MAX: Final = 256
NAMED_MAX: Final = 4


def hash_of(knobs: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(sorted(knobs.items())).encode()).hexdigest()[:16]


def weights_knob(models: Mapping[str, GateModel]) -> str:
    """Names the weights of the gates, whatever their thresholds."""
    weights = {name: [sorted(model.weights.items()), model.bias] for name, model in models.items()}
    return hashlib.sha256(json.dumps(weights, sort_keys=True).encode()).hexdigest()[:16]


def reads(models: Mapping[str, GateModel]) -> dict[str, ReadGate]:
    return {name: partial(read, model) for name, model in models.items()}


def held_at(models: Mapping[str, GateModel], threshold: float) -> dict[str, GateModel]:
    return {name: replace(model, threshold=threshold) for name, model in models.items()}


def changed_knobs(gates: CalibratedGates, knobs: Mapping[str, str]) -> list[str]:
    """What is different now, in words: "candidates was 50 and is 60". Empty when nothing is."""
    names = sorted(gates.knobs.keys() | knobs.keys())
    return [
        f"{name} was {gates.knobs.get(name, 'not set')} and is {knobs.get(name, 'not set')}"
        for name in names
        if gates.knobs.get(name) != knobs.get(name)
    ]


def refusal(gates: CalibratedGates, knobs: Mapping[str, str]) -> InvalidInput | None:
    """The error that these gates are of no use with these knobs; None when they are."""
    changed = changed_knobs(gates, knobs)
    if not changed:
        return None
    more = f", and {len(changed) - NAMED_MAX} more" if len(changed) > NAMED_MAX else ""
    return InvalidInput(
        f"The gates of the knowledge base {gates.kb!r} (version {gates.version}) were calibrated for other settings: "
        f"{', '.join(changed[:NAMED_MAX])}{more}.",
        remedy=f"Set that back, or calibrate again (`firstline calibrate CASES --kb {gates.kb}`), or return to the "
        f"shipped gates (`firstline gates reset --kb {gates.kb}`).",
    )


async def refusals(
    kbs: Sequence[str], *, tenant: str, ledger: GateLedger, knobs: Mapping[str, str]
) -> list[InvalidInput]:
    """Of each of these knowledge bases whose gates in force were calibrated with other knobs, the error."""
    in_force = [await ledger.gates_in_force(tenant=tenant, kb=kb) for kb in kbs]
    refused = [refusal(gates, knobs) for gates in in_force if gates is not None]
    return [one for one in refused if one is not None]


class GatesInForce:
    """Reads calibrated gates by the pointer that comes with a snapshot, and keeps them: a version never changes."""

    def __init__(
        self, *, ledger: GateLedger | None, knobs: Mapping[str, str], overridden: frozenset[str] = frozenset()
    ) -> None:
        """Without a ledger the gates are always those given. `overridden` gates keep the threshold they are given."""
        self._ledger = ledger
        self._knobs = knobs
        self._overridden = overridden
        self._known: OrderedDict[int, CalibratedGates] = OrderedDict()

    async def of(self, snapshot: Snapshot, models: Mapping[str, GateModel]) -> Mapping[str, GateModel]:
        """`models` with the thresholds that are in force. InvalidInput when they were calibrated with other knobs."""
        if self._ledger is None or snapshot.gates_version == 0:
            return models
        gates = self._known.get(snapshot.gates_version)
        if gates is None:
            gates = await self._ledger.gates(snapshot.gates_version, tenant=snapshot.tenant, kb=snapshot.kb)
            if gates is None:
                raise Broken(
                    f"The gates in force for {snapshot.kb!r} are not in the ledger.", remedy="`firstline gates reset`."
                )
            self._known[gates.version] = gates
            while len(self._known) > CACHED_MAX:
                self._known.popitem(last=False)
        refused = refusal(gates, self._knobs)
        if refused is not None:
            raise refused
        return _calibrated(gates, models, self._overridden)

    async def deciding(
        self, snapshot: Snapshot, models: Mapping[str, GateModel]
    ) -> tuple[Mapping[str, GateModel], str]:
        """As `of`, for a turn: beside the gates why they may decide nothing, for the operator; "" when they may."""
        try:
            return await self.of(snapshot, models), ""
        except (InvalidInput, Broken) as error:
            logger.error("a question was handed over undecided: %s", error)
            return models, error.message

    def version(self, snapshot: Snapshot) -> int:
        """Of the gates that decide, for the record; 0: as shipped."""
        return 0 if self._ledger is None else snapshot.gates_version


def _calibrated(
    gates: CalibratedGates, models: Mapping[str, GateModel], overridden: frozenset[str]
) -> dict[str, GateModel]:
    # One value was calibrated: the unsure gate is a lower threshold on what the confidence gate reads.
    unsure = replace(models["confidence"], name="unsure", threshold=models["unsure"].threshold)
    weighed = {**models, "unsure": unsure}
    return {
        name: model if name in overridden else replace(model, threshold=gates.thresholds.get(name, model.threshold))
        for name, model in weighed.items()
    }


AS_GIVEN: Final = GatesInForce(ledger=None, knobs={})
"""No calibrated gates at all."""
