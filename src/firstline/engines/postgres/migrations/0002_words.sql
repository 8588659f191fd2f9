-- The words that documents are written in, for reading a misspelt question.

CREATE TABLE firstline.document_words (
    tenant text NOT NULL,
    kb     text NOT NULL,
    doc_id text NOT NULL,
    since  integer NOT NULL,
    words  text[] NOT NULL,
    PRIMARY KEY (tenant, kb, doc_id, since),
    FOREIGN KEY (tenant, kb, doc_id, since) REFERENCES firstline.documents ON DELETE CASCADE
);

-- One row per word and audience (the acl and level of the documents it stands in): a look-up reads a few rows whatever the
-- size of the knowledge base. `documents` counts revisions that do not end. A row belongs to the published snapshot S when
-- since <= S < until; rows that ended are removed by the publication that ends them.

CREATE TABLE firstline.kb_words (
    tenant    text NOT NULL,
    kb        text NOT NULL,
    word      text NOT NULL,
    audience  uuid NOT NULL,
    acl       text[] NOT NULL,
    level     smallint NOT NULL,
    since     integer NOT NULL,
    until     integer NOT NULL,
    documents integer NOT NULL,
    PRIMARY KEY (tenant, kb, word, audience),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
) WITH (fillfactor = 80);
