package messages

import (
	"path"
	"strings"
	"unicode"

	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// maxPath bounds a path, in bytes, as systems do.
const maxPath = 4096

// attach adds files of the session's runner to a message. Whether they are there is found out by the runner, later.
func attach(in *intake.Message, paths []string) error {
	for _, p := range paths {
		if !path.IsAbs(p) || len(p) > maxPath || strings.ContainsFunc(p, unicode.IsControl) {
			return fault.Errorf(fault.Invalid, "a file is named by its absolute path on the session's runner: at most %d bytes, without control characters", maxPath)
		}
		p = path.Clean(p)
		in.Files = append(in.Files, chat.Attachment{Kind: "file", Name: path.Base(p), At: p})
	}
	lines := chat.AttachmentLines(in.Files)
	if strings.TrimSpace(in.Text) == "" {
		in.Text = strings.TrimSpace(lines) // it has no other text
		return nil
	}
	in.After = lines
	return nil
}
