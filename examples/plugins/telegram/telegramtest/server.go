// Package telegramtest is the Bot API of Telegram for tests, after https://core.telegram.org/bots/api: long polling with offsets, messages,
// files and limits. It knows one bot.
package telegramtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// BotID and BotName are the bot.
const (
	BotID   = 4242
	BotName = "garden_bot"
)

// Sent is a message of the bot.
type Sent struct {
	ID    int64
	Chat  string
	Text  string
	File  string // name
	Data  []byte
	Reply int64
}

// Server is the platform.
type Server struct {
	*httptest.Server

	token string

	mu      sync.Mutex
	count   int64
	updates []map[string]any
	changed chan struct{} // closed when there is something new
	sent    []Sent
	actions int
	polls   int
	files   map[string][]byte
	limited int // sends that are refused yet
	lose    int // sends whose answer is lost yet
}

// New starts a platform whose bot has a token.
func New(token string) *Server {
	s := &Server{token: token, changed: make(chan struct{}), files: map[string][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Say lets a person write; chat 0 is the private chat. It returns the id of the message.
func (s *Server) Say(person, chat int64, text string) int64 {
	return s.write(person, chat, map[string]any{"text": text})
}

// Hand lets a person send a document in the private chat.
func (s *Server) Hand(person int64, name string, data []byte) int64 {
	s.mu.Lock()
	id := fmt.Sprintf("file%d", len(s.files))
	s.files[id] = data
	s.mu.Unlock()
	return s.write(person, 0, map[string]any{"caption": "look", "document": map[string]any{"file_id": id, "file_name": name, "file_size": len(data)}})
}

func (s *Server) write(person, chat int64, more map[string]any) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	m := map[string]any{
		"message_id": s.count, "date": time.Now().Unix(), "from": map[string]any{"id": person, "first_name": "Person", "last_name": strconv.FormatInt(person, 10)},
		"chat": map[string]any{"id": person, "type": "private"},
	}
	if chat != 0 {
		m["chat"] = map[string]any{"id": chat, "type": "supergroup", "title": "Garden"}
	}
	maps.Copy(m, more)
	s.updates = append(s.updates, map[string]any{"update_id": 1000 + s.count, "message": m})
	close(s.changed)
	s.changed = make(chan struct{})
	return s.count
}

// Limit refuses the next n sends for a second, Lose closes the connection of the next n sends once they are accepted.
func (s *Server) Limit(n int) { s.mu.Lock(); defer s.mu.Unlock(); s.limited = n }

// Lose breaks the connection after the next n sends.
func (s *Server) Lose(n int) { s.mu.Lock(); defer s.mu.Unlock(); s.lose = n }

// Sent lists the messages of the bot.
func (s *Server) Sent() []Sent { s.mu.Lock(); defer s.mu.Unlock(); return slices.Clone(s.sent) }

// Said counts the messages of the bot with a text.
func (s *Server) Said(text string) (n int) {
	for _, m := range s.Sent() {
		if strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

// Waiting returns how many updates the bot has not confirmed.
func (s *Server) Waiting() int { s.mu.Lock(); defer s.mu.Unlock(); return len(s.updates) }

// Polls counts requests for updates.
func (s *Server) Polls() int { s.mu.Lock(); defer s.mu.Unlock(); return s.polls }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if path, ok := strings.CutPrefix(r.URL.Path, "/file/bot"+s.token+"/docs/"); ok {
		s.mu.Lock()
		data := s.files[path]
		s.mu.Unlock()
		http.ServeContent(w, r, path, time.Time{}, strings.NewReader(string(data)))
		return
	}
	method, ok := strings.CutPrefix(r.URL.Path, "/bot"+s.token+"/")
	if !ok {
		fail(w, http.StatusUnauthorized, "Unauthorized", 0)
		return
	}
	in := map[string]any{}
	var file Sent
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		in["chat_id"] = r.FormValue("chat_id")
		if f, head, err := r.FormFile("document"); err == nil {
			file.File = head.Filename
			file.Data, _ = io.ReadAll(f)
		}
	} else if json.NewDecoder(r.Body).Decode(&in) != nil {
		fail(w, http.StatusBadRequest, "Bad Request: no JSON", 0)
		return
	}
	switch method {
	case "getMe":
		answer(w, map[string]any{"id": BotID, "is_bot": true, "first_name": "Garden", "username": BotName})
	case "getUpdates":
		s.poll(w, r, in)
	case "sendMessage", "sendDocument":
		s.send(w, in, file)
	case "getFile":
		answer(w, map[string]any{"file_id": in["file_id"], "file_path": fmt.Sprintf("docs/%v", in["file_id"])})
	case "deleteMessage", "sendChatAction":
		s.mu.Lock()
		s.actions++
		s.mu.Unlock()
		answer(w, true)
	default:
		fail(w, http.StatusNotFound, "Not Found", 0)
	}
}

func (s *Server) poll(w http.ResponseWriter, r *http.Request, in map[string]any) {
	offset, _ := in["offset"].(float64)
	seconds, _ := in["timeout"].(float64)
	late := time.After(time.Duration(seconds) * time.Second)
	s.mu.Lock()
	s.polls++
	s.mu.Unlock()
	for {
		s.mu.Lock()
		s.updates = slices.DeleteFunc(s.updates, func(u map[string]any) bool { id, _ := u["update_id"].(int64); return id < int64(offset) })
		found, changed := slices.Clone(s.updates), s.changed
		s.mu.Unlock()
		if len(found) > 0 {
			answer(w, found)
			return
		}
		select {
		case <-changed:
		case <-late:
			answer(w, []any{})
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Server) send(w http.ResponseWriter, in map[string]any, m Sent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limited > 0 {
		s.limited--
		fail(w, http.StatusTooManyRequests, "Too Many Requests: retry after 1", 1)
		return
	}
	m.Chat = fmt.Sprint(in["chat_id"])
	m.Text, _ = in["text"].(string)
	if len(m.Text) == 0 && m.File == "" {
		fail(w, http.StatusBadRequest, "Bad Request: message text is empty", 0)
		return
	}
	if reply, ok := in["reply_parameters"].(map[string]any); ok {
		id, _ := reply["message_id"].(float64)
		m.Reply = int64(id)
	}
	s.count++
	m.ID = s.count
	s.sent = append(s.sent, m)
	if s.lose > 0 {
		s.lose--
		panic(http.ErrAbortHandler)
	}
	answer(w, map[string]any{"message_id": m.ID, "chat": map[string]any{"id": 0, "type": "private"}, "date": time.Now().Unix()})
}

func answer(w http.ResponseWriter, result any) {
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result}) // the bot may have left
}

func fail(w http.ResponseWriter, code int, text string, after int) {
	w.WriteHeader(code)
	out := map[string]any{"ok": false, "error_code": code, "description": text}
	if after > 0 {
		out["parameters"] = map[string]any{"retry_after": after}
	}
	_ = json.NewEncoder(w).Encode(out) // the bot may have left
}
