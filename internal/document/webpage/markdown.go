package webpage

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of looking for the article of a page.
const (
	maxEffort  = 100 << 20 // see effort; a long article has a tenth of it
	minArticle = 250       // bytes of text, below which what was found is no article
	minShare   = 4         // and at least one of so many parts of the page's text
)

// article is the content of an HTML page.
type article struct {
	title, text string
	cut         bool
}

// markdown makes Markdown of a page: of its article where it has one, else of all that it shows. Where its tree cannot be built, because it is
// nested too deeply, or a library fails on it, its text is left as it is.
func markdown(src string, from *url.URL) article {
	s := limit(src, from)
	out := s.article()
	if len(out.text) > maxText {
		out.text, out.cut = cutBytes(out.text, maxText), true
	}
	out.cut = out.cut || s.cut
	return out
}

func (s limitedText) article() article {
	doc, err := parsed(s.html)
	if err != nil {
		return article{text: words(s.html)}
	}
	title, size := oneLine(textOf(find(doc, atom.Title), maxTitle*8), maxTitle), len(textOf(find(doc, atom.Body), maxText))
	if effort(doc, 0) <= maxEffort {
		if found, ok := s.readable(doc, size); ok {
			return found
		}
		if doc, err = parsed(s.html); err != nil { // the search has changed the tree
			return article{title: title, text: words(s.html)}
		}
	}
	text, err := written(find(doc, atom.Body), s.base)
	if err != nil {
		text = words(s.html)
	}
	return article{title: title, text: text}
}

// readable returns the article of a page whose text has so many bytes. It changes the tree.
func (s limitedText) readable(doc *html.Node, size int) (article, bool) {
	node, title := search(doc, s.base)
	if node == nil {
		return article{}, false
	}
	if found := len(textOf(node, maxText)); found < minArticle || found*minShare < size {
		return article{}, false
	}
	text, err := written(node, s.base)
	return article{title: title, text: text}, err == nil && text != ""
}

// parsed returns the tree of a page, tamed.
func parsed(src []byte) (*html.Node, error) {
	doc, err := html.Parse(bytes.NewReader(src))
	if err != nil {
		return nil, fmt.Errorf("parse a page: %w", err)
	}
	if nodes(doc) > maxNodes {
		return nil, fmt.Errorf("a page has more than %d nodes", maxNodes)
	}
	sanitize(doc, 0)
	return doc, nil
}

// search returns the article of a page. node is nil if there is none, or if the search failed.
func search(doc *html.Node, from *url.URL) (node *html.Node, title string) {
	defer func() {
		if recover() != nil { // a page of an outsider ends no process
			node, title = nil, ""
		}
	}()
	parser := readability.NewParser()
	parser.DisableJSONLD = true // scripts are gone
	found, err := parser.ParseAndMutate(doc, from)
	if err != nil || found.Node == nil {
		return nil, ""
	}
	return found.Node, oneLine(found.Title(), maxTitle)
}

// toMarkdown is safe for concurrent use. Tables keep the columns of merged cells; cells are not padded, which would cost tokens.
var toMarkdown = converter.NewConverter(converter.WithPlugins(
	base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(),
	table.NewTablePlugin(
		table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
		table.WithHeaderPromotion(true), table.WithSkipEmptyRows(true),
	),
))

// written returns a tree as Markdown, with whole addresses.
func written(n *html.Node, from *url.URL) (text string, err error) {
	defer func() {
		if failed := recover(); failed != nil { // a page of an outsider ends no process
			err = fmt.Errorf("write a page as Markdown: %v", failed)
		}
	}()
	absolute(n, from)
	out, err := toMarkdown.ConvertNode(n)
	if err != nil {
		return "", fmt.Errorf("write a page as Markdown: %w", err)
	}
	return clean(string(out)), nil
}

// absolute makes the addresses below a node whole. A link that leads nowhere on the web, or to a place of the page itself, is its text alone.
func absolute(n *html.Node, from *url.URL) {
	whole := false
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Key != "href" && a.Key != "src" {
			continue
		}
		if to, err := from.Parse(strings.TrimSpace(a.Val)); err == nil && web(to) && !strings.HasPrefix(a.Val, "#") {
			to.User = nil
			a.Val, whole = to.String(), true
		}
	}
	if n.DataAtom == atom.A && !whole {
		become(n, atom.Span)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		absolute(c, from)
	}
}

// words returns the text of a page whose tree cannot be built.
func words(src []byte) string {
	var out strings.Builder
	for z := html.NewTokenizer(bytes.NewReader(src)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return clean(out.String())
		case html.TextToken:
			out.Write(z.Text())
		case html.StartTagToken, html.EndTagToken:
			if name, _ := z.TagName(); blocks[atom.Lookup(name)] {
				out.WriteByte('\n')
			}
		}
	}
}

func find(n *html.Node, tag atom.Atom) *html.Node {
	if n.DataAtom == tag && n.Type == html.ElementNode {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if found := find(c, tag); found != nil {
			return found
		}
	}
	return nil
}

// textOf returns the beginning of the text below a node, without white space around words.
func textOf(n *html.Node, limit int) string {
	var out strings.Builder
	var add func(n *html.Node)
	add = func(n *html.Node) {
		if n.Type == html.TextNode && out.Len() < limit {
			out.WriteString(strings.TrimSpace(n.Data))
			out.WriteByte(' ')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			add(c)
		}
	}
	if n != nil {
		add(n)
	}
	return strings.TrimSpace(out.String())
}
