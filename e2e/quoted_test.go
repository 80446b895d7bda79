package e2e

import (
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/channel/qq/qqtest"
)

// quotedAt finds where the files of quoted messages are, in what the model reads.
var quotedAt = regexp.MustCompile(`\[quoted (?:file|image): [^·\]]+ · \d+ bytes · (?:not shown as a picture: [^·]+ · )?([^\]]+)\]`)

// quoted waits until the model has read of n quoted files in one request, and returns where the newest is.
func (s *server) quoted(n int, content string) (path string) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		for _, r := range s.model.Requests() {
			var found []string
			for _, m := range r.Messages {
				for _, at := range quotedAt.FindAllStringSubmatch(m.Content, -1) {
					found = append(found, at[1])
				}
			}
			if len(found) == n {
				path = found[n-1]
			}
		}
		return path != ""
	}, time.Minute, 20*time.Millisecond, "quoted file %d", n)
	held, err := os.ReadFile(path)
	require.NoError(s.t, err)
	require.Equal(s.t, content, string(held))
	return path
}

func TestFeishu_TheFileOfAQuotedMessageIsFetchedWhereItIsNotThere(t *testing.T) {
	t.Parallel()
	p, carol, s := carolAtFeishu(t)
	s.mine("feishu:ou_carol")

	key := p.Give(feishutest.File{Kind: "file", Name: "a.csv", Data: []byte("4711,4712")})
	table := p.Write(feishutest.Incoming{From: carol, Kind: "file", Content: `{"file_key":"` + key + `","file_name":"a.csv"}`})
	at, fetched := s.place("a.csv"), "GET /open-apis/im/v1/messages/"+table+"/resources/"+key
	p.Write(feishutest.Incoming{From: carol, Parent: table, Text: "say it is a table"})
	require.Equal(t, at, s.quoted(1, "4711,4712"))
	require.Equal(t, 1, p.Calls(fetched), "it is there")
	require.NoError(t, os.Remove(at))
	p.Write(feishutest.Incoming{From: carol, Parent: table, Text: "say it is a table, I said"})
	require.NotEqual(t, at, s.quoted(2, "4711,4712"))
	require.Equal(t, 2, p.Calls(fetched))
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestNapCat_TheFileOfAQuotedMessageSurvivesAKill(t *testing.T) {
	t.Parallel()
	files, began, release := slowFile(t, "the figures are 4711")
	s, p := onNapCat(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	shown := p.Say(carol, p.Self(), onebottest.Segment{Type: "image", Data: map[string]any{"file": "b.txt", "url": files.URL + "/slow"}})
	p.Say(carol, "20007", onebottest.Reply(shown), onebottest.Text("say I see figures"))
	select {
	case <-began:
	case <-time.After(time.Minute):
		require.Fail(t, "nobody fetches the file")
	}
	s.crash()
	close(release)
	s.boot()
	s.quoted(1, "the figures are 4711")
	saw(t, p, carol, "I see figures")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestQQ_TheFileOfAQuotedMessageIsWhereTheModelIsTold(t *testing.T) {
	t.Parallel()
	s, p := onlyQQ(t, qqtest.Config{})
	s.mine("qq:CAROL")
	in := written(qqtest.Direct, "say I see a number")
	in.Answers = p.Write(qqtest.Incoming{ // the bot is not told of it
		Scene: qqtest.Group, Chat: "TEAM", From: carolOnQQ, Files: []qqtest.File{{Kind: "file", Name: "c.txt", Data: []byte("4713")}},
	})
	p.Write(in)
	s.quoted(1, "4713")
	require.Contains(t, sawOn(t, p, qqtest.Direct, 1).Text, "I see a number")
	require.Empty(t, p.Broken(), "the protocol was kept")
}
