// Package model lets a runner's owner bring their own model: the server sends HTTP requests for it through the runner,
// and the runner adds the address and the key, which the server never learns. It speaks no model's language: the
// server has the clients.
package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xbot/runner/wire"
)

// The providers: the dialects that the server's clients speak.
const (
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// defaultBase is where a provider is reached unless another address is given.
var defaultBase = map[string]string{OpenAI: "https://api.openai.com/v1", Anthropic: "https://api.anthropic.com"}

// Config defines the model that a runner offers.
type Config struct {
	Provider string // OpenAI or Anthropic
	BaseURL  string // empty means the provider's own
	Model    string // the provider's name of it
	Key      KeySource
}

// KeySource returns the key of a provider. It is called for each request, so that a renewed key file counts; an empty key is not
// sent.
type KeySource interface {
	Key() (string, error)
}

// Model passes requests on to one provider. It is safe for use by many goroutines.
type Model struct {
	cfg    Config
	base   *url.URL
	client *http.Client
}

// New checks the configuration. It makes no request.
func New(cfg Config) (*Model, error) {
	fallback, known := defaultBase[cfg.Provider]
	switch {
	case !known:
		return nil, fmt.Errorf("the model's provider %q is neither openai nor anthropic: choose with --llm-provider", cfg.Provider)
	case strings.TrimSpace(cfg.Model) == "":
		return nil, errors.New("no model is named: give --llm-model")
	case cfg.BaseURL == "":
		cfg.BaseURL = fallback
	}
	base, err := url.Parse(trimmed(cfg.Provider, cfg.BaseURL))
	switch {
	case err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https"):
		return nil, errors.New("the model's address must look like https://host/v1: check --llm-base-url")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return nil, errors.New("the model's address must have no user, query or fragment; the key goes into --llm-key-file")
	}
	return &Model{cfg: cfg, base: base, client: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout: 10 * time.Second,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
		},
		// The key goes to the configured address and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// trimmed takes off an address what the clients add to it.
func trimmed(provider, base string) string {
	base = strings.TrimRight(strings.TrimSpace(base), "/")
	if provider == Anthropic {
		return strings.TrimSuffix(strings.TrimSuffix(base, "/messages"), "/v1")
	}
	return strings.TrimSuffix(base, "/chat/completions")
}

// Info returns what the server learns of the model.
func (m *Model) Info() *wire.LLM { return &wire.LLM{Provider: m.cfg.Provider, Model: m.cfg.Model} }

// Close lets go of idle connections.
func (m *Model) Close() { m.client.CloseIdleConnections() }

// Do passes on one request, and pushes the head and the body of its answer as they come. When ctx ends so does the
// request.
func (m *Model) Do(ctx context.Context, r wire.LLMRequest, push func(any) error) error {
	request, err := m.request(ctx, r)
	if err != nil {
		return err
	}
	response, err := m.client.Do(request)
	if err != nil {
		return m.explain(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // read as far as it is wanted
	if err := push(wire.LLMHead{Status: response.StatusCode, Header: passable(response.Header)}); err != nil {
		return err
	}
	buf := make([]byte, wire.MaxPiece)
	for {
		n, err := response.Body.Read(buf)
		if n > 0 {
			if err := push(wire.LLMBody{Data: buf[:n]}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return m.explain(ctx, err)
		}
	}
}

// explain leaves out the address within the provider, which is long, and names the host that could not be reached.
func (m *Model) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return wire.Errorf(wire.Unavailable, "the runner's model at %s cannot be reached: %v", m.base.Host, err)
}

func (m *Model) request(ctx context.Context, r wire.LLMRequest) (*http.Request, error) {
	target, err := m.target(r.Path)
	if err != nil {
		return nil, err
	}
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return nil, wire.Errorf(wire.Invalid, "the method %q is not passed on to a model", r.Method)
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, target, bytes.NewReader(r.Body))
	if err != nil {
		return nil, wire.Errorf(wire.Invalid, "this is no request to a model: %v", err)
	}
	request.Header = passable(r.Header)
	key, err := m.cfg.Key.Key()
	if err != nil {
		return nil, wire.Errorf(wire.Unavailable, "the runner's key for its model cannot be read: %v", err)
	}
	switch {
	case key == "":
	case m.cfg.Provider == Anthropic:
		request.Header.Set("X-Api-Key", key)
	default:
		request.Header.Set("Authorization", "Bearer "+key)
	}
	return request, nil
}

// target joins a path with its query to the configured address, and refuses one that would lead elsewhere.
func (m *Model) target(path string) (string, error) {
	refused := wire.Errorf(wire.Denied, "the path of a request to the runner's model leads away from it")
	u, err := url.ParseRequestURI(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || u.Host != "" || u.User != nil || u.Scheme != "" {
		return "", refused
	}
	escaped := strings.ToLower(u.EscapedPath())
	if strings.Contains(escaped, "%2f") || strings.Contains(escaped, "%5c") || strings.Contains(u.Path, `\`) {
		return "", refused // some servers take these for slashes
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return "", refused
		}
	}
	target := *m.base
	target.Path, target.RawPath, target.RawQuery = m.base.Path+u.Path, "", u.RawQuery
	return target.String(), nil
}

// notPassed are headers that belong to one connection, name a person or a key, or are wrong for a body that may have
// been unpacked on its way.
var notPassed = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
	"Authorization": true, "X-Api-Key": true, "Api-Key": true, "Cookie": true, "Set-Cookie": true, "Host": true,
	"Accept-Encoding": true, "Content-Length": true, "Forwarded": true, "Expect": true,
}

func passable(header map[string][]string) http.Header {
	passed := http.Header{}
	for name, values := range header {
		name = http.CanonicalHeaderKey(name)
		if notPassed[name] || strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded-") {
			continue
		}
		passed[name] = append(passed[name], values...)
	}
	for _, named := range http.Header(header).Values("Connection") {
		for name := range strings.SplitSeq(named, ",") {
			passed.Del(strings.TrimSpace(name))
		}
	}
	return passed
}
