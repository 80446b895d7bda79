package webpage

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of a tree, beyond which parts of it become plain blocks: what is written grows with these numbers multiplied.
const (
	maxIndent = 8       // lists and quotes inside of one another: each indents all lines of what is in it
	maxCells  = 100_000 // of a table, when all rows are as long as its longest one
	maxMerged = 2_000   // cells that spans of a table cover
	maxNodes  = 250_000 // of a tree; a page without tricks has half as many at most (maxTags)
)

// sanitize takes out of a tree what people do not see, and makes plain blocks of what would grow when it is written: lists deep inside of
// others, tables with far more cells than they have text. Trees have at most 512 levels (html.Parse).
func sanitize(n *html.Node, indent int) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.CommentNode, c.Type == html.ElementNode && has(c, "hidden"):
			n.RemoveChild(c)
		case c.Type == html.ElementNode:
			sanitizeElement(c, indent)
		}
		c = next
	}
}

func sanitizeElement(n *html.Node, indent int) {
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Blockquote:
		if indent++; indent > maxIndent {
			become(n, atom.Div)
		}
	case atom.Li:
		if indent > maxIndent {
			become(n, atom.Div)
		}
	case atom.Table:
		sanitizeTable(n)
	}
	sanitize(n, indent)
}

// sanitizeTable looks at the size of a table. One inside of another is looked at separately, and is no part of the outer one's.
func sanitizeTable(table *html.Node) {
	rows, longest, merged := 0, 0, 0
	walk(table, func(n *html.Node) {
		if n.DataAtom != atom.Tr {
			return
		}
		rows++
		cells := 0
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
				across, down := span(c, "colspan"), span(c, "rowspan")
				cells += across
				merged += across*down - 1
			}
		}
		longest = max(longest, cells)
	})
	if merged > maxMerged {
		walk(table, func(n *html.Node) { drop(n, "colspan"); drop(n, "rowspan") })
	}
	if rows*longest > maxCells {
		walk(table, func(n *html.Node) {
			switch n.DataAtom {
			case atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
				become(n, atom.Div)
			}
		})
		become(table, atom.Div)
	}
}

// walk visits the nodes below a node, except those in other tables there.
func walk(n *html.Node, visit func(*html.Node)) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom != atom.Table {
			walk(c, visit)
			visit(c)
		}
	}
}

func become(n *html.Node, to atom.Atom) { n.DataAtom, n.Data, n.Attr = to, to.String(), nil }

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// span returns how many rows or columns a cell covers; strain admits numbers from 2 to maxSpan.
func span(n *html.Node, key string) int {
	for _, a := range n.Attr {
		if a.Key == key && len(a.Val) <= 2 && len(a.Val) > 0 {
			out := int(a.Val[0] - '0')
			if len(a.Val) == 2 {
				out = out*10 + int(a.Val[1]-'0')
			}
			return max(1, out)
		}
	}
	return 1
}

func drop(n *html.Node, key string) {
	for i, a := range n.Attr {
		if a.Key == key {
			n.Attr = append(n.Attr[:i:i], n.Attr[i+1:]...)
			return
		}
	}
}

// nodes counts the nodes of a tree.
func nodes(n *html.Node) int {
	sum := 1
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sum += nodes(c)
	}
	return sum
}

// effort returns how much work a tree makes for code that reads the text of each element again: the bytes of its texts, and its nodes, each times its
// level.
func effort(n *html.Node, level int) int {
	sum := level
	if n.Type == html.TextNode {
		sum += len(n.Data) * level
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		sum += effort(c, level+1)
	}
	return sum
}
