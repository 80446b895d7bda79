package feed

import (
	"context"
	"encoding/json"
	"fmt"
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
	// peerCheck is the interval at which a process checks whether others listen.
	peerCheck = 3 * time.Second
	// retryDelay is the wait before a lost connection is reopened.
	retryDelay = 300 * time.Millisecond
	// closeTimeout bounds closing a connection to a server that may not answer.
	closeTimeout = 2 * time.Second
)

// Run connects the bus to the buses of other processes until ctx ends. A lost connection is opened again; in the meantime
// subscribers find durable events by polling.
func (b *Bus) Run(ctx context.Context, dsn string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.keep(ctx, dsn, b.listen) })
	g.Go(func() error { return b.keep(ctx, dsn, b.notify) })
	return g.Wait()
}

// keep runs serve on a fresh connection in a loop. It logs the loss of a connection, not each try to open one.
func (b *Bus) keep(ctx context.Context, dsn string, serve func(context.Context, *pgx.Conn) error) error {
	lost := false
	for {
		opened, err := b.connected(ctx, dsn, serve)
		if ctx.Err() != nil {
			return nil
		}
		if opened || !lost {
			b.log.Warn("feed connection lost, opening it again", "error", err)
			lost = true
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(retryDelay):
		}
	}
}

func (b *Bus) connected(ctx context.Context, dsn string, serve func(context.Context, *pgx.Conn) error) (opened bool, err error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return false, err
	}
	config.RuntimeParams["application_name"] = appName
	config.RuntimeParams["synchronous_commit"] = "off"
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		_ = conn.Close(ctx) // nothing is pending on it
	}()
	return true, serve(ctx, conn)
}

func (b *Bus) listen(ctx context.Context, conn *pgx.Conn) error {
	if _, err := conn.Exec(ctx, "LISTEN "+channelName); err != nil {
		return err
	}
	hello := fmt.Sprintf(`{"o":%q,"k":%q}`, b.origin, kindHello)
	if err := b.flush(ctx, conn, []string{hello}); err != nil {
		return err
	}
	b.wakeAll()
	b.tellGuards()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var p packet
		if json.Unmarshal([]byte(n.Payload), &p) == nil && p.Origin != b.origin {
			if p.Kind != kindAccess { // a process that sends also listens
				b.heard.Add(1)
				b.peers.Store(true)
			}
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
			b.forget(time.Now())
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

// countPeers checks whether others listen. A process that sent a packet in the meantime counts, although the query may miss it.
func (b *Bus) countPeers(ctx context.Context, conn *pgx.Conn) error {
	var n int
	before := b.heard.Load()
	err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()", appName).Scan(&n)
	b.peers.Store(n > 2 || b.heard.Load() != before) // each process holds two connections
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
