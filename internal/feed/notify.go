package feed

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	channelName = "xbot_feed"
	// appName marks the listening connections, so that processes can count one another.
	appName = "xbot-feed"
	// maxPayload is below Postgres' limit of 8000 bytes for a notification.
	maxPayload = 7900
	// window collects packets into one notifying commit: such a commit takes a lock of the whole database.
	window = 30 * time.Millisecond
	// peerCheck is how often a process looks whether others listen.
	peerCheck = 3 * time.Second
	// retryDelay is the wait before a lost connection is opened again.
	retryDelay = 300 * time.Millisecond
)

// Run connects the bus to the buses of other processes until ctx ends. A lost connection is opened again; meanwhile
// subscribers find durable events by polling.
func (b *Bus) Run(ctx context.Context, dsn string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.keep(ctx, dsn, b.listen) })
	g.Go(func() error { return b.keep(ctx, dsn, b.notify) })
	return g.Wait()
}

// keep runs serve on a fresh connection, again and again.
func (b *Bus) keep(ctx context.Context, dsn string, serve func(context.Context, *pgx.Conn) error) error {
	for {
		err := b.connected(ctx, dsn, serve)
		if ctx.Err() != nil {
			return nil
		}
		b.log.Warn("feed connection lost, opening it again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryDelay):
		}
	}
}

func (b *Bus) connected(ctx context.Context, dsn string, serve func(context.Context, *pgx.Conn) error) error {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return err
	}
	config.RuntimeParams["application_name"] = appName
	config.RuntimeParams["synchronous_commit"] = "off"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is pending on it
	return serve(ctx, conn)
}

func (b *Bus) listen(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "LISTEN "+channelName); err != nil {
		return err
	}
	b.wakeAll()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var p packet
		if json.Unmarshal([]byte(n.Payload), &p) == nil && p.Origin != b.origin {
			b.deliver(p)
		}
	}
}

// notify sends packets in batches, and only while another process listens.
func (b *Bus) notify(ctx context.Context, conn *pgx.Conn) error {
	check := time.NewTicker(peerCheck)
	defer check.Stop()
	if err := b.countPeers(ctx, conn); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-check.C:
			if err := b.countPeers(ctx, conn); err != nil {
				return err
			}
		case p := <-b.out:
			if err := b.flush(ctx, conn, b.collect(ctx, p)); err != nil {
				return err
			}
		}
	}
}

func (b *Bus) countPeers(ctx context.Context, conn *pgx.Conn) error {
	var n int
	err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()", appName).Scan(&n)
	b.peers.Store(n > 2) // each process holds two
	return err
}

// collect waits one window for more packets.
func (b *Bus) collect(ctx context.Context, first packet) []string {
	var out []string
	add := func(p packet) {
		if data, err := json.Marshal(p); err == nil && len(data) <= maxPayload {
			out = append(out, string(data))
		}
	}
	add(first)
	timer := time.NewTimer(window)
	defer timer.Stop()
	for {
		select {
		case p := <-b.out:
			add(p)
		case <-timer.C:
			return out
		case <-ctx.Done():
			return out
		}
	}
}

func (b *Bus) flush(ctx context.Context, conn *pgx.Conn, payloads []string) error {
	_, err := conn.Exec(ctx, "SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p", channelName, payloads)
	return err
}
