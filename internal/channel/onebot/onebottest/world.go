// Package onebottest is an emulator of NapCat: a QQ account with users, groups, histories and files behind OneBot 11 over
// WebSocket, in both directions. It checks requests as the real one does, can cause trouble, and records the messages that
// users would see. It does not depend on testing, so that it may run as a program.
package onebottest

import (
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options configure NapCat.
type Options struct {
	Token     string        // empty: none is asked for
	Self      string        // QQ number of the bot; empty: 10001
	Heartbeat time.Duration // 0: none are sent
	Strings   bool          // messages are strings with CQ codes, not arrays
	Base64    bool          // files come as base64, too (a setting of NapCat)
	Status401 bool          // a wrong token is refused as OneBot 11 documents, not as NapCat does
	Without   []string      // actions that this version does not have
	Echoes    bool          // the bot's own messages are reported as well
}

// Place names a chat: g and the number of a group, or p and the number of a person.
type Place string

// Group returns the chat of a group.
func Group(id string) Place { return Place("g" + id) }

// Person returns the chat of a person with the bot.
func Person(id string) Place { return Place("p" + id) }

func (p Place) group() bool { return p != "" && p[0] == 'g' }
func (p Place) id() string  { return string(p[1:]) }

// Message is one message as the account knows it.
type Message struct {
	ID        int32
	Seq       int64
	At        time.Time
	Place     Place
	By        string // QQ number
	Segments  []Segment
	Recalled  bool
	Reactions []string // numbers of faces that the bot has put under it
}

// world is the state behind NapCat.
type world struct {
	mu       sync.Mutex
	self     string
	names    map[string]string            // people by number
	groups   map[string]string            // groups by number
	cards    map[string]map[string]string // members of groups with their names there
	messages []*Message
	forwards map[string][]*Message
	files    map[string]*storedFile
	typing   map[string]int
	seqs     map[Place]int64
	nextID   []int32 // forced ids
	count    int
	rkey     int // of links to files; links with older ones have expired
}

func newWorld(self string) *world {
	return &world{
		self: self, names: map[string]string{self: "xbot"}, groups: map[string]string{}, cards: map[string]map[string]string{},
		forwards: map[string][]*Message{}, files: map[string]*storedFile{}, typing: map[string]int{}, seqs: map[Place]int64{},
	}
}

// AddPerson adds a user who is a friend of the bot.
func (s *Server) AddPerson(id, name string) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.names[id] = name
}

// AddGroup adds a group. Members are by number with their names in it; the bot is one.
func (s *Server) AddGroup(id, name string, members map[string]string) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.groups[id] = name
	all := map[string]string{s.world.self: ""}
	maps.Copy(all, members)
	s.world.cards[id] = all
}

// NextIDs forces the numbers of the next messages: QQ's are hashes, which may be negative and may repeat.
func (s *Server) NextIDs(ids ...int32) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.nextID = append(s.world.nextID, ids...)
}

// add stores a message. The world is locked.
func (w *world) add(place Place, by string, at time.Time, segments []Segment) *Message {
	w.count++
	w.seqs[place]++
	m := &Message{ID: w.number(place), Seq: w.seqs[place], At: at.Truncate(time.Second), Place: place, By: by, Segments: segments}
	w.messages = append(w.messages, m)
	return m
}

func (w *world) number(place Place) int32 {
	if len(w.nextID) > 0 {
		id := w.nextID[0]
		w.nextID = w.nextID[1:]
		return id
	}
	sum := md5.Sum([]byte(fmt.Sprintf("%s/%d", place, w.count)))
	return int32(binary.BigEndian.Uint32(sum[:4]))
}

// find returns the newest message with a number.
func (w *world) find(id int32) *Message {
	for _, m := range slices.Backward(w.messages) {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// history returns the newest messages of a chat that are still there, oldest first.
func (w *world) history(place Place, count int) []*Message {
	var out []*Message
	for _, m := range slices.Backward(w.messages) {
		if m.Place == place && !m.Recalled && len(out) < count {
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// Messages returns those of a chat as people see them now, oldest first.
func (s *Server) Messages(place Place) []Message {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	var out []Message
	for _, m := range s.world.messages {
		if m.Place == place && !m.Recalled {
			copied := *m
			copied.Reactions = slices.Clone(m.Reactions)
			out = append(out, copied)
		}
	}
	return out
}

// OfBot returns the messages of the bot in a chat, oldest first.
func (s *Server) OfBot(place Place) []Message {
	return slices.DeleteFunc(s.Messages(place), func(m Message) bool { return m.By != s.Self() })
}

// Self returns the QQ number of the bot.
func (s *Server) Self() string { return s.world.self }

// Typing counts how often the bot has shown a user that it writes.
func (s *Server) Typing(person string) int {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.world.typing[person]
}

// Read returns the visible text of a message: text, names of the mentioned users, and marks for the rest.
func (s *Server) Read(m Message) string {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	var out strings.Builder
	for _, part := range m.Segments {
		switch part.Type {
		case "text":
			out.WriteString(fmt.Sprint(part.Data["text"]))
		case "at":
			out.WriteString("@" + s.world.called(m.Place, fmt.Sprint(part.Data["qq"])))
		}
	}
	return out.String()
}

// called returns the name of a user in a chat.
func (w *world) called(place Place, who string) string {
	if place.group() {
		if card := w.cards[place.id()][who]; card != "" {
			return card
		}
	}
	if name := w.names[who]; name != "" {
		return name
	}
	return who
}

// num writes a number of QQ as NapCat does.
func num(s string) any {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n
	}
	return s
}
