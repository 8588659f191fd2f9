"""Kinds of change that a claim may not make, and ways to say the same that it may: each with its own cases."""

import pytest

from firstline.questions.claims.agreement import disagreement

REST = " in the northern region while the traffic is low."

CHANGED = {
    "an implicit negation is gone": (
        ("The node starts after the upgrade", "The node refuses to start after the upgrade"),
        ("The worker accepts the job from the queue", "The worker gave up accepting the job from the queue"),
        ("The token is sent to the gateway", "The token is prevented from being sent to the gateway"),
        ("Use the old driver for bulk loads", "Avoid using the old driver for bulk loads"),
        ("The export holds the invoices of the tenant", "The export lacks the invoices of the tenant"),
        ("Files are kept by the agent for a day", "Non-empty files are kept by the agent for a day"),
    ),
    "one of two for both of them": (
        ("You need a login and a token for the call", "You need a login or a token for the call"),
        ("Users must have a badge or a PIN at the door", "Users must have a badge and a PIN at the door"),
        ("The drain waits for jobs, copies and locks", "The drain waits for jobs, copies or locks"),
    ),
    "a denial in front of a colon is gone": (
        ("Delete the volume claim of the database", "Never do this: delete the volume claim of the database"),
        ("The cache is cleared at midnight by the agent", "Wrong: the cache is cleared at midnight by the agent"),
    ),
    "another sign": (
        ("The offset of the clock is 5 hours", "The offset of the clock is -5 hours"),
        ("The offset of the clock is -5 hours", "The offset of the clock is 5 hours"),
        ("The script ends with exit code 1 at once", "The script ends with exit code −1 at once"),
        ("The store is kept at 18 degrees by the unit", "The store is kept at minus 18 degrees by the unit"),
        ("A name has 30 characters or less", "A name has -30 characters or less"),
    ),
    "an approximation is gone": (
        ("The copy takes 5 minutes on the disk", "The copy takes almost 5 minutes on the disk"),
        ("The copy takes 5 minutes on the disk", "The copy takes about 5 minutes on the disk"),
        ("The copy takes 5 minutes on the disk", "The copy takes ~5 minutes on the disk"),
        ("The copy takes exactly 5 minutes on the disk", "The copy takes about 5 minutes on the disk"),
        ("The copy takes 5 minutes on the disk", "The copy takes exactly 5 minutes on the disk"),
    ),
    "a bound is gone or another": (
        ("The pool holds 12 sessions of a tenant", "The pool holds up to 12 sessions of a tenant"),
        ("The pool holds 12 sessions of a tenant", "The pool holds more than 12 sessions of a tenant"),
        ("The copy takes 5 minutes on the disk", "The copy takes within 5 minutes on the disk"),
        ("The pool holds at least 12 sessions", "The pool holds no more than 12 sessions"),
    ),
    "a version's qualifier is gone": (
        ("The plugin needs Alder 3.4 on the host", "The plugin needs Alder 3.4 or later on the host"),
        ("The plugin needs Alder 3.4 on the host", "The plugin needs Alder 3.4+ on the host"),
        ("The plugin needs Alder 3.4 on the host", "The plugin needs Alder >= 3.4 on the host"),
        ("The plugin runs in Alder 3.4 on the host", "The plugin runs since Alder 3.4 on the host"),
        ("The plugin needs Alder 3.4 or later on the host", "The plugin needs Alder 3.4 or earlier on the host"),
    ),
    "a range is another": (
        ("Keep the value between 9 and 4 for the tuner", "Keep the value between 4 and 9 for the tuner"),
        ("Ports 9-5 are open on the host", "Ports 5-9 are open on the host"),
        ("Ports 5 and 9 are open on the host", "Ports 5-9 are open on the host"),
        ("The pool makes 5 attempts at the call", "The pool makes 3 to 5 attempts at the call"),
        ("Ports -9 are open on the host", "Ports 5-9 are open on the host"),
    ),
    "who does it to whom": (
        ("Larch replaces Birch in the new suite", "Larch is replaced by Birch in the new suite"),
        ("Larch replaces Birch in the new suite", "Birch replaces Larch in the new suite"),
        ("Upgrade to 4.2 from 5.0 on the host", "Upgrade from 4.2 to 5.0 on the host"),
        ("Raise the quota to 20 GB at night", "Raise the quota by 20 GB at night"),
        ("Copy the log to the standby at night", "Copy the log from the standby at night"),
        ("Use the Birch pool for bulk loads", "Use the Larch pool instead of the Birch pool for bulk loads"),
        ("Birch and Larch take 5 and 6 ms respectively", "Larch and Birch take 5 and 6 ms respectively"),
    ),
    "what narrows it is gone": (
        ("You can delete comments on a page", "You can delete your own comments on a page"),
        ("Clusters are encrypted by the service", "New clusters are encrypted by the service"),
        ("Packages are deleted by the agent at night", "Unsigned packages are deleted by the agent at night"),
        ("The type is supported by the driver", "The type is partially supported by the driver"),
        ("The nodes get the patch at night", "A third of the nodes get the patch at night"),
        ("Users see the price list on the page", "Inactive users see the price list on the page"),
    ),
    "another date": (
        ("The licence ends on 3 May 2026 for the host", "The licence ends on 5 March 2026 for the host"),
        ("The licence ends on 2026-05-04 for the host", "The licence ends on May 3, 2026 for the host"),
    ),
}

ALIKE = (
    ("The copy takes roughly 5 minutes.", "The copy takes about 5 minutes."),
    ("The copy takes ~5 minutes.", "The copy takes approximately 5 minutes."),
    ("The pool holds 12 sessions or fewer.", "The pool holds at most 12 sessions."),
    ("The plugin needs Alder 3.4+.", "The plugin needs Alder 3.4 or later."),
    ("The plugin needs Alder >= 3.4.", "The plugin needs Alder 3.4 or newer."),
    ("It is -18 degrees in the store.", "It is minus 18 degrees in the store."),
    ("Ports 5 to 9 are open.", "Ports 5-9 are open."),
    ("Values between 4 and 9 are allowed.", "Values 4–9 are allowed."),
    ("It ends on 3 May 2026.", "It ends on May 3rd, 2026."),
    ("Set `max_wal_size` on the node.", "Set the option `max_wal_size` on the node."),
    ("Click Save on the page.", "Click **Save** on the page."),
    ("The node stops if the disk is full.", "If the disk is full, the node stops."),
    ("The cache is cleared at midnight.", "The cache is cleared at midnight, and the log is rotated."),
    ("- 5 nodes are drained.", "* 5 nodes are drained."),
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "source"), [pytest.param(*case, id=f"{kind}: {case[1]}") for kind, own in CHANGED.items() for case in own]
)
def test_a_changed_claim_is_not_supported(said: str, source: str):
    assert disagreement(said + REST, [source + REST])
    assert disagreement(source + REST, [source + REST]) == ""


@pytest.mark.parametrize(("said", "source"), ALIKE)
def test_the_same_in_other_words_is_supported(said: str, source: str):
    assert disagreement(said, [source]) == ""
