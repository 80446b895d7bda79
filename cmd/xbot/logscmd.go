package main

import (
	"context"
	"os"
	"strings"
	"time"

	"xbot/internal/chat/ops"
	"xbot/internal/client/apiclient"
)

// logsCmd shows the log of the server.
type logsCmd struct {
	connection

	Level   string        `enum:"debug,info,warn,error," default:"" help:"Print only lines of this level or above: debug, info, warn, error."`
	Since   time.Duration `placeholder:"1h" help:"Print only lines that are at most this old."`
	Process string        `placeholder:"NAME" help:"Print only lines of this process, such as worker."`
	Lines   int           `short:"n" default:"100" help:"Number of lines, the newest ones (at most 1000)."`
	Follow  bool          `short:"f" help:"Print new lines as they are logged."`
	Words   []string      `arg:"" optional:"" help:"Print only lines that contain these words."`
}

// followEvery is the pause between looks for new lines.
const followEvery = time.Second

// Run prints lines, the oldest first.
func (c logsCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		f := apiclient.ListLogsParams{Level: c.Level, Q: strings.Join(c.Words, " "), Process: c.Process, Limit: c.Lines}
		if c.Since > 0 {
			f.Since = time.Now().Add(-c.Since)
		}
		found, err := client.ListLogs(ctx, f)
		if err != nil {
			return err
		}
		say(os.Stderr, "logs of %s on %s", strings.Join(found.Processes, ", "), found.Host)
		printLogs(found)
		if !c.Follow {
			return nil
		}
		return c.follow(ctx, client, f, found)
	})
}

func (c logsCmd) follow(ctx context.Context, client *apiclient.Client, f apiclient.ListLogsParams, last ops.Logs) error {
	f.Since, f.Limit = time.Now(), 1000
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	for {
		if n := len(last.Lines); n > 0 {
			f.Since = last.Lines[n-1].At
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		var err error
		if last, err = client.ListLogs(ctx, f); err != nil && ctx.Err() == nil {
			return err
		}
		printLogs(last)
	}
}

func printLogs(l ops.Logs) {
	for _, line := range l.Lines {
		say(os.Stdout, "%s %-5s %s %s", line.At.Local().Format("2006-01-02 15:04:05.000"), strings.ToUpper(line.Level), line.Process, line.Text)
	}
}
