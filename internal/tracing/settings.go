package tracing

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
	"xbot/internal/tracing/tracestore"
)

// Limits of a target, in bytes.
const (
	maxEndpoint = 512
	maxSecret   = 4096
)

// Rows is the store of targets.
type Rows interface {
	Targets(ctx context.Context) ([]tracestore.Target, error)
	SetTarget(ctx context.Context, in tracestore.Target, by chat.UserID) error
	RemoveTarget(ctx context.Context, name string) error
	Waiting(ctx context.Context) (map[string]tracestore.Waiting, error)
}

// Settings has the targets of an installation: those that administrators configured, else those of the environment. It is safe for concurrent use.
type Settings struct {
	Rows Rows
	Key  secret.Sealer
	Env  EnvironmentTargets
	// Changed is called after a change, in the process that made it; nil: nothing is.
	Changed func()
}

// Target is a target as administrators see it, without its secret.
type Target struct {
	Name      string    `json:"name" enum:"otlp,langfuse"`
	Source    string    `json:"source,omitempty" enum:"installation,environment" doc:"Where the configuration comes from; left out: there is none. The environment is that of the process that answers."`
	Enabled   bool      `json:"enabled"`
	Endpoint  string    `json:"endpoint,omitempty" doc:"Address of the collector, without /v1/traces, or of Langfuse."`
	PublicKey string    `json:"public_key,omitempty" doc:"Public key of the Langfuse project."`
	KeyHint   string    `json:"key_hint,omitempty" doc:"End of the secret key, or of the headers; left out: there is none."`
	Content   bool      `json:"content" doc:"Whether spans contain prompts, replies, arguments and results, with secrets masked."`
	Revision  int64     `json:"revision" doc:"0: it is not configured here."`
	ChangedAt time.Time `json:"changed_at,omitzero"`
	ChangedBy string    `json:"changed_by,omitempty"`
	Waiting   int       `json:"waiting" doc:"Traces and scores that the target has not received yet."`
	Problem   string    `json:"problem,omitempty" doc:"Why the last export failed."`
}

// Draft is a new configuration of a target or a change of one.
type Draft struct {
	Name      string
	Enabled   bool
	Endpoint  string
	PublicKey string
	Secret    string // empty: the stored one stays, if the address does
	Forget    bool   // the stored secret is removed
	Content   bool
	Revision  int64 // that the change was made from; 0: there is none yet
}

// List returns all targets, in the order for users.
func (s *Settings) List(ctx context.Context) ([]Target, error) {
	rows, err := s.Rows.Targets(ctx)
	if err != nil {
		return nil, err
	}
	waiting, err := s.Rows.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Target, 0, len(Targets()))
	for _, name := range Targets() {
		t := s.fromEnvironment(name)
		if i := slices.IndexFunc(rows, func(r tracestore.Target) bool { return r.Name == name }); i >= 0 {
			r := rows[i]
			t = Target{
				Name: name, Source: Installation, Enabled: r.Enabled, Endpoint: r.Endpoint, PublicKey: r.PublicKey, KeyHint: r.KeyHint, Content: r.Content,
				Revision: r.Revision, ChangedAt: r.ChangedAt, ChangedBy: r.ChangedBy,
			}
		}
		t.Waiting, t.Problem = waiting[name].Count, waiting[name].Problem
		out = append(out, t)
	}
	return out, nil
}

// fromEnvironment describes a target of the environment.
func (s *Settings) fromEnvironment(name string) Target {
	t := Target{Name: name}
	if !slices.Contains(s.Env.Targets(), name) {
		return t
	}
	t.Source, t.Enabled, t.Content = Environment, true, s.Env.Content
	if name == Langfuse {
		t.Endpoint, t.PublicKey, t.KeyHint = s.Env.Host, s.Env.PublicKey, secret.Hint(s.Env.SecretKey)
		return t
	}
	t.Endpoint = withoutUser(orElse(s.Env.TracesEndpoint, s.Env.Endpoint))
	t.KeyHint = secret.Hint(s.Env.Headers)
	return t
}

// Targets returns the names of the targets that the environment configures.
func (e EnvironmentTargets) Targets() []string {
	out := []string{}
	if e.Endpoint != "" || e.TracesEndpoint != "" {
		out = append(out, OTLP)
	}
	if e.Langfuse && e.PublicKey != "" && e.SecretKey != "" {
		out = append(out, Langfuse)
	}
	return out
}

// Save stores the configuration of a target. It returns Invalid if its form is wrong, and Conflict if it was changed concurrently.
func (s *Settings) Save(ctx context.Context, d Draft, by chat.UserID) error {
	d, err := s.whole(ctx, d)
	if err != nil {
		return err
	}
	row := tracestore.Target{
		Name: d.Name, Enabled: d.Enabled, Endpoint: d.Endpoint, PublicKey: d.PublicKey, Secrets: secret.SealAPIKey(s.Key, d.Secret), KeyHint: secret.Hint(d.Secret),
		Content: d.Content, Revision: d.Revision,
	}
	if err := s.Rows.SetTarget(ctx, row, by); err != nil {
		return err
	}
	s.changed()
	return nil
}

// Remove removes the configuration of a target, so that the environment counts again. It returns NotFound if there is none.
func (s *Settings) Remove(ctx context.Context, name string) error {
	if err := known(name); err != nil {
		return err
	}
	if err := s.Rows.RemoveTarget(ctx, name); err != nil {
		return err
	}
	s.changed()
	return nil
}

func (s *Settings) changed() {
	if s.Changed != nil {
		s.Changed()
	}
}

func known(name string) error {
	if !slices.Contains(Targets(), name) {
		return fault.Errorf(fault.NotFound, "traces have no target %.20q", name)
	}
	return nil
}

// whole completes a draft with the stored secret and checks it. A changed address does not keep the stored secret: it would go to another server.
func (s *Settings) whole(ctx context.Context, d Draft) (Draft, error) {
	if err := known(d.Name); err != nil {
		return d, err
	}
	d.Endpoint, d.PublicKey, d.Secret = strings.TrimRight(strings.TrimSpace(d.Endpoint), "/"), strings.TrimSpace(d.PublicKey), strings.TrimSpace(d.Secret)
	if d.Name == Langfuse && d.Endpoint == "" {
		d.Endpoint = DefaultLangfuse
	}
	if len(d.Endpoint) > maxEndpoint || len(d.Secret) > maxSecret || len(d.PublicKey) > maxEndpoint || strings.Contains(d.Endpoint, "@") {
		return d, fault.Errorf(fault.Invalid, "the address must be like https://collector.example:4318, without a name or a password in it; keys have at most %d characters", maxSecret)
	}
	if d.Secret == "" && !d.Forget {
		if err := s.keep(ctx, &d); err != nil {
			return d, err
		}
	}
	if d.Name == Langfuse && (d.PublicKey == "" || d.Secret == "") {
		return d, fault.Errorf(fault.Invalid, "Langfuse needs the public key and the secret key of a project: enter both")
	}
	_, err := newTarget(d.Name, d.Endpoint, d.PublicKey, d.Secret, false)
	return d, err
}

// DefaultLangfuse is the address of Langfuse's cloud in the EU.
const DefaultLangfuse = "https://cloud.langfuse.com"

// keep takes over the stored secret.
func (s *Settings) keep(ctx context.Context, d *Draft) error {
	rows, err := s.Rows.Targets(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if r.Name != d.Name || len(r.Secrets) == 0 {
			continue
		}
		if r.Endpoint != d.Endpoint {
			return fault.Errorf(fault.Invalid, "the address has changed: enter the key or the headers again, so that the stored ones go to no other server")
		}
		d.Secret, err = secret.OpenAPIKey(s.Key, r.Secrets)
		return err
	}
	return nil
}

// inForce returns the targets that traces are exported to, by name. A target whose configuration cannot be used is in problems.
func (s *Settings) inForce(ctx context.Context) (targets map[string]target, problems map[string]error, err error) {
	rows, err := s.Rows.Targets(ctx)
	if err != nil {
		return nil, nil, err
	}
	targets, problems = map[string]target{}, map[string]error{}
	for _, name := range s.Env.Targets() {
		t, err := s.environment(name)
		if err != nil {
			problems[name] = err
			continue
		}
		targets[name] = t
	}
	for _, r := range rows {
		delete(targets, r.Name)
		delete(problems, r.Name)
		if !r.Enabled {
			continue
		}
		t, err := s.opened(r)
		if err != nil {
			problems[r.Name] = err
			continue
		}
		targets[r.Name] = t
	}
	return targets, problems, nil
}

func (s *Settings) environment(name string) (t target, err error) {
	switch {
	case name == Langfuse:
		t, err = newTarget(name, s.Env.Host, s.Env.PublicKey, s.Env.SecretKey, false)
	case s.Env.TracesEndpoint != "":
		t, err = newTarget(name, s.Env.TracesEndpoint, "", s.Env.Headers, true)
	default:
		t, err = newTarget(name, s.Env.Endpoint, "", s.Env.Headers, false)
	}
	t.source, t.content = Environment, s.Env.Content
	return t, err
}

func (s *Settings) opened(r tracestore.Target) (target, error) {
	key, err := secret.OpenAPIKey(s.Key, r.Secrets)
	if err != nil {
		return target{}, err
	}
	t, err := newTarget(r.Name, r.Endpoint, r.PublicKey, key, false)
	t.source, t.content, t.revision = Installation, r.Content, r.Revision
	return t, err
}

func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

func orElse(text, other string) string {
	if text != "" {
		return text
	}
	return other
}

// withoutUser removes a name and a password from an address.
func withoutUser(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	host, path, _ := strings.Cut(rest, "/")
	if i := strings.LastIndex(host, "@"); i >= 0 {
		host = host[i+1:]
	}
	if path != "" {
		path = "/" + path
	}
	return scheme + "://" + host + path
}
