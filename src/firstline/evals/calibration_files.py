"""A calibration as files: curve.json, curve.csv, curve.txt, and curve.png when a plotting library is there."""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from firstline.evals.calibrate import KINDS, NEVER, Chosen, Point, Wanted
from firstline.evals.report import table

ROWS_SHOWN: Final = 24
PLOT_COLUMNS: Final = 60
PLOT_ROWS: Final = 14
COLUMNS: Final = (
    "threshold",
    "coverage",
    "right",
    "wrong_rate",
    *(f"wrong_{kind}" for kind in KINDS),
    "wrong",
    "tested",
    "bound",
    "holds",
)
PICTURE_SIZE: Final = (8.0, 5.0)
PICTURE_DPI: Final = 120
TOP_TIMES: Final = 5


def write_files(folder: Path, chosen: Chosen, wanted: Wanted, *, about: Mapping[str, str]) -> bool:
    """Write them into the folder, which is made. False when there is no picture because matplotlib is not installed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "curve.json").write_text(as_json(chosen, wanted, about=about), encoding="utf-8")
    (folder / "curve.csv").write_text(as_csv(chosen.curve), encoding="utf-8")
    (folder / "curve.txt").write_text(as_text(chosen, wanted, about=about), encoding="utf-8")
    return draw(folder / "curve.png", chosen, wanted)


def as_json(chosen: Chosen, wanted: Wanted, *, about: Mapping[str, str]) -> str:
    record = {
        "about": dict(about),
        "wanted": asdict(wanted),
        "thresholds": chosen.thresholds,
        "at": asdict(chosen.at),
        "unsure_at": asdict(chosen.unsure_at),
        "curve": [asdict(point) for point in chosen.curve],
    }
    return json.dumps(record, ensure_ascii=False, indent=1) + "\n"


def as_csv(curve: Sequence[Point]) -> str:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(COLUMNS)
    for point in curve:
        writer.writerow(
            [
                point.threshold,
                point.coverage,
                point.right,
                point.wrong_rate,
                *point.wrong_by_kind,
                point.wrong,
                point.tested,
                point.bound,
                int(point.holds),
            ]
        )
    return written.getvalue()


def as_text(chosen: Chosen, wanted: Wanted, *, about: Mapping[str, str]) -> str:
    """What was asked for, what was chosen, the curve as a picture of characters and as a table."""
    lines = [f"{name}: {value}" for name, value in about.items()]
    lines += ["", chosen_in_words(chosen, wanted), "", _plot(chosen, wanted), "", _rows(chosen)]
    return "\n".join(lines) + "\n"


def chosen_in_words(chosen: Chosen, wanted: Wanted) -> str:
    at, unsure_at = chosen.at, chosen.unsure_at
    lines = [
        f"confidence gate {chosen.thresholds['confidence']:.4f}: answers {at.coverage:.1%} of the answerable cases "
        f"({at.right:.1%} rightly). Wrong: {at.wrong} of {at.tested} tested, so with {wanted.certainty:.0%} certainty "
        f"at most {wanted.max_wrong:.2%} of all questions (these cases show {at.bound:.2%}).",
        f"relevance gate {chosen.thresholds['relevance']:.4f}: loses none of these answers.",
    ]
    if wanted.has_band:
        lines.append(
            f"unsure gate {chosen.thresholds['unsure']:.4f}: answers {unsure_at.coverage:.1%}, those below the "
            f"confidence gate with a disclaimer; {unsure_at.wrong} of {unsure_at.tested} wrong in all, at most "
            f"{wanted.max_wrong_unsure:.2%} (these cases show {unsure_at.bound:.2%})."
        )
    else:
        lines.append("unsure gate: the same, so no answer is shown with a disclaimer (--max-wrong-unsure allows some).")
    return "\n".join(lines)


def _rows(chosen: Chosen) -> str:
    """Some of the points, the chosen ones always among them."""
    curve = chosen.curve
    places = {round(step * (len(curve) - 1) / (ROWS_SHOWN - 1)) for step in range(ROWS_SHOWN)}
    marks = {chosen.unsure_at.threshold: "unsure gate", chosen.at.threshold: "confidence gate"}
    rows = [
        [
            "above all" if point.threshold >= NEVER else f"{point.threshold:.4f}",
            f"{point.coverage:.3f}",
            f"{point.right:.3f}",
            f"{point.wrong_rate:.4f}",
            f"{point.wrong}/{point.tested}",
            f"{point.bound:.4f}",
            marks.get(point.threshold, ""),
        ]
        for place, point in enumerate(curve)
        if place in places or point.threshold in marks
    ]
    return table(["threshold", "coverage", "right", "wrong rate", "wrong/tested", "bound", ""], rows)


def _plot(chosen: Chosen, wanted: Wanted) -> str:
    """Coverage to the right, the rate of wrong answers upwards: `.` as counted, `o` its bound, `#` what was chosen."""
    curve = chosen.curve
    top = _top(wanted)
    cells = [[" "] * (PLOT_COLUMNS + 1) for _ in range(PLOT_ROWS + 1)]

    def put(coverage: float, rate: float, mark: str) -> None:
        if rate <= top:
            cells[PLOT_ROWS - round(rate / top * PLOT_ROWS)][round(coverage * PLOT_COLUMNS)] = mark

    for column in range(PLOT_COLUMNS + 1):
        put(column / PLOT_COLUMNS, wanted.max_wrong, "-")
    for point in curve:
        put(point.coverage, point.bound, "o")
    for point in curve:
        put(point.coverage, point.wrong_rate, ".")
    put(chosen.unsure_at.coverage, chosen.unsure_at.wrong_rate, "#")
    put(chosen.at.coverage, chosen.at.wrong_rate, "#")
    lines = [
        f"{top * (PLOT_ROWS - place) / PLOT_ROWS:7.2%} |{''.join(row).rstrip()}" for place, row in enumerate(cells)
    ]
    lines.append(f"{'':8}+{'-' * PLOT_COLUMNS}")
    lines.append(f"{'':9}0%{'coverage of answerable questions':^{PLOT_COLUMNS - 6}}100%")
    lines.append("wrong answers / questions asked: . counted, o bound, - asked for, # chosen")
    return "\n".join(lines)


def _top(wanted: Wanted) -> float:
    """The highest rate shown: what lies far above the bound is of no interest, and would flatten the rest."""
    return min(1.0, TOP_TIMES * wanted.max_wrong_unsure)


def draw(path: Path, chosen: Chosen, wanted: Wanted) -> bool:
    """The curve as a PNG. False, and no file, when matplotlib is not installed."""
    try:
        # Only the `plot` extra brings it; the picture is drawn without a display and without its global state.
        figures: Any = importlib.import_module("matplotlib.figure")
    except ImportError:
        return False
    figure = figures.Figure(figsize=PICTURE_SIZE, dpi=PICTURE_DPI, layout="constrained")
    axes = figure.add_subplot()
    coverage = [100 * point.coverage for point in chosen.curve]
    axes.step(
        coverage, [100 * point.wrong_rate for point in chosen.curve], where="post", label="wrong answers, as counted"
    )
    axes.step(
        coverage,
        [100 * point.bound for point in chosen.curve],
        where="post",
        linestyle=":",
        label=f"upper bound of the tested, {100 * wanted.certainty_each:g}%",
    )
    axes.axhline(
        100 * wanted.max_wrong, color="0.4", linewidth=1, linestyle="--", label=f"asked for: {wanted.max_wrong:.2%}"
    )
    axes.plot(
        [100 * chosen.at.coverage],
        [100 * chosen.at.wrong_rate],
        "o",
        color="black",
        label=f"confidence gate {chosen.at.threshold:.3f}",
    )
    if wanted.has_band:
        axes.plot(
            [100 * chosen.unsure_at.coverage],
            [100 * chosen.unsure_at.wrong_rate],
            "s",
            color="black",
            fillstyle="none",
            label=f"unsure gate {chosen.unsure_at.threshold:.3f}",
        )
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100 * _top(wanted))
    axes.set_xlabel("answerable questions that got an answer, %")
    axes.set_ylabel("wrong answers / questions asked, %")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left")
    figure.savefig(path, format="png")
    return True
