package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/runner/charset"
)

const textPath = filesPath + "/text"

// Bounds of a text that is read or written as a whole.
const (
	maxText     = 2 << 20           // bytes
	maxTextBody = 6*maxText + 1<<16 // as JSON at its worst
)

// FileText is a text file.
type FileText struct {
	SavedText
	Text     string `json:"text"`
	Encoding string `json:"encoding" doc:"As the file is written, such as UTF-8 or GBK; a change keeps it, and how lines end."`

	file charset.Charset
}

// SavedText is the state of a saved file.
type SavedText struct {
	Path    string    `json:"path" doc:"Absolute."`
	SHA256  string    `json:"sha256" doc:"Of the content, hexadecimal; a change names it."`
	Size    int64     `json:"size" doc:"Bytes."`
	ModTime time.Time `json:"mod_time,omitzero"`
}

// NewText is a file's new content.
type NewText struct {
	Path   string `json:"path" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder, or absolute."`
	Text   string `json:"text"`
	Before string `json:"before,omitempty" pattern:"^[0-9a-f]{64}$" doc:"SHA-256 of the content that it replaces; without it the file must not exist yet."`
}

// TextEdit replaces a part of a file.
type TextEdit struct {
	Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder, or absolute."`
	Old  string `json:"old" minLength:"1" doc:"Text that occurs in the file."`
	New  string `json:"new"`
	All  bool   `json:"all,omitempty" doc:"Replaces all occurrences; otherwise the text must occur exactly once."`
}

func (a *Endpoints) registerText(h huma.API) {
	onRunner(a, h, huma.Operation{OperationID: "read-text", Method: http.MethodGet, Path: textPath, Summary: "Read a text file", Description: "At most 2 MiB, in an encoding that can be detected reliably."},
		func(ctx context.Context, p location, in *struct {
			endpoint.Key
			Path string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"Relative to the session's folder, or absolute."`
		}) (FileText, error) {
			return p.readText(ctx, in.Path)
		})
	onRunner(a, h, huma.Operation{
		OperationID: "write-text", Method: http.MethodPut, Path: textPath, Summary: "Write a text file",
		Description:  "409: the file has changed since it was read, or exists already; nothing was written.",
		MaxBodyBytes: maxTextBody,
	}, func(ctx context.Context, p location, in *struct {
		endpoint.Key
		Body NewText
	}) (SavedText, error) {
		return p.writeText(ctx, in.Body)
	})
	onRunner(a, h, huma.Operation{
		OperationID: "edit-text", Method: http.MethodPatch, Path: textPath, Summary: "Replace a part of a text file",
		MaxBodyBytes: maxTextBody,
	}, func(ctx context.Context, p location, in *struct {
		endpoint.Key
		Body TextEdit
	}) (SavedText, error) {
		return p.editText(ctx, in.Body)
	})
}

func (p location) readText(ctx context.Context, sent string) (FileText, error) {
	file, err := p.path(sent)
	if err != nil {
		return FileText{}, err
	}
	data, err := p.box.ReadFile(ctx, file, 0, maxText+1)
	switch {
	case err != nil:
		return FileText{}, err
	case len(data.Data) > maxText:
		return FileText{}, fault.Errorf(fault.TooLarge, "%s has more than %d MiB: download it", file, maxText>>20)
	}
	text, encoding, err := charset.Decode(data.Data)
	if err != nil || !encoding.Known() || strings.ContainsRune(text, 0) {
		return FileText{}, fault.Errorf(fault.Invalid, "%s is no text in an encoding that is known: download it", file)
	}
	return FileText{Text: text, Encoding: encoding.String(), file: encoding, SavedText: SavedText{
		Path: file, SHA256: sum(data.Data), Size: int64(len(data.Data)), ModTime: data.ModTime,
	}}, nil
}

// writeText writes a file unless another writer has changed it, in the encoding and with the line ends of the old text. A new file gets its folder.
func (p location) writeText(ctx context.Context, n NewText) (SavedText, error) {
	file, err := p.path(n.Path)
	if err != nil {
		return SavedText{}, err
	}
	if len(n.Text) > maxText {
		return SavedText{}, fault.Errorf(fault.TooLarge, "the text has more than %d MiB: upload it as a file", maxText>>20)
	}
	edit := sandbox.Edit{ID: chat.CallID("http." + rand.Text()), Path: file, Mode: sandbox.WriteReplace, Before: n.Before}
	data := []byte(n.Text)
	if n.Before == "" {
		edit.Mode = sandbox.WriteCreate
		err = p.box.MkdirAll(ctx, path.Dir(file))
	} else {
		data, err = p.inForm(ctx, file, n)
	}
	if err != nil {
		return SavedText{}, err
	}
	edit.From = bytes.NewReader(data)
	size, err := p.box.Edit(ctx, edit)
	if fault.Is(err, fault.Conflict) && n.Before != "" {
		return SavedText{}, changed(file)
	}
	return SavedText{Path: file, SHA256: sum(data), Size: size}, err
}

func changed(file string) error {
	return fault.Errorf(fault.Conflict, "%s was changed by something else since you opened it, and nothing was written: read it again", file)
}

// inForm returns a text as the file that it replaces is written. A file that is no text is replaced by UTF-8.
func (p location) inForm(ctx context.Context, file string, n NewText) ([]byte, error) {
	old, err := p.readText(ctx, file)
	switch {
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.TooLarge):
		return []byte(n.Text), nil
	case fault.Is(err, fault.NotFound), err == nil && old.SHA256 != n.Before:
		return nil, changed(file)
	case err != nil:
		return nil, err
	}
	data, err := old.file.Encode(charset.Fold(old.Text).Rewrite(n.Text))
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "nothing was written: %w", err)
	}
	return data, nil
}

func (p location) editText(ctx context.Context, e TextEdit) (SavedText, error) {
	found, err := p.readText(ctx, e.Path)
	if err != nil {
		return SavedText{}, err
	}
	switch n := strings.Count(found.Text, e.Old); {
	case n == 0:
		return SavedText{}, fault.Errorf(fault.Invalid, "the text does not occur in %s", found.Path)
	case n > 1 && !e.All:
		return SavedText{}, fault.Errorf(fault.Invalid, "the text occurs %d times in %s: name more of what is around it, or replace all", n, found.Path)
	}
	if !fits(found.Text, e) { // before the text is made: it may be of any size
		return SavedText{}, fault.Errorf(fault.TooLarge, "the text would have more than %d MiB: use a command", maxText>>20)
	}
	return p.writeText(ctx, NewText{Path: found.Path, Text: strings.ReplaceAll(found.Text, e.Old, e.New), Before: found.SHA256})
}

// fits reports whether a text may be kept once an edit is made everywhere.
func fits(text string, e TextEdit) bool {
	n, growth := strings.Count(text, e.Old), len(e.New)-len(e.Old)
	return growth <= 0 || n <= (maxText-len(text))/growth
}

func sum(data []byte) string {
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:])
}
