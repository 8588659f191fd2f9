-- A second wall behind the filter of every query: what works for one tenant does so as the role firstline_tenant, which sees and
-- changes the rows of `firstline.tenant` alone. Migrations, workers and the command line go on as who connects.
--
-- The role is the cluster's, not this database's, and not everybody may make one: without it the filters stand alone, and
-- firstline says so.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'firstline_tenant') THEN
        CREATE ROLE firstline_tenant NOLOGIN NOSUPERUSER NOBYPASSRLS NOINHERIT;
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$;

-- Who made a role may give it to others, and is not in it by that.
DO $$
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        EXECUTE format('GRANT firstline_tenant TO %I', current_user);
    END IF;
EXCEPTION
    WHEN insufficient_privilege OR undefined_object THEN NULL;
END $$;

-- Whose rows may be seen. Nobody's when nothing is set: tenants have names of one sign or more.

CREATE FUNCTION firstline.own_tenant() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT coalesce(current_setting('firstline.tenant', true), '') $$;

-- Walls around every table of the schema that says whose its rows are, by a tenant or by a session. Run after every migration,
-- so that a table that comes later has its wall too.

CREATE FUNCTION firstline.raise_walls() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    place record;
    owned text;
BEGIN
    FOR place IN
        SELECT c.oid, c.relname, c.relrowsecurity,
            EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped) AS by_tenant,
            EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'session_id' AND NOT a.attisdropped) AS by_session,
            EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'own_tenant') AS walled
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'firstline' AND c.relkind IN ('r', 'p')
    LOOP
        owned := CASE
            WHEN place.by_tenant THEN 'tenant = firstline.own_tenant()'
            WHEN place.by_session THEN format(
                'EXISTS (SELECT FROM firstline.sessions AS own WHERE own.session_id = %I.session_id AND own.tenant = firstline.own_tenant())',
                place.relname)
        END;
        CONTINUE WHEN owned IS NULL;
        IF NOT place.relrowsecurity THEN
            EXECUTE format('ALTER TABLE firstline.%I ENABLE ROW LEVEL SECURITY', place.relname);
        END IF;
        IF NOT place.walled THEN
            EXECUTE format('CREATE POLICY own_tenant ON firstline.%I USING (%s) WITH CHECK (%s)', place.relname, owned, owned);
        END IF;
    END LOOP;
    -- A view looks with its owner's eyes, unless it is told not to. Postgres cannot be told before version 15:
    -- then the wall is not used (`firstline doctor` says so).
    FOR place IN
        SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = 'firstline' AND c.relkind = 'v'
          AND NOT coalesce(c.reloptions @> ARRAY['security_invoker=true'], false)
    LOOP
        IF current_setting('server_version_num')::integer >= 150000 THEN
            EXECUTE format('ALTER VIEW firstline.%I SET (security_invoker = true)', place.relname);
        END IF;
    END LOOP;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'firstline_tenant') THEN
        GRANT USAGE ON SCHEMA firstline TO firstline_tenant;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA firstline TO firstline_tenant;
        REVOKE INSERT, UPDATE, DELETE ON firstline.schema_migrations FROM firstline_tenant;
        GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA firstline TO firstline_tenant;
        GRANT EXECUTE ON FUNCTION firstline.key_by_id(text) TO firstline_tenant;
    END IF;
END $$;

REVOKE ALL ON FUNCTION firstline.raise_walls() FROM PUBLIC;

-- Who calls is known once the key is found, so this one look goes through the wall: to a single key, by its id.

CREATE FUNCTION firstline.key_by_id(id text) RETURNS SETOF firstline.api_keys
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog
AS $$ SELECT * FROM firstline.api_keys WHERE key_id = id $$;

REVOKE ALL ON FUNCTION firstline.key_by_id(text) FROM PUBLIC;

-- What a key may do besides asking and reading.

ALTER TABLE firstline.api_keys ADD COLUMN scopes text[] NOT NULL DEFAULT '{}';
