package feishutest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"time"
)

// Shown is a message of the bot as users see it.
type Shown struct {
	ID, Kind, Text  string
	Parent, Thread  string
	Files           []File
	Buttons         []string
	Edits           int
	Content         string // as it was sent
	Streaming, Gone bool
	Calls           bool   // it mentions all users of the chat
	Preview         string // of a card: what the list of chats shows; a message is announced with it when it is sent, never when it is edited
}

// Shown returns the bot's messages that users see in a chat, or in a thread of it, oldest first. With an empty thread it
// returns the messages outside of threads.
func (s *Server) Shown(chat, thread string) []Shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Shown
	for _, m := range s.order {
		if m.sender == BotID && m.chat == chat && m.thread == thread && !m.gone {
			all = append(all, s.shown(m))
		}
	}
	return all
}

func (s *Server) shown(m *message) (out Shown) {
	out = Shown{ID: m.id, Kind: m.kind, Parent: m.parent, Thread: m.thread, Edits: m.edits, Content: m.content}
	var in map[string]any
	_ = json.Unmarshal([]byte(m.content), &in) // it was accepted as JSON
	out.Calls = callsAll(in)
	switch m.kind {
	case "text":
		said, _ := in["text"].(string)
		out.Text = s.named(said)
	case "post":
		for _, language := range slices.Sorted(maps.Keys(in)) {
			visitPost(in[language], func(said string) { out.Text += s.named(said) })
		}
	case "interactive":
		out.Text, out.Buttons = s.readable(s.cardOf(m))
		out.Calls = out.Calls || callsAll(s.cardOf(m))
		defer func() { out.Preview = preview(s.cardOf(m), out.Streaming) }()
		for _, e := range s.cards {
			out.Streaming = out.Streaming || e.streaming && fmt.Sprint(e.card) == fmt.Sprint(s.cardOf(m))
		}
	default:
		for _, key := range []string{"image_key", "file_key"} {
			if k, ok := in[key].(string); ok {
				out.Files = append(out.Files, s.files[k])
			}
		}
	}
	return out
}

// callForm is the tag of a mention in texts and in the Markdown of cards, which take the id with quotes or without
// (open.feishu.cn: "@ mention", text messages and the rich text component of cards).
var callForm = regexp.MustCompile(`(?i)<at\s[^>]*id\s*=\s*["']?\s*(?:@_)?all\b`)

// callsAll reports whether a message mentions all users: by a tag in a text, or an element of rich text.
func callsAll(v any) bool {
	switch v := v.(type) {
	case string:
		return callForm.MatchString(v)
	case []any:
		return slices.ContainsFunc(v, callsAll)
	case map[string]any:
		if v["tag"] == "plain_text" { // such as the title of a card, where tags are text
			return false
		}
		if id, _ := v["user_id"].(string); v["tag"] == "at" && (id == "all" || id == "@_all") {
			return true
		}
		for key, one := range v {
			if key != "value" && callsAll(one) { // only the bot sees the value of a button or an option
				return true
			}
		}
	}
	return false
}

func visitPost(v any, f func(string)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			visitPost(one, f)
		}
	case map[string]any:
		if said, ok := v["text"].(string); ok {
			f(said)
		}
		visitPost(v["content"], f)
	}
}

// Reactions returns those of the bot on a message.
func (s *Server) Reactions(id string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.messages[id].reactions))
}

// ErrNoButton means that a card has no such button, or that the message is none.
var ErrNoButton = errors.New("there is no such button")

// Value returns the value of a card's button: the one whose label, or whose value "button", is name.
func (s *Server) Value(card, name string) (map[string]any, error) {
	found, err := s.pressable(card, name)
	return found.value, err
}

func (s *Server) pressable(card, name string) (pressable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[card]
	if m == nil || m.gone {
		return pressable{}, ErrNoButton
	}
	found, ok := pressableOf(s.cardOf(m), name)
	if !ok {
		return pressable{}, ErrNoButton
	}
	return found, nil
}

// Press presses a button, a container or an entry of a menu as a user, with a form that is filled in by the names of its elements, and
// returns the bot's answer within three seconds.
func (s *Server) Press(card, name string, who Person, form map[string]any) (map[string]any, error) {
	found, err := s.pressable(card, name)
	if err != nil {
		return nil, err
	}
	return s.press(card, found, who, form)
}

// PressValue is Press for a button that a user still sees, although the card has changed.
func (s *Server) PressValue(card string, value map[string]any, who Person, form map[string]any) (map[string]any, error) {
	return s.press(card, pressable{value: value}, who, form)
}

func (s *Server) press(card string, what pressable, who Person, form map[string]any) (map[string]any, error) {
	action := map[string]any{"tag": "button", "value": what.value, "timezone": "Europe/Berlin"}
	if what.entry != "" {
		action["tag"], action["option"] = "overflow", what.entry
	}
	if form != nil {
		action["form_value"] = form
	}
	d := &delivery{kind: "card.action.trigger", result: make(chan []byte, 1)}
	s.mu.Lock()
	d.event = map[string]any{
		"operator": map[string]string{"open_id": who.OpenID, "union_id": who.UnionID, "tenant_key": "t1"}, "token": "c-1", "action": action, "host": "im_message",
		"context": map[string]string{"open_message_id": card, "open_chat_id": s.messages[card].chat},
	}
	s.send(d)
	s.mu.Unlock()
	timer := time.NewTimer(3 * time.Second)
	defer timer.Stop()
	select {
	case raw := <-d.result:
		var out map[string]any
		if len(raw) == 0 {
			return nil, nil
		}
		return out, json.Unmarshal(raw, &out)
	case <-timer.C:
		s.mu.Lock()
		d.done = true // the platform shows an error
		s.mu.Unlock()
		return nil, fmt.Errorf("the bot did not answer: %s", http.StatusText(http.StatusGatewayTimeout))
	}
}

// ThreadOf returns the thread that a message is in or has begun; empty: none.
func (s *Server) ThreadOf(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[id].thread
}
