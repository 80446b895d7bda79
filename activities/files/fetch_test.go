package files_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"xbot/activities/activitiestest"
	"xbot/activities/files"
	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/sandbox"
	"xbot/internal/tool/tooltest"
)

// platform is an account that is asked for its traits and files only.
type platform struct{ channel.Account }

// fakeStore stands in for the store and a platform that gives files.
type fakeStore struct {
	platform

	p       chat.AttachmentSet
	traits  channel.Traits
	content func(key string) (io.Reader, error)
	old     []chat.OldFile
	kept    string // where a quoted file is that was fetched before
	ended   int
	shown   []chat.Picture
	full    error // why nothing more may be kept
	told    []string
	mute    error // why nobody can be told
}

func (p *fakeStore) Traits() channel.Traits                                           { return p.traits }
func (p *fakeStore) Account(context.Context, string, string) (channel.Account, error) { return p, nil }
func (p *fakeStore) Fetch(_ context.Context, message string, a chat.Attachment) (io.ReadCloser, error) {
	if message != p.p.To.ReplyTo && message != a.Of {
		return nil, errors.New("another message")
	}
	from, err := p.content(a.Key)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(from), nil
}

func (p *fakeStore) AttachmentSet(context.Context, chat.InboxID) (chat.AttachmentSet, error) {
	return p.p, nil
}
func (p *fakeStore) FileQuoted(context.Context, chat.InboxID, int, string) (string, int64, error) {
	return p.kept, int64(len("content of k")), nil
}
func (p *fakeStore) FileStored(_ context.Context, _ chat.InboxID, f chat.AttachmentFetch) error {
	f.State = chat.AttachmentStored
	p.p.Files[f.N-1] = f
	return nil
}

func (p *fakeStore) AddPicture(_ context.Context, _ chat.SessionKey, shown chat.Picture) error {
	p.shown = append(p.shown, shown)
	return nil
}

func (p *fakeStore) CheckSpace(context.Context, chat.UserID, int64) error { return p.full }

func (p *fakeStore) FileProblem(_ context.Context, _ chat.InboxID, n int, problem string, failed bool) error {
	f := &p.p.Files[n-1]
	if f.Problem = problem; failed {
		f.State = chat.AttachmentFailed
	}
	return nil
}
func (p *fakeStore) NotifySender(_ context.Context, asked chat.InboxID, of chat.NoticeKey, say func(i18n.Lang) string) (bool, error) {
	p.told = append(p.told, fmt.Sprintf("%d: %s %s: %s", asked, of.Topic, of.About, say(i18n.English)))
	return true, p.mute
}

func (p *fakeStore) NotifyAdministrator(_ context.Context, of chat.NoticeKey, say func(i18n.Lang) string) (bool, error) {
	p.told = append(p.told, fmt.Sprintf("administrator: %s %s: %s", of.Topic, of.About, say(i18n.English)))
	return true, p.mute
}

func (p *fakeStore) EndFetch(context.Context, chat.InboxID) error { p.ended++; return nil }
func (p *fakeStore) FileRemoved(_ context.Context, id int64) error {
	p.old = nil
	return nil
}

func (p *fakeStore) OldFiles(context.Context, chat.UserID, string, time.Duration) ([]chat.OldFile, error) {
	return p.old, nil
}

// arriving are files on their way to a workspace.
func arriving(t *testing.T, files ...chat.Attachment) (*activitiestest.ProjectFolder, *fakeStore) {
	t.Helper()
	b := &activitiestest.ProjectFolder{Sandbox: tooltest.New(t), T: t}
	got := &fakeStore{traits: channel.Traits{MaxFile: 1000}, p: chat.AttachmentSet{
		Inbox: 5, Session: "agent:main:napcat:dm:7", Channel: "napcat", To: chat.Address{ReplyTo: "m1", ChatType: chat.ChatDirect, Peer: "7"}, Owner: activitiestest.Owner, Waits: true,
		Accepted: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
	}}
	for i, f := range files {
		got.p.Files = append(got.p.Files, chat.AttachmentFetch{Attachment: f, N: i + 1, State: chat.AttachmentWaiting})
	}
	got.content = func(key string) (io.Reader, error) { return strings.NewReader("content of " + key), nil }
	return b, got
}

// ends runs the activity that lets the message be answered.
func ends(b *activitiestest.ProjectFolder, p *fakeStore) error {
	b.T.Helper()
	r := &files.Fetcher{Store: p, Notices: p, Sandboxes: b}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(r.EndFetch)
	_, err := env.ExecuteActivity(r.EndFetch, files.FetchInput{Inbox: 5})
	return err
}

// fetch runs the activity once for a file.
func fetch(b *activitiestest.ProjectFolder, p *fakeStore, n int) error {
	b.T.Helper()
	r := &files.Fetcher{Store: p, Accounts: p, Sandboxes: b, Keep: time.Hour, Documents: counted{}}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(r.FetchFile)
	_, err := env.ExecuteActivity(r.FetchFile, files.FetchInput{Inbox: 5, N: n})
	return err
}

func TestFetch_BringsFilesIntoTheFolderOfTheirConversation(t *testing.T) {
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k1", Name: "../../报告.pdf"}, chat.Attachment{Kind: "image", Key: "k2"}, chat.Attachment{Kind: "file", Key: "k3", Name: "报告.pdf"})
	p.content = func(key string) (io.Reader, error) {
		if key == "k2" {
			return strings.NewReader("\x89PNG\r\n\x1a\n"), nil
		}
		return strings.NewReader("content of " + key), nil
	}
	for n := range 3 {
		require.NoError(t, fetch(b, p, n+1))
		require.NoError(t, fetch(b, p, n+1), "done twice, it changes nothing")
	}
	var names []string
	for _, f := range p.p.Files {
		require.Equal(t, chat.AttachmentStored, f.State)
		require.True(t, strings.HasPrefix(f.Path, b.Sandbox.Workspace()+"/inbox/napcat-"), f.Path)
		require.Equal(t, "2026-03-04-5", filepath.Base(filepath.Dir(f.Path)))
		names = append(names, filepath.Base(f.Path))
	}
	require.Equal(t, []string{"1-报告.pdf", "2-image.png", "3-报告.pdf"}, names)
	require.Equal(t, "content of k3", b.Sandbox.Get(t, p.p.Files[2].Path))
}

// counted says of each PDF that it has three pages, unless it is broken.
type counted struct{}

func (counted) Takes(head []byte, size int64) bool {
	return bytes.HasPrefix(head, []byte("%PDF-")) && size < 10_000
}

func (counted) Pages(_ context.Context, file []byte) (int, error) {
	if bytes.Contains(file, []byte("broken")) {
		return 0, fault.Errorf(fault.Invalid, "the PDF is broken")
	}
	return bytes.Count(file, []byte("page")), nil
}

func TestFetch_CountsThePagesOfAPDFWhateverItsName(t *testing.T) {
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "whole", Name: "notes.txt"}, chat.Attachment{Kind: "file", Key: "broken", Name: "a.pdf"}, chat.Attachment{Kind: "file", Key: "text", Name: "b.pdf"}, chat.Attachment{Kind: "file", Key: "large", Name: "c.pdf"})
	p.content = func(key string) (io.Reader, error) {
		if key == "text" {
			return strings.NewReader("no such thing"), nil
		}
		pages := strings.Repeat(strings.Repeat("x", 1000)+"page", map[string]int{"whole": 3, "large": 10}[key])
		return strings.NewReader("%PDF-1.7 " + key + pages), nil
	}
	for n, pages := range []int{3, 0, 0, 0} {
		require.NoError(t, fetch(b, p, n+1))
		require.Equal(t, chat.AttachmentStored, p.p.Files[n].State)
		require.Equal(t, pages, p.p.Files[n].Pages)
		require.Nil(t, p.p.Files[n].Picture)
	}
}

func TestFetch_MakesAPictureOfAFileThatIsOneWhateverItsName(t *testing.T) {
	var photo bytes.Buffer
	require.NoError(t, png.Encode(&photo, image.NewGray(image.Rect(0, 0, 30, 20))))
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "photo", Name: "notes.txt"}, chat.Attachment{Kind: "image", Key: "broken"}, chat.Attachment{Kind: "image", Key: "text"})
	p.content = func(key string) (io.Reader, error) {
		switch key {
		case "photo":
			return bytes.NewReader(photo.Bytes()), nil
		case "broken":
			return bytes.NewReader(photo.Bytes()[:40]), nil
		}
		return strings.NewReader("<html>not found</html>"), nil
	}
	for n := range 3 {
		require.NoError(t, fetch(b, p, n+1))
		require.Equal(t, chat.AttachmentStored, p.p.Files[n].State)
	}
	require.Len(t, p.shown, 1)
	require.Equal(t, p.shown[0].PictureRef, *p.p.Files[0].Picture)
	require.Equal(t, 30, p.p.Files[0].Picture.Width)
	require.Equal(t, p.p.Files[0].Path, p.p.Files[0].Picture.Path)
	require.Nil(t, p.p.Files[1].Picture, "what cannot be shown stays a file")
	require.Nil(t, p.p.Files[2].Picture)
	told := chat.TextWithAttachments("", p.p.Files)
	require.Contains(t, told, "not shown as a picture: the picture is broken")
	require.Contains(t, told, "not shown as a picture: this is no picture in one of the formats JPEG, PNG, GIF and WebP · "+p.p.Files[2].Path)
	require.Equal(t, 2, strings.Count(told, "not shown"))
}

func TestFetch_LooksAtAFileThatIsThereAlready(t *testing.T) {
	var photo bytes.Buffer
	require.NoError(t, png.Encode(&photo, image.NewGray(image.Rect(0, 0, 30, 20))))
	b, p := arriving(t)
	b.Sandbox.Put(t, "mine.png", photo.String())
	at := path.Join(b.Sandbox.Workspace(), "mine.png")
	for n, name := range []string{at, at + ".gone", b.Sandbox.Workspace()} {
		p.p.Files = append(p.p.Files, chat.AttachmentFetch{Attachment: chat.Attachment{Kind: "file", At: name}, N: n + 1, State: chat.AttachmentWaiting, Path: name})
	}
	p.content = func(string) (io.Reader, error) { return nil, errors.New("nothing is fetched") }
	for n := range p.p.Files {
		require.NoError(t, fetch(b, p, n+1))
	}
	found := p.p.Files[0]
	require.Equal(t, chat.AttachmentStored, found.State)
	require.Equal(t, at, found.Path)
	require.Empty(t, found.Runner, "it is its owner's, and stays")
	require.EqualValues(t, photo.Len(), found.Size)
	require.Equal(t, 30, found.Picture.Width)
	for _, missing := range p.p.Files[1:] {
		require.Equal(t, chat.AttachmentFailed, missing.State)
		require.NotEmpty(t, missing.Problem)
	}
}

func TestFetch_TellsWhatCannotBeMendedAndTriesTheRestAgain(t *testing.T) {
	for name, c := range map[string]struct {
		size    int64
		content func(string) (io.Reader, error)
		said    string
		again   bool
	}{
		"expired":               {content: func(string) (io.Reader, error) { return nil, fault.Errorf(fault.NotFound, "the link has expired") }, said: "the link has expired"},
		"too large by its name": {size: 51 << 20, said: "more than 50 MB"},
		"too large": {content: func(string) (io.Reader, error) {
			return io.MultiReader(bytes.NewReader(make([]byte, 50<<20)), strings.NewReader("x")), nil
		}, said: "more than 50 MB"},
		"away": {content: func(string) (io.Reader, error) { return nil, fault.Errorf(fault.Unavailable, "the platform is away") }, said: "away", again: true},
		"broken": {content: func(string) (io.Reader, error) {
			return io.MultiReader(strings.NewReader(strings.Repeat("x", 1000)), iotest.ErrReader(io.ErrUnexpectedEOF)), nil
		}, said: "the connection broke", again: true},
	} {
		t.Run(name, func(t *testing.T) {
			b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k", Name: "a.bin", Size: c.size})
			p.content = c.content
			err := fetch(b, p, 1)
			require.Contains(t, p.p.Files[0].Problem, c.said)
			if c.again {
				require.ErrorContains(t, err, c.said)
				require.Equal(t, chat.AttachmentWaiting, p.p.Files[0].State)
			} else {
				require.NoError(t, err)
				require.Equal(t, chat.AttachmentFailed, p.p.Files[0].State)
			}
			left, err := filepath.Glob(b.Sandbox.Workspace() + "/inbox/*/*/a.bin")
			require.NoError(t, err)
			require.Empty(t, left, "half a file is none")
		})
	}
}

func TestFetch_WhoKeepsAsMuchAsTheyMayIsToldAndNothingIsFetched(t *testing.T) {
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k", Name: "a.bin", Size: 3})
	p.full = fault.Errorf(fault.TooLarge, "delete conversations to make room")
	p.content = func(string) (io.Reader, error) { return nil, errors.New("it is asked for") }
	require.NoError(t, fetch(b, p, 1))
	require.Equal(t, chat.AttachmentFailed, p.p.Files[0].State)
	require.Contains(t, p.p.Files[0].Problem, "make room")
}

func TestFetch_WithoutARunnerTheReasonIsToldAtOnce(t *testing.T) {
	for _, away := range []error{
		fault.Errorf(fault.Denied, "connect a runner of your own"),
		fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "laptop"}),
	} {
		b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k", Name: "a.bin"})
		b.BoxErr = away
		require.NoError(t, fetch(b, p, 1))
		require.Equal(t, chat.AttachmentFailed, p.p.Files[0].State)
		require.NotEmpty(t, p.p.Files[0].Problem)
	}
}

func TestFetch_RemovesFilesThatAreTooOld(t *testing.T) {
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k", Name: "a.bin"})
	old := b.Sandbox.Put(t, "inbox/napcat-1/2025-01-01-1/old.txt", "old")
	beside := b.Sandbox.Put(t, "inbox/napcat-1/2025-01-01-2/new.txt", "new")
	p.old = []chat.OldFile{{ID: 1, Path: old}}
	require.NoError(t, fetch(b, p, 1))
	require.NoDirExists(t, filepath.Dir(old))
	require.FileExists(t, beside)
	require.Nil(t, p.old, "it is noted")
	_, err := os.Stat(p.p.Files[0].Path)
	require.NoError(t, err)
}

func TestFetch_AMessageThatDoesNotWaitNeedsNoFiles(t *testing.T) {
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k", Name: "a.bin"})
	p.p.Waits = false
	require.NoError(t, fetch(b, p, 1))
	require.Equal(t, chat.AttachmentWaiting, p.p.Files[0].State)
}

func TestFetch_PutsTheFilesOfACommandWhereItRunsAndOverwritesNothing(t *testing.T) {
	b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k1", Name: "../a.txt"}, chat.Attachment{Kind: "file", Key: "k2", Name: "mine.txt"}, chat.Attachment{Kind: "image", Key: "k3"})
	p.p.Command, p.p.Dir, p.p.DirRunner = true, b.Sandbox.Workspace()+"/project", b.Sandbox.Name()
	b.Sandbox.Put(t, "project/mine.txt", "do not touch")
	for n := range 3 {
		require.NoError(t, fetch(b, p, n+1))
		require.NoError(t, fetch(b, p, n+1), "done twice, it changes nothing")
	}
	require.Equal(t, "content of k1", b.Sandbox.Get(t, "project/"+filepath.Base(p.p.Files[0].Path)))
	require.Equal(t, "do not touch", b.Sandbox.Get(t, "project/mine.txt"))
	require.Empty(t, p.p.Files[0].Runner, "it is not removed when it is old")
	for _, f := range p.p.Files[1:] {
		require.Equal(t, chat.AttachmentStored, f.State)
		require.Contains(t, f.Path, "/inbox/napcat-")
		require.Equal(t, b.Sandbox.Name(), f.Runner)
	}
}

func TestFetch_OfAQuotedFileThatIsThereIsNotRepeated(t *testing.T) {
	for name, c := range map[string]struct {
		there string // what is at the place
		reads string
	}{"it is there": {"content of K", "content of K"}, "it is gone": {"", "content of k"}, "it was changed": {"something else", "content of k"}} {
		t.Run(name, func(t *testing.T) {
			b, p := arriving(t, chat.Attachment{Kind: "file", Key: "k", Name: "a.txt", Of: "m0"})
			p.kept = b.Sandbox.Workspace() + "/inbox/napcat-1/2025-01-01-1/a.txt"
			if c.there != "" {
				b.Sandbox.Put(t, "inbox/napcat-1/2025-01-01-1/a.txt", c.there)
			}
			require.NoError(t, fetch(b, p, 1))
			f := p.p.Files[0]
			require.Equal(t, chat.AttachmentStored, f.State)
			require.Equal(t, c.reads, b.Sandbox.Get(t, f.Path))
			require.EqualValues(t, len(c.reads), f.Size)
			require.NotEmpty(t, f.Runner)
			require.Equal(t, name == "it is there", f.Path == p.kept)
		})
	}
}

// ear stands in for a service of transcription.
type ear struct {
	heard []string
	err   error
}

func (e *ear) IsAudio(kind, name string) bool {
	return kind == "audio" || strings.HasSuffix(name, ".M4A")
}

func (e *ear) Transcribe(_ context.Context, user chat.UserID, _ chat.SessionKey, name string, audio []byte) (string, error) {
	if user != activitiestest.Owner {
		return "", errors.New("another person's key")
	}
	e.heard = append(e.heard, path.Base(name))
	return "said: " + string(audio), e.err
}

func TestFetch_FilesOfSoundAreHeardOnceAndStayWhereTheyAreNot(t *testing.T) {
	for _, e := range []*ear{{}, {err: fault.Errorf(fault.Invalid, "there is no key [for it]")}} {
		b, p := arriving(t, chat.Attachment{Kind: "audio", Key: "k1", Name: "a.amr"}, chat.Attachment{Kind: "file", Key: "k2", Name: "b.txt"}, chat.Attachment{Kind: "file", Key: "k3", Name: "c.M4A"})
		r := &files.Fetcher{Store: p, Accounts: p, Sandboxes: b, Voice: e}
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestActivityEnvironment()
		env.RegisterActivity(r.FetchFile)
		for range 2 {
			for n := range 3 {
				_, err := env.ExecuteActivity(r.FetchFile, files.FetchInput{Inbox: 5, N: n + 1})
				require.NoError(t, err)
			}
		}
		require.Equal(t, []string{"1-a.amr", "3-c.M4A"}, e.heard)
		text := chat.TextWithAttachments("", p.p.Files)
		require.Equal(t, 3, strings.Count(text, " bytes · "), text)
		if e.err == nil {
			require.Contains(t, text, "/1-a.amr]\n[voice transcript] said: content of k1\n[file: b.txt")
		} else {
			require.Contains(t, text, "/1-a.amr]\n[voice transcript: not made: there is no key (for it)]\n[file: b.txt")
		}
	}
}
