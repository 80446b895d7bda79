package runners

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"xbot/ingress/peerauth"
	"xbot/internal/sandbox"
	"xbot/runner/wire"
)

// lineWait is how long a caller may take for one line.
const lineWait = 30 * time.Second

// Internal serves other processes of the same server: GET /internal/runners/{id} returns whether the runner's socket is
// held here, POST /internal/runners/{id}/call passes a request on, DELETE closes the runner's connection because its token
// is no longer good (package sandbox has the client).
func (h *Hub) Internal(key string) (http.Handler, error) { return peerauth.Guard(key, h.Inner()) }

// Inner is Internal without a guard: the caller authenticates requests.
func (h *Hub) Inner() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /internal/runners/{id}", h.serveInfo)
	mux.HandleFunc("POST /internal/runners/{id}/call", h.serveCall)
	mux.HandleFunc("DELETE /internal/runners/{id}", func(w http.ResponseWriter, r *http.Request) {
		h.Drop(sandbox.RunnerID(r.PathValue("id")))
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}

// meant finds the session a request means. A request with another epoch is about a connection that has ended, and one
// that has just ended may still be listed.
func (h *Hub) meant(r *http.Request) (*connection, bool) {
	h.mu.Lock()
	s, ok := h.sessions[sandbox.RunnerID(r.PathValue("id"))]
	h.mu.Unlock()
	if want := r.URL.Query().Get("epoch"); ok && want != "" {
		ok = want == strconv.FormatInt(s.epoch, 10)
	}
	return s, ok && !s.over()
}

func (h *Hub) serveInfo(w http.ResponseWriter, r *http.Request) {
	s, ok := h.meant(r)
	if !ok {
		http.Error(w, sandbox.ErrOffline.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(sandbox.HeldConnection{Epoch: s.epoch, Info: s.info}); err != nil {
		h.cfg.Log.Debug("a caller left before it was answered", "error", err)
	}
}

func (h *Hub) serveCall(w http.ResponseWriter, r *http.Request) {
	s, ok := h.meant(r)
	if !ok {
		http.Error(w, sandbox.ErrOffline.Error(), http.StatusNotFound)
		return
	}
	var req wire.Request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, wire.MaxFrame)).Decode(&req); err != nil {
		status := http.StatusBadRequest
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "the request cannot be read: "+err.Error(), status)
		return
	}
	out := newLines(w)
	defer out.stop()
	response, err := s.Call(r.Context(), req, func(p wire.Push) error {
		return out.frame(wire.TypePush, p)
	})
	if err := out.end(response, err); err != nil {
		h.cfg.Log.Debug("a caller left before it was answered", "error", err)
	}
}

// lines writes an answer as JSON lines, with an empty line every LineEvery, by which the caller sees that this process is
// alive.
type lines struct {
	mu   sync.Mutex
	w    http.ResponseWriter
	ctl  *http.ResponseController
	quit chan struct{}
	beat sync.WaitGroup
}

func newLines(w http.ResponseWriter) *lines {
	l := &lines{w: w, ctl: http.NewResponseController(w), quit: make(chan struct{})}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	l.beat.Go(func() {
		_ = l.write(nil) // at once: the caller learns that the request was taken; a failure shows at the next line
		tick := time.NewTicker(sandbox.LineEvery)
		defer tick.Stop()
		for {
			select {
			case <-l.quit:
				return
			case <-tick.C:
				_ = l.write(nil) // a failure shows at the next line
			}
		}
	})
	return l
}

func (l *lines) stop() {
	close(l.quit)
	l.beat.Wait()
}

func (l *lines) frame(typ wire.Type, body any) error {
	frame, err := wire.NewFrame(0, typ, body)
	if err != nil {
		return err
	}
	data, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	return l.write(data)
}

func (l *lines) write(line []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ctl.SetWriteDeadline(time.Now().Add(lineWait)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := l.w.Write(append(line, '\n')); err != nil {
		return err
	}
	return l.ctl.Flush()
}

// end writes the last line. ErrOffline and ErrBroken travel as unavailable with their own text.
func (l *lines) end(response wire.Response, err error) error {
	switch {
	case err == nil:
		return l.frame(wire.TypeResult, response)
	case errors.Is(err, sandbox.ErrOffline):
		return l.frame(sandbox.LineOffline, nil)
	case errors.Is(err, sandbox.ErrBroken):
		return l.frame(sandbox.LineBroken, nil)
	}
	return l.frame(wire.TypeError, wire.AsError(err))
}
