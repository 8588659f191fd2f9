-- Documents written before words were kept. While one is current, a word that is not found may stand in it, so nothing is
-- corrected. Mostly empty: a look-up asks it first. A row goes with its document's next revision.

CREATE TABLE firstline.documents_without_words (
    tenant text NOT NULL,
    kb     text NOT NULL,
    doc_id text NOT NULL,
    since  integer NOT NULL,
    PRIMARY KEY (tenant, kb, doc_id, since),
    FOREIGN KEY (tenant, kb, doc_id, since) REFERENCES firstline.documents ON DELETE CASCADE
);

-- A document whose text holds no word at all is among them too, once.
INSERT INTO firstline.documents_without_words (tenant, kb, doc_id, since)
SELECT tenant, kb, doc_id, since FROM firstline.documents
WHERE until = 2147483647 AND NOT EXISTS (
    SELECT FROM firstline.document_words AS kept
    WHERE (kept.tenant, kept.kb, kept.doc_id, kept.since)
        = (documents.tenant, documents.kb, documents.doc_id, documents.since)
);
