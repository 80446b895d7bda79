package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"xbot/internal/host/localstack/process"
)

// socketName is Postgres's name for the socket of Port.
const socketName = ".s.PGSQL.5432"

// Port is part of the socket's name; nothing listens on TCP.
const Port = 5432

const (
	// readyPoll is short because a start on existing data takes a tenth of a second.
	readyPoll = 5 * time.Millisecond
	// Stop asks for a fast shutdown, which writes everything out; then for an immediate one, after which the next
	// start replays the log.
	fastShutdown      = 10 * time.Second
	immediateShutdown = 3 * time.Second
)

// Start starts the server with the files that Configure wrote; Await waits until it is ready. Its messages are
// appended to logFile. With follow, the server shuts down when this process dies (on Linux).
func (c Cluster) Start(logFile string, follow bool) (*process.Process, error) {
	log, err := os.OpenFile(logFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of Postgres: %w", err)
	}
	defer log.Close()
	cmd, release, err := c.command(context.Background(), "postgres", "-D", c.dataArgument())
	if err != nil {
		return nil, err
	}
	defer release()
	cmd.Stdout, cmd.Stderr = log, log
	var signal syscall.Signal
	if follow {
		signal = syscall.SIGINT
	}
	server, err := process.Start(cmd, signal)
	if err != nil {
		return nil, fmt.Errorf("start Postgres: %w", err)
	}
	return server, nil
}

// Await returns once the server accepts dsn. It fails when the server ends, when it refuses permanently, or with ctx.
// logFile is where to look for the reason.
func Await(ctx context.Context, server *process.Process, dsn, logFile string) error {
	for {
		err := ping(ctx, dsn)
		if err == nil {
			return nil
		}
		if answer, ok := errors.AsType[*pgconn.PgError](err); ok && !temporary(answer.Code) {
			return fmt.Errorf("the Postgres server refuses xbot (%s): %s", answer.Code, answer.Message)
		}
		select {
		case <-server.Done():
			return server.EndedStarting("Postgres", fmt.Sprintf("%s; its log is %s", lastMessage(logFile), logFile))
		case <-ctx.Done():
			return fmt.Errorf("the Postgres server did not get ready in time: %s; its log is %s: %w", lastMessage(logFile), logFile, ctx.Err())
		case <-time.After(readyPoll):
		}
	}
}

// temporary reports whether a code is of a server that is starting, stopping, recovering from a crash, or full.
func temporary(code string) bool {
	return strings.HasPrefix(code, "57P") || code == "53300"
}

func ping(ctx context.Context, dsn string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// Stop shuts the server down.
func Stop(ctx context.Context, server *process.Process) error {
	err := server.Stop(ctx,
		process.Step{Signal: syscall.SIGINT, Wait: fastShutdown},
		process.Step{Signal: syscall.SIGQUIT, Wait: immediateShutdown})
	if err != nil {
		return fmt.Errorf("stop Postgres: %w", err)
	}
	return nil
}

// lastMessage returns the line of the log with the reason why the server ended.
func lastMessage(logFile string) string {
	const tail = 4096
	file, err := os.Open(logFile)
	if err != nil {
		return "its log cannot be read"
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > tail {
		if _, err := file.Seek(-tail, 2); err != nil {
			return "its log cannot be read"
		}
	}
	text := make([]byte, tail)
	n, _ := file.Read(text) // an empty log gives an empty message
	return errorLine(text[:n])
}

// SocketFits reports whether a socket in dir has a path that the system and Postgres accept. The shortest limit, macOS's,
// is 104 bytes with the final zero; commas separate folders in Postgres's settings.
func SocketFits(dir string) bool {
	return len(filepath.Join(dir, socketName)) <= 103 && !strings.Contains(dir, ",")
}
