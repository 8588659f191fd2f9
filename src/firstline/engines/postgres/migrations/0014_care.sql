-- Curated answers have an owner, an expiry and the pages that they rest on. All that may change without the answer's text, so it
-- lies beside the documents, for all snapshots at once. `cites` is a list of {"doc_id", "blob"}: the page, and its content when
-- somebody last vouched for it.

CREATE TABLE firstline.faq_entries (
    tenant     text NOT NULL,
    kb         text NOT NULL,
    doc_id     text NOT NULL,
    owner      text NOT NULL DEFAULT '',
    expires_at timestamptz,
    cites      jsonb NOT NULL DEFAULT '[]',
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, kb, doc_id),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

-- The filter of every lookup, in one place, now without curated answers that have expired. Few entries expire at all, so what is
-- asked per row is asked of a small index.

CREATE INDEX faq_expiring ON firstline.faq_entries (tenant, kb, doc_id, expires_at) WHERE expires_at IS NOT NULL;

CREATE OR REPLACE FUNCTION firstline.chunks_in_scope(
    of_tenant text, of_kb text, acl_tags text[], level_max integer, of_snapshot integer
) RETURNS SETOF firstline.chunks LANGUAGE sql STABLE AS $$
    SELECT c.* FROM firstline.chunks c
    WHERE c.tenant = of_tenant AND c.kb = of_kb
      AND c.acl && acl_tags AND c.level <= level_max
      AND c.since <= of_snapshot AND c.until > of_snapshot
      AND NOT EXISTS (SELECT FROM firstline.tombstones t
                      WHERE t.tenant = c.tenant AND t.kb = c.kb AND t.doc_id = c.doc_id AND t.upto >= c.since)
      AND NOT EXISTS (SELECT FROM firstline.faq_entries f
                      WHERE f.tenant = c.tenant AND f.kb = c.kb AND f.doc_id = c.doc_id AND f.expires_at <= now())
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
      AND NOT EXISTS (SELECT FROM firstline.faq_entries f
                      WHERE f.tenant = c.tenant AND f.kb = c.kb AND f.doc_id = c.doc_id AND f.expires_at <= now())
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
      AND NOT EXISTS (SELECT FROM firstline.faq_entries f
                      WHERE f.tenant = d.tenant AND f.kb = d.kb AND f.doc_id = d.doc_id AND f.expires_at <= now())
$$;

-- What is forgotten is forgotten here, too: the entry of a purged answer (unless it was added anew since), and the name of a purged
-- page among what others cite. Their owners still see that something they rest on is gone.

CREATE FUNCTION firstline.forget_faq() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM firstline.faq_entries
    WHERE tenant = NEW.tenant AND kb = NEW.kb AND doc_id = NEW.doc_id AND changed_at <= NEW.at;
    UPDATE firstline.faq_entries SET cites = (
        SELECT jsonb_agg(CASE WHEN cited ->> 'doc_id' = NEW.doc_id THEN '{"doc_id": "", "blob": ""}' ELSE cited END ORDER BY place)
        FROM jsonb_array_elements(cites) WITH ORDINALITY AS each (cited, place))
    WHERE tenant = NEW.tenant AND kb = NEW.kb AND cites @> jsonb_build_array(jsonb_build_object('doc_id', NEW.doc_id));
    RETURN NEW;
END $$;

CREATE TRIGGER forget_faq AFTER UPDATE OF purged_at ON firstline.tombstones
    FOR EACH ROW WHEN (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL) EXECUTE FUNCTION firstline.forget_faq();

-- Curated answers that were taken before their keys were redacted hold what their titles do not, and are found by nobody: a
-- question is redacted before it is looked up. Their key becomes that of their title, as the next reading would make it.

UPDATE firstline.documents
SET metadata = metadata || jsonb_build_object('question_key', btrim(regexp_replace(regexp_replace(
        regexp_replace(lower(title), '[''‘’`´]', '', 'g'),
        '(?<![[:alnum:]])[^[:alnum:]_[:space:]#+]|[^[:alnum:]_[:space:]#+](?![[:alnum:]])', ' ', 'g'),
        '[[:space:]]+', ' ', 'g')))
WHERE kind = 'faq' AND metadata ? 'question_key'
  AND title ~ '\[[A-Z][A-Z_]*_[0-9]+\]'
  AND strpos(metadata ->> 'question_key', lower(substring(title FROM '\[([A-Z][A-Z_]*_[0-9]+)\]'))) = 0;
