#!/bin/sh
# Creates Temporal's two databases and updates their schemas to the version of this image. It is safe to run at every start and before
# every upgrade of the server. SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD name the server. It fails after ATTEMPTS.
set -u

prepare() { # database, name of its schema inside the tool
	temporal-sql-tool --database "$1" create-database &&
		temporal-sql-tool --database "$1" setup-schema --version 0.0 &&
		temporal-sql-tool --database "$1" update-schema --schema-name "postgresql/v12/$2"
}

left=${ATTEMPTS:-20}
until prepare temporal temporal && prepare temporal_visibility visibility; do
	left=$((left - 1))
	echo "the databases of Temporal at $SQL_HOST could not be prepared" >&2
	if [ "$left" -le 0 ]; then exit 1; fi
	sleep "${PAUSE:-3}"
done
