package pdf

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"

	"xbot/internal/fault"
)

// Started is what a process writes before its answer, once the engine has started: white space for who reads the answer.
const Started = "\n"

// Line is one line of the answer of a process: the number of pages first, then each page, then the end or what is wrong.
type Line struct {
	Count   int    `json:"count,omitempty"`
	Page    int    `json:"page,omitempty"`
	Text    string `json:"text,omitempty"`
	Cut     bool   `json:"cut,omitempty"`
	Picture []byte `json:"picture,omitempty"`
	Problem Reason `json:"problem,omitempty"`
	End     bool   `json:"end,omitempty"`
}

// Reason says why a document or a page cannot be read.
type Reason string

// The reasons.
const (
	Encrypted  Reason = "encrypted"
	Broken     Reason = "broken"
	NoPages    Reason = "no pages"
	PageBroken Reason = "page" // of a page
)

// sentences of the reasons.
var sentences = map[Reason]string{
	Encrypted:  "the PDF is encrypted and opens with a password only",
	Broken:     "the PDF is broken, or none",
	NoPages:    "the PDF has no pages",
	PageBroken: "this page cannot be read",
}

func (r Reason) sentence() string {
	if s, ok := sentences[r]; ok {
		return s
	}
	return sentences[Broken]
}

// parse reads the answer of a process, which a hostile document may have written.
func parse(answer []byte, want Want) (Document, error) {
	var d Document
	in := json.NewDecoder(bytes.NewReader(answer))
	for {
		var l Line
		err := in.Decode(&l)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		switch {
		case err != nil:
			return Document{}, fault.Errorf(fault.Invalid, "the PDF cannot be read: the answer of what reads it is none: %w", err)
		case l.Page == 0 && l.Problem != "":
			return Document{}, fault.Errorf(fault.Invalid, "%s", l.Problem.sentence())
		case l.End && d.Count > 0:
			return d, nil
		case d.Count == 0 && l.Count > 0 && l.Count <= maxPage:
			d.Count = l.Count
		case l.Page < 1 || l.Page > d.Count || len(d.Pages) >= want.most():
			return Document{}, fault.Errorf(fault.Invalid, "the PDF cannot be read: it answers what was not asked")
		default:
			d.Pages = append(d.Pages, l.page())
		}
	}
}

// most is how many pages are read at once.
func (w Want) most() int {
	if w.Pictures {
		return MaxPicturePages
	}
	return MaxTextPages
}

func (l Line) page() Page {
	p := Page{Number: l.Page, Text: clean(l.Text), Cut: l.Cut, Picture: l.Picture}
	if l.Problem != "" {
		p.Problem = l.Problem.sentence()
	}
	return p
}

// marks are what documents and the engine write for line ends and for hyphens at them.
var marks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x02", "-", "\ufffe", "-")

// clean is the text without what does not show.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, marks.Replace(text))
	return strings.TrimSpace(text)
}
