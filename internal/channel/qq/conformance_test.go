package qq_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/channel/qq/qqtest"
)

func TestConformance(t *testing.T) {
	channeltest.Run(t, channeltest.Platform{
		Channel: "qq",
		Start:   func(t testing.TB) channeltest.Emulator { return newStage(t) },
		Lacks: map[channeltest.Ability]string{
			channeltest.Threads:   "QQ has none",
			channeltest.Quotes:    "QQ names the message that is answered by an index of its own, not by its id",
			channeltest.Editing:   "nothing can be edited",
			channeltest.Recalling: "only guilds tell of it",
			channeltest.Acks:      "the stream of events has no acknowledgements",
			channeltest.Order:     "times have whole seconds, and only guilds number their messages",
		},
	})
}

// stage is a platform as the suite drives it.
type stage struct {
	*world

	t testing.TB
}

func newStage(t testing.TB) *stage {
	t.Helper()
	return &stage{world: newWorld(t, qqtest.Config{Overhear: true}), t: t}
}

func (s *stage) Open(t testing.TB) channel.Account {
	t.Helper()
	s.open(t)
	return s.account
}

func (s *stage) OpenWrong(t testing.TB) channel.Account {
	t.Helper()
	s.open(t, "app_secret", "wrong")
	return s.account
}

func (s *stage) Write(w channeltest.Written) string {
	people := []qqtest.Person{ann, bo}
	in := qqtest.Incoming{Scene: scenesOf[w.Where], From: people[w.Who], Text: w.Text, Mention: w.Mention, Answers: w.Answers}
	in.Chat = chats[in.Scene]
	if w.Other {
		other := people[1-w.Who]
		in.Others, in.Text = []qqtest.Person{other}, "@"+other.Name+" "+in.Text
	}
	for _, f := range w.Files {
		in.Files = append(in.Files, qqtest.File{Kind: f.Kind, Name: f.Name, Data: f.Data})
	}
	return s.Server.Write(in)
}

var scenesOf = map[channeltest.Where]string{channeltest.Direct: qqtest.Direct, channeltest.Group: qqtest.Group}

func (s *stage) Garbage() {
	for _, raw := range []string{`no frame`, `{"op":"x"}`, `{"op":77,"d":{}}`, `[]`, `null`, ``, `{"op":0,"s":"many","t":7}`} {
		s.Send(raw)
	}
	for kind, d := range map[string]string{
		"C2C_MESSAGE_CREATE": `{"content":"nobody"}`, "GROUP_MESSAGE_CREATE": `{"id":"x","author":{"member_openid":"y"}}`, "NEWS": `{}`,
		"INTERACTION_CREATE": `{"id":""}`, "MESSAGE_DELETE": `{"message":{}}`, "AT_MESSAGE_CREATE": `"text"`, "": `{"id":"1"}`,
	} {
		s.Emit(kind, d)
	}
	s.Emit("C2C_MESSAGE_CREATE", `{"content":"`+strings.Repeat("x", 17<<20)+`"}`)
}

func (s *stage) Befall(t channeltest.Trouble) {
	s.Server.Befall(qqtest.Trouble{Kind: string(t.Kind), Times: t.Times, After: t.After})
}

func (s *stage) Typed(id string) int { return s.Writing(id) }

func (s *stage) Shown(in channeltest.Where) []channeltest.Shown {
	var all []channeltest.Shown
	scene := scenesOf[in]
	for _, m := range s.Messages(scene, chats[scene]) {
		shown := channeltest.Shown{ID: m.ID, Text: m.Text, ReplyTo: m.ReplyTo, Calls: m.Calls}
		for _, f := range m.Files {
			shown.Files = append(shown.Files, channeltest.File{Kind: f.Kind, Name: f.Name, Data: f.Data})
		}
		for _, b := range m.Buttons {
			if !m.Pressed {
				shown.Buttons = append(shown.Buttons, b.Label)
			}
		}
		all = append(all, shown)
	}
	return all
}

func TestConformance_ByWebhook(t *testing.T) {
	wanted := []string{
		"what a person writes arrives as it was written", "a mention in a group arrives as one", "text of any kind arrives whole",
		"an event is acknowledged only after the receiver has committed it", "what the receiver could not commit is delivered again",
		"an event that comes twice has one id, at any distance", "what nobody expects harms nothing",
		"a wrong secret ends the account and its check", "an answer is shown where the question was asked",
	}
	tried := 0
	for _, c := range channeltest.Claims() {
		for _, name := range wanted {
			if c.Name != name {
				continue
			}
			tried++
			t.Run(name, func(t *testing.T) {
				c.Try(t, channeltest.Platform{
					Channel: "qq", Start: func(t testing.TB) channeltest.Emulator { return &hookedStage{stage: newStage(t)} },
					Lacks: map[channeltest.Ability]string{channeltest.Threads: "none", channeltest.Quotes: "by an index"}, Patience: 10 * time.Second,
				})
			})
		}
	}
	require.Equal(t, len(wanted), tried, "the suite calls its claims otherwise now")
}

// hookedStage delivers by HTTP: an account serves its webhook while it runs.
type hookedStage struct {
	*stage

	servers atomic.Int32
	at      string // where the webhook is served; inbox.mu
}

func (s *hookedStage) Open(t testing.TB) channel.Account {
	t.Helper()
	s.open(t, "mode", "webhook")
	return &hooked{Account: s.account, s: s}
}

func (s *hookedStage) OpenWrong(t testing.TB) channel.Account {
	t.Helper()
	s.open(t, "mode", "webhook", "app_secret", "wrong")
	return &hooked{Account: s.account, s: s}
}

func (s *hookedStage) Connected() int { return int(s.servers.Load()) }

func (s *hookedStage) Disconnect() {}

func (s *hookedStage) Garbage() {
	s.mu.Lock()
	at := s.at
	s.mu.Unlock()
	for _, body := range []string{`no frame`, `{"op":"x"}`, `{"op":77}`, `[]`, `null`, ``, `{"op":0,"t":"C2C_MESSAGE_CREATE","d":{"content":"nobody"}}`} {
		_, _, err := s.Post(at, []byte(body))
		require.NoError(s.t, err)
	}
	_, _, err := s.Post(at, make([]byte, 5<<20))
	if err != nil {
		s.t.Log("a body that is too large was cut off:", err)
	}
}

// hooked is an account that serves its webhook while it runs.
type hooked struct {
	channel.Account

	s *hookedStage
}

func (h *hooked) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	server := httptest.NewServer(h.Account.(channel.Webhook).Webhook(to, report))
	defer server.Close()
	defer h.s.servers.Store(0)
	if err := h.s.Hook(server.URL); err == nil { // with a wrong secret it does not prove itself
		h.s.mu.Lock()
		h.s.at = server.URL
		h.s.mu.Unlock()
		h.s.servers.Store(1)
		defer func() { _ = h.s.Hook("") }()
	}
	return h.Account.Run(ctx, to, report)
}
