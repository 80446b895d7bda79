package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/internal/i18n"
)

// killSoak is people on all platforms and conversations of the page, while processes are killed and frozen at random.
type killSoak struct {
	*soak
	kills, freezes int

	mu    sync.Mutex
	marks []string // of commands that were stopped
	sent  map[*talk]int
}

// turmoil kills or freezes one process after the other. After each round the server has time to catch up.
func (k *killSoak) turmoil(times int) {
	for k.kills+k.freezes < times {
		for range min(50, times-k.kills-k.freezes) {
			rest(k.t.Context(), time.Duration(100+rand.IntN(2200))*time.Millisecond)
			k.strike()
		}
		k.catchUp()
	}
}

// strike kills or freezes one of the processes that run now.
func (k *killSoak) strike() {
	targets := []string{"xbot", "xbot-temporal", "postgres", "xbot-runner"}
	rand.Shuffle(len(targets), func(i, j int) { targets[i], targets[j] = targets[j], targets[i] })
	var target string
	var pids []int
	for _, target = range targets {
		if pids = []int{k.cmd.Process.Pid}; target != "xbot" {
			pids = children(k.t, k.cmd.Process.Pid, target)
		}
		if len(pids) > 0 {
			break
		}
	}
	switch {
	case rand.IntN(3) == 0:
		k.freezes++
		signal(k.t, pids[0], syscall.SIGSTOP)
		length := time.Duration(100+rand.IntN(1500)) * time.Millisecond
		if rand.IntN(6) == 0 {
			length *= 5
		}
		rest(k.t.Context(), length)
		signal(k.t, pids[0], syscall.SIGCONT)
	case target == "xbot":
		k.kills++
		k.crash()
		k.boot()
	default:
		k.kills++
		signal(k.t, pids[0], syscall.SIGKILL)
	}
}

// catchUp waits until few messages wait, while people go on writing.
func (k *killSoak) catchUp() {
	k.t.Helper()
	began, waiting, all := time.Now(), 0, 0
	require.Eventually(k.t, func() bool {
		e, err := k.endpoints()
		if err != nil {
			return false
		}
		db, err := pgx.Connect(k.t.Context(), e.DatabaseURL)
		if err != nil {
			return false
		}
		err = db.QueryRow(k.t.Context(), "SELECT count(*) FILTER (WHERE outcome IS NULL), count(*) FROM inbox").Scan(&waiting, &all)
		_ = db.Close(context.Background()) // it has only been read
		return err == nil && waiting <= 15
	}, 10*time.Minute, 500*time.Millisecond)
	k.t.Logf("%d kills, %d freezes: %d messages, %d wait after %s", k.kills, k.freezes, all, waiting, time.Since(began).Round(time.Second))
}

// work lets a conversation run commands and edit a file until the time is over.
func (k *killSoak) work(ctx context.Context, talk *talk) {
	path := talk.file("edited")
	for n := 0; ctx.Err() == nil; n++ {
		edit, err := json.Marshal(map[string]any{"path": path, "old_string": "end", "new_string": fmt.Sprintf("<%d> end", n)})
		if err != nil {
			return
		}
		text := talk.shell("echo %d >> %s", n, talk.file("ran")) + "\ncall FileReplace " + string(edit) + fmt.Sprintf("\nsay answer %d", n)
		if _, err := k.client.SendUntilAccepted(context.Background(), talk.key, fmt.Sprint("m", n), text, nil); err != nil {
			return
		}
		k.mu.Lock()
		k.sent[talk] = n + 1
		k.mu.Unlock()
		rest(ctx, time.Duration(1000+rand.IntN(5000))*time.Millisecond)
	}
}

// stopping lets a conversation begin commands that never end and stop them.
func (k *killSoak) stopping(ctx context.Context, talk *talk, i int) {
	for n := 0; ctx.Err() == nil; n++ {
		mark := fmt.Sprintf("sleep 61%d.%d", i, n)
		if _, err := k.client.SendUntilAccepted(context.Background(), talk.key, fmt.Sprint("s", n), talk.shell("%s", mark)+"\nsay never", nil); err != nil {
			return
		}
		rest(ctx, time.Duration(rand.IntN(5000))*time.Millisecond)
		for {
			try, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			_, err := k.client.StopTurn(try, talk.key)
			cancel()
			if err == nil {
				break
			}
			rest(context.Background(), 200*time.Millisecond)
		}
		k.mu.Lock()
		k.marks = append(k.marks, mark)
		k.mu.Unlock()
	}
}

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// quiet waits until nothing waits or runs any more.
func (k *killSoak) quiet() {
	k.t.Helper()
	left := ""
	defer func() { k.t.Log("at the end:", left) }()
	require.Eventually(k.t, func() bool {
		var arrived, open, running, waiting, kills int
		err := k.db.QueryRow(k.t.Context(), `SELECT (SELECT count(*) FROM inbox WHERE channel <> 'web'), (SELECT count(*) FROM inbox WHERE outcome IS NULL), (SELECT count(*) FROM turns WHERE state = 'running'),
			(SELECT count(*) FROM outbound WHERE state = 'waiting'), (SELECT count(*) FROM kills WHERE sent_at IS NULL)`).Scan(&arrived, &open, &running, &waiting, &kills)
		left = fmt.Sprintf("%d of %d arrived, %d wait, %d turns run, %d answers are on their way, %d kills: %v", arrived, len(k.said), open, running, waiting, kills, err)
		return err == nil && arrived == len(k.said) && open+running+waiting+kills == 0
	}, 10*time.Minute, 200*time.Millisecond)
}

// onPage counts commands and edits of the page that happened never, or more than once.
func (k *killSoak) onPage() (commands, lost, twice int) {
	for talk, sent := range k.sent {
		ran, edited := talk.trace("ran"), read(k.t, talk.file("edited"))
		commands += 2 * sent
		for n := range sent {
			times := 0
			for _, line := range ran {
				if line == strconv.Itoa(n) {
					times++
				}
			}
			for _, count := range []int{times, strings.Count(edited, fmt.Sprintf("<%d>", n))} {
				switch {
				case count == 0:
					lost++
				case count > 1:
					twice++
				}
			}
		}
	}
	return commands, lost, twice
}

// TestSoak_KillsAndFreezesLoseNothing prints a table of what a number of random kills and freezes cost: XBOT_SOAK_KILLS says how many.
func TestSoak_KillsAndFreezesLoseNothing(t *testing.T) {
	times, err := strconv.Atoi(os.Getenv("XBOT_SOAK_KILLS"))
	if err != nil {
		t.Skip("XBOT_SOAK_KILLS says how many kills and freezes")
	}
	k := &killSoak{soak: &soak{people: 6, groups: 2, perSecond: 1}, sent: map[*talk]int{}}
	k.world = newWorld(t, newServerWithStack, k.people, k.groups)
	ctx, over := context.WithCancel(t.Context())
	var load sync.WaitGroup
	until := make(chan time.Time)
	load.Go(func() { k.write(until) })
	for i := range 6 {
		talk := k.newTalk()
		talk.queue("followup")
		if i%3 == 2 {
			load.Go(func() { k.stopping(ctx, talk, i) })
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(talk.file("edited")), 0o700))
		require.NoError(t, os.WriteFile(talk.file("edited"), []byte("end"), 0o600))
		load.Go(func() { k.work(ctx, talk) })
	}
	k.turmoil(times)
	over()
	close(until)
	load.Wait()
	k.db = k.look()
	k.quiet()
	k.table()
}

// table prints what it cost, and fails where that is anything.
func (k *killSoak) table() {
	seen, strays := k.answers()
	lost, twice, alive := 0, 0, 0
	for _, times := range seen {
		switch {
		case times == 0:
			lost++
		case times > 1:
			twice++
		}
	}
	for _, mark := range k.marks {
		alive += len(find(k.t, mark))
	}
	commands, neverRan, ranTwice := k.onPage()
	unsure := count(k.t, k.db, "SELECT count(*) FROM outbound WHERE state = 'uncertain'")
	failed := count(k.t, k.db, "SELECT count(*) FROM turns WHERE state IN ('failed', 'lost')")
	unpaired := count(k.t, k.db, "SELECT count(*) FROM tool_calls WHERE state <> 'done'")
	unknown := count(k.t, k.db, `SELECT count(*) FROM tool_calls WHERE result = '`+i18n.Say(i18n.English, i18n.CallUnknown)+`'`)
	for _, row := range []struct {
		what string
		n    int
	}{
		{"kills", k.kills}, {"freezes", k.freezes},
		{"accepted", count(k.t, k.db, "SELECT count(*) FROM inbox WHERE kind = 'message'")},
		{"answered", count(k.t, k.db, "SELECT count(*) FROM turns WHERE state = 'done'")},
		{"written on platforms", len(seen)}, {"lost", lost}, {"of them told as not known", unsure}, {"twice", twice}, {"elsewhere", strays},
		{"silent", max(0, lost-unsure)}, {"failed turns", failed}, {"calls without a result", unpaired}, {"results unknown", unknown},
		{"commands and edits", commands}, {"never done", neverRan}, {"done twice", ranTwice},
		{"stops", len(k.marks)}, {"commands alive after a stop", alive},
	} {
		k.t.Logf("%-30s %6d", row.what, row.n)
	}
	require.Zero(k.t, max(0, lost-unsure)+twice+strays+failed+unpaired+neverRan+ranTwice+alive)
}
