package platform_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"xbot/internal/channel/channeltest"
)

// street is a platform: its bot reads events on one connection and confirms each.
type street struct {
	*httptest.Server

	token string

	mu      sync.Mutex
	count   int64
	events  []*event
	holding bool
	held    []*event
	readers map[*reader]bool
	shown   []*posted
	keys    map[string]string // ids of messages by their keys
	files   map[string][]byte
	reacted map[string][]string
	trouble channeltest.Trouble
	broken  []string
	typed   int
}

// event is one that the platform tells.
type event struct {
	Kind   string `json:"kind"` // message, edit or recall
	Number int64  `json:"number"`
	ID     string `json:"id"`
	Group  string `json:"group,omitempty"`
	Thread string `json:"thread,omitempty"`
	Who    string `json:"who"`
	Name   string `json:"name"`
	Text   string `json:"text"`
	Meant  bool   `json:"meant"`
	At     int64  `json:"at"` // microseconds since 1970
	Files  []kept `json:"files,omitempty"`

	done bool
}

type kept struct {
	Kind string `json:"kind"`
	Key  string `json:"key"`
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// posted is a message of the bot.
type posted struct {
	Place string `json:"place"`
	Key   string `json:"key"`
	Text  string `json:"text"`
	Reply string `json:"reply"`
	File  *struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Data []byte `json:"data"`
	} `json:"file"`

	id string
}

// reader is a connection on which events travel.
type reader struct {
	out  chan string
	cut  chan struct{}
	once sync.Once
}

func newStreet() *street {
	s := &street{token: "right-secret", readers: map[*reader]bool{}, keys: map[string]string{}, files: map[string][]byte{}, reacted: map[string][]string{}}
	s.Server = httptest.NewServer(s)
	return s
}

// ServeHTTP answers the bot.
func (s *street) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+s.token {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	switch r.URL.Path {
	case "/me":
		_, _ = io.WriteString(w, `{"id": "9", "name": "Rex"}`)
	case "/events":
		s.tell(w, r)
	case "/done":
		s.confirm(r.FormValue("number"))
	case "/file":
		s.give(w, r)
	case "/send":
		s.post(w, r)
	case "/delete":
		s.mu.Lock()
		s.shown = slices.DeleteFunc(s.shown, func(m *posted) bool { return m.id == r.FormValue("id") })
		s.mu.Unlock()
	case "/react":
		s.mu.Lock()
		if id, sign := r.FormValue("id"), r.FormValue("sign"); !slices.Contains(s.reacted[id], sign) {
			s.reacted[id] = append(s.reacted[id], sign)
		}
		s.mu.Unlock()
	case "/typing":
		s.mu.Lock()
		s.typed++
		s.mu.Unlock()
	default:
		s.breaks("no such path: " + r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *street) breaks(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, what)
}

// tell sends events, those first that were not confirmed.
func (s *street) tell(w http.ResponseWriter, r *http.Request) {
	at := &reader{out: make(chan string, 4096), cut: make(chan struct{})}
	s.mu.Lock()
	s.readers[at] = true
	for _, e := range s.events {
		if !e.done && !slices.Contains(s.held, e) {
			at.out <- e.line()
		}
	}
	s.mu.Unlock()
	defer func() { s.mu.Lock(); defer s.mu.Unlock(); delete(s.readers, at) }()
	flush := http.NewResponseController(w)
	_ = flush.Flush() // the bot may have left
	for {
		select {
		case line := <-at.out:
			_, _ = io.WriteString(w, line+"\n") // as above
			_ = flush.Flush()                   // as above
		case <-at.cut:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		}
	}
}

func (e *event) line() string {
	line, _ := json.Marshal(e)
	return string(line)
}

// push tells an event to whoever is connected. The caller holds mu.
func (s *street) push(e *event) {
	if s.holding {
		s.held = append(s.held, e)
		return
	}
	for r := range s.readers {
		r.out <- e.line()
	}
}

// raw writes a line to the bot as it is.
func (s *street) raw(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.readers {
		r.out <- line
	}
}

func (s *street) confirm(number string) {
	n, _ := strconv.ParseInt(number, 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.events {
		e.done = e.done || e.Number == n
	}
}

func (s *street) give(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	data, ok := s.files[r.FormValue("key")]
	s.mu.Unlock()
	from, _ := strconv.Atoi(r.FormValue("offset"))
	limit, _ := strconv.Atoi(r.FormValue("limit"))
	if !ok || from > len(data) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	end := min(from+limit, len(data))
	w.Header().Set("X-End", strconv.FormatBool(end == len(data)))
	_, _ = w.Write(data[from:end]) // the bot may have left
}

// post takes a message, once for a key.
func (s *street) post(w http.ResponseWriter, r *http.Request) {
	m := &posted{}
	if err := json.NewDecoder(r.Body).Decode(m); err != nil || m.Key == "" || m.Place == "" {
		s.breaks(fmt.Sprintf("no message: %v", err))
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var trouble channeltest.TroubleKind
	if s.trouble.Times != 0 {
		trouble = s.trouble.Kind
		s.trouble.Times--
	}
	switch trouble {
	case channeltest.Limited:
		w.Header().Set("Retry-After", strconv.Itoa(int(s.trouble.After/time.Second)))
		w.WriteHeader(http.StatusTooManyRequests)
		return
	case channeltest.Refused:
		w.WriteHeader(http.StatusForbidden)
		return
	case channeltest.Down:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case channeltest.LostRequest:
		panic(http.ErrAbortHandler)
	}
	if s.keys[m.Key] == "" {
		s.count++
		m.id = fmt.Sprintf("b%d", s.count)
		s.keys[m.Key] = m.id
		s.shown = append(s.shown, m)
	}
	if trouble == channeltest.LostAnswer {
		panic(http.ErrAbortHandler)
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"id": s.keys[m.Key]}) // the bot may have left
}
