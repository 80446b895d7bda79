package toolkey

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/secret"
)

// The sources of a key.
const (
	Own          = "own"
	Installation = "installation"
	Environment  = "environment"
	Nowhere      = ""
)

// Rows is the store of keys of tools.
type Rows interface {
	ToolKeys(ctx context.Context, user chat.UserID) ([]toolkeystore.Key, error)
	SetToolKey(ctx context.Context, in toolkeystore.Key, by chat.UserID) error
	RemoveToolKey(ctx context.Context, user chat.UserID, service string) error
}

// Store reads, tries and writes keys of tools. It is safe for concurrent use.
type Store struct {
	Rows Rows
	Key  secret.Sealer
	// Public carries the requests to addresses that users chose for themselves: it reaches the public internet alone. Those of the
	// installation and of the environment, which administrators write, may lead into its network.
	Public http.RoundTripper
	Env    map[string]string // variables of this process; the environment has no other keys
}

// Access has the address and the key of a service.
type Access struct {
	Service string
	Source  string // Own, Installation or Environment
	BaseURL string // without a trailing slash
	Key     string // empty: it needs none
	Model   string // empty: the usual one
	// Provider is the API of the address; empty: the service has one alone.
	Provider string
	Price    *float64 // USD a unit; nil: the usual one
	// Client follows no redirect, so that a key goes to no other address.
	Client *http.Client
	// Public reaches the public internet alone, for addresses that the service names. It follows no redirect either.
	Public *http.Client

	header string // carries the key; empty: Authorization
}

// List returns the keys of a user; with shared, those of the installation before them. The keys themselves are left out.
func (s *Store) List(ctx context.Context, user chat.UserID, shared bool) ([]chat.ToolKey, error) {
	rows, err := s.Rows.ToolKeys(ctx, user)
	if err != nil {
		return nil, err
	}
	out := []chat.ToolKey{}
	for _, r := range rows {
		if shared || !r.Shared {
			out = append(out, r.ToolKey)
		}
	}
	return out, nil
}

// Sources returns for each service the source of the key that is used for a user.
func (s *Store) Sources(ctx context.Context, user chat.UserID) (map[string]string, error) {
	rows, err := s.Rows.ToolKeys(ctx, user)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, about := range services {
		switch r := inForce(rows, about.name); {
		case r == nil && s.environment(about) == (Access{}):
			out[about.name] = Nowhere
		case r == nil:
			out[about.name] = Environment
		default:
			out[about.name] = sourceOf(r.Shared)
		}
	}
	return out, nil
}

// For returns the access to a service for a user: the user's key, else the installation's, else the environment's. One source is taken as
// a whole: a key never goes to the address of another. It returns Invalid if there is none, or it cannot be read; the sentence names where to set it.
func (s *Store) For(ctx context.Context, user chat.UserID, name string) (Access, error) {
	about, err := of(name)
	if err != nil {
		return Access{}, err
	}
	rows, err := s.Rows.ToolKeys(ctx, user)
	if err != nil {
		return Access{}, err
	}
	if r := inForce(rows, name); r != nil {
		key, err := secret.OpenAPIKey(s.Key, r.Secrets)
		if err != nil {
			return Access{}, fault.Errorf(fault.KindOf(err), "the key for %s: %w", about.title, err)
		}
		if about, err = about.through(r.Provider); err != nil {
			return Access{}, err
		}
		if about.base == "" && r.BaseURL == "" { // an older version stored it
			return Access{}, fault.Errorf(fault.Invalid, "the key for %s has no address: enter one on the page under Settings, Models and keys, or choose another provider", about.title)
		}
		return s.access(about, Draft{ToolKey: r.ToolKey, Key: key}), nil
	}
	if _, err := about.through(strings.ToLower(strings.TrimSpace(s.Env[about.providerVar]))); err != nil {
		return Access{}, fault.Errorf(fault.Invalid, "%s: %w", about.providerVar, err)
	}
	found := s.environment(about)
	if found == (Access{}) {
		return found, fault.Errorf(fault.Invalid, "there is no key for %s: enter one on the page under Settings, Models and keys, or let an administrator set %s", about.title, about.variable())
	}
	return found, nil
}

// inForce returns the key in use, from the user's and the installation's; the user's come last.
func inForce(rows []toolkeystore.Key, name string) (found *toolkeystore.Key) {
	for i := range rows {
		if rows[i].Service == name {
			found = &rows[i]
		}
	}
	return found
}

// environment returns the access from the variables; zero: none.
func (s *Store) environment(about service) Access {
	key, base := strings.TrimSpace(s.Env[about.keyVar]), strings.TrimSpace(s.Env[about.baseVar])
	about, err := about.through(strings.ToLower(strings.TrimSpace(s.Env[about.providerVar])))
	if err != nil || key == "" && (base == "" || !about.keyless) || base == "" && about.base == "" {
		return Access{}
	}
	price := priceOf(s.Env[about.priceVar])
	out := s.access(about, Draft{Key: key, ToolKey: chat.ToolKey{Shared: true, BaseURL: base, Model: strings.TrimSpace(s.Env[about.modelVar]), Price: price}})
	out.Source = Environment
	return out
}

// priceOf parses a price. It returns nil if text is not a price.
func priceOf(text string) *float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || !(n >= 0) || n > maxPrice {
		return nil
	}
	return &n
}

// trusted is the transport to addresses that administrators chose.
var trusted = sync.OnceValue(func() http.RoundTripper { return safehttp.Trusted() })

func (s *Store) access(about service, d Draft) Access {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	public := &http.Client{CheckRedirect: stay, Transport: s.Public}
	client := public
	if d.Shared {
		client = &http.Client{CheckRedirect: stay, Transport: trusted()}
	}
	base := d.BaseURL
	if base == "" {
		base = about.base
	}
	return Access{
		Service: about.name, Source: sourceOf(d.Shared), Provider: about.provider, BaseURL: strings.TrimRight(base, "/"), Key: d.Key, Model: d.Model, Price: d.Price,
		Client: client, Public: public, header: about.header,
	}
}

// DialContext opens a TCP connection to the service, for protocols other than HTTP. With a user's own key it connects to public addresses only.
func (a Access) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	if a.Source == Own {
		return safehttp.Allow{}.Dial(ctx, network, addr)
	}
	return dialTrusted(ctx, network, addr)
}

// dialTrusted connects to addresses that an administrator configured. Its errors contain no resolved addresses.
var dialTrusted = safehttp.HideAddresses((&net.Dialer{Timeout: dialTime, KeepAlive: dialTime}).DialContext)

const dialTime = 30 * time.Second

func sourceOf(shared bool) string {
	if shared {
		return Installation
	}
	return Own
}
