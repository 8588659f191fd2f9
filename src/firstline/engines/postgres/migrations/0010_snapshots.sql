-- Snapshots get numbers that are never used twice, wait before they are published, and can be gone back to. Documents can be
-- forgotten.
--
-- `published` is the pointer that questions follow. `head` is the snapshot that the next candidate builds on: further on than
-- `published` while a snapshot waits, back with it after a rollback. What begins or ends beyond `head`, and is not the open
-- candidate's, is abandoned: undone when the next candidate is opened, and there to return to until then. `counter` is the last
-- number given out. `opened` says when the candidate was opened last, in marks (a clock may jump, a sequence does not).
-- `forgotten` is the mark of the latest tombstone: whatever is cached is cached for one value of it.

CREATE SEQUENCE firstline.marks;

ALTER TABLE firstline.knowledge_bases
    ADD COLUMN head         integer NOT NULL DEFAULT 0,
    ADD COLUMN counter      integer NOT NULL DEFAULT 0,
    ADD COLUMN candidate    integer,
    ADD COLUMN opened       bigint NOT NULL DEFAULT 0,
    ADD COLUMN forgotten    bigint NOT NULL DEFAULT 0,
    ADD COLUMN canary       integer NOT NULL DEFAULT 0,
    ADD COLUMN canary_share double precision NOT NULL DEFAULT 0;

-- A run of an older version may have been interrupted: its candidate goes on.
UPDATE firstline.knowledge_bases SET head = published, counter = published + 1, candidate = published + 1;

ALTER TABLE firstline.snapshots
    ALTER COLUMN published_at DROP NOT NULL,
    ADD COLUMN sealed_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN waits     text NOT NULL DEFAULT '';
UPDATE firstline.snapshots SET sealed_at = published_at;

CREATE INDEX documents_beginning ON firstline.documents (tenant, kb, since);
-- Who uses this content? Asked before a blob is removed.
CREATE INDEX documents_by_blob ON firstline.documents (blob);

ALTER TABLE firstline.planned_documents ADD COLUMN blob text NOT NULL DEFAULT '';
CREATE INDEX planned_by_blob ON firstline.planned_documents (blob);

-- Words that ended are kept for going back, and removed when nothing kept needs them.
CREATE INDEX kb_words_ended ON firstline.kb_words (tenant, kb) WHERE documents <= 0;

-- Contents whose last document was removed and that still lie in the blob store.

CREATE TABLE firstline.doomed_blobs (
    blob      text PRIMARY KEY,
    doomed_at timestamptz NOT NULL DEFAULT now()
);

-- Revisions up to the number `upto` are not shown any more, in any snapshot. A document that comes back gets a later number.

CREATE TABLE firstline.tombstones (
    tenant    text NOT NULL,
    kb        text NOT NULL,
    doc_id    text NOT NULL,
    upto      integer NOT NULL,
    mark      bigint NOT NULL,
    at        timestamptz NOT NULL DEFAULT now(),
    by_user   text NOT NULL,
    purged_at timestamptz,
    PRIMARY KEY (tenant, kb, doc_id),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

CREATE INDEX tombstones_to_purge ON firstline.tombstones (tenant, kb) WHERE purged_at IS NULL;

-- The filter of every lookup, in one place, now without what is forgotten.

CREATE OR REPLACE FUNCTION firstline.chunks_in_scope(
    of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.chunks LANGUAGE sql STABLE AS $$
    SELECT c.* FROM firstline.chunks c
    WHERE c.tenant = of_tenant AND c.kb = of_kb
      AND c.acl && acl_tags AND c.level <= level_max
      AND c.since <= of_snapshot AND c.until > of_snapshot
      AND NOT EXISTS (SELECT FROM firstline.tombstones t
                      WHERE t.tenant = c.tenant AND t.kb = c.kb AND t.doc_id = c.doc_id AND t.upto >= c.since)
$$;

CREATE OR REPLACE FUNCTION firstline.chunks_by_id(
    ids uuid[], of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.chunks LANGUAGE sql STABLE AS $$
    SELECT c.* FROM (SELECT * FROM firstline.chunks WHERE chunk_id = ANY (ids) OFFSET 0) c
    WHERE c.tenant = of_tenant AND c.kb = of_kb
      AND c.acl && acl_tags AND c.level <= level_max
      AND c.since <= of_snapshot AND c.until > of_snapshot
      AND NOT EXISTS (SELECT FROM firstline.tombstones t
                      WHERE t.tenant = c.tenant AND t.kb = c.kb AND t.doc_id = c.doc_id AND t.upto >= c.since)
$$;

CREATE OR REPLACE FUNCTION firstline.documents_in_scope(
    of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.documents LANGUAGE sql STABLE AS $$
    SELECT d.* FROM firstline.documents d
    WHERE d.tenant = of_tenant AND d.kb = of_kb
      AND d.acl && acl_tags AND d.level <= level_max
      AND d.since <= of_snapshot AND d.until > of_snapshot
      AND NOT EXISTS (SELECT FROM firstline.tombstones t
                      WHERE t.tenant = d.tenant AND t.kb = d.kb AND t.doc_id = d.doc_id AND t.upto >= d.since)
$$;
