package webpage

import (
	"bytes"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of what comes through a strainer.
const (
	maxTags      = 100_000 // start tags and end tags
	maxAttrs     = 64      // of a tag that are looked at
	maxHref      = 2048    // bytes
	maxNames     = 256     // bytes of class and id
	maxMeta      = 1024    // bytes of a page's metadata
	maxAlt       = 300     // bytes
	maxSpan      = 50      // rows or columns of a cell
	maxListStart = 6       // digits
)

// limitedText is a page with only what its text is made of.
type limitedText struct {
	html []byte
	base *url.URL // what its addresses are relative to
	cut  bool     // it has more tags than are read
}

// limit rewrites HTML from its tokens: a few elements with a few attributes, and the text. What parsers take long for never reaches one: of
// the elements that are opened again in each block after they were left open (HTML §13.2.4.3) only a, code, em and strong remain, and
// these have nothing to distinguish them, so that at most three of each are open; attributes are bounded, and so is the number of tags. All text is
// escaped again, so that what is left out joins nothing into a tag.
func limit(src string, from *url.URL) limitedText {
	s := &limiter{out: limitedText{base: from}}
	s.html.Grow(len(src))
	s.html.WriteString("<!DOCTYPE html>")
	z := html.NewTokenizer(strings.NewReader(src))
	for tags := 0; ; {
		switch z.Next() {
		case html.ErrorToken: // the end: a string has no other
			s.out.html = s.html.Bytes()
			return s.out
		case html.TextToken:
			s.text(z.Text())
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
			s.start(z)
		case html.EndTagToken:
			s.end(z)
		case html.CommentToken, html.DoctypeToken:
			continue
		}
		if tags++; tags > maxTags {
			s.out.html, s.out.cut = s.html.Bytes(), true
			return s.out
		}
	}
}

type limiter struct {
	html  bytes.Buffer
	out   limitedText
	raw   bool // inside of an element whose content is no text of the page
	inert int  // inside of so many elements that show no text, such as drawings
}

// rename maps elements to others that replace them.
var rename = map[atom.Atom]atom.Atom{
	atom.B: atom.Strong, atom.I: atom.Em, atom.Center: atom.Div, atom.Form: atom.Div, atom.Fieldset: atom.Div, atom.Dialog: atom.Div, atom.Details: atom.Div,
	atom.Summary: atom.P, atom.Legend: atom.P, atom.Address: atom.Div, atom.Hgroup: atom.Div, atom.Menu: atom.Ul, atom.Dir: atom.Ul, atom.Samp: atom.Code,
	atom.Kbd: atom.Code, atom.Tt: atom.Code, atom.Strike: atom.Del, atom.S: atom.Del, atom.Label: atom.Span, atom.Button: atom.Span, atom.Time: atom.Span,
	atom.Listing: atom.Pre, atom.Xmp: atom.Pre, atom.Search: atom.Div,
}

// blocks are elements that begin a part of the text; they end what is inert, as in a parser.
var blocks = set(atom.Html, atom.Head, atom.Body, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.P, atom.H1, atom.H2,
	atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Blockquote, atom.Pre, atom.Table, atom.Caption, atom.Thead,
	atom.Tbody, atom.Tfoot, atom.Tr, atom.Th, atom.Td, atom.Hr, atom.Figure, atom.Figcaption)

// inlines are the other elements that remain.
var inlines = set(atom.A, atom.Code, atom.Strong, atom.Em, atom.Del, atom.Br, atom.Img, atom.Span, atom.Sup, atom.Sub, atom.Title, atom.Meta)

// raws are elements whose content a tokenizer takes as one text, and which is none of the page's.
var raws = set(atom.Script, atom.Style, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Textarea)

// inerts show no text, or a list of choices.
var inerts = set(atom.Svg, atom.Select, atom.Datalist)

func set(names ...atom.Atom) map[atom.Atom]bool {
	out := map[atom.Atom]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

func (s *limiter) text(text []byte) {
	if !s.raw && s.inert == 0 {
		_, _ = escape.WriteString(&s.html, string(text)) // a buffer takes everything
	}
}

// escape escapes a text for HTML.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;")

func named(name []byte) atom.Atom {
	a := atom.Lookup(name)
	if to, ok := rename[a]; ok {
		return to
	}
	return a
}

func (s *limiter) start(z *html.Tokenizer) {
	name, more := z.TagName()
	tag := named(name)
	if blocks[tag] {
		s.inert = 0
	}
	switch {
	case raws[tag]:
		s.raw = true
		return
	case inerts[tag]:
		s.inert++
		return
	case tag == atom.Base:
		s.base(z, more)
		return
	case s.inert > 0 || !blocks[tag] && !inlines[tag]:
		s.html.WriteByte(' ') // words on both sides stay two
		return
	}
	attrs := attributes(z, more, tag)
	if tag == atom.Img && (attrs["alt"] == "" || attrs["src"] == "") {
		return // nothing of it can be read
	}
	s.html.WriteByte('<')
	s.html.WriteString(tag.String())
	for _, key := range kept {
		if value, ok := attrs[key]; ok {
			fmt.Fprintf(&s.html, ` %s="%s"`, key, html.EscapeString(value))
		}
	}
	s.html.WriteByte('>')
}

func (s *limiter) end(z *html.Tokenizer) {
	name, _ := z.TagName()
	switch tag := named(name); {
	case raws[tag]:
		s.raw = false
	case inerts[tag]:
		s.inert = max(0, s.inert-1)
	case tag == atom.Br || tag == atom.P && s.inert > 0: // these would open what they close
	case blocks[tag] || inlines[tag]:
		fmt.Fprintf(&s.html, "</%s>", tag)
	}
}

// base takes the first address that a page declares as the base of its others.
func (s *limiter) base(z *html.Tokenizer, more bool) {
	for n := 0; more && n < maxAttrs; n++ {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) != "href" || len(value) > maxHref {
			continue
		}
		if to, err := s.out.base.Parse(strings.TrimSpace(string(value))); err == nil && web(to) {
			s.out.base = to
		}
	}
}

func web(u *url.URL) bool { return (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" }

// kept are the attributes that remain, in the order in which they are written.
var kept = []string{"class", "id", "lang", "hidden", "role", "rel", "itemprop", "name", "property", "content", "href", "src", "alt", "colspan", "rowspan", "start"}

// attributes returns those of a tag that remain. Elements that are opened again keep none but the address of a link.
func attributes(z *html.Tokenizer, more bool, tag atom.Atom) map[string]string {
	if !more || tag == atom.Code || tag == atom.Em || tag == atom.Strong {
		return nil
	}
	out := map[string]string{}
	for n := 0; more && n < maxAttrs; n++ {
		var key, value []byte
		key, value, more = z.TagAttr()
		if name := string(key); len(value) <= maxHref {
			keep(out, tag, name, string(value))
		}
	}
	return out
}

func keep(out map[string]string, tag atom.Atom, name, value string) {
	if _, twice := out[name]; twice {
		return
	}
	fits := false
	switch name {
	case "href":
		fits = tag == atom.A && address(value)
	case "src":
		fits = tag == atom.Img && address(value)
	case "alt":
		value = cutBytes(strings.TrimSpace(value), maxAlt)
		fits = tag == atom.Img
	case "hidden":
		value, fits = "", true
	case "style":
		name, fits = "hidden", invisible(value)
		value = ""
	case "class", "id":
		fits = tag != atom.A && len(value) <= maxNames
	case "rel", "itemprop", "role", "lang":
		fits = tag != atom.A && len(value) <= 64
	case "name", "property", "content":
		fits = tag == atom.Meta && len(value) <= maxMeta
	case "colspan", "rowspan":
		n, err := strconv.Atoi(strings.TrimSpace(value))
		value, fits = strconv.Itoa(n), err == nil && n > 1 && n <= maxSpan && (tag == atom.Td || tag == atom.Th)
	case "start":
		n, err := strconv.Atoi(strings.TrimSpace(value))
		value, fits = strconv.Itoa(n), err == nil && n >= 0 && len(value) <= maxListStart && tag == atom.Ol
	}
	if fits {
		out[name] = value
	}
}

// address reports whether an address leads somewhere on the web, and is not the thing itself or a program.
func address(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	scheme, _, found := strings.Cut(value, ":")
	return value != "" && (!found || strings.ContainsAny(scheme, "/?#") || scheme == "http" || scheme == "https" || scheme == "mailto")
}

// invisible reports whether a style hides its element.
func invisible(style string) bool {
	style = strings.ToLower(strings.Join(strings.Fields(style), ""))
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

func cutBytes(text string, limit int) string {
	if len(text) > limit {
		return strings.ToValidUTF8(text[:limit], "")
	}
	return text
}
