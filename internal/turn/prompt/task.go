package prompt

import (
	"fmt"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/tool"
)

// maxAnnounced is the part of a task's output that the announcement of its end holds, in bytes; task_read has the rest.
const maxAnnounced = 8_000

// maxCommandLine bounds the command in the announcement, in characters.
const maxCommandLine = 300

// TaskEnded returns the announcement for the model that a background task has ended, which starts a turn. The task has its end and its
// output, made readable.
func TaskEnded(t chat.Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[background task %s ended: %s]\ncommand: %s\n", t.ID, t.Ending(time.Time{}), tool.OneLine(t.Command, maxCommandLine))
	if output := strings.TrimRight(t.Output, " \n"); output != "" {
		b.WriteString(tool.Bound(output, maxAnnounced))
		if len(output) > maxAnnounced || t.Total > chat.MaxTaskOutput {
			fmt.Fprintf(&b, "\n[%d bytes in all; task_read shows more]", t.Total)
		}
	} else {
		b.WriteString("(no output)")
	}
	return b.String()
}
