package card

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/fault"
)

// nameForm is what names of forms and fields look like.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// reserved are names that answers have already: of the button that was pressed, and of a note.
var reserved = []string{Action, "note"}

// Check makes a card fit to be shown, without what cannot be shown. What does not fit is Invalid, or TooLarge, in a sentence for the model
// that says what to do.
func Check(c Card) (Card, error) {
	if len(c.Elements) == 0 && line(c.Title) != "" {
		return Card{}, fault.Errorf(fault.Invalid, "the card has no elements")
	}
	c, check, err := fit(c)
	if err == nil {
		err = check.whole()
	}
	if err != nil {
		return Card{}, err
	}
	return c, nil
}

// Draft is Check for a card that is not whole yet: elements may be missing.
func Draft(c Card) (Card, error) {
	c, _, err := fit(c)
	return c, err
}

func fit(c Card) (Card, *checking, error) {
	c.Title, c.Subtitle = line(c.Title), line(c.Subtitle)
	switch {
	case c.Title == "":
		return Card{}, nil, fault.Errorf(fault.Invalid, "the card has no title")
	case long(c.Title) || long(c.Subtitle):
		return Card{}, nil, fault.Errorf(fault.Invalid, "a title may have %d characters", MaxTitle)
	case c.Colour != "" && !slices.Contains(Colours, c.Colour):
		return Card{}, nil, fault.Errorf(fault.Invalid, "there is no colour %.40q; there are %s", c.Colour, strings.Join(Colours, ", "))
	case len(c.Elements) > MaxElements:
		return Card{}, nil, fault.Errorf(fault.TooLarge, "the card has %d elements; at most %d are shown", len(c.Elements), MaxElements)
	}
	check := &checking{names: map[string]Kind{}, labels: map[string]bool{}, submits: map[string]bool{}}
	c.Elements = slices.Clone(c.Elements)
	for i, e := range c.Elements {
		fit, err := check.element(e)
		if err != nil {
			return Card{}, nil, fault.Errorf(fault.KindOf(err), "element %d (%.20s): %w", i+1, e.Kind, err)
		}
		c.Elements[i] = fit
	}
	data, err := json.Marshal(c)
	if err != nil {
		return Card{}, nil, fault.Errorf(fault.Invalid, "the card cannot be written down: %w", err)
	}
	if size := len(data) + 200*len(c.Elements); size > MaxBytes {
		return Card{}, nil, fault.Errorf(fault.TooLarge, "the card has %d bytes with its elements; at most %d fit, so shorten its texts", size, MaxBytes)
	}
	return c, check, nil
}

// checking is what is known of the elements before one.
type checking struct {
	names                   map[string]Kind // that are taken
	labels                  map[string]bool // of buttons
	submits                 map[string]bool // forms with a button that sends them
	fields, buttons, tables int
}

func (c *checking) element(e Element) (Element, error) {
	if e.Kind == Markdown {
		e.Text = shown(e.Text)
	} else {
		e.Text = line(e.Text)
	}
	if e.Form != "" && c.names[e.Form] != Form {
		return e, fault.Errorf(fault.Invalid, "there is no form %.40q before it; add the form first", e.Form)
	}
	switch {
	case e.Kind == Markdown && e.Text == "":
		return e, fault.Errorf(fault.Invalid, "text is empty")
	case e.Kind == Markdown || e.Kind == Divider:
		return e, nil
	case e.Kind == Table:
		return c.table(e)
	case e.Kind == Form && e.Form != "":
		return e, fault.Errorf(fault.Invalid, "a form cannot stand in a form")
	case e.Kind == Form:
		return e, c.name(e)
	case e.Kind.isField():
		return c.field(e)
	case e.Kind == Button:
		return e, c.button(e)
	}
	return e, fault.Errorf(fault.Invalid, "there is no such element")
}

func (c *checking) name(e Element) error {
	switch {
	case !nameForm.MatchString(e.Name):
		return fault.Errorf(fault.Invalid, "name must be 1 to 32 of a-z, 0-9 and _, and begin with a letter")
	case slices.Contains(reserved, e.Name):
		return fault.Errorf(fault.Invalid, "the name %q is taken by the answer itself; choose another", e.Name)
	case c.names[e.Name] != "":
		return fault.Errorf(fault.Invalid, "the name %q is taken by a %s", e.Name, c.names[e.Name])
	}
	c.names[e.Name] = e.Kind
	return nil
}

func (c *checking) field(e Element) (Element, error) {
	if err := c.name(e); err != nil {
		return e, err
	}
	c.fields++
	switch {
	case e.Form == "":
		return e, fault.Errorf(fault.Invalid, "it must stand in a form; add a form and name it in form")
	case c.fields > MaxFields:
		return e, fault.Errorf(fault.TooLarge, "a card may have %d fields", MaxFields)
	case e.Text == "" || long(e.Text):
		return e, fault.Errorf(fault.Invalid, "text is its label, and has 1 to %d characters", MaxTitle)
	case e.Kind.chooses() != (len(e.Options) > 0):
		return e, fault.Errorf(fault.Invalid, "select and multi_select have options, and other fields have none")
	case len(e.Options) > MaxOptions:
		return e, fault.Errorf(fault.TooLarge, "a field may have %d options", MaxOptions)
	}
	var options []string
	for _, o := range e.Options {
		o = line(o)
		if o == "" || long(o) || slices.ContainsFunc(options, func(other string) bool { return strings.EqualFold(o, other) }) {
			return e, fault.Errorf(fault.Invalid, "options have 1 to %d characters each, and none is there twice", MaxTitle)
		}
		options = append(options, o)
	}
	e.Options = options
	return e, nil
}

func (c *checking) button(e Element) error {
	c.buttons++
	switch {
	case c.buttons > MaxButtons:
		return fault.Errorf(fault.TooLarge, "a card may have %d buttons", MaxButtons)
	case e.Text == "" || long(e.Text):
		return fault.Errorf(fault.Invalid, "text is its label, and has 1 to %d characters", MaxTitle)
	case c.labels[strings.ToLower(e.Text)]:
		return fault.Errorf(fault.Invalid, "there is a button %q already; the answer is its label", e.Text)
	case e.URL != "" && !webAddress(e.URL):
		return fault.Errorf(fault.Invalid, "url must be an address that begins with https:// or http://")
	}
	c.labels[strings.ToLower(e.Text)] = true
	if e.Form != "" && e.Answers() {
		c.submits[e.Form] = true
	}
	return nil
}

// webAddress reports whether an address is one of the web, of a host, without credentials in it.
func webAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && !strings.ContainsFunc(address, unprintable)
}

func (c *checking) table(e Element) (Element, error) {
	c.tables++
	switch {
	case e.Form != "":
		return e, fault.Errorf(fault.Invalid, "a table cannot stand in a form")
	case len(e.Columns) == 0 || len(e.Columns) > 10:
		return e, fault.Errorf(fault.Invalid, "columns must hold 1 to 10 heads")
	case len(e.Columns)*len(e.Rows) > MaxCells:
		return e, fault.Errorf(fault.TooLarge, "a table may have %d cells", MaxCells)
	}
	e.Columns = lines(e.Columns)
	rows := make([][]string, len(e.Rows))
	for i, row := range e.Rows {
		if len(row) != len(e.Columns) {
			return e, fault.Errorf(fault.Invalid, "row %d has %d cells, and the table has %d columns", i+1, len(row), len(e.Columns))
		}
		rows[i] = lines(row)
	}
	e.Rows = rows
	return e, nil
}

// whole checks what no element says alone.
func (c *checking) whole() error {
	for name, kind := range c.names {
		if kind == Form && !c.submits[name] {
			return fault.Errorf(fault.Invalid, "the form %q has no button that sends it; add a button without url whose form is %q", name, name)
		}
	}
	forms := 0
	for _, kind := range c.names {
		if kind == Form {
			forms++
		}
	}
	if forms > 1 {
		return fault.Errorf(fault.Invalid, "a card may have one form; put all fields into it")
	}
	return nil
}

func long(text string) bool { return utf8.RuneCountInString(text) > MaxTitle }

// unprintable reports whether a character cannot be shown in an address.
func unprintable(r rune) bool {
	return r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r)
}

// shown is a text without what cannot be shown, and without blank ends.
func shown(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r != utf8.RuneError && unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(text, "")))
}

// line is a text on one line.
func line(text string) string { return strings.Join(strings.Fields(shown(text)), " ") }

func lines(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = line(text)
	}
	return out
}
