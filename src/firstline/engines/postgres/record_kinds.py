"""Where in the ledger may a document or a person be quoted, and what is whose? The tables, by the names that a
certificate gives them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, LiteralString

from firstline.domain import FORGOTTEN

JOBS: Final = "firstline_jobs.procrastinate_jobs"


@dataclass(frozen=True, kw_only=True, slots=True)
class Kind:
    """A table of records. `rows` selects key, number and record of one tenant; `put` writes one back, unless it has
    changed meanwhile: the next pass finds it again. `told`: its texts are sentences for people, which name documents.
    `needs`: a table that is not there before it is used for the first time."""

    name: str
    rows: LiteralString
    put: LiteralString
    told: bool = False
    needs: str = ""


# A change that was announced after its document was forgotten is not of what was forgotten: it is looked through for
# texts, and not taken for the document by its id.
_ANNOUNCED: Final[LiteralString] = """CASE WHEN EXISTS (
        SELECT FROM firstline.tombstones AS stone
        WHERE (stone.tenant, stone.kb, stone.doc_id) = (raw.tenant, raw.kb, raw.doc_id) AND stone.mark < raw.seq
    ) THEN raw.record ELSE raw.record || jsonb_build_object('item_id', raw.doc_id) END"""

KINDS: Final = (
    Kind(
        name="turns",
        rows="""SELECT session_id AS key, number, turn.record::text AS record FROM firstline.turns AS turn
        JOIN firstline.sessions USING (session_id) WHERE tenant = %s""",
        put="""UPDATE firstline.turns SET record = %(record)s
        WHERE session_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    Kind(
        name="hand-overs",
        rows="SELECT handoff_id AS key, 0 AS number, record::text AS record FROM firstline.handoffs WHERE tenant = %s",
        put="""UPDATE firstline.handoffs SET record = %(record)s
        WHERE handoff_id = %(key)s AND 0 = %(number)s AND record::text = %(was)s""",
    ),
    Kind(
        name="replies and notes",
        rows="""SELECT handoff_id AS key, event.number, event.record::text AS record
        FROM firstline.handoff_events AS event JOIN firstline.handoffs USING (handoff_id) WHERE tenant = %s""",
        put="""UPDATE firstline.handoff_events SET record = %(record)s
        WHERE handoff_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    Kind(
        name="deliveries, dead ones included",
        rows="""SELECT delivery_id AS key, 0 AS number, message::text AS record
        FROM firstline.deliveries WHERE tenant = %s""",
        put="""UPDATE firstline.deliveries SET message = %(record)s
        WHERE delivery_id = %(key)s AND 0 = %(number)s AND message::text = %(was)s""",
    ),
    Kind(
        name="drafts of tickets",
        rows="""SELECT draft_id AS key, 0 AS number, record::text AS record
        FROM firstline.draft_tickets WHERE tenant = %s""",
        put="""UPDATE firstline.draft_tickets SET record = %(record)s
        WHERE draft_id = %(key)s AND 0 = %(number)s AND record::text = %(was)s""",
    ),
    Kind(
        name="ratings",
        rows="""SELECT session_id AS key, rated.number, rated.record::text AS record
        FROM firstline.feedback AS rated JOIN firstline.sessions USING (session_id) WHERE tenant = %s""",
        put="""UPDATE firstline.feedback SET record = %(record)s
        WHERE session_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    Kind(
        name="judgements",
        rows="SELECT session_id AS key, number, record::text AS record FROM firstline.judgements WHERE tenant = %s",
        put="""UPDATE firstline.judgements SET record = %(record)s
        WHERE session_id = %(key)s AND number = %(number)s AND record::text = %(was)s""",
    ),
    Kind(
        name="announced changes, dead ones included",
        rows=f"""SELECT tenant || chr(31) || kb || chr(31) || doc_id AS key, seq AS number,
            ({_ANNOUNCED})::text AS record
        FROM firstline.raw_documents AS raw WHERE tenant = %s AND record IS NOT NULL""",  # noqa: S608 (ours)
        put=f"""UPDATE firstline.raw_documents AS raw
        SET record = CASE WHEN %(record)s::jsonb ->> 'text' = '{FORGOTTEN}' THEN NULL
                ELSE %(record)s::jsonb - 'item_id' END,
            state = CASE WHEN %(record)s::jsonb ->> 'text' = '{FORGOTTEN}' THEN 'done' ELSE state END
        WHERE tenant || chr(31) || kb || chr(31) || doc_id = %(key)s AND seq = %(number)s
          AND ({_ANNOUNCED})::text = %(was)s""",  # noqa: S608 (ours)
    ),
    Kind(
        name="quarantine",
        rows="""SELECT kb || chr(31) || doc_id || chr(31) || fingerprint AS key, 0 AS number, record::text AS record
        FROM firstline.quarantine WHERE tenant = %s""",
        put="""UPDATE firstline.quarantine SET record = %(record)s
        WHERE kb || chr(31) || doc_id || chr(31) || fingerprint = %(key)s AND 0 = %(number)s
          AND record::text = %(was)s""",
    ),
    Kind(
        name="reasons of announced changes",
        rows="""SELECT tenant || chr(31) || kb || chr(31) || doc_id AS key, seq AS number,
            to_jsonb(problem)::text AS record
        FROM firstline.raw_documents WHERE tenant = %s AND problem <> ''""",
        put="""UPDATE firstline.raw_documents SET problem = %(record)s::jsonb #>> '{}'
        WHERE tenant || chr(31) || kb || chr(31) || doc_id = %(key)s AND seq = %(number)s
          AND to_jsonb(problem)::text = %(was)s""",
        told=True,
    ),
    Kind(
        name="lists of failures",
        rows="""SELECT tenant || chr(31) || kb AS key, candidate AS number, failures::text AS record
        FROM firstline.failures WHERE tenant = %s""",
        put="""UPDATE firstline.failures SET failures = %(record)s
        WHERE tenant || chr(31) || kb = %(key)s AND candidate = %(number)s AND failures::text = %(was)s""",
        told=True,
    ),
    Kind(
        name="last runs of sources",
        rows="""SELECT tenant || chr(31) || kb || chr(31) || name AS key, 0 AS number,
            jsonb_build_object('failure', last_failure, 'report', last_report)::text AS record
        FROM firstline.sources WHERE tenant = %s""",
        put="""UPDATE firstline.sources
        SET last_failure = %(record)s::jsonb ->> 'failure', last_report = nullif(%(record)s::jsonb -> 'report', 'null')
        WHERE tenant || chr(31) || kb || chr(31) || name = %(key)s AND 0 = %(number)s
          AND jsonb_build_object('failure', last_failure, 'report', last_report)::text = %(was)s""",
        told=True,
    ),
    Kind(
        name="reasons of snapshots that wait",
        rows="""SELECT tenant || chr(31) || kb AS key, number, to_jsonb(waits)::text AS record
        FROM firstline.snapshots WHERE tenant = %s AND waits <> ''""",
        put="""UPDATE firstline.snapshots SET waits = %(record)s::jsonb #>> '{}'
        WHERE tenant || chr(31) || kb = %(key)s AND number = %(number)s AND to_jsonb(waits)::text = %(was)s""",
        told=True,
    ),
    Kind(
        name="rules of the graph",
        rows="""SELECT tenant || chr(31) || kb AS key, number,
            jsonb_build_object('first', first, 'second', second, 'note', note)::text AS record
        FROM firstline.graph_rules WHERE tenant = %s""",
        put="""UPDATE firstline.graph_rules SET first = %(record)s::jsonb ->> 'first',
            second = %(record)s::jsonb ->> 'second', note = %(record)s::jsonb ->> 'note'
        WHERE tenant || chr(31) || kb = %(key)s AND number = %(number)s
          AND jsonb_build_object('first', first, 'second', second, 'note', note)::text = %(was)s""",
        told=True,
    ),
    # A job holds names of places alone. One that names who is forgotten is taken away: what waits is found without it.
    Kind(
        name="jobs, dead ones included",
        rows="""SELECT id::text AS key, 0 AS number, args::text AS record
        FROM firstline_jobs.procrastinate_jobs WHERE args ->> 'tenant' = %s AND status <> 'doing'""",
        put="""DELETE FROM firstline_jobs.procrastinate_jobs
        WHERE id = %(key)s::bigint AND 0 = %(number)s AND args::text = %(was)s AND status <> 'doing'
          AND %(record)s::jsonb IS NOT NULL""",
        told=True,
        needs=JOBS,
    ),
    Kind(
        name="reasons of dead jobs",
        rows="""SELECT job_id::text AS key, 0 AS number, to_jsonb(problem)::text AS record
        FROM firstline.job_problems LEFT JOIN firstline_jobs.procrastinate_jobs AS job ON job.id = job_id
        WHERE job.id IS NULL OR job.args ->> 'tenant' = %s""",
        put="""UPDATE firstline.job_problems SET problem = %(record)s::jsonb #>> '{}'
        WHERE job_id = %(key)s::bigint AND 0 = %(number)s AND to_jsonb(problem)::text = %(was)s""",
        told=True,
        needs=JOBS,
    ),
)

# Whose a conversation was. The name is replaced everywhere by the same word, so nobody reads it as their own again.
USERS: Final[dict[str, tuple[LiteralString, LiteralString]]] = {
    "users of conversations": (
        "SELECT count(*) AS found FROM firstline.sessions WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)",
        """UPDATE firstline.sessions SET user_id = %(forgotten)s
        WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)""",
    ),
    "audit": (
        "SELECT count(*) AS found FROM firstline.audit WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)",
        """UPDATE firstline.audit SET user_id = %(forgotten)s
        WHERE tenant = %(tenant)s AND user_id ILIKE ANY (%(texts)s)""",
    ),
    "owners of curated answers": (
        """SELECT count(*) AS found FROM firstline.faq_entries
        WHERE tenant = %(tenant)s AND (owner ILIKE ANY (%(texts)s) OR changed_by ILIKE ANY (%(texts)s))""",
        """UPDATE firstline.faq_entries SET
            owner = CASE WHEN owner ILIKE ANY (%(texts)s) THEN %(forgotten)s ELSE owner END,
            changed_by = CASE WHEN changed_by ILIKE ANY (%(texts)s) THEN %(forgotten)s ELSE changed_by END
        WHERE tenant = %(tenant)s AND (owner ILIKE ANY (%(texts)s) OR changed_by ILIKE ANY (%(texts)s))""",
    ),
    "who said rules of the graph": (
        """SELECT count(*) AS found FROM firstline.graph_rules
        WHERE tenant = %(tenant)s AND (said_by ILIKE ANY (%(texts)s) OR undone_by ILIKE ANY (%(texts)s))""",
        """UPDATE firstline.graph_rules SET
            said_by = CASE WHEN said_by ILIKE ANY (%(texts)s) THEN %(forgotten)s ELSE said_by END,
            undone_by = CASE WHEN undone_by ILIKE ANY (%(texts)s) THEN %(forgotten)s ELSE undone_by END
        WHERE tenant = %(tenant)s AND (said_by ILIKE ANY (%(texts)s) OR undone_by ILIKE ANY (%(texts)s))""",
    ),
}


# In the order of what refers to what: children first. Deliveries go with their hand-overs, ratings with their turns.
OF_TENANT: Final[dict[str, tuple[LiteralString, LiteralString]]] = {
    # Before anything else: one that is due would bring documents back.
    "registered sources": (
        "SELECT count(*) AS found FROM firstline.sources WHERE tenant = %s",
        "DELETE FROM firstline.sources WHERE tenant = %s",
    ),
    "lists of failures": (
        "SELECT count(*) AS found FROM firstline.failures WHERE tenant = %s",
        "DELETE FROM firstline.failures WHERE tenant = %s",
    ),
    "owners and expiry of curated answers": (
        "SELECT count(*) AS found FROM firstline.faq_entries WHERE tenant = %s",
        "DELETE FROM firstline.faq_entries WHERE tenant = %s",
    ),
    "rules of the graph": (
        "SELECT count(*) AS found FROM firstline.graph_rules WHERE tenant = %s",
        "DELETE FROM firstline.graph_rules WHERE tenant = %s",
    ),
    "drafts of tickets": (
        "SELECT count(*) AS found FROM firstline.draft_tickets WHERE tenant = %s",
        "DELETE FROM firstline.draft_tickets WHERE tenant = %s",
    ),
    "replies and notes": (
        """SELECT count(*) AS found FROM firstline.handoff_events JOIN firstline.handoffs USING (handoff_id)
        WHERE tenant = %s""",
        """DELETE FROM firstline.handoff_events AS event USING firstline.handoffs AS handed
        WHERE event.handoff_id = handed.handoff_id AND handed.tenant = %s""",
    ),
    "deliveries, dead ones included": (
        "SELECT count(*) AS found FROM firstline.deliveries WHERE tenant = %s",
        "DELETE FROM firstline.deliveries WHERE tenant = %s",
    ),
    "hand-overs": (
        "SELECT count(*) AS found FROM firstline.handoffs WHERE tenant = %s",
        "DELETE FROM firstline.handoffs WHERE tenant = %s",
    ),
    "turns, ratings and judgements": (
        """SELECT count(*) AS found FROM firstline.turns JOIN firstline.sessions USING (session_id)
        WHERE tenant = %s""",
        """DELETE FROM firstline.turns AS turn USING firstline.sessions AS own
        WHERE turn.session_id = own.session_id AND own.tenant = %s""",
    ),
    "conversations": (
        "SELECT count(*) AS found FROM firstline.sessions WHERE tenant = %s",
        "DELETE FROM firstline.sessions WHERE tenant = %s",
    ),
    "announced changes, dead ones included": (
        "SELECT count(*) AS found FROM firstline.raw_documents WHERE tenant = %s",
        "DELETE FROM firstline.raw_documents WHERE tenant = %s",
    ),
    "events of hooks": (
        "SELECT count(*) AS found FROM firstline.hook_events WHERE tenant = %s",
        "DELETE FROM firstline.hook_events WHERE tenant = %s",
    ),
    "quarantine": (
        "SELECT count(*) AS found FROM firstline.quarantine WHERE tenant = %s",
        "DELETE FROM firstline.quarantine WHERE tenant = %s",
    ),
    "audit": (
        "SELECT count(*) AS found FROM firstline.audit WHERE tenant = %s",
        "DELETE FROM firstline.audit WHERE tenant = %s",
    ),
    "jobs, dead ones included": (
        """SELECT count(*) AS found FROM firstline_jobs.procrastinate_jobs
        WHERE args ->> 'tenant' = %s AND status <> 'doing'""",
        "DELETE FROM firstline_jobs.procrastinate_jobs WHERE args ->> 'tenant' = %s AND status <> 'doing'",
    ),
    "API keys": (
        "SELECT count(*) AS found FROM firstline.api_keys WHERE tenant = %s",
        "DELETE FROM firstline.api_keys WHERE tenant = %s",
    ),
}

NEEDS: Final = {"jobs, dead ones included": JOBS}
"""Of OF_TENANT: the table that is not there before it is used for the first time."""
