package admin

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"xbot/internal/channel/markdown"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/i18n"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/slashcommand"
)

// maxDebugTurns bounds the running turns that are named.
const maxDebugTurns = 20

// Inspection reads turns for operators.
type Inspection interface {
	InspectCounts(ctx context.Context) (ops.Counts, error)
}

// Quota has the limits of users.
type Quota interface {
	Zones() []string
}

// Services reads services, and manages their inbox and the handover of conversations.
type Services interface {
	AdminPlace(ctx context.Context, admin chat.UserID) (*chat.Address, error)
	AnswerInboxItem(ctx context.Context, item string, by servicestore.Actor, id, text string) (service.Item, error)
	AnyConversation(ctx context.Context, id string) (service.Conversation, error)
	GiveConversation(ctx context.Context, c service.Conversation) (given bool, err error)
	InboxItem(ctx context.Context, id string) (service.Item, error)
	InboxItems(ctx context.Context, p servicestore.ItemPage) ([]service.Item, error)
	Service(ctx context.Context, id string) (service.Service, error)
	ServiceConversation(ctx context.Context, of, id string) (service.Conversation, error)
	SetInboxItem(ctx context.Context, id string, status service.ItemStatus) error
	TakeIn(ctx context.Context, c service.Conversation, by servicestore.Actor, zones []string) (chat.TurnID, error)
}

// Turns runs the transactions of turns.
type Turns interface {
	RunningTurns(ctx context.Context, limit int) ([]engine.RunningTurn, error)
}

// Debug is /debug: the current work of a server process. It names no text of users, and no secrets.
type Debug struct {
	Inspection Inspection
	Turns      Turns
	Pool       *pgxpool.Pool
	Metrics    prometheus.Gatherer
}

var _ slashcommand.Runner = Debug{}

// Spec describes the command.
func (Debug) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "debug", Help: i18n.HelpDebug, Group: slashcommand.GroupServer, Who: slashcommand.Admin}
}

// Run returns the report.
func (d Debug) Run(ctx context.Context, _ slashcommand.Request, _ string) (string, error) {
	turns, err := d.Turns.RunningTurns(ctx, maxDebugTurns)
	if err != nil {
		return "", err
	}
	counts, err := d.Inspection.InspectCounts(ctx)
	if err != nil {
		return "", err
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	pool := d.Pool.Stat()
	lines := []string{
		fmt.Sprintf("go        %s, %d goroutines, %d processors", runtime.Version(), runtime.NumGoroutine(), runtime.GOMAXPROCS(0)),
		fmt.Sprintf("memory    %s in use, %s from the system, %d collections", markdown.Bytes(int(m.HeapInuse)), markdown.Bytes(int(m.Sys)), m.NumGC),
		fmt.Sprintf("postgres  %d of %d connections in use, %d waits (%s in all)", pool.AcquiredConns(), pool.MaxConns(), pool.EmptyAcquireCount(), pool.AcquireDuration().Round(time.Millisecond)),
		fmt.Sprintf("turns     %d running, %d messages waiting, %d background tasks, %d runners connected", counts.Running, counts.Waiting, counts.Tasks, counts.Runners),
	}
	for _, t := range turns {
		lines = append(lines, fmt.Sprintf("  %s  %s  step %d, for %s", t.Session, t.Turn, t.Steps, time.Since(t.Started).Round(time.Second)))
	}
	relay, err := d.counters()
	if err != nil {
		return "", err
	}
	return markdown.Fenced(strings.Join(append(lines, relay...), "\n")), nil
}

// counters returns the metrics of the relay.
func (d Debug) counters() (lines []string, err error) {
	if d.Metrics == nil {
		return nil, nil
	}
	families, err := d.Metrics.Gather()
	if err != nil {
		return nil, fmt.Errorf("read the metrics: %w", err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "xbot_relay") && !strings.HasPrefix(f.GetName(), "xbot_turns") {
			continue
		}
		for _, m := range f.GetMetric() {
			var name strings.Builder
			name.WriteString(f.GetName())
			for _, l := range m.GetLabel() {
				name.WriteString(" " + l.GetName() + "=" + l.GetValue())
			}
			lines = append(lines, fmt.Sprintf("%s  %g", name.String(), m.GetCounter().GetValue()+m.GetGauge().GetValue()))
		}
	}
	slices.Sort(lines)
	return lines, nil
}
