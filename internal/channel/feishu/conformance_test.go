package feishu_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/channel/feishu"
	"xbot/internal/channel/feishu/feishutest"
)

var lacks = map[channeltest.Ability]string{channeltest.Editing: "the platform does not tell bots of edits"}

func TestConformance(t *testing.T) {
	channeltest.Run(t, channeltest.Platform{
		Channel: feishu.Name,
		Start:   func(t testing.TB) channeltest.Emulator { return newStage(t, feishutest.Config{Again: 3 * time.Second}) },
		Lacks:   lacks,
		Leaves:  []string{leftBehind},
	})
}

// stage is a platform as the suite drives it.
type stage struct {
	*world

	t testing.TB
}

func newStage(t testing.TB, c feishutest.Config) *stage {
	t.Helper()
	return &stage{world: newWorld(t, c), t: t}
}

func (s *stage) Open(t testing.TB) channel.Account {
	t.Helper()
	return s.open(t)
}

func (s *stage) OpenWrong(t testing.TB) channel.Account {
	t.Helper()
	return s.open(t, "app_secret", "wrong")
}

func (s *stage) Write(w channeltest.Written) string {
	people := []feishutest.Person{ann, bo}
	in := feishutest.Incoming{From: people[w.Who], Text: w.Text, Parent: w.Answers}
	if w.Where != channeltest.Direct {
		in.Chat = s.group
	}
	if w.Where == channeltest.Thread {
		in.Thread = s.thread
	}
	if w.Other {
		in.Text = "@_user_2 " + in.Text
		in.Mentions = append(in.Mentions, feishutest.Mention{Key: "@_user_2", Person: people[1-w.Who]})
	}
	if w.Mention {
		in.Text = "@_user_1 " + in.Text
		in.Mentions = append(in.Mentions, feishutest.Mention{Key: "@_user_1", Person: feishutest.Bot()})
	}
	for _, f := range w.Files { // one file is a message of the platform
		key := s.Give(feishutest.File{Kind: f.Kind, Name: f.Name, Data: f.Data})
		in.Kind, in.Content = f.Kind, `{"file_key":"`+key+`","file_name":"`+f.Name+`"}`
		if f.Kind == "image" {
			in.Content = `{"image_key":"` + key + `"}`
		}
	}
	return s.Server.Write(in)
}

func (s *stage) Garbage() {
	s.Frames([]byte("no frame"), nil, bytes.Repeat([]byte{0xff}, 100), (&feishutest.Frame{Method: 9}).Marshal(), (&feishutest.Frame{
		Method: feishutest.FrameData, Headers: []feishutest.Header{{Key: "type", Value: "event"}, {Key: "sum", Value: "999999"}, {Key: "seq", Value: "-1"}},
	}).Marshal())
	s.Frames((&feishutest.Frame{Headers: []feishutest.Header{{Key: "type", Value: "pong"}}, Payload: []byte(`{"PingInterval":0}`)}).Marshal())
	for _, body := range []string{"", "null", "[]", `{"header":7}`, `{"schema":"2.0","header":{"event_type":"im.message.receive_v1"},"event":"text"}`} {
		s.Raw([]byte(body))
	}
	for _, kind := range []string{"im.message.receive_v1", "im.message.recalled_v1", "card.action.trigger", "news", ""} {
		s.Deliver(kind, map[string]any{"message": map[string]any{"message_id": "om_x"}, "action": map[string]any{"value": "x"}})
	}
	s.Raw([]byte(`{"event":"` + strings.Repeat("x", 9<<20) + `"}`))
}

func (s *stage) Befall(t channeltest.Trouble) {
	s.Server.Befall(feishutest.Trouble{Kind: feishutest.TroubleKind(t.Kind), Times: t.Times, After: t.After})
}

func (s *stage) Shown(in channeltest.Where) []channeltest.Shown {
	chat, thread := s.group, ""
	switch in {
	case channeltest.Direct:
		chat = s.Direct(ann)
	case channeltest.Thread:
		thread = s.thread
	}
	var all []channeltest.Shown
	for _, m := range s.Server.Shown(chat, thread) {
		shown := channeltest.Shown{ID: m.ID, Text: m.Text, ReplyTo: m.Parent, Buttons: m.Buttons, Edits: m.Edits, Calls: m.Calls}
		for _, f := range m.Files {
			shown.Files = append(shown.Files, channeltest.File{Kind: f.Kind, Name: f.Name, Data: f.Data})
		}
		all = append(all, shown)
	}
	return all
}

// Emoji is a reaction that the platform has.
func (s *stage) Emoji() string { return "THUMBSUP" }

// Press fills in the form of a card by the names of its fields, as somebody does who reads their labels.
func (s *stage) Press(card, button string, values map[string][]string) (channel.Toast, error) {
	value, err := s.Value(card, button)
	if err != nil {
		return channel.Toast{}, err
	}
	var form map[string]any
	fields, _ := value["fields"].([]any)
	for n, name := range fields {
		if form == nil {
			form = map[string]any{}
		}
		key := "f" + string(rune('0'+n))
		switch v := values[name.(string)]; {
		case name == "sizes":
			form[key] = v
		case len(v) > 0:
			form[key] = v[0]
		default:
			form[key] = ""
		}
	}
	out, err := s.Server.Press(card, button, ann, form)
	if err != nil || out == nil {
		return channel.Toast{}, err
	}
	toast := out["toast"].(map[string]any)
	return channel.Toast{Kind: toast["type"].(string), Text: toast["content"].(string)}, nil
}

func TestConformance_ByWebhook(t *testing.T) {
	wanted := []string{
		"what a person writes arrives as it was written", "a mention in a group arrives as one", "text of any kind arrives whole",
		"an event is acknowledged only after the receiver has committed it", "what the receiver could not commit is delivered again",
		"an event that comes twice has one id, at any distance", "what nobody expects harms nothing", "an approval is answered by its buttons",
		"a form comes back with what was filled in", "a wrong secret ends the account and its check", "an answer is shown where the question was asked",
	}
	tried := 0
	for _, c := range channeltest.Claims() {
		if !slices.Contains(wanted, c.Name) {
			continue
		}
		tried++
		t.Run(c.Name, func(t *testing.T) {
			c.Try(t, channeltest.Platform{
				Channel: feishu.Name, Lacks: lacks, Patience: 10 * time.Second,
				Start: func(t testing.TB) channeltest.Emulator {
					return &hookedStage{stage: newStage(t, feishutest.Config{EncryptKey: "a key", Again: time.Minute})}
				},
			})
		})
	}
	require.Equal(t, len(wanted), tried, "the suite calls its claims otherwise now")
}

// hookedStage delivers by HTTP: an account serves its webhook while it runs.
type hookedStage struct {
	*stage

	servers atomic.Int32
}

func (s *hookedStage) Open(t testing.TB) channel.Account {
	t.Helper()
	return &hooked{Account: s.open(t, "mode", "webhook"), s: s}
}

func (s *hookedStage) OpenWrong(t testing.TB) channel.Account {
	t.Helper()
	return &hooked{Account: s.open(t, "mode", "webhook", "app_secret", "wrong"), s: s}
}

func (s *hookedStage) Connected() int { return int(s.servers.Load()) }

func (s *hookedStage) Garbage() {
	for _, body := range []string{"", "null", "[]", "no JSON", `{"header":7}`, `{"encrypt":"x"}`} {
		s.Raw([]byte(body))
	}
	s.Raw(make([]byte, 9<<20))
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
	h.s.Hook(server.URL)
	defer h.s.Hook("")
	h.s.servers.Store(1)
	return h.Account.Run(ctx, to, report)
}

// Settle is the account's: the suite asks for it.
func (h *hooked) Settle(ctx context.Context, to channel.Address, id string, q channel.Question, answer string) error {
	return h.Account.(channel.Asker).Settle(ctx, to, id, q, answer)
}
