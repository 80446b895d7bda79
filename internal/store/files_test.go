package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/engine"
)

var twoFiles = []chat.Attachment{{Kind: "file", Name: "a.pdf", Key: "k1", Size: 7}, {Kind: "image", Key: "k2"}}

// sends accepts a message with files.
func (b *bundle) sends(id string, mode chat.QueueMode, files ...chat.Attachment) engine.Accepted {
	b.t.Helper()
	got, err := b.Turns.Accept(b.t.Context(), engine.NewRow{
		Session: peerKey, User: b.user.ID, Channel: "napcat", PlatformID: id, Text: "look" + chat.AttachmentLines(files), Files: files,
		To: &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: id}, Queue: chat.Queue{Mode: mode},
	})
	require.NoError(b.t, err)
	return got
}

func (b *bundle) claims(turn chat.TurnID) bool {
	b.t.Helper()
	_, ok, err := b.Turns.Claim(b.t.Context(), peerKey, turn, "r-"+string(turn), 0)
	require.NoError(b.t, err)
	return ok
}

// written are the messages of the conversation.
func (b *bundle) written() []chat.Message {
	b.t.Helper()
	all, err := b.Conversations.Messages(b.t.Context(), peerKey, conversation.Page{Limit: 50})
	require.NoError(b.t, err)
	return all.Messages
}

// newest is the newest of them.
func (b *bundle) newest() string {
	b.t.Helper()
	all := b.written()
	return all[len(all)-1].Content
}

func TestFiles_AMessageWaitsForThemAndSaysWhereTheyAre(t *testing.T) {
	for _, mode := range []chat.QueueMode{chat.QueueSteer, chat.QueueFollowup} {
		t.Run(string(mode), func(t *testing.T) {
			b := setup(t)
			b.onPlatform()
			got := b.sends("m1", mode, twoFiles...)
			require.True(t, got.Fetch)
			b.sends("m2", mode)
			require.False(t, b.claims("t1"), "what waits behind keeps its place")
			p, err := b.Attachments.AttachmentSet(t.Context(), got.ID)
			require.NoError(t, err)
			require.True(t, p.Waits)
			require.Equal(t, "m1", p.To.ReplyTo)
			require.Equal(t, b.user.ID, p.Owner)
			require.Equal(t, twoFiles[1], p.Files[1].Attachment)

			f := p.Files[0]
			f.Runner, f.Path, f.Size, f.Pages = "local", "/srv/inbox/a.pdf", 9, 3
			require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, f))
			f.Path = "/elsewhere"
			require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, f), "the first note stands")
			require.NoError(t, b.Attachments.FileProblem(t.Context(), got.ID, 2, "the link has expired", true))
			require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
			require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
			require.True(t, b.claims("t2"))
			require.Equal(t, "look\n[file: a.pdf · 9 bytes · PDF of 3 pages, for Read · /srv/inbox/a.pdf]\n[image: image 2 · not fetched: the link has expired]", b.newest())
		})
	}
}

func TestFiles_NoMessageWaitsForThemForEver(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.sends("m1", chat.QueueSteer, twoFiles[0])
	_, err := b.pool.Exec(t.Context(), "UPDATE inbox SET files_until = now() - interval '1 second'")
	require.NoError(t, err)
	require.True(t, b.claims("t1"))
	require.Equal(t, "look\n[file: a.pdf · not fetched: it did not come in time]", b.newest())
}

func TestFiles_AreWaitedForBeforeARunningTurnTakesThemIn(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.sends("m1", chat.QueueSteer)
	require.True(t, b.claims("t1"))
	got := b.sends("m2", chat.QueueSteer, twoFiles[0])
	waits, err := b.Turns.SteerWaits(t.Context(), peerKey, "t1")
	require.NoError(t, err)
	require.False(t, waits)
	steered, err := b.Turns.Steer(t.Context(), peerKey, "t1", 1)
	require.NoError(t, err)
	require.Zero(t, steered.Messages)
	require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
	waits, err = b.Turns.SteerWaits(t.Context(), peerKey, "t1")
	require.NoError(t, err)
	require.True(t, waits)
	steered, err = b.Turns.Steer(t.Context(), peerKey, "t1", 2)
	require.NoError(t, err)
	require.Equal(t, 1, steered.Messages)
	require.Contains(t, b.newest(), "not fetched")
}

func TestFiles_OfASupersededMessageAreNamed(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	first := b.sends("m1", chat.QueueSupersede, twoFiles[0])
	b.sends("m2", chat.QueueSupersede)
	p, err := b.Attachments.AttachmentSet(t.Context(), first.ID)
	require.NoError(t, err)
	require.False(t, p.Waits)
	require.True(t, b.claims("t1"))
	require.Contains(t, b.written()[0].Content, "[file: a.pdf · not fetched")
}

func TestFilesToFetch_NamesThoseThatNobodyFetches(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	got := b.sends("m1", chat.QueueSteer, twoFiles[0])
	ids, err := b.FilesToFetch(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids, "it was just begun")
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '1 hour'")
	require.NoError(t, err)
	waiting, err := b.ToWake(t.Context())
	require.NoError(t, err)
	require.Empty(t, waiting, "no turn could take it")
	ids, err = b.FilesToFetch(t.Context())
	require.NoError(t, err)
	require.Equal(t, []chat.InboxID{got.ID}, ids)
	require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '1 hour'")
	require.NoError(t, err)
	ids, err = b.FilesToFetch(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
	waiting, err = b.ToWake(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1)
}

func TestOldFiles_AreThoseOfTheirUserAndRunner(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	got := b.sends("m1", chat.QueueSteer, twoFiles...)
	require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, chat.AttachmentFetch{N: 1, Runner: "local", Path: "/a"}))
	require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, chat.AttachmentFetch{N: 2, Runner: "laptop", Path: "/b"}))
	old, err := b.Attachments.OldFiles(t.Context(), b.user.ID, "local", time.Hour)
	require.NoError(t, err)
	require.Empty(t, old)
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox_files SET stored_at = now() - interval '2 hours'")
	require.NoError(t, err)
	old, err = b.Attachments.OldFiles(t.Context(), b.user.ID, "local", time.Hour)
	require.NoError(t, err)
	require.Len(t, old, 1)
	require.Equal(t, "/a", old[0].Path)
	require.NoError(t, b.Attachments.FileRemoved(t.Context(), old[0].ID))
	old, err = b.Attachments.OldFiles(t.Context(), b.user.ID, "local", time.Hour)
	require.NoError(t, err)
	require.Empty(t, old)
	_, err = b.Attachments.AttachmentSet(t.Context(), 4711)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
}

func TestFiles_OfACommandGoToWhereItRuns(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	b.sends("m0", chat.QueueSteer)
	require.NoError(t, b.Conversations.SetCwd(t.Context(), peerKey, "local", "/srv/project"))
	got, err := b.Turns.AcceptBang(t.Context(), engine.NewRow{
		Session: peerKey, User: b.user.ID, Channel: "napcat", PlatformID: "m1", Text: "!cat a.pdf", Files: twoFiles,
		To: &chat.Address{ChatType: chat.ChatDirect, Peer: "7", ReplyTo: "m1"},
	}, "cat a.pdf")
	require.NoError(t, err)
	p, err := b.Attachments.AttachmentSet(t.Context(), got.ID)
	require.NoError(t, err)
	require.True(t, p.Waits && p.Command)
	require.Equal(t, []string{"/srv/project", "local"}, []string{p.Dir, p.DirRunner})
	_, err = b.pool.Exec(t.Context(), "UPDATE inbox SET woken_at = now() - interval '1 hour'")
	require.NoError(t, err)
	ids, err := b.FilesToFetch(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids, "its own workflow fetches them")
	ids, err = b.BangsToStart(t.Context())
	require.NoError(t, err)
	require.Equal(t, []chat.InboxID{got.ID}, ids)

	f := p.Files[0]
	f.Path, f.Size = "/srv/project/a.pdf", 9
	require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, f))
	require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
	bang, err := b.Turns.Bang(t.Context(), got.ID)
	require.NoError(t, err)
	require.Equal(t, chat.AttachmentStored, bang.Files[0].State)
	require.Equal(t, chat.AttachmentFailed, bang.Files[1].State)
	old, err := b.Attachments.OldFiles(t.Context(), p.Owner, "local", -time.Hour)
	require.NoError(t, err)
	require.Empty(t, old, "what lies among the files of a person is theirs")
}

func TestFileKept_IsOfTheSameConversationAndRunnerForQuotedFilesAlone(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	first := b.sends("m1", chat.QueueSteer, twoFiles[0])
	again := b.sends("m2", chat.QueueSteer, append(chat.Quoted("m1", twoFiles[:1]), twoFiles[0])...)
	p, err := b.Attachments.AttachmentSet(t.Context(), again.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"m1", ""}, []string{p.Files[0].Of, p.Files[1].Of})
	kept := func(n int, runner string) string {
		path, _, err := b.Attachments.FileQuoted(t.Context(), again.ID, n, runner)
		if err != nil {
			require.Equal(t, fault.NotFound, fault.KindOf(err))
		}
		return path
	}
	require.Empty(t, kept(1, "local"), "it is not fetched yet")
	require.NoError(t, b.Attachments.FileStored(t.Context(), first.ID, chat.AttachmentFetch{N: 1, Runner: "local", Path: "/a", Attachment: chat.Attachment{Size: 9}}))
	require.Equal(t, "/a", kept(1, "local"))
	require.Empty(t, kept(1, "laptop"))
	require.Empty(t, kept(2, "local"), "what comes with a message is fetched for it")

	_, err = b.pool.Exec(t.Context(), "UPDATE inbox_files SET stored_at = now() - interval '2 hours' WHERE state = 'stored'")
	require.NoError(t, err)
	require.NoError(t, b.Attachments.FileStored(t.Context(), again.ID, chat.AttachmentFetch{N: 1, Runner: "local", Path: "/a"}))
	old, err := b.Attachments.OldFiles(t.Context(), b.user.ID, "local", time.Hour)
	require.NoError(t, err)
	require.Empty(t, old, "it was quoted since")
}

func TestFiles_AMessageSaysWhyAFileIsNotShownAsAPicture(t *testing.T) {
	b := setup(t)
	b.onPlatform()
	got := b.sends("m1", chat.QueueSteer, twoFiles...)
	p, err := b.Attachments.AttachmentSet(t.Context(), got.ID)
	require.NoError(t, err)
	f := p.Files[1]
	f.Runner, f.Path, f.Size, f.Unshown = "local", "/srv/inbox/2.gif", 9, "broken [at ·\n1]"
	require.NoError(t, b.Attachments.FileStored(t.Context(), got.ID, f))
	require.NoError(t, b.Attachments.EndFetch(t.Context(), got.ID))
	require.True(t, b.claims("t1"))
	require.Contains(t, b.newest(), "\n[image: image 2 · 9 bytes · not shown as a picture: broken (at ,1) · /srv/inbox/2.gif]")
}
