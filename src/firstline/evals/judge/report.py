"""What a judge said, for people: first how far it is to be believed."""

from __future__ import annotations

from firstline.evals.judge.agreement import BELIEVED_FROM, TURNS_MIN, Agreement
from firstline.evals.judge.pairs import SURE_FROM, Preferred
from firstline.evals.judge.run import Believed
from firstline.evals.report import table

MARKS = ("faithfulness", "relevancy")
SAME_FROM = 10


def judge_report(found: Believed, *, same_judge: bool = False) -> str:
    parts = [f"The judge: {found.judge_id}, asked {found.asked} times", believed(found.agreement)]
    if same_judge:
        parts.append(OWN)
    judged = found.judged
    if not judged:
        return "\n\n".join([*parts, "No answer was judged.", *_why_not(found)])
    rows = [[name, f"{found.mean(name):.2f}", *(str(count) for count in found.spread(name).values())] for name in MARKS]
    parts.append(f"{len(judged)} answers judged\n" + table(["", "mean", "1", "2", "3", "4", "5"], rows))
    if len(judged) >= SAME_FROM and len({(one.faithfulness, one.relevancy) for one in judged}) == 1:
        parts.append("It gave the same marks to every answer: that says nothing about any of them.")
    return "\n\n".join([*parts, *_worst(found), *_why_not(found)])


OWN = "IT JUDGES ITS OWN ANSWERS: models favour what they wrote themselves."


def believed(agreement: Agreement) -> str:
    """Whether the marks may be believed, before anybody reads them."""
    if not agreement.enough:
        return (
            f"NOT TO BE BELIEVED: people judged {agreement.turns} of the answered turns here; {TURNS_MIN} are needed "
            "to see whether the judge agrees with them (`firstline review`)."
        )
    if agreement.kappa is None:
        return (
            f"NOT TO BE BELIEVED: judge and people gave one level to all {agreement.turns} turns; kappa is not defined."
        )
    low, high = agreement.low or 0.0, agreement.high or 0.0
    said = (
        f"weighted kappa {agreement.kappa:.2f} (95%: {low:.2f} to {high:.2f}) with people on {agreement.turns} turns, "
        f"{agreement.same} of them the same"
    )
    if agreement.believed:
        return f"It agrees with people: {said}."
    return f"NOT TO BE BELIEVED: {said}; below {BELIEVED_FROM:.1f} its marks are its own."


def preference_report(found: Preferred, *, a: str, b: str) -> str:
    consistency = found.consistency
    lines = [f"Preferred by the judge, each pair in both orders (A: {a}, B: {b})"]
    if consistency is None:
        return "\n".join([*lines, f"  no pair was judged; {found.same_text} answers are the same in both"])
    lines.append(f"  A better {found.a}   B better {found.b}   tie {found.ties}   same text {found.same_text}")
    lines.append(f"  the same in both orders: {consistency:.0%} of {found.judged} pairs")
    sure = "more than luck" if found.luck < SURE_FROM else "may be luck"
    lines.append(f"  so uneven a split by luck: {found.luck:.3f} ({sure}; exact sign test, ties left out)")
    unjudged = len(found.pairs) - found.judged
    if unjudged:
        lines.append(f"  not judged: {unjudged}")
    return "\n".join(lines)


def _worst(found: Believed) -> list[str]:
    worst = sorted((one for one in found.judged if min(one.faithfulness, one.relevancy) <= 2), key=lambda one: one.key)
    if not worst:
        return []
    lines = [f"  {one.key}: faithfulness {one.faithfulness}, relevancy {one.relevancy}" for one in worst[:20]]
    return ["\n".join([f"{len(worst)} answers got 1 or 2", *lines])]


def _why_not(found: Believed) -> list[str]:
    why = ", ".join(f"{name} {count}" for name, count in sorted(found.why_not.items()))
    return [f"Not judged: {why}"] if why else []
