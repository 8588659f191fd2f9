-- What persons said of the graph's names: two are one, a name does not mean a document, a name leads nowhere. Edges stay as documents
-- say them; rules are applied when they are looked up. Nothing is overwritten: a rule that is taken back is marked so, and its number
-- is never given again. Every change raises `knowledge_bases.forgotten`, so that what was cached before is not given out any more.

CREATE TABLE firstline.graph_rules (
    tenant    text NOT NULL,
    kb        text NOT NULL,
    number    integer NOT NULL,
    kind      text NOT NULL CHECK (kind IN ('same', 'apart', 'not_a_name')),
    first     text NOT NULL,
    second    text NOT NULL DEFAULT '',
    said_by   text NOT NULL,
    said_at   timestamptz NOT NULL,
    note      text NOT NULL DEFAULT '',
    undone_at timestamptz,
    undone_by text NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, kb, number),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

CREATE INDEX graph_rules_in_force ON firstline.graph_rules (tenant, kb, number) WHERE undone_at IS NULL;

-- What is forgotten is forgotten here, too: a rule about a purged document loses its names and is taken back, unless it was said of
-- what was taken anew since. Its number stays, with who said it and when.

CREATE FUNCTION firstline.forget_graph_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE firstline.graph_rules
    SET first = '', second = '', note = '', undone_at = coalesce(undone_at, now())
    WHERE tenant = NEW.tenant AND kb = NEW.kb AND said_at <= NEW.at
      AND ('document:' || NEW.doc_id) IN (first, second);
    RETURN NEW;
END $$;

CREATE TRIGGER forget_graph_rules AFTER UPDATE OF purged_at ON firstline.tombstones
    FOR EACH ROW WHEN (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL) EXECUTE FUNCTION firstline.forget_graph_rules();
