"""python -m benchmarks.injection            attacks in some carriers each, look-alikes, real documents
python -m benchmarks.injection --every    attacks in every carrier
python -m benchmarks.injection --any-host links may lead to any host, as without the setting link_hosts"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.injection.bench import HOSTS
from benchmarks.injection.carriers import CARRIERS, IN_DOCUMENTS
from benchmarks.injection.measure import Blocked, Planted, over_blocked, plant_all
from benchmarks.measured import run
from firstline.evals.report import table

HEADER = ["", "planted", "effective", "active content", "outcome differs", "held (in documents)"]


def planted_table(found: Sequence[Planted]) -> str:
    groups = {
        **{
            f"{half} texts": [one for one in found if one.attack.half == half]
            for half in ("dev", "second", "third", "held", "fourth")
        },
        **{carrier: [one for one in found if one.carrier == carrier] for carrier in CARRIERS},
        "all": list(found),
    }
    return table(HEADER, [_row(name, group) for name, group in groups.items() if group])


def _row(name: str, group: Sequence[Planted]) -> list[str]:
    lying = [one for one in group if one.carrier in IN_DOCUMENTS]
    held = f"{sum(one.held for one in lying)} of {len(lying)}" if lying else ""
    counts = (sum(getattr(one, what) for one in group) for what in ("effective", "active", "changed"))
    return [name, str(len(group)), *map(str, counts), held]


def blocked_table(found: Blocked) -> str:
    rows = [[kind, str(count), str(found.blocked[kind])] for kind, count in sorted(found.counts.items())]
    rows.append(["all look-alikes", str(found.counts.total()), str(found.blocked.total())])
    rows += [
        [f"whole documents of {name}", str(n), str(found.documents_held[name])] for name, n in found.documents.items()
    ]
    return table(["", "looked at", "blocked"], rows)


async def report(*, every: bool, any_host: bool) -> None:
    found = await plant_all(every=every, hosts=() if any_host else HOSTS)
    print(planted_table(found))
    for one in found:
        if one.effective:
            print(f"effective: {one.carrier}: {one.attack.half}: {one.attack.text[:140]!r}")
    print(f"\n{blocked_table(await over_blocked())}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.injection", description=__doc__)
    parser.add_argument("--every", action="store_true", help="every attack in every carrier")
    parser.add_argument("--any-host", action="store_true", help="without link_hosts")
    asked = parser.parse_args(arguments)
    return run("injection", report(every=asked.every, any_host=asked.any_host))


if __name__ == "__main__":
    sys.exit(main())
