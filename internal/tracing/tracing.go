// Package tracing exports traces of turns to OpenTelemetry collectors and to Langfuse.
//
// If a target is configured, the transaction that ends a turn adds a row to trace_exports. The Exporter of each worker claims these rows, builds
// the spans from the rows of the turn, sends them by OTLP over HTTP, and deletes the export once the target has accepted it. Span ids are derived
// from row ids, so a repeated export has the same ids. The Exporter retries a target that is unavailable, and deletes and counts exports that have
// waited for too long.
package tracing

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// The targets.
const (
	OTLP     = "otlp"     // any collector that accepts OTLP over HTTP, such as the OpenTelemetry Collector or Phoenix
	Langfuse = "langfuse" // Langfuse, at its OTLP address, with scores
)

// Targets returns the names of all targets, in the order for users.
func Targets() []string { return []string{OTLP, Langfuse} }

// The sources of a target.
const (
	Installation = "installation" // an administrator configured it
	Environment  = "environment"
	Nowhere      = ""
)

// EnvironmentTargets has the targets that variables configure.
type EnvironmentTargets struct {
	Endpoint       string // OTEL_EXPORTER_OTLP_ENDPOINT
	TracesEndpoint string // OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
	Headers        string // OTEL_EXPORTER_OTLP_TRACES_HEADERS, else OTEL_EXPORTER_OTLP_HEADERS
	Langfuse       bool
	Host           string // of Langfuse
	PublicKey      string
	SecretKey      string
	Content        bool
}

// target is a target with its resolved address and headers.
type target struct {
	name      string
	source    string
	url       string // to which spans are posted
	base      string // of Langfuse's API
	header    http.Header
	content   bool
	revision  int64
	publicKey string
}

// client sends requests to addresses that administrators have chosen. It follows no redirects, which could send a key to another address.
var client = sync.OnceValue(func() *http.Client {
	return &http.Client{Transport: safehttp.Trusted(), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
})

// newTarget returns a target at an address. secret is the secret key of Langfuse, or headers in the form of OTEL_EXPORTER_OTLP_HEADERS. If exact is
// true, spans are posted to the address itself, without a path being added. An invalid address is an Invalid error.
func newTarget(name, address, publicKey, secret string, exact bool) (target, error) {
	address = strings.TrimRight(strings.TrimSpace(address), "/")
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return target{}, fault.Errorf(fault.Invalid, "the address must be like https://collector.example:4318, without a question mark in it")
	}
	t := target{name: name, header: http.Header{}, publicKey: publicKey}
	if u.User != nil { // of the environment alone
		password, _ := u.User.Password()
		t.header.Set("Authorization", "Basic "+basic(u.User.Username(), password))
		u.User = nil
	}
	address = u.String()
	if name == Langfuse {
		t.base = address + "/api/public"
		t.url = t.base + "/otel/v1/traces"
		t.header.Set("Authorization", "Basic "+basic(publicKey, secret))
		t.header.Set("X-Langfuse-Ingestion-Version", "4")
		t.header.Set("X-Langfuse-Sdk-Name", "xbot")
		return t, nil
	}
	t.url = address
	if !exact && !strings.HasSuffix(address, tracesPath) {
		t.url += tracesPath
	}
	headers, err := parseHeaders(secret)
	if err != nil {
		return target{}, err
	}
	for key, value := range headers {
		t.header.Set(key, value)
	}
	return t, nil
}

// tracesPath is the path of OTLP over HTTP.
const tracesPath = "/v1/traces"

// parseHeaders parses headers such as "authorization=Bearer%20token,x-project=a". Values are decoded as in addresses.
func parseHeaders(text string) (map[string]string, error) {
	out := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || !isToken(name) || err != nil || strings.ContainsFunc(decoded, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return nil, fault.Errorf(fault.Invalid, "headers must be like authorization=Bearer%%20token,x-project=name")
		}
		out[name] = decoded
	}
	return out, nil
}

// isToken reports whether a text may be the name of a header.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
	})
}
