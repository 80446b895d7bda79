// Package logs holds the tool with which an administrator's model looks at what the server has logged.
package logs

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/chat/ops"
	"xbot/internal/fault"
	"xbot/internal/host/logs"
	"xbot/internal/tool"
)

//go:embed logs.md
var doc string

// Bounds of a result.
const (
	defaultLines = 50
	maxLines     = 200
	maxText      = 500 // characters of a line
)

// Reader reads log lines.
type Reader interface {
	Read(ctx context.Context, q logs.Query) (ops.Logs, error)
}

type params struct {
	Level string `json:"level,omitempty" jsonschema:"warn, error"`
	Since string `json:"since,omitempty" jsonschema:"30m"`
	Words string `json:"words,omitempty"`
	Lines int    `json:"lines,omitempty"`
}

type recent struct {
	reader Reader
	zones  tool.Zones
	now    func() time.Time
}

// New returns the tool Logs. Only conversations of an administrator alone have it (agentprofile.Profile.Has).
func New(r Reader, zones tool.Zones) tool.Tool {
	return tool.DefineQuick("Logs", chat.ClassRead, doc, recent{r, zones, time.Now}, tool.Optional("server"))
}

func (recent) Summary(p params) string {
	return strings.TrimSpace(strings.Join(strings.Fields(p.Level+" "+p.Since+" "+p.Words), " "))
}

func (r recent) Run(ctx context.Context, call tool.Call, p params) (chat.ToolResult, error) {
	q := logs.Query{Level: strings.ToLower(strings.TrimSpace(p.Level)), Words: p.Words, Limit: min(p.Lines, maxLines)}
	if q.Limit <= 0 {
		q.Limit = defaultLines
	}
	if p.Since != "" {
		ago, err := time.ParseDuration(strings.TrimSpace(p.Since))
		if err != nil || ago <= 0 {
			return tool.FromError(fault.Errorf(fault.Invalid, "since must be a duration such as 30m or 2h"))
		}
		q.Since = r.now().Add(-ago)
	}
	found, err := r.reader.Read(ctx, q)
	if err != nil {
		return tool.FromError(err)
	}
	zone, err := r.zones.Zone(ctx, call.User)
	if err != nil {
		return tool.FromError(err)
	}
	lines := []string{fmt.Sprintf("%s of %s on %s, in %s:", tool.Count(len(found.Lines), "line"), strings.Join(found.Processes, ", "), found.Host, zone)}
	for _, l := range found.Lines {
		lines = append(lines, l.At.In(zone).Format("01-02 15:04:05.000")+" "+l.Level+" "+l.Process+" "+tool.OneLine(l.Text, maxText))
	}
	if found.More {
		lines = append(lines, "(there are older ones)")
	}
	return tool.Text(strings.Join(lines, "\n")), nil
}
