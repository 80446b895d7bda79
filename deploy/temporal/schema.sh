#!/bin/sh
# Makes Temporal's two databases and brings their schemas to the version of this image. Safe to run at every start, and
# before every upgrade of the server. SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD say where.
set -eu

prepare() { # database, name of its schema inside the tool
	temporal-sql-tool --database "$1" create-database
	temporal-sql-tool --database "$1" setup-schema --version 0.0
	temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}

prepare temporal temporal
prepare temporal_visibility visibility
