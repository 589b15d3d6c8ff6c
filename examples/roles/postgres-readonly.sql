-- A role that an investigation may have: it sees the statistics views, and cannot write, wait or stay.
--
--   psql -f examples/roles/postgres-readonly.sql
--   psql -c "\password fastagent_reader"
--   PGHOST=... PGUSER=fastagent_reader fastagent doctor --no-cases
--
-- pg_monitor reads pg_stat_activity of all sessions, pg_locks, settings and sizes; it reads no table.
CREATE ROLE fastagent_reader LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION CONNECTION LIMIT 3;
GRANT pg_monitor TO fastagent_reader;

-- A server in trouble must not get another long statement, another lock queue or another idle transaction from us.
ALTER ROLE fastagent_reader SET default_transaction_read_only = on;
ALTER ROLE fastagent_reader SET statement_timeout = '3s';
ALTER ROLE fastagent_reader SET lock_timeout = '500ms';
ALTER ROLE fastagent_reader SET idle_in_transaction_session_timeout = '5s';
ALTER ROLE fastagent_reader SET application_name = 'fastagent';
