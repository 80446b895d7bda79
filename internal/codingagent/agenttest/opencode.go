package agenttest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
)

// opencode implements `opencode serve` (anomalyco/opencode, packages/sdk/js/src/v2/gen/types.gen.ts).
type opencode struct {
	*stage
	wmu       sync.Mutex // guards followers
	followers map[chan []byte]bool
	messages  int
}

// serveOpencode plays `opencode serve --hostname 127.0.0.1 --port 0` until it is killed.
func serveOpencode(s *stage, args []string) int {
	if len(args) < 2 || args[1] != "serve" {
		return 2
	}
	o := &opencode{stage: s, followers: map[chan []byte]bool{}}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /event", o.follow)
	mux.HandleFunc("POST /session", func(w http.ResponseWriter, _ *http.Request) {
		o.open(w, fmt.Sprintf("ses_%d", os.Getpid()))
	})
	mux.HandleFunc("GET /session/{id}", func(w http.ResponseWriter, r *http.Request) {
		if _, found := earlier(r.PathValue("id")); !found {
			reply(w, http.StatusNotFound, object{"name": "NotFoundError", "data": object{"message": "Session not found"}})
			return
		}
		o.open(w, r.PathValue("id"))
	})
	mux.HandleFunc("POST /session/{id}/prompt_async", o.prompt)
	mux.HandleFunc("POST /session/{id}/abort", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, http.StatusOK, true)
		o.signals <- signal{kind: "interrupt"}
	})
	mux.HandleFunc("POST /permission/{id}/reply", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Reply string `json:"reply"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // of another form: no
		reply(w, http.StatusOK, true)
		o.signals <- signal{kind: "answer", id: r.PathValue("id"), yes: body.Reply == "once" || body.Reply == "always"}
	})
	mux.HandleFunc("POST /question/{id}/reply", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Answers [][]string `json:"answers"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // of another form: none
		sig := signal{kind: "answer", id: r.PathValue("id")}
		for _, texts := range body.Answers {
			sig.replies = append(sig.replies, texts...)
		}
		reply(w, http.StatusOK, true)
		o.signals <- sig
	})
	mux.HandleFunc("POST /question/{id}/reject", func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusOK, true)
		o.signals <- signal{kind: "answer", id: r.PathValue("id")}
	})
	_, _ = fmt.Fprintf(os.Stdout, "opencode server listening on http://%s\n", listener.Addr())
	go play(s, o)
	_ = http.Serve(listener, guarded(mux)) // it ends when it is killed
	return 0
}

// guarded asks for the password that the server was started with.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		if password != os.Getenv("OPENCODE_SERVER_PASSWORD") {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

func (o *opencode) open(w http.ResponseWriter, session string) {
	o.session = session
	if _, found := earlier(session); !found {
		keep(session, []string{})
	}
	reply(w, http.StatusOK, object{"id": session, "title": "x"})
}

func (o *opencode) prompt(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Parts []part `json:"parts"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil || len(body.Parts) == 0 {
		reply(w, http.StatusBadRequest, object{})
		return
	}
	hears()
	w.WriteHeader(http.StatusNoContent)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	o.messages++
	id := fmt.Sprintf("msg_user_%d", o.messages)
	o.event("message.updated", object{"info": object{"id": id, "sessionID": o.session, "role": "user"}})
	for n, p := range body.Parts {
		shown := object{"id": fmt.Sprintf("prt_%s_%d", id, n), "messageID": id, "type": p.Type}
		if p.Type == "text" {
			shown["text"] = p.Text
		} else {
			shown["mime"], shown["url"] = p.Mime, p.URL
		}
		o.part(shown)
	}
	o.event("session.status", object{"sessionID": o.session, "status": object{"type": "busy"}})
	o.begin(body.Parts)
}

func (o *opencode) follow(w http.ResponseWriter, r *http.Request) {
	lines := make(chan []byte, 1000)
	o.wmu.Lock()
	o.followers[lines] = true
	o.wmu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	flush := http.NewResponseController(w)
	_, _ = fmt.Fprint(w, "data: {\"type\":\"server.connected\",\"properties\":{}}\n\n")
	for {
		_ = flush.Flush() // the client may be gone
		select {
		case line := <-lines:
			_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
		case <-r.Context().Done():
			return
		}
	}
}

func (o *opencode) event(kind string, properties object) {
	line, err := json.Marshal(object{"type": kind, "properties": properties})
	if err != nil {
		panic(err)
	}
	o.wmu.Lock()
	defer o.wmu.Unlock()
	for follower := range o.followers {
		follower <- line
	}
}

func (o *opencode) part(part object) {
	part["sessionID"] = o.session
	o.event("message.part.updated", object{"sessionID": o.session, "part": part})
}

func (o *opencode) message(id string, more object) {
	more["id"], more["sessionID"], more["role"] = id, o.session, "assistant"
	o.event("message.updated", object{"info": more})
}

func (o *opencode) text(id string, pieces []string, whole string) { o.speak("text", id, pieces, whole) }

func (o *opencode) thought(text string) { o.speak("reasoning", "thought", []string{text}, text) }

func (o *opencode) speak(kind, id string, pieces []string, whole string) {
	o.message(id, object{})
	part := "prt_" + id
	o.part(object{"id": part, "messageID": id, "type": kind, "text": "", "time": object{"start": 1}})
	for _, piece := range pieces {
		o.event("message.part.delta", object{"sessionID": o.session, "messageID": id, "partID": part, "field": "text", "delta": piece})
	}
	o.part(object{"id": part, "messageID": id, "type": kind, "text": whole, "time": object{"start": 1, "end": 2}})
}

func (o *opencode) work(w work) {
	o.message("msg_"+w.id, object{})
	state := object{"status": "running"}
	if w.done {
		state["status"], state["output"] = map[bool]string{true: "error", false: "completed"}[w.failed], w.output
	}
	name := "bash"
	state["input"] = object{"command": w.title}
	if w.kind == "file" {
		name, state["input"] = "write", object{"filePath": w.title}
	}
	o.part(object{"id": "prt_" + w.id, "messageID": "msg_" + w.id, "type": "tool", "tool": name, "callID": w.id, "state": state})
}

func (o *opencode) askApproval(id string, w work) {
	permission := "bash"
	metadata := object{}
	if w.kind == "file" {
		permission, metadata = "edit", object{"filepath": w.title}
	}
	o.event("permission.asked", object{
		"id": id, "sessionID": o.session, "permission": permission, "patterns": []string{w.title}, "metadata": metadata, "always": []string{"*"},
	})
}

func (o *opencode) askQuestion(id, text string, options []string) {
	labels := []any{}
	for _, option := range options {
		labels = append(labels, object{"label": option, "description": ""})
	}
	o.event("question.asked", object{"id": id, "sessionID": o.session, "questions": []any{
		object{"question": text, "header": "Q", "options": labels},
	}})
}

// junk asks nothing: this server makes no requests that a client must know.
func (o *opencode) junk(id string) {
	o.event("newer.thing", object{"id": id})
	o.signals <- signal{kind: "answer", id: id}
}

func (o *opencode) end(outcome, why string) {
	o.message("msg_end", object{"tokens": object{"input": 60, "output": 8, "reasoning": 2, "cache": object{"read": 40, "write": 0}}})
	failure := object{"name": "UnknownError", "data": object{"message": why}}
	if outcome == "interrupted" {
		failure = object{"name": "MessageAbortedError", "data": object{"message": "aborted"}}
	} else if why == "login" {
		failure = object{"name": "ProviderAuthError", "data": object{"providerID": "x", "message": "no key"}}
	}
	if outcome != "completed" {
		o.event("session.error", object{"sessionID": o.session, "error": failure})
	}
	o.event("session.status", object{"sessionID": o.session, "status": object{"type": "idle"}})
	o.event("session.idle", object{"sessionID": o.session})
}
