// Package realtimetest emulates a realtime service for tests, from the public reference of OpenAI's Realtime API
// (https://platform.openai.com/docs/api-reference/realtime-client-events and realtime-server-events) in its current form and in the beta form.
//
// It understands the text whose bytes are sent as audio, or the result of Transcribe. The text is a program:
//
//	say WORDS               speak the words
//	call NAME {ARGUMENTS}   call a function, and speak its output
//	fail                    fail the response
package realtimetest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gorilla/websocket"
)

// Key is the key that the service accepts.
const Key = "sk-realtime-test-0123456789"

// WordMS is the duration of the audio of a spoken word, in milliseconds.
const WordMS = 100

// Object is an event as it was sent.
type Object = map[string]any

// Server is an emulated service. Its fields must be set before the first connection.
type Server struct {
	URL  string // its base URL
	Beta bool   // it speaks the beta form
	// Transcribe transcribes PCM16 audio with 24 kHz; nil: the audio is the text.
	Transcribe func(audio []byte) string
	// Pace is the pause between the words of an answer.
	Pace time.Duration
	// NoTranscripts leaves out the transcripts of the speech of the user.
	NoTranscripts bool

	mu       sync.Mutex
	conns    map[*conn]bool
	received []Object // of all connections
	opened   int
}

// New starts a service for a test.
func New(t testing.TB) *Server {
	t.Helper()
	s := &Server{conns: map[*conn]bool{}}
	server := httptest.NewServer(s)
	s.URL = server.URL + "/v1"
	t.Cleanup(func() { s.Drop(); server.Close() })
	return s
}

// Drop breaks all connections.
func (s *Server) Drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.socket.Close() // the connection must break
	}
}

// Connections returns the number of connections so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// Received returns the events of a type that clients have sent, in order.
func (s *Server) Received(kind string) (out []Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.received {
		if e["type"] == kind {
			out = append(out, e)
		}
	}
	return out
}

// ServeHTTP accepts connections with the key.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/v1/realtime" || r.URL.Query().Get("model") == "" {
		http.NotFound(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+Key {
		http.Error(w, `{"error":{"message":"Incorrect API key provided"}}`, http.StatusUnauthorized)
		return
	}
	if s.Beta && r.Header.Get("Openai-Beta") != "realtime=v1" {
		http.Error(w, `{"error":{"message":"the beta header is missing"}}`, http.StatusBadRequest)
		return
	}
	socket, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	c := &conn{server: s, socket: socket, model: r.URL.Query().Get("model"), vad: true, outputs: map[string]string{}}
	s.mu.Lock()
	s.conns[c] = true
	s.opened++
	s.mu.Unlock()
	c.serve()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
}

// conn is a session.
type conn struct {
	server *Server
	socket *websocket.Conn
	model  string
	work   sync.WaitGroup

	mu      sync.Mutex
	n       int // of the next id
	vad     bool
	audio   []byte
	speaks  bool // speech was detected
	said    string
	active  *speech
	outputs map[string]string // of functions, by call
	calls   []string          // whose outputs are missing
	spoken  map[string]int    // milliseconds of audio, by item
}

// speech is a response in progress.
type speech struct {
	id     string
	cancel chan struct{}
	ended  chan struct{}
	once   sync.Once
	reason string
}

func (s *speech) stop(reason string) { s.once.Do(func() { s.reason = reason; close(s.cancel) }) }

func (c *conn) serve() {
	defer c.work.Wait()
	defer func() { _ = c.socket.Close() }() // it has ended
	session := Object{"id": "sess_1", "object": "realtime.session", "model": c.model}
	if !c.server.Beta {
		session["type"] = "realtime"
	}
	c.send(Object{"type": "session.created", "session": session})
	for {
		var e Object
		if err := c.socket.ReadJSON(&e); err != nil {
			c.mu.Lock()
			if c.active != nil {
				c.active.stop("client_cancelled")
			}
			c.mu.Unlock()
			return
		}
		c.server.mu.Lock()
		c.server.received = append(c.server.received, e)
		c.server.mu.Unlock()
		c.handle(e)
	}
}

// send sends an event, under the name that it has in the form of the service.
func (c *conn) send(e Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sendLocked(e)
}

func (c *conn) sendLocked(e Object) {
	c.n++
	e["event_id"] = fmt.Sprintf("event_%d", c.n)
	if c.server.Beta {
		e["type"] = strings.Replace(strings.Replace(e["type"].(string), "output_audio", "audio", 1), "conversation.item.added", "conversation.item.created", 1)
	}
	_ = c.socket.WriteJSON(e) // a closed connection ends the reader
}

func (c *conn) id(kind string) string {
	c.n++
	return fmt.Sprintf("%s_%p_%d", kind, c, c.n)
}

func (c *conn) handle(e Object) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e["type"] {
	case "session.update":
		c.update(e)
	case "input_audio_buffer.append":
		c.appendAudio(e)
	case "input_audio_buffer.clear":
		c.audio, c.speaks = nil, false
		c.sendLocked(Object{"type": "input_audio_buffer.cleared"})
	case "input_audio_buffer.commit":
		c.commit()
	case "conversation.item.create":
		c.item(e)
	case "conversation.item.truncate":
		c.truncate(e)
	case "response.create":
		response, _ := e["response"].(Object)
		metadata, _ := response["metadata"].(Object)
		c.respond(metadata)
	case "response.cancel":
		if c.active == nil {
			c.fail("response_cancel_not_active", "Cancellation failed: no active response found")
			return
		}
		c.active.stop("client_cancelled")
	default:
		c.fail("invalid_value", fmt.Sprintf("Invalid value: %v", e["type"]))
	}
}

func (c *conn) fail(code, message string) {
	c.sendLocked(Object{"type": "error", "error": Object{"type": "invalid_request_error", "code": code, "message": message}})
}

func (c *conn) update(e Object) {
	session, _ := e["session"].(Object)
	if c.server.Beta {
		_, c.vad = session["turn_detection"].(Object)
	} else {
		if session["type"] != "realtime" {
			c.fail("missing_required_parameter", "Missing required parameter: 'session.type'.")
			return
		}
		audio, _ := session["audio"].(Object)
		input, _ := audio["input"].(Object)
		_, c.vad = input["turn_detection"].(Object)
	}
	c.sendLocked(Object{"type": "session.updated", "session": session})
}

// speechLevel is the mean amplitude from which on audio is speech.
const speechLevel = 300

// appendAudio adds audio. With turn detection, sound begins a piece of speech and silence ends it.
func (c *conn) appendAudio(e Object) {
	text, _ := e["audio"].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		c.fail("invalid_value", "Invalid audio")
		return
	}
	c.audio = append(c.audio, data...)
	if !c.vad {
		return
	}
	sound := amplitude(data) >= speechLevel
	if sound && !c.speaks {
		c.speaks = true
		c.sendLocked(Object{"type": "input_audio_buffer.speech_started", "audio_start_ms": 0, "item_id": "item_next"})
		if c.active != nil {
			c.active.stop("turn_detected")
		}
	}
	if !sound && c.speaks {
		c.sendLocked(Object{"type": "input_audio_buffer.speech_stopped", "audio_end_ms": 0, "item_id": "item_next"})
		c.commit()
	}
}

// amplitude is the mean of the samples' absolute values.
func amplitude(pcm []byte) int {
	sum, n := 0, len(pcm)/2
	for i := range n {
		v := int(int16(uint16(pcm[2*i]) | uint16(pcm[2*i+1])<<8))
		sum += max(v, -v)
	}
	return sum / max(n, 1)
}

// commit makes an item of the audio, transcribes it, and responds where turns are detected.
func (c *conn) commit() {
	if len(c.audio) == 0 {
		c.fail("input_audio_buffer_commit_empty", "Error committing input audio buffer: buffer too small.")
		return
	}
	item := c.id("item")
	c.said = c.transcribe(c.audio)
	c.audio, c.speaks = nil, false
	c.sendLocked(Object{"type": "input_audio_buffer.committed", "item_id": item})
	c.sendLocked(Object{"type": "conversation.item.added", "item": Object{"id": item, "type": "message", "role": "user"}})
	if !c.server.NoTranscripts {
		c.sendLocked(Object{"type": "conversation.item.input_audio_transcription.completed", "item_id": item, "content_index": 0, "transcript": c.said, "usage": Object{"type": "duration", "seconds": 1}})
	}
	if c.vad {
		c.respond(nil)
	}
}

func (c *conn) transcribe(audio []byte) string {
	if c.server.Transcribe != nil {
		return c.server.Transcribe(audio)
	}
	if text := strings.TrimRight(string(audio), "\x00"); utf8.ValidString(text) {
		return strings.TrimSpace(text)
	}
	return ""
}

// item adds an item of the client. The newest message of a user is what a response answers.
func (c *conn) item(e Object) {
	item, _ := e["item"].(Object)
	switch item["type"] {
	case "message":
		content, _ := item["content"].([]any)
		if len(content) > 0 && item["role"] == "user" {
			part, _ := content[0].(Object)
			c.said, _ = part["text"].(string)
		}
	case "function_call":
		id, _ := item["call_id"].(string)
		c.calls = append(c.calls, id)
	case "function_call_output":
		id, _ := item["call_id"].(string)
		c.outputs[id], _ = item["output"].(string)
	}
	if item["id"] == nil {
		item["id"] = c.id("item")
	}
	c.sendLocked(Object{"type": "conversation.item.added", "item": item})
}

func (c *conn) truncate(e Object) {
	id, _ := e["item_id"].(string)
	at, _ := e["audio_end_ms"].(float64)
	if length, known := c.spoken[id]; !known || int(at) > length {
		c.fail("invalid_value", fmt.Sprintf("Audio content of %dms is already shorter than %vms", length, at))
		return
	}
	c.sendLocked(Object{"type": "conversation.item.truncated", "item_id": id, "content_index": 0, "audio_end_ms": at})
}

// respond begins a response. Only one may be in progress.
func (c *conn) respond(metadata Object) {
	if c.active != nil {
		select {
		case <-c.active.cancel: // it is ending
		default:
			c.fail("conversation_already_has_active_response", "Conversation already has an active response in progress: "+c.active.id)
			return
		}
	}
	r := &speech{id: c.id("resp"), cancel: make(chan struct{}), ended: make(chan struct{})}
	before := c.active
	c.active = r
	c.work.Go(func() {
		if before != nil { // an interrupted response ends first
			<-before.ended
		}
		c.speak(r, metadata)
	})
}

// program returns the words or the call of the next response.
func (c *conn) program() (words []string, call Object, fails bool) {
	if len(c.calls) > 0 {
		id := c.calls[len(c.calls)-1]
		output, known := c.outputs[id]
		if known {
			c.calls = nil
			return strings.Fields("It says: " + output), nil, false
		}
	}
	verb, rest, _ := strings.Cut(c.said, " ")
	switch strings.ToLower(verb) {
	case "say":
		return strings.Fields(rest), nil, false
	case "call":
		name, arguments, _ := strings.Cut(rest, " ")
		id := c.id("call")
		c.calls = append(c.calls, id)
		return nil, Object{"id": c.id("item"), "type": "function_call", "call_id": id, "name": name, "arguments": arguments, "status": "completed"}, false
	case "fail":
		return nil, nil, true
	}
	return strings.Fields("I heard " + c.said), nil, false
}

// speak sends a response: its words as audio with a transcript, or a function call.
func (c *conn) speak(r *speech, metadata Object) {
	c.mu.Lock()
	words, call, fails := c.program()
	item := c.id("item")
	response := Object{"id": r.id, "object": "realtime.response", "status": "in_progress", "output": []any{}, "metadata": metadata}
	c.sendLocked(Object{"type": "response.created", "response": response})
	c.mu.Unlock()
	if call != nil {
		text, _ := json.Marshal(call["arguments"])
		c.send(Object{"type": "response.output_item.added", "response_id": r.id, "output_index": 0, "item": call})
		c.send(Object{"type": "response.function_call_arguments.done", "response_id": r.id, "call_id": call["call_id"], "arguments": string(text)})
		c.finish(r, "completed", metadata, call, "", "")
		return
	}
	if fails {
		c.finish(r, "failed", metadata, nil, "", "")
		return
	}
	said, status := "", "completed"
	for _, word := range words {
		select {
		case <-r.cancel:
			status = "cancelled"
		case <-time.After(c.server.Pace):
		}
		if status != "completed" {
			break
		}
		said += word + " "
		c.mu.Lock()
		if c.spoken == nil {
			c.spoken = map[string]int{}
		}
		c.spoken[item] += WordMS
		c.sendLocked(Object{"type": "response.output_audio_transcript.delta", "response_id": r.id, "item_id": item, "output_index": 0, "content_index": 0, "delta": word + " "})
		c.sendLocked(Object{"type": "response.output_audio.delta", "response_id": r.id, "item_id": item, "output_index": 0, "content_index": 0, "delta": base64.StdEncoding.EncodeToString(make([]byte, WordMS*48))})
		c.mu.Unlock()
	}
	c.finish(r, status, metadata, nil, item, strings.TrimSpace(said))
}

func (c *conn) finish(r *speech, status string, metadata, call Object, item, said string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	output := []any{}
	switch {
	case call != nil:
		output = append(output, call)
	case item != "":
		kind := "output_audio"
		if c.server.Beta {
			kind = "audio"
		}
		output = append(output, Object{"id": item, "type": "message", "role": "assistant", "content": []any{Object{"type": kind, "transcript": said}}})
	}
	response := Object{
		"id": r.id, "object": "realtime.response", "status": status, "output": output, "metadata": metadata,
		"usage": Object{"total_tokens": 30, "input_tokens": 20, "output_tokens": 10, "input_token_details": Object{"cached_tokens": 5, "text_tokens": 15, "audio_tokens": 5}, "output_token_details": Object{"text_tokens": 4, "audio_tokens": 6}},
	}
	if status == "cancelled" {
		response["status_details"] = Object{"type": "cancelled", "reason": r.reason}
	}
	if status == "failed" {
		response["status_details"] = Object{"type": "failed", "error": Object{"type": "server_error", "code": "server_error"}}
	}
	c.sendLocked(Object{"type": "response.done", "response": response})
	c.sendLocked(Object{"type": "rate_limits.updated", "rate_limits": []any{Object{"name": "tokens", "limit": 40000, "remaining": 39970, "reset_seconds": 0.1}}})
	close(r.ended)
	if c.active == r {
		c.active = nil
	}
}
