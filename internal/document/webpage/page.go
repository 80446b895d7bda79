// Package webpage reads web pages as Markdown. A page is untrusted: a separate process parses it (package decode), within limits that are checked
// first. Its content is data: callers that show it to a model must mark where it begins and ends.
package webpage

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xbot/internal/document/pdf"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
)

// Limits of one page.
const (
	maxBody  = 10 << 20 // bytes, unpacked
	maxText  = 4 << 20  // bytes of HTML that are parsed, and of other text that are kept
	maxTime  = 30 * time.Second
	maxTitle = 300     // characters
	maxPDF   = 1 << 20 // bytes of text of a PDF
)

// Page is the content of a page.
type Page struct {
	URL   string // where it was found in the end, after redirects
	Title string // empty: it has none
	Kind  string // its media type, such as text/html
	Text  string // Markdown for HTML, else unchanged
	Note  string // a sentence for the reader about what is missing; empty: nothing is
}

// Documents reads PDFs (pdf.Reader); its errors have sentences for models.
type Documents interface {
	Read(ctx context.Context, file []byte, want pdf.Want) (pdf.Document, error)
}

// Reader reads pages. It is safe for concurrent use.
type Reader struct {
	client     *http.Client
	agent      string
	documents  Documents
	time       time.Duration
	publicOnly bool // hear of no host whether it is inside
}

// New returns a reader. The client is one of safehttp.New, agent the product and its version. Without documents PDFs are refused like other
// files that are no text.
func New(client *http.Client, agent string, documents Documents) *Reader {
	return &Reader{client: client, agent: agent, documents: documents, time: maxTime}
}

// NewPublic returns a reader of what the public internet has, and of nothing else: outsiders choose the addresses.
func NewPublic(agent string, documents Documents) *Reader {
	out := New(safehttp.New(safehttp.Allow{}), agent, documents)
	out.publicOnly = true
	return out
}

// Read fetches a page, which takes at most 30 s. A PDF is parsed after that, within the limits of package pdf. Errors are those that a
// model can mend (fault.Invalid, Denied, NotFound, TooLarge), fault.Unavailable where the page cannot be had now, fault.Internal, and the cause of
// the context. None holds what may be secret in an address: user, password, query.
func (r *Reader) Read(ctx context.Context, address string) (Page, error) {
	from, err := Parse(address)
	if err != nil {
		return Page{}, err
	}
	limited, cancel := context.WithTimeout(ctx, r.time)
	defer cancel()
	body, err := r.fetch(limited, from)
	if err != nil {
		if ctx.Err() != nil {
			return Page{}, context.Cause(ctx)
		}
		if limited.Err() != nil {
			return Page{}, fault.Errorf(fault.Unavailable, "%s did not arrive within %s", Short(from), r.time)
		}
		return Page{}, err
	}
	return r.read(ctx, body)
}

// Parse reads an address of the web.
func Parse(text string) (*url.URL, error) {
	address, err := url.Parse(strings.TrimSpace(text))
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fault.Errorf(fault.Invalid, "url is not an address such as https://example.com/page")
	}
	return address, nil
}

// read takes a body apart by what it is.
func (r *Reader) read(ctx context.Context, b body) (Page, error) {
	p := Page{URL: shown(b.from), Kind: b.kind}
	switch {
	case b.kind == kindPDF && r.documents != nil:
		return r.pages(ctx, p, b)
	case !textual(b.kind):
		return Page{}, b.binary()
	}
	c, err := decoder.Run(ctx, origin{b.from.String(), b.said, b.kind}, b.data[:min(len(b.data), maxText)])
	switch {
	case err != nil:
		return Page{}, fmt.Errorf("%s: %w", Short(b.from), err)
	case c.Binary:
		return Page{}, b.binary()
	case c.Cut || len(b.data) > maxText:
		p.Note = "The page is longer than what is read of it; DownloadFile gets it whole."
	case c.Text == "" && isHTML(b.kind):
		p.Note = "The page has no text of its own: scripts may make it in a browser."
	}
	p.Title, p.Text = oneLine(c.Title, maxTitle), cutBytes(c.Text, maxText)
	return p, nil
}

func (b body) binary() error {
	return fault.Errorf(fault.Invalid, "%s is %s (%d bytes), no text to read; DownloadFile writes it to a file", Short(b.from), b.kind, len(b.data))
}
