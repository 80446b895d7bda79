#!/bin/sh
# Run by the Postgres image once, on an empty volume: two roles that cannot read each other's databases. Temporal makes
# its own two databases (deploy/temporal/schema.sh).
set -eu

: "${XBOT_ROLE_PASSWORD:=$(cat "${XBOT_ROLE_PASSWORD_FILE:-/dev/null}")}"
export XBOT_ROLE_PASSWORD
psql -v ON_ERROR_STOP=1 --no-psqlrc --username "$POSTGRES_USER" --dbname postgres <<'SQL'
\getenv xbot XBOT_ROLE_PASSWORD
\getenv temporal TEMPORAL_ROLE_PASSWORD
CREATE ROLE xbot LOGIN PASSWORD :'xbot';
CREATE ROLE temporal LOGIN CREATEDB PASSWORD :'temporal';
CREATE DATABASE xbot OWNER xbot;
REVOKE CONNECT ON DATABASE xbot FROM PUBLIC;
SQL
