package feishutest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// call is a request of the API with its body; the lock is held while it is served.
type call struct {
	*http.Request

	body []byte
}

func (c call) in(v any) bool { return json.Unmarshal(c.body, v) == nil }

type handler func(c call) (any, *refusal)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /open-apis/auth/v3/tenant_access_token/internal", s.token)
	mux.HandleFunc("POST /callback/ws/endpoint", s.endpoint)
	mux.HandleFunc("GET /ws", s.connect)
	for pattern, h := range map[string]handler{
		"GET /open-apis/bot/v3/info":                                  s.info,
		"GET /open-apis/application/v6/scopes":                        s.scopes,
		"POST /open-apis/im/v1/messages/{id}/reactions":               s.react,
		"PATCH /open-apis/im/v1/messages/{id}":                        s.patch,
		"PUT /open-apis/im/v1/messages/{id}":                          s.put,
		"GET /open-apis/im/v1/messages/{id}":                          s.read,
		"GET /open-apis/im/v1/messages":                               s.list,
		"DELETE /open-apis/im/v1/messages/{id}":                       s.remove,
		"POST /open-apis/im/v1/images":                                s.image,
		"POST /open-apis/im/v1/files":                                 s.file,
		"GET /open-apis/im/v1/chats/{id}":                             s.chat,
		"GET /open-apis/im/v1/chats/{id}/members":                     s.members,
		"GET /open-apis/contact/v3/users/{id}":                        s.user,
		"POST /open-apis/cardkit/v1/cards":                            s.makeCard,
		"POST /open-apis/cardkit/v1/cards/id_convert":                 s.convertCard,
		"PUT /open-apis/cardkit/v1/cards/{id}":                        s.replaceCard,
		"PATCH /open-apis/cardkit/v1/cards/{id}/settings":             s.setCard,
		"PUT /open-apis/cardkit/v1/cards/{id}/elements/{eid}/content": s.streamCard,
	} {
		mux.HandleFunc(pattern, s.guarded(h))
	}
	mux.HandleFunc("POST /open-apis/im/v1/messages", s.sending(s.create))
	mux.HandleFunc("POST /open-apis/im/v1/messages/{id}/reply", s.sending(s.reply))
	mux.HandleFunc("GET /open-apis/im/v1/messages/{id}/resources/{key}", s.resource)
	return http.MaxBytesHandler(mux, 64<<20)
}

// token issues an access token.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	var in struct {
		AppID     string `json:"app_id"`
		AppSecret string `json:"app_secret"`
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[r.Method+" "+r.URL.Path]++
	if json.NewDecoder(r.Body).Decode(&in) != nil || in.AppID != s.AppID || in.AppSecret != s.Secret {
		answer(w, map[string]any{"code": 10014, "msg": "app secret invalid"})
		return
	}
	token := s.id("t")
	s.tokens[token] = true
	answer(w, map[string]any{"code": 0, "msg": "ok", "tenant_access_token": token, "expire": 7200})
}

// Expire ends every access token that was issued.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for token := range s.tokens {
		s.tokens[token] = false
	}
}

// allowed refuses calls without a token or a permission; the caller holds the lock.
func (s *Server) allowed(r *http.Request) *refusal {
	s.calls[r.Method+" "+r.URL.Path]++
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	good, known := s.tokens[token]
	if !known {
		s.complain("%s %s came with the token %q", r.Method, r.URL.Path, token)
	}
	if !good {
		return &refusal{status: http.StatusBadRequest, code: 99991663, msg: "Invalid access token for authorization"}
	}
	for prefix, scopes := range s.c.Lacks {
		if strings.HasPrefix(r.Method+" "+r.URL.Path, prefix) {
			var violations []map[string]string
			for _, scope := range scopes {
				violations = append(violations, map[string]string{"type": "action_scope_required", "subject": scope})
			}
			return &refusal{
				status: http.StatusBadRequest, code: 99991672, extra: map[string]any{"permission_violations": violations},
				msg: "Access denied. One of the following scopes is required: [" + strings.Join(scopes, ", ") + "]",
			}
		}
	}
	return nil
}

// guarded serves endpoints that need a token.
func (s *Server) guarded(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		no := s.allowed(r)
		var out any
		if no == nil {
			out, no = h(call{r, body})
		}
		if no != nil {
			no.write(w)
			return
		}
		if whole, ok := out.(whole); ok {
			answer(w, whole)
			return
		}
		answer(w, map[string]any{"code": 0, "msg": "success", "data": out})
	}
}

// whole is an answer that is not under data.
type whole map[string]any

// sending serves endpoints that send a message, with the trouble set for them.
func (s *Server) sending(h handler) http.HandlerFunc {
	served := s.guarded(h)
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		t := s.befallen()
		s.mu.Unlock()
		if no := t.refusal(); no != nil {
			no.write(w)
			return
		}
		switch t.Kind {
		case LostRequest:
			hangUp(w)
		case LostAnswer:
			served(discard{http.Header{}}, r)
			hangUp(w)
		case Mute:
			served(discard{http.Header{}}, r)
			s.silence(r)
		case SlowAnswer:
			l := &later{ResponseWriter: w}
			served(l, r)
			l.tell(s, r, t.For)
		case Stuck:
			_, _ = io.Copy(io.Discard, r.Body) // only then is the end of the connection seen
			s.silence(r)
		default:
			served(w, r)
		}
	}
}

// discard is an answer that is not read.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

func (s *Server) info(call) (any, *refusal) {
	if s.c.NoBot {
		return nil, refuse(11205, "app do not have bot")
	}
	return whole{"code": 0, "msg": "ok", "bot": map[string]any{"activate_status": 2, "app_name": BotName, "open_id": BotID}}, nil
}

// scopes lists the granted permissions: oapi-sdk-go v3.12, service/application/v6 (Scope). One of a user and one that waits do not belong to the
// app.
func (s *Server) scopes(call) (any, *refusal) {
	if s.c.Granted == nil {
		return nil, refuse(99991672, "Access denied.")
	}
	all := []map[string]any{
		{"scope_name": "im:message.p2p_msg", "grant_status": 1, "scope_type": "user"},
		{"scope_name": "im:message.group_msg", "grant_status": 2, "scope_type": "tenant"},
	}
	for _, name := range s.c.Granted {
		all = append(all, map[string]any{"scope_name": name, "grant_status": 1, "scope_type": "tenant"})
	}
	return map[string]any{"scopes": all}, nil
}

func (s *Server) user(c call) (any, *refusal) {
	for _, p := range s.people {
		if p.OpenID == c.PathValue("id") {
			if s.c.Nameless {
				return map[string]any{"user": map[string]string{"open_id": p.OpenID}}, nil
			}
			return map[string]any{"user": map[string]string{"open_id": p.OpenID, "name": p.Name}}, nil
		}
	}
	return nil, refuse(41012, "user id invalid")
}

func (s *Server) chat(c call) (any, *refusal) {
	r := s.chats[c.PathValue("id")]
	if r == nil {
		return nil, refuse(232006, "invalid chat id")
	}
	return map[string]any{"name": r.name, "chat_mode": r.mode}, nil
}

func (s *Server) members(c call) (any, *refusal) {
	r := s.chats[c.PathValue("id")]
	if r == nil {
		return nil, refuse(232006, "invalid chat id")
	}
	var items []map[string]string
	for _, p := range s.people {
		if slices.Contains(r.members, p.OpenID) {
			items = append(items, map[string]string{"member_id": p.OpenID, "name": p.Name})
		}
	}
	return map[string]any{"items": items, "has_more": false}, nil
}

// image stores an uploaded image.
func (s *Server) image(c call) (any, *refusal) {
	f, no := s.part(c, "image", "image_type", "message")
	if no != nil {
		return nil, no
	}
	if len(f.Data) > 10<<20 {
		return nil, refuse(234006, "the file size exceed the max value")
	}
	if kind := http.DetectContentType(f.Data); !strings.HasPrefix(kind, "image/") {
		return nil, refuse(234011, "can not recognize image format")
	}
	f.Kind = "image"
	key := s.id("img_v3")
	s.files[key] = f
	return map[string]string{"image_key": key}, nil
}

func (s *Server) file(c call) (any, *refusal) {
	kinds := []string{"opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"}
	f, no := s.part(c, "file", "file_type", kinds...)
	if no != nil {
		return nil, no
	}
	f.Name, f.Kind = c.FormValue("file_name"), "file"
	if f.Name == "" || len(f.Data) > 30<<20 {
		return nil, refuse(234006, "the file size exceed the max value, or it has no name")
	}
	key := s.id("file_v3")
	s.files[key] = f
	return map[string]string{"file_key": key}, nil
}

// part reads the file of a form that names one of several kinds.
func (s *Server) part(c call, name, field string, kinds ...string) (File, *refusal) {
	r := c.Clone(c.Context())
	r.Body = io.NopCloser(strings.NewReader(string(c.body)))
	if r.ParseMultipartForm(64<<20) != nil || !slices.Contains(kinds, r.FormValue(field)) {
		s.complain("a form is malformed: %s %q", field, r.FormValue(field))
		return File{}, refuse(234001, "Invalid request param.")
	}
	c.Form = r.Form
	file, _, err := r.FormFile(name)
	if err != nil {
		return File{}, refuse(234001, "Invalid request param.")
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil || len(data) == 0 {
		return File{}, refuse(234010, "File's size can't be 0.")
	}
	return File{Data: data}, nil
}

// resource returns a file that a user has sent.
func (s *Server) resource(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if no := s.allowed(r); no != nil {
		no.write(w)
		return
	}
	m, key, kind := s.messages[r.PathValue("id")], r.PathValue("key"), r.URL.Query().Get("type")
	f, ok := s.files[key]
	if m != nil && (m.within || m.kind == "merge_forward" || m.kind == "interactive") {
		refuse(234043, "Unsupported message type.").write(w)
		return
	}
	if m == nil || m.gone || !ok || !strings.Contains(m.content, `"`+key+`"`) || (kind == "image") != (f.Kind == "image") {
		refuse(234003, "File not in msg.").write(w)
		return
	}
	w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", f.Name))
	w.Header().Set("Content-Length", strconv.Itoa(len(f.Data)))
	_, _ = w.Write(f.Data) // a disconnected client has not read it
}

// tooOften refuses more than five changes of a message in a second; the caller holds the lock.
func (m *message) tooOften() *refusal {
	m.edited = slices.DeleteFunc(m.edited, func(t time.Time) bool { return time.Since(t) > time.Second })
	if len(m.edited) >= 5 {
		return refuse(230020, "This operation triggers the frequency limit.")
	}
	m.edited = append(m.edited, time.Now())
	return nil
}
