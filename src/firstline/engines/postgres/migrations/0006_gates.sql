-- Gates calibrated for a knowledge base. `record` is all of it; the columns beside it are what is looked up. Versions count
-- over all knowledge bases, so that a turn's record names its gates by a number alone.

CREATE TABLE firstline.gates (
    version       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant        text NOT NULL,
    kb            text NOT NULL,
    calibrated_at timestamptz NOT NULL,
    record        jsonb NOT NULL,
    UNIQUE (tenant, kb, version),
    FOREIGN KEY (tenant, kb) REFERENCES firstline.knowledge_bases
);

-- The pointer. A knowledge base without a row goes by the gates that firstline ships.

CREATE TABLE firstline.gates_in_force (
    tenant   text NOT NULL,
    kb       text NOT NULL,
    version  bigint NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, kb),
    FOREIGN KEY (tenant, kb, version) REFERENCES firstline.gates (tenant, kb, version)
);

-- The turns that one version decided, newest first, for comparing live values with calibration time.

CREATE INDEX turns_of_gates ON firstline.turns ((record ->> 'gates_version'), (record ->> 'asked_at') DESC)
WHERE record ->> 'gates_version' <> '0';
