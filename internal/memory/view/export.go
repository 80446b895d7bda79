package view

import (
	"context"
	"fmt"
	"io"
	"strings"

	"xbot/internal/chat"
)

// Export writes all of a memory as Markdown, page by page: notes and blocks, then archive and log, the newest first.
func (d View) Export(ctx context.Context, w chat.MemoryOwner, out io.Writer) error {
	kept, err := d.promptMemories(ctx, w)
	if err != nil {
		return err
	}
	if err := write(out, "# Memory of "+w.Agent+"\n", kept); err != nil {
		return err
	}
	for _, kind := range []string{chat.RememberedArchive, chat.RememberedLog} {
		head := "\n# " + kind + "\n"
		for before := int64(0); ; {
			entries, err := d.Older(ctx, w, kind, before)
			if err != nil {
				return err
			}
			if len(entries) == 0 {
				break
			}
			if err := write(out, head, entries); err != nil {
				return err
			}
			head = ""
			_, before, _ = numbered(entries[len(entries)-1].ID)
		}
	}
	return nil
}

func write(out io.Writer, head string, items []chat.Remembered) error {
	var b strings.Builder
	b.WriteString(head)
	for _, r := range items {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s\n", r.ID, r.At.UTC().Format("2006-01-02 15:04 UTC"), r.Content)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
