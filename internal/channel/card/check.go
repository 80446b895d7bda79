package card

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xbot/internal/fault"
)

// nameForm matches names of containers and fields.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// reserved are names that answers have already: of the pressed element, and of a note.
var reserved = []string{Action, "note"}

// Check makes a card fit to be shown and drops invisible content. A card that cannot be shown is Invalid or TooLarge, with a sentence that
// tells the model what to do.
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

// Draft is Check for an incomplete card: elements may be missing.
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
	check := &checking{kinds: map[string]Kind{}, stands: map[string]containerPosition{"": {}}, labels: map[string]bool{}, count: map[Kind]int{}}
	c.Elements = slices.Clone(c.Elements)
	for i, e := range c.Elements {
		fit, err := check.element(e)
		if err != nil {
			return Card{}, nil, fault.Errorf(fault.KindOf(err), "element %d (%.25s): %w", i+1, e.Kind, err)
		}
		c.Elements[i] = fit
	}
	return c, check, c.bounded()
}

// checking is the state of a check: the elements before the current one.
type checking struct {
	kinds   map[string]Kind              // by their name
	stands  map[string]containerPosition // of containers, by their name
	labels  map[string]bool              // of elements that are pressed
	count   map[Kind]int
	fields  int
	files   int
	submits bool // a button sends the form
}

// element makes an element fit; attributes that its kind does not have are dropped.
func (c *checking) element(e Element) (Element, error) {
	if e.Kind == Markdown {
		e.Text = shown(e.Text)
	} else {
		e.Text = line(e.Text)
	}
	at, err := c.place(e)
	if err != nil {
		return e, err
	}
	c.count[e.Kind]++
	out := Element{Kind: e.Kind, In: e.In, Column: e.Column}
	switch {
	case e.IsContainer():
		err = c.container(e, at, &out)
	case e.IsField():
		err = c.field(e, &out)
	case e.Kind == Button:
		c.submits = c.submits || at.form && e.URL == ""
		err = c.button(e, &out)
	case e.Kind == Overflow:
		err = c.overflow(e, &out)
	case e.Kind == Table || e.Kind == Chart:
		err = c.table(e, &out)
	case e.Kind == Person || e.Kind == People:
		err = people(e, &out)
	case e.Kind == Image || e.Kind == Images:
		out.Text, err = e.Text, c.pictures(e, &out)
	case e.Kind == Markdown:
		out.Text, err = e.Text, readable(e.Text)
	}
	return out, err
}

func (c *checking) name(e Element) error {
	switch {
	case !nameForm.MatchString(e.Name):
		return fault.Errorf(fault.Invalid, "name must be 1 to 32 of a-z, 0-9 and _, and begin with a letter")
	case slices.Contains(reserved, e.Name):
		return fault.Errorf(fault.Invalid, "the name %q is taken by the answer itself; choose another", e.Name)
	case c.kinds[e.Name] != "":
		return fault.Errorf(fault.Invalid, "the name %q is taken by a %s", e.Name, c.kinds[e.Name])
	}
	c.kinds[e.Name] = e.Kind
	return nil
}

func (c *checking) field(e Element, out *Element) error {
	if err := c.name(e); err != nil {
		return err
	}
	c.fields++
	if c.fields > MaxFields {
		return fault.Errorf(fault.TooLarge, "a card may have %d fields", MaxFields)
	}
	out.Name, out.Text, out.Required = e.Name, e.Text, e.Required
	if e.Kind == PickImage {
		return errFirst(labelled(e), chosen(e, out), c.pictures(e, out))
	}
	return errFirst(labelled(e), chosen(e, out))
}

// chosen checks the options of an element that has some.
func chosen(e Element, out *Element) error {
	switch {
	case e.Kind.chooses() != (len(e.Options) > 0):
		return fault.Errorf(fault.Invalid, "select, multi_select, select_img and overflow have options, and others have none")
	case len(e.Options) > MaxOptions:
		return fault.Errorf(fault.TooLarge, "a field may have %d options", MaxOptions)
	}
	for _, o := range e.Options {
		o = line(o)
		if o == "" || long(o) || slices.ContainsFunc(out.Options, func(other string) bool { return strings.EqualFold(o, other) }) {
			return fault.Errorf(fault.Invalid, "options have 1 to %d characters each, and none is there twice", MaxTitle)
		}
		out.Options = append(out.Options, o)
	}
	return nil
}

func labelled(e Element) error {
	if e.Text == "" || long(e.Text) {
		return fault.Errorf(fault.Invalid, "text is its label, and has 1 to %d characters", MaxTitle)
	}
	return nil
}

func (c *checking) button(e Element, out *Element) error {
	if c.count[Button] > MaxButtons {
		return fault.Errorf(fault.TooLarge, "a card may have %d buttons", MaxButtons)
	}
	out.Text, out.URL = e.Text, e.URL
	return errFirst(labelled(e), opened(e), c.pressed(e.Text))
}

func (c *checking) overflow(e Element, out *Element) error {
	if err := chosen(e, out); err != nil {
		return err
	}
	return c.pressed(out.Options...)
}

// pressed records the labels of pressed elements: labels are the answers, so they must be unique.
func (c *checking) pressed(labels ...string) error {
	for _, label := range labels {
		if c.labels[strings.ToLower(label)] {
			return fault.Errorf(fault.Invalid, "%q is there to be pressed already; the answer is its label", label)
		}
		c.labels[strings.ToLower(label)] = true
	}
	if len(c.labels) > MaxActions {
		return fault.Errorf(fault.TooLarge, "a card may have %d buttons, areas and entries of menus", MaxActions)
	}
	return nil
}

func opened(e Element) error {
	if e.URL != "" && !webAddress(e.URL) {
		return fault.Errorf(fault.Invalid, "url must be an address that begins with https:// or http://")
	}
	return nil
}

// webAddress reports whether an address is a web address with a host and without credentials.
func webAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && !strings.ContainsFunc(address, unprintable)
}

// foreign finds the schemes of links in a text.
var foreign = regexp.MustCompile(`(?i)(?:\]\(\s*<?\s*|\]:\s*<?\s*|<)([a-z][a-z0-9+.-]{1,31}):`)

func readable(text string) error {
	if text == "" {
		return fault.Errorf(fault.Invalid, "text is empty")
	}
	for _, found := range foreign.FindAllStringSubmatch(text, -1) {
		if scheme := strings.ToLower(found[1]); scheme != "https" && scheme != "http" {
			return fault.Errorf(fault.Invalid, "text has a link that begins with %s:; links begin with https:// or http://", scheme)
		}
	}
	return nil
}

func people(e Element, out *Element) error {
	switch {
	case e.Kind == Person && len(e.People) != 1:
		return fault.Errorf(fault.Invalid, "people holds the name of one person; person_list shows several")
	case len(e.People) == 0 || len(e.People) > MaxPeople:
		return fault.Errorf(fault.Invalid, "people must hold the names of 1 to %d persons", MaxPeople)
	}
	out.People = lines(e.People)
	if slices.ContainsFunc(out.People, func(name string) bool { return name == "" || long(name) }) {
		return fault.Errorf(fault.Invalid, "names have 1 to %d characters", MaxTitle)
	}
	return nil
}

// pictures checks the files of pictures.
func (c *checking) pictures(e Element, out *Element) error {
	c.files += len(e.Files)
	switch {
	case c.files > MaxFiles:
		return fault.Errorf(fault.TooLarge, "a card may have %d pictures", MaxFiles)
	case long(e.Text):
		return fault.Errorf(fault.Invalid, "text says what is on it, in at most %d characters", MaxTitle)
	case e.Kind == Image && len(e.Files) != 1:
		return fault.Errorf(fault.Invalid, "files holds the path of one picture; img_combination shows several")
	case e.Kind == Images && len(e.Files) < 2:
		return fault.Errorf(fault.Invalid, "files must hold the paths of 2 to %d pictures", MaxFiles)
	case e.Kind == PickImage && len(e.Files) != len(e.Options):
		return fault.Errorf(fault.Invalid, "files must hold the path of a picture for each option")
	}
	for _, file := range e.Files {
		if !path.IsAbs(file) || len(file) > MaxPath || shown(file) != file || strings.Contains(file, "\n") {
			return fault.Errorf(fault.Invalid, "%.80q cannot be the path of a picture: copy it to a short path without special characters", file)
		}
		out.Files = append(out.Files, path.Clean(file))
	}
	return nil
}

// whole checks the rules that concern more than one element.
func (c *checking) whole() error {
	switch {
	case c.count[Form] > 1:
		return fault.Errorf(fault.Invalid, "a card may have one form; put all fields into it")
	case c.count[Form] == 1 && !c.submits:
		for name, kind := range c.kinds {
			if kind == Form {
				return fault.Errorf(fault.Invalid, "the form %q has no button that sends it; add a button without url in %q", name, name)
			}
		}
	}
	return nil
}

func errFirst(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

func long(text string) bool { return utf8.RuneCountInString(text) > MaxTitle }

// unprintable reports whether a character cannot be shown in an address.
func unprintable(r rune) bool {
	return r == utf8.RuneError || !unicode.IsGraphic(r) || unicode.IsSpace(r)
}

// shown returns a text without unprintable characters and surrounding blanks.
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

// line returns a text on one line.
func line(text string) string { return strings.Join(strings.Fields(shown(text)), " ") }

func lines(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = line(text)
	}
	return out
}
