package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"go.temporal.io/server/common/log/tag"
)

// intended begins a warning about something this program leaves out on purpose: the frontend's HTTP API.
const intended = "HTTP API port has not been set"

// unacquired is the error of what needs a shard that the server is still taking over, after its start or a slow answer of Postgres. It is
// retried without the operator, so it is no trouble of theirs.
const unacquired = "shard status unknown"

// logger gives the server's tagged log calls to slog: one terse line each, on stderr.
type logger struct {
	slog  *slog.Logger
	level *slog.LevelVar
	// fatal ends the process after an error that the server cannot continue from; a field for tests.
	fatal func()
}

func newLogger(w io.Writer, level slog.Level) *logger {
	l := &logger{level: &slog.LevelVar{}, fatal: func() { os.Exit(1) }}
	l.level.Set(level)
	l.slog = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l.level}))
	return l
}

// quiet leaves out the messages of the server's parts about missing each other while they stop, unless more than errors and
// warnings is wanted.
func (l *logger) quiet() {
	if l.level.Level() >= slog.LevelWarn {
		l.level.Set(slog.LevelError + 1)
	}
}

func (l *logger) Debug(msg string, tags ...tag.Tag) { l.write(slog.LevelDebug, msg, tags) }
func (l *logger) Info(msg string, tags ...tag.Tag)  { l.write(slog.LevelInfo, msg, tags) }
func (l *logger) Warn(msg string, tags ...tag.Tag)  { l.write(slog.LevelWarn, msg, tags) }
func (l *logger) Error(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

// DPanic is for errors that should stop a developer but not a running server.
func (l *logger) DPanic(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

func (l *logger) Panic(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	panic(msg)
}

func (l *logger) Fatal(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	l.fatal()
}

func (l *logger) write(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if level == slog.LevelError && isUnacquired(tags) {
		level = slog.LevelInfo
	}
	if !l.slog.Enabled(ctx, level) || strings.HasPrefix(msg, intended) {
		return
	}
	attrs := make([]slog.Attr, len(tags))
	for i, t := range tags {
		attrs[i] = slog.Any(t.Key(), t.Value())
	}
	l.slog.LogAttrs(ctx, level, msg, attrs...)
}

func isUnacquired(tags []tag.Tag) bool {
	return slices.ContainsFunc(tags, func(t tag.Tag) bool {
		return t.Key() == "error" && fmt.Sprint(t.Value()) == unacquired
	})
}
