package e2e

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"golang.org/x/sys/unix"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/workflows"
)

// costs is what the server spends on one piece of work. None of it depends on the speed of the machine.
type costs struct {
	statements   map[string]int // of the product's database, by the names in schema/queries
	transactions map[string]int // of the product's database, by their first statement: begin, or one that is a transaction by itself
	follows      int            // reads of events by open pages and streams, which know what this process committed without reading it
	requests     map[string]int // to Temporal without polls, by operation
	events       int            // in the histories of the workflows
	allocated    int            // kB that the process of the server allocates
	written      int            // kB of Postgres' write-ahead log, of all databases
	connections  int            // to Postgres, each of which starts a process
	starts       int            // of xbot-runner's program
}

const (
	costWarmup  = 6 // times that are not measured: caches fill, and the server learns how long the model takes
	costSamples = 6 // of which the least counts: background work of the server only adds to it
)

// costBound bounds what a piece of work costs.
type costBound struct {
	what   string
	most   int
	reason string
}

// costBounds are what was measured; allocated and written have half more, since they vary by a quarter. Where a change exceeds one, the output
// lists the statements and requests: read once what is read twice, or raise the number here and write why.
var costBounds = map[string][]costBound{
	"plain turn": {
		{"statements", 43, "commit 85bc252, before services and coding agents, had 44"},
		{"transactions", 17, "accept, claim, end of step and end of turn; the others are single reads"},
		{"follows", 1, "measured: 0; the poll of every two seconds may fall into it"},
		{"requests", 2, "the start of the workflow and its one workflow task: claim, step and finish run within it"},
		{"events", 12, "one workflow task with local activities"},
		{"allocated", 1600, "most of it the request to the model and the response"},
		{"written", 38, "the rows of a turn, and the history and visibility of its workflow"},
		{"processes", 0, "connections are kept, and nothing runs outside the server"},
	},
	"turn with 5 calls": {
		{"statements", 184, "6 steps of about 12, 5 calls of about 22"},
		{"transactions", 98, "as of a plain turn, and 3 more of each call: begin, start and end"},
		{"follows", 1, "as of a plain turn"},
		{"requests", 12, "2 where every call ends within the workflow task; each that an activity takes over, on a busy machine, adds 2"},
		{"events", 47, "22 where every call ends within the workflow task; each that an activity takes over adds 5"},
		{"allocated", 9600, "6 requests to the model, each longer than the one before"},
		{"written", 95, "rows of 6 steps and 5 calls"},
		{"processes", 10, "a shim and a sandbox for each call"},
	},
	"streamed turn": {
		{"statements", 44, "as of a plain turn; what streams is not stored until it has ended"},
		{"transactions", 18, "as of a plain turn"},
		{"follows", 1, "as of a plain turn"},
		{"requests", 4, "a model that takes long is called by an activity: its end and a second workflow task"},
		{"events", 15, "the activity and the second workflow task"},
		{"allocated", 2700, "pieces of the answer are decoded and sent on one by one"},
		{"written", 54, "Temporal stores rows for the activity"},
		{"processes", 0, "as of a plain turn"},
	},
	"request of a consumer": {
		{"statements", 53, "those of a plain turn, and key, limits and place of the stream"},
		{"transactions", 25, "the key and its limits are read alone"},
		{"follows", 3, "measured: 2, with which the stream of the consumer begins; and a poll"},
		{"requests", 2, "as of a plain turn"},
		{"events", 12, "as of a plain turn"},
		{"allocated", 1600, "fewer tools than a user's turn has; on a busy machine the stream takes more"},
		{"written", 46, "as of a plain turn, and limits and usage of the key"},
		{"processes", 0, "as of a plain turn"},
	},
	"delivery to a platform": {
		{"statements", 64, "those of a plain turn, and sender, recall of the message and delivery"},
		{"transactions", 36, "as of a plain turn, and 7 of the delivery"},
		{"follows", 0, "no page is open"},
		{"requests", 6, "a turn as above, and a workflow that delivers by an activity"},
		{"events", 26, "both workflows"},
		{"allocated", 2000, "as of a plain turn, and the messages of the platform"},
		{"written", 84, "both workflows"},
		{"processes", 0, "as of a plain turn"},
	},
}

func TestCosts_OfAPieceOfWorkStayWithinTheirBounds(t *testing.T) {
	t.Parallel()
	m := newMeter(t)
	k := m.newTalk()
	ended := k.follow()
	turn := func(lines ...string) func(int) {
		return func(int) {
			_, err := k.client.Send(t.Context(), k.key, rand.Text(), strings.Join(lines, "\n"))
			require.NoError(t, err)
			<-ended
			m.closed(workflows.TurnID(k.key))
		}
	}
	calls := []string{"each"}
	for range 5 {
		calls = append(calls, k.shell("true"))
	}
	c := m.publishesService(service.Patch{})
	conversation := c.begins()
	consumer := workflows.TurnID(service.SessionKey(c.of.ID, conversation))
	const person = "agent:main:napcat:dm:20007"
	carol := onebottest.Person("20007")
	m.check("plain turn", turn("say hello"), workflows.TurnID(k.key))
	m.check("turn with 5 calls", turn(append(calls, "say done")...), workflows.TurnID(k.key))
	m.check("streamed turn", turn("stream 30 20ms"), workflows.TurnID(k.key))
	m.check("request of a consumer", func(int) {
		require.NotEmpty(t, c.chats(conversation, "say hello", nil))
		m.closed(consumer)
	}, consumer)
	m.check("delivery to a platform", func(n int) {
		text := fmt.Sprint("answer ", n)
		m.napcat.Say(carol, "20007", onebottest.Text("say "+text))
		saw(t, m.napcat, carol, text)
		m.closed(workflows.TurnID(person))
		m.closed(workflows.DeliverID(person))
	}, workflows.TurnID(person), workflows.DeliverID(person))
}

// check measures a piece of work, which is done by a function and by workflows, and compares what it costs with its bounds.
func (m *meter) check(work string, do func(n int), of ...string) {
	m.t.Helper()
	c := m.measure(do, of)
	numbers := map[string]int{
		"statements": sum(c.statements), "transactions": sum(c.transactions), "follows": c.follows, "requests": sum(c.requests), "events": c.events,
		"allocated": c.allocated, "written": c.written, "processes": c.connections + c.starts,
	}
	var table bytes.Buffer
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	exceeded := false
	for _, b := range costBounds[work] {
		exceeded = exceeded || numbers[b.what] > b.most
		fmt.Fprintf(w, "%s\t%d\tof %d\t%s\n", b.what, numbers[b.what], b.most, b.reason)
	}
	require.NoError(m.t, w.Flush())
	m.t.Logf("%s\n%s", work, &table)
	if exceeded {
		m.t.Errorf("a %s costs more than its bounds (costBounds)\nstatements:%s\nrequests to Temporal:%s", work, listed(c.statements), listed(c.requests))
	}
}

func sum(counts map[string]int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// listed lists counts, the largest first.
func listed(counts map[string]int) string {
	var lines strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	}) {
		fmt.Fprintf(&lines, "\n%4d %s", counts[name], name)
	}
	return lines.String()
}

// meterName is the application name of the meter's own connection to Postgres.
const meterName = "costs"

// meterSettings have Postgres log each statement with its transaction, and each connection. What Postgres writes on its own stays away.
const meterSettings = `log_statement = all
log_connections = on
log_line_prefix = '@%d|%a|%v|'
autovacuum = off
full_page_writes = off
`

// meter is a server whose costs are read.
type meter struct {
	*server
	napcat   *onebottest.Server
	log      string // of Postgres
	db       *pgx.Conn
	runs     client.Client
	starts   func() int // how often xbot-runner was started
	overhead int        // bytes that the server allocates for a response of /metrics
}

func newMeter(t *testing.T) *meter {
	t.Helper()
	m := &meter{}
	var err error
	m.napcat, err = onebottest.New(onebottest.Options{Token: "napcat-secret"})
	require.NoError(t, err)
	t.Cleanup(m.napcat.Close)
	m.napcat.AddPerson("20007", "Carol")
	m.server = prepareServerWithStack(t, "NAPCAT_URL="+m.napcat.URL(), "NAPCAT_TOKEN=napcat-secret", "NAPCAT_SEND_PAUSE=0s")
	m.bin, m.starts = watchedBuild(t)
	require.NoError(t, os.WriteFile(filepath.Join(m.home, "postgres", "local.conf"), []byte(meterSettings), 0o644))
	m.boot()
	m.inForce(`{channels: {napcat: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	require.Eventually(t, func() bool { return m.napcat.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	m.log = filepath.Join(m.home, "run", "postgres.log")
	endpoints, err := m.endpoints()
	require.NoError(t, err)
	config, err := pgx.ParseConfig(endpoints.DatabaseURL)
	require.NoError(t, err)
	config.RuntimeParams["application_name"] = meterName
	m.db, err = pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.db.Close(context.Background()) })
	m.runs = m.temporal()
	m.overhead = m.readingCosts()
	return m
}

// readingCosts returns how many bytes the server allocates for a response of /metrics.
func (m *meter) readingCosts() int {
	m.t.Helper()
	least, before := math.MaxInt, m.read()
	for range costSamples {
		after := m.read()
		least = min(least, after.allocated-before.allocated)
		before = after
	}
	return least
}

// watchedBuild is a folder with the programs, and counts how often its xbot-runner is started: that one is a file of its own, which the kernel
// opens at each start.
func watchedBuild(t *testing.T) (folder string, starts func() int) {
	t.Helper()
	from := bin
	folder, err := os.MkdirTemp(from, "costs")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	for _, name := range []string{"xbot", "xbot-temporal"} {
		require.NoError(t, os.Link(filepath.Join(from, name), filepath.Join(folder, name)))
	}
	runner, err := os.ReadFile(filepath.Join(from, "xbot-runner"))
	require.NoError(t, err)
	path := filepath.Join(folder, "xbot-runner")
	require.NoError(t, os.WriteFile(path, runner, 0o755))
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	require.NoError(t, err)
	_, err = unix.InotifyAddWatch(fd, path, unix.IN_OPEN)
	require.NoError(t, err)
	events := os.NewFile(uintptr(fd), "inotify")
	t.Cleanup(func() { _ = events.Close() })
	var mu sync.Mutex
	n := 0
	go func() {
		buffer := make([]byte, 4096)
		for {
			read, err := events.Read(buffer)
			if err != nil {
				return
			}
			mu.Lock()
			n += read / unix.SizeofInotifyEvent
			mu.Unlock()
		}
	}()
	return folder, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// follow reads the feed of the conversation, as a page does, and sends when a turn has ended.
func (k *talk) follow() <-chan chat.Turn {
	k.t.Helper()
	ended, open := make(chan chat.Turn, 1), make(chan struct{})
	go func() {
		opened := sync.OnceFunc(func() { close(open) })
		for u := range k.client.Watch(k.t.Context(), k.key, 0) {
			if u.Hello != nil {
				opened()
			}
			if u.Event == nil || u.Event.Kind != chat.EventTurn {
				continue
			}
			var turn chat.Turn
			if json.Unmarshal(u.Event.Data, &turn) == nil && turn.State != chat.TurnRunning {
				ended <- turn
			}
		}
	}()
	<-open
	return ended
}

// closed waits until the newest run of a workflow is closed.
func (m *meter) closed(workflow string) {
	m.t.Helper()
	require.NoError(m.t, m.runs.GetWorkflow(m.t.Context(), workflow, "").Get(m.t.Context(), nil))
}

// measure returns the least of each number over the samples, and the most of the starts.
func (m *meter) measure(do func(n int), of []string) (least costs) {
	m.t.Helper()
	for n := range costWarmup {
		do(n)
	}
	for n := range costSamples {
		c := m.sample(func() { do(costWarmup + n) }, of)
		if n == 0 {
			least = c
			continue
		}
		least = costs{
			statements: leastOf(least.statements, c.statements), transactions: leastOf(least.transactions, c.transactions),
			follows: min(least.follows, c.follows), requests: leastOf(least.requests, c.requests), events: min(least.events, c.events),
			allocated: min(least.allocated, c.allocated), written: min(least.written, c.written), connections: min(least.connections, c.connections),
			starts: max(least.starts, c.starts), // only the work starts it, and the kernel may report two starts as one
		}
	}
	return least
}

func leastOf(a, b map[string]int) map[string]int {
	out := map[string]int{}
	for name := range a {
		if n := min(a[name], b[name]); n > 0 {
			out[name] = n
		}
	}
	return out
}

func (m *meter) sample(do func(), of []string) (c costs) {
	m.t.Helper()
	before, wal, starts, from := m.read(), m.wal(), m.starts(), m.logged()
	do()
	m.quiet(from)
	entries := m.entries(from)
	c.statements, c.transactions = statementsOf(entries)
	c.follows = c.statements[followStatement]
	delete(c.statements, followStatement)
	delete(c.transactions, followStatement)
	c.starts, c.connections = m.starts()-starts, connectionsOf(entries)
	c.written = (m.wal() - wal) / 1000
	after := m.read()
	c.allocated = (after.allocated - before.allocated - m.overhead) / 1000
	c.requests = map[string]int{}
	for operation, n := range after.requests {
		if n > before.requests[operation] {
			c.requests[operation] = n - before.requests[operation]
		}
	}
	for _, workflow := range of {
		c.events += len(m.history(workflow, "").Events)
	}
	return c
}

// reading is what the metrics of the server say.
type reading struct {
	allocated int // bytes
	requests  map[string]int
}

var allocatedMetric = regexp.MustCompile(`(?m)^go_memstats_alloc_bytes_total (\S+)$`)

var requestMetric = regexp.MustCompile(`(?m)^temporal_request(?:_total)?\{.*?operation="([^"]+)".*\} (\S+)$`)

func (m *meter) read() (r reading) {
	m.t.Helper()
	text := m.metrics()
	r.requests = map[string]int{}
	for _, found := range requestMetric.FindAllStringSubmatch(text, -1) {
		n, err := strconv.ParseFloat(found[2], 64)
		require.NoError(m.t, err)
		r.requests[found[1]] += int(n)
	}
	allocated := allocatedMetric.FindStringSubmatch(text)
	require.NotNil(m.t, allocated)
	n, err := strconv.ParseFloat(allocated[1], 64)
	require.NoError(m.t, err)
	r.allocated = int(n)
	return r
}

// wal is how much Postgres has written to its log, in bytes.
func (m *meter) wal() (n int) {
	m.t.Helper()
	require.NoError(m.t, m.db.QueryRow(m.t.Context(), "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&n))
	return n
}

func (m *meter) logged() int64 {
	m.t.Helper()
	info, err := os.Stat(m.log)
	require.NoError(m.t, err)
	return info.Size()
}

// quiet waits until the product asks Postgres nothing for a while. The log is read from an offset.
func (m *meter) quiet(from int64) {
	m.t.Helper()
	last := -1
	require.Eventually(m.t, func() bool {
		statements, _ := statementsOf(m.entries(from))
		n := sum(statements)
		still := n == last
		last = n
		return still
	}, 30*time.Second, 150*time.Millisecond)
}

// entry is one of Postgres' log.
type entry struct{ database, application, transaction, text string }

// entries are those of the log behind an offset.
func (m *meter) entries(from int64) (all []entry) {
	m.t.Helper()
	f, err := os.Open(m.log)
	require.NoError(m.t, err)
	defer f.Close()
	_, err = f.Seek(from, 0)
	require.NoError(m.t, err)
	var text bytes.Buffer
	_, err = text.ReadFrom(f)
	require.NoError(m.t, err)
	for _, one := range strings.Split("\n"+text.String(), "\n@")[1:] {
		if parts := strings.SplitN(one, "|", 4); len(parts) == 4 {
			all = append(all, entry{parts[0], parts[1], parts[2], parts[3]})
		}
	}
	return all
}

var (
	loggedStatement = regexp.MustCompile(`(?s)^LOG:  (?:statement|execute [^:]*): (.*)$`)
	statementName   = regexp.MustCompile(`^-- name: (\w+)`)
)

// followStatement reads events for open pages and streams. How often it runs depends on timing, so it is counted separately.
const followStatement = "EventListAfter"

// onClocks are statements of loops that look for work, or for changes, every few seconds: no work waits for them.
var onClocks = map[string]bool{
	"PolicyNewest": true, "ServicesVersion": true, "ChannelAccounts": true, "PluginList": true, "HookPlace": true, // at most once a second
	"RelayDue":            true,                                               // once a second
	"CodingRunListAsking": true,                                               // every two seconds
	"HookExecTarget":      true, "RunnerChoice": true, "MCPProjectGone": true, // the look at .mcp.json, which each call of a command begins with, too
}

// statementsOf counts the statements of the product and its transactions.
func statementsOf(entries []entry) (statements, transactions map[string]int) {
	statements, transactions = map[string]int{}, map[string]int{}
	seen := map[string]bool{}
	for _, e := range entries {
		name, ok := e.statement()
		if e.database != "xbot" || e.application == meterName || !ok || onClocks[name] {
			continue
		}
		statements[name]++
		if !seen[e.transaction] {
			transactions[name]++
		}
		seen[e.transaction] = true
	}
	return statements, transactions
}

// statement is the name of the statement that was logged, or its beginning where it has none.
func (e entry) statement() (name string, ok bool) {
	found := loggedStatement.FindStringSubmatch(e.text)
	if found == nil {
		return "", false
	}
	if named := statementName.FindStringSubmatch(found[1]); named != nil {
		return named[1], true
	}
	text := strings.Join(strings.Fields(found[1]), " ")
	return text[:min(len(text), 60)], true
}

// connectionsOf counts the connections, each of which is a process of Postgres.
func connectionsOf(entries []entry) (n int) {
	for _, e := range entries {
		if strings.Contains(e.text, "connection authorized") && e.application != meterName {
			n++
		}
	}
	return n
}
