package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/client/apiclient"
	localserver "xbot/internal/client/cli/local"
	"xbot/internal/fault"
	"xbot/server"
)

// connection is how commands that look at a running server reach it: as the terminal client does.
type connection struct {
	Server string `env:"XBOT_SERVER" placeholder:"URL" help:"Server to ask, such as https://xbot.example.org; default: the server of this user on this machine."`
	Token  string `env:"XBOT_TOKEN" placeholder:"TOKEN" help:"Token of an administrator for that server (xbot token create). The variable keeps it out of the process list."`
}

func (r connection) client() (*apiclient.Client, error) {
	if r.Server != "" {
		if r.Token == "" {
			return nil, fault.Errorf(fault.Invalid, "no token for %s; make one there with: xbot token create, then set XBOT_TOKEN", r.Server)
		}
		return apiclient.New(apiclient.Endpoint{URL: r.Server, Token: r.Token}), nil
	}
	home, err := localserver.Home(os.Getenv)
	if err != nil {
		return nil, err
	}
	return apiclient.New(&localserver.Server{Home: home}), nil
}

// ask calls the server and closes its client.
func (r connection) ask(do func(*apiclient.Client) error) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	defer client.Close()
	return do(client)
}

type statusCmd struct {
	connection

	JSON bool `name:"json" help:"Print JSON."`
}

// Run prints the installation at a glance.
func (c statusCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		s, err := client.GetStatus(ctx)
		if err != nil || c.JSON {
			return printJSON(err, s)
		}
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintf(w, "xbot\t%s, up %s\n", s.Version, short(time.Since(s.StartedAt)))
		fmt.Fprintf(w, "model\t%s\n", s.Model)
		fmt.Fprintf(w, "turns\t%d running, %s waiting\n", s.Running, waiting(s))
		fmt.Fprintf(w, "work\t%s, %s connected\n", several(s.Tasks, "background task"), several(s.Runners, "runner"))
		fmt.Fprintf(w, "stored\t%s of %s, %.1f MiB in Postgres\n", several(s.Sessions, "conversation"), several(s.Users, "user"), float64(s.Bytes)/(1<<20))
		fmt.Fprintf(w, "database\t%s\n", s.Database)
		fmt.Fprintf(w, "data\t%s\n", s.Home)
		if s.Copy {
			fmt.Fprintf(w, "copy\t%s\n", server.CopyNote)
		}
		fmt.Fprintf(w, "growth\t%.1f MiB of events and %.1f MiB of prompts, both pruned by age\n", float64(s.EventBytes)/(1<<20), float64(s.PromptBytes)/(1<<20))
		if err := w.Flush(); err != nil || len(s.Recent) == 0 {
			return err
		}
		fmt.Println()
		return sessionTable(os.Stdout, s.Recent)
	})
}

func waiting(s ops.Status) string {
	if s.Waiting == 0 {
		return "0 messages"
	}
	return fmt.Sprintf("%s, the oldest for %s,", several(s.Waiting, "message"), short(time.Duration(s.Oldest)*time.Second))
}

// several counts things.
func several(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

type sessionsCmd struct {
	connection

	JSON    bool   `name:"json" help:"Print JSON."`
	Active  int    `placeholder:"MINUTES" help:"List only conversations in which a person wrote in this many minutes."`
	User    string `placeholder:"NAME" help:"List only conversations of this user or group."`
	Channel string `placeholder:"NAME" help:"List only conversations of this channel."`
	Agent   string `placeholder:"NAME" help:"List only conversations of this agent."`
	Delete  string `placeholder:"KEY" help:"Delete this conversation and its files, whoever owns it."`
}

// Run lists conversations, or deletes one.
func (c sessionsCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		if c.Delete != "" {
			if err := client.DeleteSession(ctx, chat.SessionKey(c.Delete)); err != nil {
				return err
			}
			say(os.Stdout, "%s is deleted.", c.Delete)
			return nil
		}
		list, err := client.AllSessions(ctx, apiclient.InspectSessionsParams{User: c.User, Channel: c.Channel, Agent: c.Agent, Active: c.Active})
		if err != nil || c.JSON {
			return printJSON(err, list)
		}
		if len(list) == 0 {
			say(os.Stdout, "There are no such conversations.")
			return nil
		}
		return sessionTable(os.Stdout, list)
	})
}

// maxTitle bounds a title in a table, in characters.
const maxTitle = 40

func sessionTable(out io.Writer, list []ops.SessionSummary) error {
	return table(out, "KEY\tUSER\tUSED\tTURNS\tTOKENS\tSTATE\tTITLE", list, func(s ops.SessionSummary) []any {
		state := "idle"
		if s.Running != "" {
			state = "running"
		}
		if s.Queued > 0 {
			state += fmt.Sprintf(", %d queued", s.Queued)
		}
		return []any{s.Key, s.User, short(time.Since(s.UpdatedAt)) + " ago", s.Turns, s.InputTokens + s.OutputTokens, state, titleOf(s)}
	})
}

// titleOf returns the subject of a conversation; of a place that many share, its name. The name of a user is next to it already.
func titleOf(s ops.SessionSummary) string {
	title := cmp.Or(s.Title, s.Origin.Label)
	if s.ChatType != chat.ChatDirect {
		title = cmp.Or(s.Origin.Label, s.Title)
	}
	return chat.FirstWords(title, maxTitle)
}

type inboxCmd struct {
	connection

	JSON        bool `name:"json" help:"Print JSON."`
	Undelivered bool `help:"List only what did not arrive on a platform within the last seven days, or may not have, or waits."`
}

// maxInbox is how many messages without an answer the server lists.
const maxInbox = 5000

// Run lists messages without an answer yet, and answers that did not arrive.
func (c inboxCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		inbox, err := client.InspectInbox(ctx, apiclient.InspectInboxParams{Limit: maxInbox})
		if inbox.More {
			say(os.Stderr, "There are more: these are the oldest %d.", len(inbox.Messages))
		}
		if err != nil || c.JSON {
			if c.Undelivered {
				return printJSON(err, inbox.Undelivered)
			}
			return printJSON(err, inbox.Messages)
		}
		if c.Undelivered {
			return undeliveredTable(os.Stdout, inbox.Undelivered)
		}
		if len(inbox.Messages) == 0 {
			say(os.Stdout, "No accepted message waits for an answer.")
			return undeliveredTable(os.Stdout, inbox.Undelivered)
		}
		err = table(os.Stdout, "AGE\tSTATE\tKIND\tUSER\tSESSION\tWORDS", inbox.Messages, func(m ops.Unanswered) []any {
			return []any{short(time.Duration(m.AgeSeconds) * time.Second), m.State, m.Kind, m.User, m.Session, m.Words}
		})
		if err != nil {
			return err
		}
		return undeliveredTable(os.Stdout, inbox.Undelivered)
	})
}

// undeliveredTable prints what did not arrive on a platform, or may not have.
func undeliveredTable(out io.Writer, list []ops.Undelivered) error {
	if len(list) == 0 {
		say(out, "Nothing that was written in the last seven days is missing on a platform.")
		return nil
	}
	say(out, "\nNot delivered in the last seven days, of unknown outcome, or waiting:")
	return table(out, "AGE\tOUTCOME\tKIND\tUSER\tCHANNEL\tSESSION\tREASON", list, func(u ops.Undelivered) []any {
		return []any{short(time.Since(endOf(u))), u.Outcome, u.Kind, u.User, channel.Name(u.Channel, u.Account), u.Session, u.Reason}
	})
}

// endOf returns when a delivery ended, or when one that waits was written.
func endOf(u ops.Undelivered) time.Time {
	if u.EndedAt != nil {
		return *u.EndedAt
	}
	return u.WrittenAt
}

type sessionCmd struct {
	Show   sessionShowCmd   `cmd:"" help:"Print a conversation as Markdown."`
	Export sessionExportCmd `cmd:"" help:"Print a conversation as JSON Lines, for session import."`
	Import sessionImportCmd `cmd:"" help:"Make a conversation from exported JSON Lines, and print its key."`
}

// ofSession names a conversation to a running server.
type ofSession struct {
	connection

	Key string `arg:"" complete:"session" help:"Key of the conversation, as xbot sessions prints it."`
}

// print prints the conversation in a format of the export.
func (o ofSession) print(ctx context.Context, format string) error {
	return o.ask(func(client *apiclient.Client) error {
		_, err := client.ExportSession(ctx, chat.SessionKey(o.Key), apiclient.ExportSessionParams{Format: format}, os.Stdout)
		return err
	})
}

type sessionShowCmd struct{ ofSession }

// Run prints a conversation.
func (c sessionShowCmd) Run(ctx context.Context) error { return c.print(ctx, "md") }

type sessionExportCmd struct{ ofSession }

// Run prints a conversation as JSON Lines.
func (c sessionExportCmd) Run(ctx context.Context) error { return c.print(ctx, "jsonl") }

type sessionImportCmd struct {
	connection

	Key   string `placeholder:"KEY" help:"Key of the new conversation; default: a new key."`
	Title string `placeholder:"TEXT" help:"Title of the new conversation; default: the title in the file, or the first words."`
	File  string `arg:"" optional:"" complete:"file" help:"File to read; - or no file: standard input."`
}

// Run makes a session.
func (c sessionImportCmd) Run(ctx context.Context) error {
	in := io.Reader(os.Stdin)
	if c.File != "" && c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return fault.Errorf(fault.Invalid, "the transcript cannot be read: %w", err)
		}
		defer f.Close() // read only
		in = f
	}
	lines := bufio.NewReader(in)
	if _, err := lines.Peek(1); errors.Is(err, io.EOF) {
		return fault.Errorf(fault.Invalid, "the transcript is empty: xbot session export KEY writes one")
	}
	return c.ask(func(client *apiclient.Client) error {
		made, err := client.ImportSession(ctx, apiclient.ImportSessionParams{Key: chat.SessionKey(c.Key), Title: c.Title}, lines)
		if err != nil {
			return err
		}
		for _, note := range made.Notes {
			say(os.Stderr, "note: %s", note)
		}
		say(os.Stdout, "%s", made.Session.Key)
		return nil
	})
}

// printJSON prints a value, unless it could not be had.
func printJSON(err error, value any) error {
	if err != nil {
		return err
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

// table prints a row for each item below a head, in columns. Tabs separate the columns of the head.
func table[T any](out io.Writer, head string, items []T, row func(T) []any) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	for _, item := range items {
		cells := row(item)
		fmt.Fprintf(w, strings.Repeat("%v\t", len(cells)-1)+"%v\n", cells...)
	}
	return w.Flush()
}

// short returns a short time span: 5s, 12m, 3h, 4d.
func short(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(max(d, 0).Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
