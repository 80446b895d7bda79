// Package memory is a platform in memory, for tests of the conformance suite itself: it has every ability of the port, and
// its adapter can be given flaws, so that every claim is seen to fail.
package memory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	group   = "G1"
	thread  = "T1"
	maxText = 2000
	maxFile = 200_000
	calls   = "@everyone" // mentions all users
)

// people are the users of every world.
var people = []chat.Peer{{ID: "ann", Name: "Ann"}, {ID: "bo", Name: "李 Bo"}}

// World is the platform with its users. Its zero value is not ready; New makes one.
type World struct {
	flaws map[Flaw]bool
	keys  bool // the platform drops a second message with a key; otherwise its history can be searched

	mu      sync.Mutex
	count   int
	said    map[string]*post
	posts   []*post // of the bot, in the order of their sending
	byKey   map[string]*post
	conns   map[*conn]bool
	waiting []event // for a connection
	held    []event
	holding bool
	acked   map[string]bool
	trouble channeltest.Trouble
	files   map[string][]byte
	typed   int
}

// post is a message on the platform.
type post struct {
	id, key, text, replyTo string
	where                  channeltest.Where
	who                    int // -1: the bot
	mention, other         bool
	at                     time.Time
	seq                    int64
	files                  []channeltest.File
	card                   *channel.Question
	settled                string
	edits                  int
	reactions              []string
	gone                   bool
}

// New makes a world. With keys it drops repeated messages, without them its history can be searched.
func New(keys bool, flaws ...Flaw) *World {
	w := &World{
		keys: keys, flaws: map[Flaw]bool{}, said: map[string]*post{}, byKey: map[string]*post{}, conns: map[*conn]bool{}, acked: map[string]bool{},
		files: map[string][]byte{},
	}
	for _, f := range flaws {
		w.flaws[f] = true
	}
	newest.Store(w)
	return w
}

var (
	_ channeltest.Emulator  = (*World)(nil)
	_ channeltest.Corrector = (*World)(nil)
	_ channeltest.Recaller  = (*World)(nil)
	_ channeltest.Presser   = (*World)(nil)
	_ channeltest.Reacted   = (*World)(nil)
)

// Open makes an account of the bot.
func (w *World) Open(testing.TB) channel.Account { return w.account("right") }

// OpenWrong makes one with a wrong secret.
func (w *World) OpenWrong(testing.TB) channel.Account { return w.account("wrong") }

func (w *World) account(secret string) channel.Account {
	a := &account{world: w, secret: secret, has: w.flaws, met: map[string]bool{}}
	if w.keys {
		return a
	}
	return finding{a}
}

// Write writes a message as the person.
func (w *World) Write(m channeltest.Written) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count++
	p := &post{
		id: fmt.Sprintf("m%d", w.count), where: m.Where, who: m.Who, text: m.Text, mention: m.Mention, other: m.Other, replyTo: m.Answers,
		at: time.Now().Truncate(time.Second), seq: int64(w.count), files: m.Files,
	}
	for i, f := range m.Files {
		w.files[fmt.Sprintf("%s/%d", p.id, i)] = f.Data
	}
	w.said[p.id] = p
	w.send(event{kind: "message", post: *p})
	return p.id
}

// Again delivers a message again.
func (w *World) Again(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send(event{kind: "message", post: *w.said[id]})
}

// Correct edits a message as the person.
func (w *World) Correct(id, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said[id].text = text
	w.send(event{kind: "edit", post: *w.said[id]})
}

// Recall takes back a message as the person.
func (w *World) Recall(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.send(event{kind: "recall", post: *w.said[id]})
}

// Garbage delivers events of unknown kinds.
func (w *World) Garbage() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, kind := range []string{"", "earthquake", strings.Repeat("x", 1<<20)} {
		w.send(event{kind: kind})
	}
}

// Hold keeps events back.
func (w *World) Hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding = true
}

// Release delivers the held events.
func (w *World) Release(reverse bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holding = false
	if reverse {
		slices.Reverse(w.held)
	}
	for _, e := range w.held {
		w.send(e)
	}
	w.held = nil
}

// Acked reports whether an event counts as delivered.
func (w *World) Acked(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acked[id]
}

// Befall causes trouble for calls that send.
func (w *World) Befall(t channeltest.Trouble) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trouble = t
}

// Broken returns nothing: there are no malformed requests in memory.
func (w *World) Broken() []string { return nil }

// Shown returns what people see of the bot.
func (w *World) Shown(in channeltest.Where) []channeltest.Shown {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []channeltest.Shown
	for _, p := range w.posts {
		if p.where == in && !p.gone {
			all = append(all, p.shown())
		}
	}
	return all
}

func (p *post) shown() channeltest.Shown {
	s := channeltest.Shown{ID: p.id, Text: p.text, ReplyTo: p.replyTo, Files: p.files, Edits: p.edits, Calls: strings.Contains(p.text, calls)}
	if p.card == nil {
		return s
	}
	lines := []string{p.card.Title, p.card.Text}
	for _, f := range p.card.Fields {
		lines = append(append(lines, f.Label), f.Options...)
	}
	s.Text = strings.Join(append(lines, p.settled), "\n")
	if p.settled == "" {
		for _, button := range p.card.Buttons {
			s.Buttons = append(s.Buttons, button.Label)
		}
	}
	return s
}

// Press presses a button as person 0.
func (w *World) Press(card, button string, values map[string][]string) (channel.Toast, error) {
	w.mu.Lock()
	w.count++
	answer := make(chan channel.Toast, 1)
	i := slices.IndexFunc(w.posts, func(p *post) bool { return p.id == card })
	w.send(event{kind: "press", post: *w.posts[i], button: button, values: values, answer: answer, id: fmt.Sprintf("press-%d", w.count)})
	w.mu.Unlock()
	select {
	case toast := <-answer:
		return toast, nil
	case <-time.After(3 * time.Second):
		return channel.Toast{}, fault.Errorf(fault.Unavailable, "the bot did not answer the press")
	}
}

// Reactions returns those of the bot on a message.
func (w *World) Reactions(id string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.said[id].reactions)
}

// Emoji returns one that may be used.
func (w *World) Emoji() string { return "OK" }

// accept processes a message of the bot as the platform.
func (w *World) accept(to channeltest.Where, m channel.Message, replyTo string) (post, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	trouble := w.befalls()
	switch trouble.Kind {
	case channeltest.Limited:
		return post{}, &limited{trouble.After}
	case channeltest.Refused:
		return post{}, errRefused
	case channeltest.Down:
		return post{}, errDown
	case channeltest.LostRequest:
		return post{}, errBroken
	}
	if len([]rune(m.Text)) > maxText || m.File != nil && len(m.File.Data) > maxFile {
		return post{}, errLarge
	}
	p := w.byKey[m.Key]
	if p == nil || !w.keys {
		w.count++
		p = &post{id: fmt.Sprintf("b%d", w.count), key: m.Key, text: m.Text, where: to, who: -1, replyTo: replyTo, card: m.Card, at: time.Now()}
		if m.File != nil {
			kind := "file"
			if strings.HasPrefix(m.File.Type, "image/") {
				kind = "image"
			}
			p.files = []channeltest.File{{Kind: kind, Name: m.File.Name, Data: bytes.Clone(m.File.Data)}}
		}
		w.posts = append(w.posts, p)
		w.said[p.id] = p
		w.byKey[m.Key] = p
	}
	if trouble.Kind == channeltest.LostAnswer {
		return post{}, errBroken
	}
	return *p, nil
}

func (w *World) befalls() channeltest.Trouble {
	t := w.trouble
	if t.Times == 0 {
		return channeltest.Trouble{}
	}
	if t.Times > 0 {
		w.trouble.Times--
	}
	return t
}

// change changes a message of the bot or, for reactions, of a person.
func (w *World) change(id string, f func(p *post)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.said[id]
	if p == nil || p.gone {
		return fault.Errorf(fault.NotFound, "no message %s", id)
	}
	f(p)
	return nil
}
