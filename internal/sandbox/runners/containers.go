package runners

import (
	"context"
	"fmt"
	"strconv"
	"xbot/internal/sandbox/dbsqlc"

	"github.com/jackc/pgx/v5"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/pg"
)

// containersChannel is the Postgres channel for requests for containers.
const containersChannel = "xbot_containers"

// WantContainer asks every ingress that runs containers for the one of a user. If no process listens the request is lost:
// the caller repeats it while it needs the container.
func (s *Store) WantContainer(ctx context.Context, user chat.UserID) error {
	if err := dbsqlc.Q.ContainerWant(ctx, s.db.Pool, strconv.FormatInt(int64(user), 10)); err != nil {
		return pg.Classify(fmt.Errorf("ask for the container of user %d: %w", user, err))
	}
	return nil
}

// ListenContainers calls want for every request of another process, until ctx or the connection ends.
func ListenContainers(ctx context.Context, dsn string, want func(chat.UserID)) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "listen for wishes for containers: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is pending on it
	if _, err := conn.Exec(ctx, "LISTEN "+containersChannel); err != nil {
		return pg.Classify(err)
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return pg.Classify(err)
		}
		if id, err := strconv.ParseInt(n.Payload, 10, 64); err == nil {
			want(chat.UserID(id))
		}
	}
}
