package temporalui

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"go.temporal.io/sdk/converter"
)

// CodecPath is the path of the codec server, which decrypts payloads for the Temporal UI: behind the login, for
// administrators.
const (
	CodecPath = Root + codecName
	codecName = "codec"
)

// maxCodecBody bounds a request of the codec server, in bytes.
const maxCodecBody = 32 << 20

// WithCodec adds a codec server to the Temporal UI, and gives the UI its address.
func WithCodec(codec converter.PayloadCodec, t Proxy) http.Handler {
	ui := t.Handler()
	server := converter.NewPayloadCodecHTTPHandler(codec)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, CodecPath+"/") && !t.Access.Allowed(r):
			http.Error(w, "What stands in Temporal's histories is for administrators.", http.StatusForbidden)
		case strings.HasPrefix(r.URL.Path, CodecPath+"/"):
			r.Body = http.MaxBytesReader(w, r.Body, maxCodecBody)
			w.Header().Set("Cache-Control", "no-store")
			server.ServeHTTP(w, r)
		case r.URL.Path == "/temporal/api/v1/settings":
			tellCodec(w, r, ui, t.Access.Base(r)+codecName)
		default:
			ui.ServeHTTP(w, r)
		}
	})
}

// tellCodec adds the address of the codec server to the settings of the UI. Settings that it cannot parse pass unchanged.
func tellCodec(w http.ResponseWriter, r *http.Request, ui http.Handler, path string) {
	r.Header.Del("Accept-Encoding")
	answer := &bufferedResponse{header: w.Header(), status: http.StatusOK}
	ui.ServeHTTP(answer, r)
	body := answer.body.Bytes()
	var settings map[string]json.RawMessage
	if answer.status == http.StatusOK && json.Unmarshal(body, &settings) == nil {
		scheme := "http"
		if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
			scheme = "https"
		}
		settings["Codec"], _ = json.Marshal(map[string]any{"Endpoint": scheme + "://" + r.Host + path, "IncludeCredentials": true}) // our own types
		if changed, err := json.Marshal(settings); err == nil {
			body = changed
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(answer.status)
	_, _ = w.Write(body) // the client is gone if this fails
}

// bufferedResponse is an answer that is not sent yet.
type bufferedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (k *bufferedResponse) Header() http.Header         { return k.header }
func (k *bufferedResponse) WriteHeader(status int)      { k.status = status }
func (k *bufferedResponse) Write(p []byte) (int, error) { return k.body.Write(p) }
