package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// session is one conversation. Its lock is taken after the server's, never before.
type session struct {
	server *Server

	mu        sync.Mutex
	about     chat.Session
	messages  []chat.Message
	queued    []chat.Queued
	todos     []chat.Todo
	turns     []*chat.Turn
	events    []chat.Event // durable ones, event n has sequence n+1
	pruned    int          // how many of them are not kept any more
	accepted  map[string]accepted
	listeners map[chan chat.Event]bool
	running   *Turn
	questions map[chat.CallID]*question
	tasks     []chat.Task    // newest first
	late      []chat.Message // answers of commands that are kept back
	acting    acting
}

type accepted struct {
	id   chat.InboxID
	text string
}

func newSession(s *Server, in apiclient.NewSession) *session {
	now := time.Now()
	return &session{
		server: s,
		about: chat.Session{
			Key: in.Key, Routing: chat.Routing{Channel: "web"}, Title: in.Title, Shelf: in.Shelf, Folder: chat.Folder{Cwd: in.Cwd}, Choices: chat.Choices{Runner: "local"}, CreatedAt: now, UpdatedAt: now,
		},
		accepted:  map[string]accepted{},
		questions: map[chat.CallID]*question{},
		tasks:     []chat.Task{},
		listeners: map[chan chat.Event]bool{},
	}
}

func (s *session) describe() chat.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.describeLocked()
}

func (s *session) describeLocked() chat.Session {
	about := s.about
	about.Queued = len(s.queued)
	about.Seq = int64(len(s.events))
	if s.running != nil {
		about.Running = s.running.ID
	}
	return about
}

// durable records an event and sends it; the lock is held.
func (s *session) durable(kind chat.EventKind, data any) {
	event := chat.Event{Seq: int64(len(s.events) + 1), Kind: kind, Data: encode(data)}
	s.events = append(s.events, event)
	s.send(event)
}

// live sends an event that is not recorded; the lock is held.
func (s *session) live(kind chat.EventKind, data any) {
	s.send(chat.Event{Kind: kind, Data: encode(data)})
}

func (s *session) send(event chat.Event) {
	for listener := range s.listeners {
		select {
		case listener <- event:
		default: // a listener this slow has lost its place and must connect again
			delete(s.listeners, listener)
			close(listener)
		}
	}
}

func encode(data any) json.RawMessage {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // the vocabulary can always be encoded
	}
	return text
}

func (s *Server) getSession(w http.ResponseWriter, _ *http.Request, session *session) {
	answer(w, http.StatusOK, session.describe())
}

func (s *Server) patchSession(w http.ResponseWriter, r *http.Request, session *session) {
	var in struct{ Title string }
	if !read(w, r, &in) {
		return
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	session.about.Title = in.Title
	session.durable(chat.EventSession, session.describeLocked())
	answer(w, http.StatusOK, session.describeLocked())
}

func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, session *session) {
	var in struct {
		ClientMessageID string `json:"client_message_id"`
		Text            string `json:"text"`
		Files           []string
	}
	if !read(w, r, &in) {
		return
	}
	for _, file := range in.Files { // as the server names them
		in.Text = strings.TrimSpace(in.Text + "\n[file: " + file + "]")
	}
	if in.ClientMessageID == "" || in.Text == "" {
		problem(w, http.StatusUnprocessableEntity, "client_message_id and text must not be empty.")
		return
	}
	session.mu.Lock()
	defer session.mu.Unlock()
	if known, ok := session.accepted[in.ClientMessageID]; ok {
		if known.text != in.Text {
			problem(w, http.StatusConflict, "This client_message_id was used for another text.")
			return
		}
		answer(w, http.StatusAccepted, apiclient.Accepted{ID: known.id, Duplicate: true})
		return
	}
	id := chat.InboxID(len(session.accepted) + 1)
	session.accepted[in.ClientMessageID] = accepted{id, in.Text}
	session.about.UpdatedAt = time.Now()
	if session.about.Title == "" {
		session.about.Title = in.Text
	}
	if said, ok := s.carryOut(in.Text); ok {
		session.command(id, in.ClientMessageID, in.Text, said)
		answer(w, http.StatusAccepted, apiclient.Accepted{ID: id})
		return
	}
	queued := chat.Queued{Inbox: id, ClientMessageID: in.ClientMessageID, Text: in.Text}
	session.queued = append(session.queued, queued)
	session.durable(chat.EventQueued, queued)
	session.next()
	answer(w, http.StatusAccepted, apiclient.Accepted{ID: id})
}

func (s *Server) carryOut(text string) (said string, ok bool) {
	command := s.command.Load()
	if command == nil {
		return "", false
	}
	return (*command)(text)
}

// next starts a turn for the first queued message unless one is running; the lock is held.
func (s *session) next() {
	if s.running != nil || len(s.queued) == 0 {
		return
	}
	claimed := s.queued[0]
	s.queued = s.queued[1:]
	turn := newTurn(s)
	s.running = turn
	s.turns = append(s.turns, &turn.about)
	s.message(chat.Message{Role: chat.RoleUser, Turn: turn.ID, Content: claimed.Text, Inbox: claimed.Inbox, ClientMessageID: claimed.ClientMessageID})
	s.durable(chat.EventTurn, turn.about)
	s.server.serving.Go(func() {
		s.server.Script(turn, claimed.Text)
		s.mu.Lock()
		defer s.mu.Unlock()
		turn.end(chat.TurnDone)
		s.next()
	})
}

// message appends to the transcript; the lock is held.
func (s *session) message(m chat.Message) {
	m.ID, m.Session, m.CreatedAt = chat.MessageID(len(s.messages)+1), s.about.Key, time.Now()
	s.messages = append(s.messages, m)
	s.durable(chat.EventMessage, m)
}

func (s *Server) getMessages(w http.ResponseWriter, r *http.Request, session *session) {
	session.mu.Lock()
	defer session.mu.Unlock()
	limit := 100
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil {
		limit = n
	}
	messages := slices.Clone(session.messages)
	if before, err := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64); err == nil {
		messages = slices.DeleteFunc(messages, func(m chat.Message) bool { return int64(m.ID) >= before })
	}
	more := len(messages) > limit
	answer(w, http.StatusOK, apiclient.Transcript{
		Messages: messages[max(0, len(messages)-limit):], Queued: session.queued, Todos: session.todos,
		Seq: int64(len(session.events)), HasMore: more,
	})
}

func (s *Server) stopTurn(w http.ResponseWriter, _ *http.Request, session *session) {
	answer(w, http.StatusAccepted, session.stop())
}

func (s *session) stop() apiclient.Stopped {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		return apiclient.Stopped{Queued: len(s.queued)}
	}
	s.running.stopOnce.Do(func() { close(s.running.stopping) })
	return apiclient.Stopped{Stopped: s.running.ID, Queued: len(s.queued)}
}

func (s *Server) listTurns(w http.ResponseWriter, _ *http.Request, session *session) {
	session.mu.Lock()
	defer session.mu.Unlock()
	turns := slices.Clone(session.turns)
	slices.Reverse(turns)
	answer(w, http.StatusOK, map[string]any{"turns": turns})
}

// events streams the feed: what is recorded after the cursor, then what comes.
func (s *Server) events(w http.ResponseWriter, r *http.Request, session *session) {
	after, err := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	if err != nil {
		problem(w, http.StatusBadRequest, "after must be a number.")
		return
	}
	session.mu.Lock()
	listener := make(chan chat.Event, 4096) // closed by send when it is full
	session.listeners[listener] = true
	recorded := slices.Clone(session.events[min(max(int(after), session.pruned), len(session.events)):])
	hello := apiclient.Hello{Seq: int64(len(session.events)), Session: session.describeLocked(), Gap: int(after) < session.pruned}
	session.mu.Unlock()
	defer func() {
		session.mu.Lock()
		defer session.mu.Unlock()
		delete(session.listeners, listener)
	}()

	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "event: hello\ndata: %s\n\n", encode(hello))
	for _, event := range recorded {
		writeEvent(w, event)
	}
	flush := http.NewResponseController(w)
	for {
		// A client that has gone away is seen below.
		_ = flush.Flush()
		select {
		case <-r.Context().Done():
			return
		case event, open := <-listener:
			if !open {
				return
			}
			writeEvent(w, event)
		}
	}
}

func writeEvent(w http.ResponseWriter, event chat.Event) {
	if event.Seq > 0 {
		fmt.Fprintf(w, "id: %d\n", event.Seq)
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n: ping\n\n", event.Kind, event.Data)
}
