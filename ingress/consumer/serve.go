package consumer

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"xbot/ingress/openai"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

const (
	chatPath        = "/api/v1/chat"
	completionsPath = "/api/v1/chat/completions"
	modelsPath      = "/api/v1/models"
	documentPath    = "/api/v1/openapi.json"
	// channelHeader marks requests of the page of the service.
	channelHeader = "X-Xbot-Channel"
)

// serve answers a request with a key, and records it.
func (a *API) serve(w http.ResponseWriter, r *http.Request, by caller) {
	_, pattern := a.routes.Handler(r)
	status := &statusWriter{ResponseWriter: w}
	v := &visit{caller: by, w: status, record: &servicestore.Request{Endpoint: endpoint(pattern), At: time.Now()}}
	v.r = r.WithContext(context.WithValue(r.Context(), contextKey{}, v))
	v.record.Service, v.record.Key, v.record.Source = by.Service.ID, by.Key, sourceOf(r)
	defer a.record(v, status)
	defer a.left(v)
	// It counts before its body is read, so that an invalid request is not free. A request with a message takes its place later.
	if err := a.Services.Admit(r.Context(), by.Caller, servicestore.Send{}); err != nil {
		v.uncounted = fault.Is(err, fault.RateLimited)
		a.refuseUnread(v, status, err)
		return
	}
	if err := open(by.Caller); err != nil {
		a.refuse(status, r, err)
		return
	}
	if sends(r) {
		place, err := a.large.Enter(r, by.Key)
		if err != nil {
			a.refuseUnread(v, status, err)
			return
		}
		defer place.Leave()
		v.r = place.With(v.r)
	}
	a.routes.ServeHTTP(status, v.r)
}

// refuseUnread refuses a request that may come again as a retry, and of which nothing was read.
func (a *API) refuseUnread(v *visit, w http.ResponseWriter, err error) {
	if v.r.URL.Path == completionsPath && v.r.Header.Get("Idempotency-Key") == "" {
		if noted := a.Services.NoteRequest(v.r.Context(), v.Caller, servicestore.Retry{}); noted != nil {
			a.Log.Warn("a retry of a request that was refused unread may count as one of another client", "error", noted)
		}
	}
	a.refuse(w, v.r, err)
}

// record records a request that was answered. Beyond the limit of the minute it records one a minute of each key: else they would fill the
// database.
func (a *API) record(v *visit, status *statusWriter) {
	v.record.Status = status.code()
	if v.record.Latency == 0 {
		v.record.Latency = time.Since(v.record.At)
	}
	if !v.uncounted || a.beyond.first(v.Key, v.record.At) {
		a.records.add(*v.record)
	}
	if a.Tally != nil {
		a.Tally.Requested(v.record.Service, v.record.Status, v.record.Latency)
	}
}

// endpoint returns the recorded name of a route.
func endpoint(pattern string) string {
	if pattern == Root {
		return "unknown"
	}
	return pattern
}

func sends(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == chatPath || r.URL.Path == completionsPath)
}

// sourceOf returns whether the page of the service asks. Any holder of the key may claim so.
func sourceOf(r *http.Request) service.Source {
	if r.Header.Get(channelHeader) == string(service.SourceWeb) {
		return service.SourceWeb
	}
	return service.SourceAPI
}

func (v *visit) source() service.Source { return sourceOf(v.r) }

// register has all routes.
func (a *API) register(mux *http.ServeMux) {
	h := humago.New(mux, config())
	a.registerConversations(h)
	a.registerChat(h)
	a.registerFiles(h, mux)
	mux.Handle("POST "+completionsPath, a.completions())
	models := &openai.List{Models: completions{a}, Refusals: completions{a}}
	mux.HandleFunc("GET "+modelsPath, models.All)
	mux.HandleFunc("GET "+modelsPath+"/{id...}", models.One)
	mux.HandleFunc(Root, func(w http.ResponseWriter, r *http.Request) {
		a.refuse(w, r, fault.Errorf(fault.NotFound, "there is no %s of this path; see %s", r.Method, documentPath))
	})
}

// handle registers an operation. Its errors become problem documents for outsiders.
func handle[In, Out any](a *API, h huma.API, o huma.Operation, do func(ctx context.Context, v *visit, in *In) (*Out, error)) {
	o.Security = []map[string][]string{{"key": {}}}
	huma.Register(h, o, func(ctx context.Context, in *In) (*Out, error) {
		v := visitOf(ctx)
		out, err := do(ctx, v, in)
		if err != nil {
			return nil, a.problem(err)
		}
		return out, nil
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader notes the first status.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets streams flush and set deadlines.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}
