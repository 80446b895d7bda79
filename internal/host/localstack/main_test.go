package localstack_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"xbot/internal/host/localstack"
)

// roleVariable makes the test binary play another process instead of running tests.
const roleVariable = "LOCALSTACK_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "owner":
		exitWith(playOwner())
	case "stranger":
		exitWith(playStranger())
	}
}

func exitWith(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// playOwner starts a stack, says so on stdout, and stays until it is killed or its input ends.
func playOwner() error {
	var cfg localstack.Config
	if err := json.Unmarshal([]byte(os.Getenv("LOCALSTACK_TEST_CONFIG")), &cfg); err != nil {
		return err
	}
	stack, err := localstack.Start(context.Background(), cfg)
	if err != nil {
		return err
	}
	postgres, temporal := stack.PIDs()
	if err := json.NewEncoder(os.Stdout).Encode(ownerReport{Postgres: postgres, Temporal: temporal}); err != nil {
		return err
	}
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		return stack.Stop(context.Background())
	}
	return stack.Stop(context.Background())
}

// ownerReport is what an owner prints when its stack is up.
type ownerReport struct{ Postgres, Temporal int }

// playStranger tries to open a database.
func playStranger() error {
	conn, err := pgx.Connect(context.Background(), os.Getenv("LOCALSTACK_TEST_DSN"))
	if err != nil {
		return err
	}
	return conn.Close(context.Background())
}
