package mention

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/transfer"
	"xbot/internal/fault"
)

// Message is a message to send: the text, and files by their paths on the runner.
type Message struct {
	Text  string
	Files []string
}

// Attach makes the message of a text, in a session that exists. Files in brackets are attached as they are. For each @path that is a file of this
// machine, the runner is asked: one that it has, too, is attached where it is; any other is uploaded. Other text stays text.
func Attach(ctx context.Context, client *apiclient.Client, key chat.SessionKey, typed string) (Message, error) {
	text, files := Parts(typed)
	m := Message{Text: text, Files: files}
	for _, name := range Named(typed) {
		file, ok := local(name)
		if !ok {
			continue
		}
		if len(m.Files) == Most {
			return m, fault.Errorf(fault.Invalid, "a message has at most %d files", Most)
		}
		there, err := onRunner(ctx, client, key, file)
		if err == nil && there == "" {
			there, err = upload(ctx, client, key, file.path)
		}
		if err != nil {
			return m, err
		}
		m.Files = append(m.Files, there)
	}
	return m, nil
}

// file is one of this machine.
type file struct {
	path string // absolute
	size int64
	time time.Time
}

// local finds the file of this machine that a user means. Marks of a sentence may follow a name.
func local(name string) (file, bool) {
	for _, candidate := range []string{name, strings.TrimRight(name, ".,;:!?)]}'\"，。；：！？）")} {
		if candidate == "" {
			return file{}, false
		}
		at, err := filepath.Abs(transfer.Home(candidate))
		if err != nil {
			return file{}, false
		}
		if at, err = filepath.EvalSymlinks(at); err != nil {
			continue
		}
		if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() {
			return file{path: at, size: info.Size(), time: info.ModTime()}, true
		}
	}
	return file{}, false
}

// onRunner returns the path where the runner has the same file, empty where it has none: it shares the folders of this machine, or
// it does not.
func onRunner(ctx context.Context, client *apiclient.Client, key chat.SessionKey, f file) (string, error) {
	at := filepath.ToSlash(f.path)
	if !path.IsAbs(at) {
		return "", nil
	}
	folder, err := client.ListFiles(ctx, key, apiclient.ListFilesParams{Path: path.Dir(at)})
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Denied) || fault.Is(err, fault.Invalid) {
		return "", nil // it has no such folder, or does not show it
	}
	if err != nil {
		return "", err
	}
	for _, entry := range folder.Entries {
		if entry.Name == path.Base(at) && !entry.Dir && entry.Link == "" && entry.Size == f.size && entry.ModTime.Unix() == f.time.Unix() {
			return at, nil
		}
	}
	return "", nil
}

func upload(ctx context.Context, client *apiclient.Client, key chat.SessionKey, name string) (string, error) {
	from, err := os.Open(name)
	if err != nil {
		return "", fault.Errorf(fault.Denied, "%s cannot be read: %w", name, transfer.Reason(err))
	}
	defer from.Close() // read only
	stored, err := client.Upload(ctx, key, "", filepath.Base(name), from)
	if err != nil {
		return "", fault.Errorf(fault.KindOf(err), "%s was not uploaded: %w", name, err)
	}
	return stored.Path, nil
}
