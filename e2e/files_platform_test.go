package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/workflows"
)

// arrived finds where the files of messages went, in what the model has read.
var arrived = regexp.MustCompile(`\[(?:file|image): ([^·\]]+) · \d+ bytes · (?:not shown as a picture: [^·]+ · )?([^\]]+)\]`)

// place waits until the model has read where a file is.
func (s *server) place(name string) string {
	s.t.Helper()
	var path string
	require.Eventually(s.t, func() bool {
		for _, r := range s.model.Requests() {
			for _, m := range r.Messages {
				for _, found := range arrived.FindAllStringSubmatch(m.Content, -1) {
					if found[1] == name {
						path = found[2]
					}
				}
			}
		}
		return path != ""
	}, time.Minute, 20*time.Millisecond, "the place of %s", name)
	return path
}

// fetchedBy is the workflow that brought a file to its place, in a folder named by the day and the message.
func fetchedBy(t *testing.T, file string) string {
	t.Helper()
	folder := path.Base(path.Dir(file))
	id, err := strconv.ParseInt(folder[strings.LastIndex(folder, "-")+1:], 10, 64)
	require.NoError(t, err)
	return workflows.FetchID(chat.InboxID(id))
}

// mine lets a person of a platform be the administrator, whose commands run here.
func (s *server) mine(who string) {
	s.t.Helper()
	channel, id, _ := strings.Cut(who, ":")
	s.inForce(`{session: {identityLinks: {admin: ["` + who + `"]}}, channels: {` + channel + `: {dmPolicy: "open", allowFrom: ["*", "` + id + `"]}}}`)
}

func TestNapCat_FilesGoBothWays(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)

	p.Say(carol, "20007", p.File("file", "报告.txt", []byte("the figures are 4711")))
	at := s.place("报告.txt")
	require.True(t, strings.HasSuffix(at, "/报告.txt"), at)
	small(t, "fetch", s.captureRun("fetch", fetchedBy(t, at), ""), 20, 3<<10)
	p.Say(carol, "20007", onebottest.Text(`call Read {"path":"`+at+`"}`+"\nsay read it"))
	saw(t, p, carol, "read it")
	requests := s.model.Requests()
	last := requests[len(requests)-1]
	require.Contains(t, last.Messages[len(last.Messages)-1].Content, "the figures are 4711")

	picture := "\x89PNG\r\n\x1a\n and so on"
	p.Say(carol, "20007", onebottest.Text(`call Shell {"command":"mkdir -p out && printf '\\211PNG\\r\\n\\032\\n and so on' > out/plot.png"}`+"\nsay See ![the plot](out/plot.png) and [nothing](gone.txt)."))
	saw(t, p, carol, "See the plot (plot.png) and nothing (gone.txt).")
	saw(t, p, carol, "gone.txt was not sent: there is no such file")
	require.Eventually(t, func() bool {
		for _, m := range p.OfBot(carol) {
			for _, f := range p.Files(m) {
				return f.Kind == "image" && string(f.Data) == picture
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond, "the picture")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestFeishu_FilesGoBothWays(t *testing.T) {
	t.Parallel()
	p, carol, s := carolAtFeishu(t)
	s.mine("feishu:ou_carol")
	direct := p.Direct(carol)

	key := p.Give(feishutest.File{Kind: "file", Name: "a.csv", Data: []byte("4711,4712")})
	p.Write(feishutest.Incoming{From: carol, Kind: "file", Content: `{"file_key":"` + key + `","file_name":"a.csv"}`})
	at := s.place("a.csv")
	held, err := os.ReadFile(at)
	require.NoError(t, err)
	require.Equal(t, "4711,4712", string(held))

	p.Write(feishutest.Incoming{From: carol, Text: "say Again: [the table](" + at + ")"})
	require.Eventually(t, func() bool {
		for _, m := range p.Shown(direct, "") {
			for _, f := range m.Files {
				return string(f.Data) == "4711,4712"
			}
		}
		return false
	}, time.Minute, 20*time.Millisecond, "the table comes back")

	p.Write(feishutest.Incoming{From: carol, Kind: "file", Content: `{"file_key":"file_v3_gone","file_name":"old.csv"}`})
	require.Eventually(t, func() bool {
		requests := s.model.Requests()
		last := requests[len(requests)-1]
		return strings.Contains(last.Messages[len(last.Messages)-1].Content, "[file: old.csv · not fetched: ")
	}, time.Minute, 20*time.Millisecond, "the model is told")
	require.Empty(t, p.Broken(), "the protocol was kept")
}

// slowFile serves a file that is read to its end only after release was closed; began is closed when somebody asks for it.
func slowFile(t *testing.T, content string) (at *httptest.Server, began, release chan struct{}) {
	t.Helper()
	began, release = make(chan struct{}), make(chan struct{})
	var once sync.Once
	at = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(began) })
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
		_, _ = w.Write([]byte(content))
	}))
	t.Cleanup(at.Close)
	return at, began, release
}

func TestNapCat_AKillWhileAFileIsFetchedNeitherLosesNorDoublesItsMessage(t *testing.T) {
	t.Parallel()
	files, began, release := slowFile(t, "here at last")
	s, p := onNapCat(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)

	p.Say(carol, "20007", onebottest.Text("say thanks for the file"), onebottest.Segment{Type: "image", Data: map[string]any{"file": "slow.txt", "url": files.URL + "/slow"}})
	<-began
	s.crash()
	close(release)
	s.boot()
	saw(t, p, carol, "thanks for the file")
	held, err := os.ReadFile(s.place("slow.txt"))
	require.NoError(t, err)
	require.Equal(t, "here at last", string(held))
	p.Say(carol, "20007", onebottest.Text("say and on"))
	saw(t, p, carol, "and on")
	require.Len(t, seenAt(p, carol), 2, "each answer once")
}

func TestNapCat_AShellCommandFindsTheFileThatCameWithIt(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t)
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(carol, "20007", onebottest.Text("!cat photo.txt"), p.File("file", "photo.txt", []byte("the figures are 4711")))
	saw(t, p, carol, "the figures are 4711")
	require.Empty(t, s.model.Requests(), "no model was asked")
	first := workflows.CommandID(1) // what was accepted first
	require.NoError(t, s.temporal().GetWorkflow(t.Context(), first, "").Get(t.Context(), nil))
	small(t, "command with a file", s.captureRun("command-files", first, ""), 25, 4<<10)
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestNapCat_WhoHasNoRunnerIsToldOnceThatFilesWereNotFetched(t *testing.T) {
	t.Parallel()
	_, p := onNapCat(t) // people who are no administrators: their commands have nowhere to run
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	for _, name := range []string{"one", "two"} {
		p.Say(carol, "20007", onebottest.Text("say read "+name), p.File("file", name+".txt", []byte("4711")))
		saw(t, p, carol, "read "+name)
	}
	told := 0
	for _, text := range seenAt(p, carol) {
		if strings.Contains(text, "What you sent was not fetched") {
			told++
		}
	}
	require.Equal(t, 1, told, "%q", seenAt(p, carol))
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestFeishu_AFileThatAToolPreparesIsSentByTheAnswerOnceOverAKill(t *testing.T) {
	t.Parallel()
	p, carol, s := carolAtFeishu(t)
	s.mine("feishu:ou_carol")
	direct := p.Direct(carol)
	sent := func() (n int) {
		for _, m := range p.Shown(direct, "") {
			for _, f := range m.Files {
				require.Equal(t, "4711", string(f.Data))
				n++
			}
		}
		return n
	}
	p.Write(feishutest.Incoming{From: carol, Text: "call FileCreate {\"path\":\"plan.txt\",\"content\":\"4711\"}\ncall feishu_send_file {\"path\":\"plan.txt\"}\nsay prepared"})
	shows := func(text string) func() bool {
		return func() bool {
			for _, m := range p.Shown(direct, "") {
				if strings.Contains(m.Text, text) {
					return true
				}
			}
			return false
		}
	}
	require.Eventually(t, shows("prepared"), time.Minute, 20*time.Millisecond)
	require.Zero(t, sent(), "the tool sends nothing itself")
	requests := s.model.Requests()
	read := requests[len(requests)-1].Messages
	mark := regexp.MustCompile(`<<FILE:[^>]+>>`).FindString(read[len(read)-1].Content)
	require.NotEmpty(t, mark, "the model reads how: %s", read[len(read)-1].Content)

	p.Write(feishutest.Incoming{From: carol, Text: "say Here it is: " + mark})
	require.Eventually(t, shows("Here it is"), time.Minute, 5*time.Millisecond)
	s.crash() // while the file is on its way, or right behind it
	s.boot()
	require.Eventually(t, func() bool { return sent() > 0 }, crashLimit, 20*time.Millisecond, "the file")
	p.Write(feishutest.Incoming{From: carol, Text: "say and on"})
	require.Eventually(t, shows("and on"), time.Minute, 20*time.Millisecond)
	require.Equal(t, 1, sent())
	require.Empty(t, p.Broken(), "the protocol was kept")
}
