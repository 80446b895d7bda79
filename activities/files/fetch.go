// Package files brings the attachments of messages to the runner of their conversation, and finds the files that answers link.
package files

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"xbot/activities"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/document/decode"
	"xbot/internal/document/filename"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const (
	// maxAttachment bounds a file sent by a user, in bytes (spec: 50 MB).
	maxAttachment = 50 << 20
	// inboxFolder is the folder in the workspace that files of users go to.
	inboxFolder = "inbox"
	// sniffed is how much of a file is looked at to name it, in bytes.
	sniffed = 512
)

// AttachmentStore keeps the files that come with messages.
type AttachmentStore interface {
	AttachmentSet(ctx context.Context, id chat.InboxID) (chat.AttachmentSet, error)
	FileQuoted(ctx context.Context, id chat.InboxID, n int, runner string) (path string, size int64, err error)
	FileStored(ctx context.Context, id chat.InboxID, f chat.AttachmentFetch) error
	AddPicture(ctx context.Context, key chat.SessionKey, p chat.Picture) error
	FileProblem(ctx context.Context, id chat.InboxID, n int, problem string, failed bool) error
	EndFetch(ctx context.Context, id chat.InboxID) error
	// CheckSpace returns TooLarge if so many bytes more are too much for a user.
	CheckSpace(ctx context.Context, user chat.UserID, more int64) error
	OldFiles(ctx context.Context, owner chat.UserID, runner string, older time.Duration) ([]chat.OldFile, error)
	FileRemoved(ctx context.Context, id int64) error
}

// Documents counts the pages of PDFs.
type Documents interface {
	// Takes reports whether a file of this size, in bytes, and with such a beginning is a PDF that can be read.
	Takes(head []byte, size int64) bool
	// Pages counts the pages of one.
	Pages(ctx context.Context, file []byte) (int, error)
}

// Fetcher brings the files that users send to the runner of their conversation.
type Fetcher struct {
	Store         AttachmentStore
	Accounts      Accounts
	Sandboxes     activities.RunnerSandboxes
	ConsumerFiles activities.ConsumerFiles // nil: no conversation is one of a consumer's
	// Documents counts the pages of PDFs; nil: not counted.
	Documents Documents
	Keep      time.Duration // how long files are kept; 0: forever
	Words     bool          // allows the names of files in Temporal histories
	Voice     Transcriber   // nil: audio files are not transcribed
	Notices   Notices
}

// FetchInput names a message.
type FetchInput struct {
	Inbox chat.InboxID `json:"inbox"`
	N     int          `json:"n,omitempty"` // of the file, from 1
}

// UnpackOutput lists the files to fetch.
type UnpackOutput struct {
	Files []UnpackedFile `json:"files,omitempty"`
}

// UnpackedFile is a file that is not there yet.
type UnpackedFile struct {
	N    int    `json:"n"`
	Name string `json:"name"` // its kind, if names may not appear in histories
}

// Unpack lists the files of a message that are not there yet.
func (r *Fetcher) Unpack(ctx context.Context, in FetchInput) (UnpackOutput, error) {
	p, err := r.Store.AttachmentSet(ctx, in.Inbox)
	if fault.Is(err, fault.NotFound) || err == nil && !p.Waits {
		return UnpackOutput{}, nil
	}
	var out UnpackOutput
	for _, f := range p.Files {
		if f.State != chat.AttachmentWaiting {
			continue
		}
		name := f.Kind
		if r.Words {
			name = f.Label(f.N)
		}
		out.Files = append(out.Files, UnpackedFile{N: f.N, Name: name})
	}
	return out, activities.Failure(ctx, err)
}

// FetchOutput is the state of a file; the reason is in its row.
type FetchOutput struct {
	State chat.AttachmentState `json:"state,omitempty"`
}

// FetchFile brings one file to the runner and notes where it is. A permanent failure is recorded, too, and is no error; another
// failure is returned, and Temporal tries again. The path of a file follows from its message, so that a second attempt writes
// the same file.
func (r *Fetcher) FetchFile(ctx context.Context, in FetchInput) (FetchOutput, error) {
	defer activities.Heartbeat(ctx)()
	p, err := r.Store.AttachmentSet(ctx, in.Inbox)
	if fault.Is(err, fault.NotFound) {
		return FetchOutput{}, nil
	}
	if err != nil || !p.Waits || in.N < 1 || in.N > len(p.Files) || p.Files[in.N-1].State != chat.AttachmentWaiting {
		return FetchOutput{}, activities.Failure(ctx, err)
	}
	f := p.Files[in.N-1]
	ctx = owned(ctx, p)
	err = r.Store.CheckSpace(ctx, p.Owner, max(f.Size, 0))
	var box sandbox.Sandbox
	if err == nil {
		box, err = r.box(ctx, p)
	}
	if err == nil {
		err = r.bring(ctx, p, &f, box)
	}
	if err == nil {
		err = r.show(ctx, p, &f, box)
	}
	if err == nil {
		err = r.transcribe(ctx, p, &f, box)
	}
	if err == nil {
		r.clean(ctx, p.Owner, box)
		return FetchOutput{State: chat.AttachmentStored}, activities.Failure(ctx, r.Store.FileStored(ctx, in.Inbox, f))
	}
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	if ctx.Err() != nil {
		return FetchOutput{}, activities.Failure(ctx, err)
	}
	forGood := channel.Final(err) || offline
	noted := r.Store.FileProblem(ctx, in.Inbox, in.N, chat.FirstWords(err.Error(), maxReason), forGood)
	if forGood {
		return FetchOutput{State: chat.AttachmentFailed}, activities.Failure(ctx, noted)
	}
	return FetchOutput{}, activities.Failure(ctx, errors.Join(noted, err))
}

// GiveUp records that a file cannot be fetched because worker processes crashed while they fetched it. The turn answers the message without the file.
func (r *Fetcher) GiveUp(ctx context.Context, in FetchInput) (FetchOutput, error) {
	const reason = "the server crashed twice while it fetched this file"
	return FetchOutput{State: chat.AttachmentFailed}, activities.Failure(ctx, r.Store.FileProblem(ctx, in.Inbox, in.N, reason, true))
}

// owned returns a context that decodes files for the sender in a group, and for the user of the conversation otherwise.
func owned(ctx context.Context, p chat.AttachmentSet) context.Context {
	if p.To.Peer != "" && p.To.ChatType != chat.ChatDirect {
		return decode.WithOwner(ctx, fmt.Sprintf("sender %q %q %q", p.Channel, p.Account, p.To.Peer))
	}
	return decode.WithUser(ctx, p.Owner)
}

// box returns where the files of a conversation are.
func (r *Fetcher) box(ctx context.Context, p chat.AttachmentSet) (sandbox.Sandbox, error) {
	if r.ConsumerFiles != nil {
		if box, ok, err := r.ConsumerFiles.FileSystem(ctx, p.Session, p.Owner); ok || err != nil {
			return box, err
		}
	}
	return r.Sandboxes.Box(ctx, p.Owner, p.Runner)
}

// maxReason bounds the reason for a missing file that the model reads, in characters.
const maxReason = 300

// bring has a file on the runner, where its owner may have put it.
func (r *Fetcher) bring(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox) error {
	if f.At == "" {
		return r.fetch(ctx, p, f, box)
	}
	info, err := box.Stat(ctx, f.At)
	if err != nil {
		return err
	}
	if info.Dir {
		return fault.Errorf(fault.Invalid, "it is a folder")
	}
	f.Path, f.Size = f.At, info.Size
	return nil
}

// fetch writes a file to its place.
func (r *Fetcher) fetch(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox) error {
	if f.Size > maxAttachment {
		return tooLarge()
	}
	account, err := r.Accounts.Account(ctx, p.Channel, p.Account)
	if err != nil {
		return err
	}
	fetcher, can := account.(channel.Fetcher)
	if !can {
		return fault.Errorf(fault.Invalid, "files cannot be fetched from %s", p.Channel)
	}
	if _, err := box.Stat(ctx, "."); err != nil { // its workspace is known once it has answered
		return err
	}
	if f.Of != "" && !p.Command && r.findQuoted(ctx, p, f, box) {
		return nil
	}
	content, err := fetcher.Fetch(ctx, cmp.Or(f.Of, p.To.ReplyTo), f.Attachment)
	if err != nil {
		return err
	}
	defer content.Close()
	from := bufio.NewReaderSize(&limited{from: content, left: maxAttachment}, sniffed)
	head, err := from.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	mode, err := putWhere(ctx, p, f, box, head)
	if err != nil {
		return err
	}
	f.Size, err = box.Upload(ctx, f.Path, from, mode)
	return err
}

// findQuoted finds a quoted file that was fetched before: users answer the same message several times, in threads always.
func (r *Fetcher) findQuoted(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox) bool {
	at, size, err := r.Store.FileQuoted(ctx, p.Inbox, f.N, box.Name())
	if err != nil {
		return false
	}
	info, err := box.Stat(ctx, at)
	if err != nil || info.Size != size {
		return false // the conversation has removed or changed it
	}
	f.Runner, f.Path, f.Size = box.Name(), at, size
	return true
}

// putWhere decides where a file goes. A file of a command goes to the folder in which the command runs, under the name that the sender
// gave it, and belongs to the sender from then on. It overwrites none of their files.
func putWhere(ctx context.Context, p chat.AttachmentSet, f *chat.AttachmentFetch, box sandbox.Sandbox, head []byte) (sandbox.WriteMode, error) {
	if p.Command && f.Name != "" {
		f.Path = path.Join(cmp.Or(chat.FolderOn(p.Dir, p.DirRunner, box.Name()), box.Workspace()), filename.Safe(f.Name))
		_, err := box.Stat(ctx, f.Path)
		if fault.Is(err, fault.NotFound) {
			return sandbox.WriteCreate, nil
		}
		if err != nil {
			return "", err
		}
	}
	dir := folderOf(p, box)
	f.Runner, f.Path = box.Name(), path.Join(dir, nameOf(p, f, head))
	return sandbox.WriteReplace, box.MkdirAll(ctx, dir)
}

func tooLarge() error {
	return fault.Errorf(fault.TooLarge, "it has more than %d MB, which is the limit", maxAttachment>>20)
}

// folderOf returns the folder of the files of one message, apart from those of other conversations.
func folderOf(p chat.AttachmentSet, box sandbox.Sandbox) string {
	sum := sha256.Sum256([]byte(p.Session))
	talk := p.Channel + "-" + hex.EncodeToString(sum[:4])
	return path.Join(box.Workspace(), inboxFolder, talk, fmt.Sprintf("%s-%d", p.Accepted.UTC().Format("2006-01-02"), p.Inbox))
}

// nameOf returns the name of a file in its folder. Those of one message are numbered, so that no two are the same.
func nameOf(p chat.AttachmentSet, f *chat.AttachmentFetch, head []byte) string {
	name := f.Name
	if name == "" {
		name = cmp.Or(f.Kind, "file") + filename.Guess(head)
	}
	name = filename.Safe(name)
	if len(p.Files) > 1 {
		name = filename.Safe(fmt.Sprintf("%d-%s", f.N, name))
	}
	return name
}

// limited reads at most so many bytes. A longer file is an error, since a part of it is of no use; a connection that breaks is
// an error as well, and not the end of the file.
type limited struct {
	from io.Reader
	left int64
}

// Read reads a part.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, tooLarge()
	}
	if err != nil && !errors.Is(err, io.EOF) && fault.Is(err, fault.Internal) {
		err = fault.Errorf(fault.Unavailable, "the connection broke while it was fetched: %s", err)
	}
	return n, err
}

// clean removes files of the same user on the same runner that are older than files are kept. What cannot be removed now is
// found again with the next file.
func (r *Fetcher) clean(ctx context.Context, owner chat.UserID, box sandbox.Sandbox) {
	if r.Keep <= 0 {
		return
	}
	old, err := r.Store.OldFiles(ctx, owner, box.Name(), r.Keep)
	if err != nil {
		return
	}
	for _, f := range old {
		if err := box.Remove(ctx, f.Path); err != nil && !fault.Is(err, fault.NotFound) {
			continue
		}
		_ = box.Remove(ctx, path.Dir(f.Path)) // only an empty folder goes
		if r.Store.FileRemoved(ctx, f.ID) != nil {
			return
		}
	}
}
