// Package ask implements the kinds of handlers that hooks can name: commands in the sandbox and on the server's host, addresses,
// and functions of the program.
package ask

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"xbot/internal/automation/hook"
	"xbot/internal/fault"
)

// Command asks commands: those of the host on the host, all others in the sandbox of the conversation.
type Command struct {
	Sandbox hook.Asker
	Host    hook.Asker
}

var _ hook.Asker = Command{}

// Ask implements hook.Asker.
func (c Command) Ask(ctx context.Context, h hook.Handler, q hook.Question) (hook.Answer, error) {
	if h.Host {
		return c.Host.Ask(ctx, h, q)
	}
	return c.Sandbox.Ask(ctx, h, q)
}

// denies is the exit status by which a command denies, with the reason on its standard error.
const denies = 2

// read returns the answer of a command that has ended.
func read(code int, out, errs []byte) (hook.Answer, error) {
	switch code {
	case 0:
		return hook.ParseAnswer(out)
	case denies:
		return hook.Answer{Decision: hook.Deny, Reason: stderrReason(errs)}, nil
	}
	if text := stderrReason(errs); text != "" {
		return hook.Answer{}, fault.Errorf(fault.Invalid, "exit status %d: %s", code, text)
	}
	return hook.Answer{}, fault.Errorf(fault.Invalid, "exit status %d", code)
}

// stderrReason returns the standard error of a command as a reason.
func stderrReason(errs []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(errs), "\uFFFD"))
	if utf8.RuneCountInString(text) > hook.MaxReason {
		text = string([]rune(text)[:hook.MaxReason])
	}
	return text
}

// environment returns the variables that a command gets in addition to its standard input.
func environment(q hook.Question) []string {
	return []string{
		"XBOT_SESSION_ID=" + string(q.Session), "XBOT_HOOK_EVENT=" + string(q.Payload.Event), "XBOT_HOOK_EVENT_ID=" + q.Payload.ID,
		"XBOT_PROJECT_DIR=" + q.Payload.Cwd,
	}
}

// boundedBuffer keeps the beginning of the output and drops the rest.
type boundedBuffer struct {
	bytes.Buffer

	most int
	over bool
}

// Write never fails, so that a command that writes too much is not stopped by it.
func (b *boundedBuffer) Write(piece []byte) (int, error) {
	if room := b.most - b.Len(); len(piece) > room {
		b.over = true
		_, _ = b.Buffer.Write(piece[:max(room, 0)]) // a buffer never fails
		return len(piece), nil
	}
	return b.Buffer.Write(piece)
}

// all reads a stream to its end. A stream longer than an answer may be is an error.
func all(r io.Reader) ([]byte, error) {
	out, err := io.ReadAll(io.LimitReader(r, hook.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read what it says: %w", err)
	case len(out) > hook.MaxAnswer:
		return nil, fault.Errorf(fault.TooLarge, "it answered more than %d bytes", hook.MaxAnswer)
	}
	return out, nil
}
