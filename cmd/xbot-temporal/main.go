package main

import (
	_ "github.com/alecthomas/kong"
	_ "github.com/jackc/pgx/v5"
	_ "github.com/stretchr/testify/require"
	_ "github.com/temporalio/ui-server/v2/server"
	_ "go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	_ "go.temporal.io/server/schema"
	_ "go.temporal.io/server/temporal"
	_ "go.temporal.io/server/tools/sql"
	_ "golang.org/x/sys/unix"
)

func main() {}
