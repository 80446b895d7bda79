package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/http"
	"regexp"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// ServicePath is where the pages of services are; the id of one follows.
const ServicePath = "/s/"

// The files of the build that only Service serves.
const (
	servicePage  = "service.html"
	serviceEmbed = "embed.js"
)

// The places in these files that Service fills.
const (
	dataMark  = "<!--service-->"
	titleMark = "<title>xbot</title>"
	embedMark = `"{{service}}"`
)

// servicePolicy is the Content-Security-Policy of a service's page, without who may frame it. Styles may stand on elements, where formulas
// need them; blob: are pictures that a visitor is about to send. Its arguments are the hash of the inline script, and the origins of object
// storage, each after a space.
const servicePolicy = "default-src 'none'; script-src 'self' '%[1]s'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' blob:%[2]s; " +
	"media-src 'self'%[2]s; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "

// PublicService is what everybody may know of a service: it stands in its page.
type PublicService struct {
	ID          string   `json:"service_id"`
	Name        string   `json:"service_name"`
	Description string   `json:"service_desc"`
	Welcome     string   `json:"welcome_message"` // Markdown
	Questions   []string `json:"quick_questions"`
	Origins     []string `json:"-"` // of the pages that may frame it, as https://host:port; none: no page may
}

// Services finds services.
type Services interface {
	// PublicService fails with NotFound where there is no such service, and with Denied where it is withdrawn: the service may come with that
	// error, so that the sentence which says so shows in the frames where the page was.
	PublicService(ctx context.Context, id string) (PublicService, error)
}

// Service serves the pages of services at ServicePath: {id} is the page, {id}/embed.js the script that puts it into a page of another origin. The
// pages may load files from the given origins of object storage.
// An answer of an unknown or withdrawn service is one sentence in the visitor's language. It sets no cookies, and needs none.
func Service(services Services, origins ...string) http.Handler {
	return servicePages{services: services, files: Files(), origins: origins}
}

type servicePages struct {
	services Services
	origins  []string // of object storage, from which pages load pictures, audio and video
	files    fs.FS
}

var serviceID = regexp.MustCompile(`^svc_[0-9a-f]{8}$`)

func (p servicePages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The page answers GET and HEAD only.", http.StatusMethodNotAllowed)
		return
	}
	head := w.Header()
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Robots-Tag", "noindex")
	head.Set("Cache-Control", "no-cache")
	id, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, ServicePath), "/")
	if !serviceID.MatchString(id) || rest != "" && rest != serviceEmbed {
		refuse(w, r, fault.Errorf(fault.NotFound, "no page at %q", r.URL.Path), nil)
		return
	}
	service, err := p.services.PublicService(r.Context(), id)
	switch {
	case rest == serviceEmbed && err != nil:
		head.Set("Content-Type", contentType(serviceEmbed))
		w.WriteHeader(status(err))
	case err != nil:
		refuse(w, r, err, service.Origins)
	case rest == serviceEmbed:
		p.embed(w, service)
	default:
		p.page(w, service)
	}
}

// page writes the page of a service, with what it shows as data.
func (p servicePages) page(w http.ResponseWriter, service PublicService) {
	page, err := readAll(p.files, servicePage)
	if err != nil {
		http.Error(w, notBuilt, http.StatusServiceUnavailable)
		return
	}
	if service.Questions == nil {
		service.Questions = []string{}
	}
	script := "window.__SVC__ = " + asScript(service)
	page = bytes.Replace(page, []byte(dataMark), []byte("<script>"+script+"</script>"), 1)
	page = bytes.Replace(page, []byte(titleMark), []byte("<title>"+html.EscapeString(service.Name)+"</title>"), 1)
	mayFrame(w, p.policy(script), service.Origins)
	w.Header().Set("Content-Type", contentType(servicePage))
	_, _ = w.Write(page) // the visitor is gone if this fails
}

// embed writes the script that a page of another origin loads.
func (p servicePages) embed(w http.ResponseWriter, service PublicService) {
	script, err := readAll(p.files, serviceEmbed)
	if err != nil {
		http.Error(w, notBuilt, http.StatusServiceUnavailable)
		return
	}
	data := asScript(map[string]any{"id": service.ID, "name": service.Name, "origins": sources(service.Origins)})
	w.Header().Set("Content-Type", contentType(serviceEmbed))
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin") // pages that isolate themselves load nothing else
	_, _ = w.Write(bytes.Replace(script, []byte(embedMark), []byte(data), 1))
}

// asScript writes a value so that it can stand in a script: no < > & and no line separator of Unicode is left as it is, so that nothing in it
// ends the script or begins a comment.
func asScript(value any) string {
	written, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and lists of them can always be written
	}
	return string(written)
}

// policy returns the Content-Security-Policy of the page, with the origins of object storage.
func (p servicePages) policy(script string) string {
	var storage strings.Builder
	for _, allowed := range sources(p.origins) {
		storage.WriteString(" " + allowed)
	}
	return fmt.Sprintf(servicePolicy, hashOf(script), storage.String())
}

// hashOf is what a Content-Security-Policy calls an inline script or style.
func hashOf(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// mayFrame completes the policy with the origins that may frame the answer: exactly these, or none.
func mayFrame(w http.ResponseWriter, policy string, origins []string) {
	ancestors := "'none'"
	if allowed := sources(origins); len(allowed) > 0 {
		ancestors = strings.Join(allowed, " ")
		w.Header().Del("X-Frame-Options") // it knows no origins, and the policy is what counts
	}
	w.Header().Set("Content-Security-Policy", policy+"frame-ancestors "+ancestors)
}

var origin = regexp.MustCompile(`^https?://[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:[0-9]{1,5})?$`)

// sources are the origins that are written as such. What is not, such as a pattern or an address with a path, is left out.
func sources(origins []string) []string {
	allowed := []string{}
	for _, named := range origins {
		if named = strings.TrimSuffix(strings.TrimSpace(named), "/"); origin.MatchString(named) {
			allowed = append(allowed, named)
		}
	}
	return allowed
}

// The style and the page of a sentence: %[1]s is the language, %[2]s the sentence, %[3]s the style.
const (
	sentenceStyle = ":root{color-scheme:light dark}body{margin:0;min-height:100vh;display:grid;place-items:center;" +
		"background:light-dark(#fdfdfc,#191918);color:light-dark(#1d1c1a,#ecebe7);font:1rem/1.625 system-ui,sans-serif}" +
		"p{max-width:26rem;padding:1.5rem;text-align:center;text-wrap:balance}"
	sentencePage = `<!doctype html><html lang="%[1]s"><head><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width, initial-scale=1"><title>%[2]s</title><style>%[3]s</style></head>` +
		`<body><main><p>%[2]s</p></main></body></html>`
)

// refuse writes the one sentence that a visitor gets in place of the page.
func refuse(w http.ResponseWriter, r *http.Request, err error, origins []string) {
	said := map[fault.Kind]i18n.ID{fault.NotFound: i18n.ServiceUnknown, fault.Denied: i18n.ServiceWithdrawn}
	id, known := said[fault.KindOf(err)]
	if !known {
		id = i18n.ServiceAway
	}
	lang := language(r)
	mayFrame(w, "default-src 'none'; style-src '"+hashOf(sentenceStyle)+"'; base-uri 'none'; form-action 'none'; ", origins)
	w.Header().Set("Content-Type", contentType(servicePage))
	w.Header().Add("Vary", "Accept-Language")
	w.WriteHeader(status(err))
	_, _ = fmt.Fprintf(w, sentencePage, lang, html.EscapeString(i18n.Say(lang, id)), sentenceStyle)
}

func status(err error) int {
	switch fault.KindOf(err) { //nolint:exhaustive // the others are the server's trouble
	case fault.NotFound:
		return http.StatusNotFound
	case fault.Denied:
		return http.StatusForbidden
	}
	return http.StatusServiceUnavailable
}

// language is what the address says, else what the browser says.
func language(r *http.Request) i18n.Lang {
	wanted := r.URL.Query().Get("lang")
	if wanted == "" {
		wanted = r.Header.Get("Accept-Language")
	}
	if strings.HasPrefix(strings.ToLower(wanted), "zh") {
		return i18n.Chinese
	}
	return i18n.English
}
