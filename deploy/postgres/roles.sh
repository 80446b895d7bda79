#!/bin/sh
# Creates two roles that cannot read each other's databases, and the database of xbot. The Postgres image runs it once, on an empty
# volume; for a Postgres elsewhere an operator runs it. deploy/temporal/schema.sh creates the databases of Temporal.
set -eu

: "${XBOT_ROLE_PASSWORD:=$(cat "${XBOT_ROLE_PASSWORD_FILE:-/dev/null}")}"
export XBOT_ROLE_PASSWORD
psql -v ON_ERROR_STOP=1 --no-psqlrc --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv xbot XBOT_ROLE_PASSWORD
\getenv temporal TEMPORAL_ROLE_PASSWORD
CREATE ROLE xbot LOGIN PASSWORD :'xbot';
CREATE ROLE temporal LOGIN CREATEDB PASSWORD :'temporal';
GRANT xbot TO CURRENT_USER; -- an administrator who is not a superuser needs it for the next line
CREATE DATABASE xbot OWNER xbot;
REVOKE CONNECT ON DATABASE xbot FROM PUBLIC;
SQL
