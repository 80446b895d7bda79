// Package card defines the cards that a model may make: their elements, the rules that a card must satisfy, and their content as text. It is
// pure: no platform, no rows. An element is written by a model and is hostile; an adapter that shows it makes it harmless in its own markup.
package card

import "slices"

// Card is a card as a model makes it. Its elements are in order; an element that names a container is inside it.
type Card struct {
	Title    string    `json:"title"`
	Subtitle string    `json:"subtitle,omitempty"`
	Colour   string    `json:"colour,omitempty"` // of the title, one of Colours; empty: blue
	Runner   string    `json:"runner,omitempty"` // whose machine has the files of its pictures
	Elements []Element `json:"elements"`
}

// Kind is the kind of an element.
type Kind string

// The kinds: content, containers, fields, and elements that are pressed.
const (
	Markdown Kind = "markdown"
	Divider  Kind = "divider"
	Table    Kind = "table"
	Chart    Kind = "chart"
	Person   Kind = "person"
	People   Kind = "person_list"
	Image    Kind = "img"
	Images   Kind = "img_combination"

	Form    Kind = "form"
	Columns Kind = "column_set"
	Panel   Kind = "collapsible_panel"
	Area    Kind = "interactive_container"

	Input       Kind = "input"
	Select      Kind = "select"
	MultiSelect Kind = "multi_select"
	PickPerson  Kind = "select_person"
	PickPeople  Kind = "multi_select_person"
	PickImage   Kind = "select_img"
	Checker     Kind = "checker"
	Date        Kind = "date"
	Time        Kind = "time"
	DateTime    Kind = "date_time"

	Button   Kind = "button"
	Overflow Kind = "overflow"
)

// Contents are read, Containers hold other elements, Fields belong to a form and are filled in, and Pressed are pressed.
var (
	Contents   = []Kind{Markdown, Divider, Table, Chart, Person, People, Image, Images}
	Containers = []Kind{Form, Columns, Panel, Area}
	Fields     = []Kind{Input, Select, MultiSelect, PickPerson, PickPeople, PickImage, Checker, Date, Time, DateTime}
	Pressed    = []Kind{Button, Overflow}
)

// Element is one element of a card.
type Element struct {
	Kind     Kind       `json:"kind"`
	Name     string     `json:"name,omitempty"`     // of containers, and of fields: the name of the answer
	In       string     `json:"in,omitempty"`       // name of the container that holds it
	Column   int        `json:"column,omitempty"`   // of the column_set that holds it, from 1
	Text     string     `json:"text,omitempty"`     // Markdown, or the label of a field, button, panel or area
	Options  []string   `json:"options,omitempty"`  // the choices
	Required bool       `json:"required,omitempty"` // the form is not sent without it
	URL      string     `json:"url,omitempty"`      // of a button or area that opens an address and answers nothing
	Columns  []string   `json:"columns,omitempty"`  // heads of a table or chart
	Rows     [][]string `json:"rows,omitempty"`     // cells of a table or chart
	Chart    string     `json:"chart,omitempty"`    // one of Charts
	People   []string   `json:"people,omitempty"`   // names of users
	Files    []string   `json:"files,omitempty"`    // absolute paths of pictures; of a select_img one for each option
	Count    int        `json:"count,omitempty"`    // columns of a column_set
	Open     bool       `json:"open,omitempty"`     // of a panel: it is not folded at first
}

// Colours are the colours a title can have.
var Colours = []string{"blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "carmine", "violet", "purple", "indigo", "grey"}

// Bounds of a card.
const (
	MaxElements = 40
	MaxFields   = 12
	MaxButtons  = 8
	MaxActions  = 20 // answers by a press: buttons, areas and entries of menus
	MaxOptions  = 30
	MaxTitle    = 100 // characters of a title, a label or an option
	MaxCells    = 300 // of a table or chart
	MaxCharts   = 5   // a platform shows no more well (Feishu)
	MaxPeople   = 20
	MaxFiles    = 9   // pictures of a card
	MaxPath     = 900 // bytes of the path of a picture
	MaxDepth    = 3   // containers in each other; a platform takes five (Feishu)
)

// IsField reports whether a user fills an element in.
func (e Element) IsField() bool { return slices.Contains(Fields, e.Kind) }

// IsContainer reports whether an element can hold other elements.
func (e Element) IsContainer() bool { return slices.Contains(Containers, e.Kind) }

// chooses reports whether a kind has options.
func (k Kind) chooses() bool {
	return k == Select || k == MultiSelect || k == PickImage || k == Overflow
}

// Several reports whether more than one answer may be given to a field.
func (e Element) Several() bool {
	return e.Kind == MultiSelect || e.Kind == PickPeople || e.Kind == Checker
}

// Action is the key of the answer that names the pressed element.
const Action = "action"

// Actions returns the answers that pressing an element gives, by their labels.
func (e Element) Actions() []string {
	switch {
	case e.Kind == Overflow:
		return e.Options
	case (e.Kind == Button || e.Kind == Area) && e.URL == "":
		return []string{e.Text}
	}
	return nil
}

// Answers reports whether an element sends an answer when it is pressed.
func (e Element) Answers() bool { return len(e.Actions()) > 0 }

// Asks reports whether a user can answer a card.
func (c Card) Asks() bool { return len(c.Actions()) > 0 }

// Actions returns the labels of what answers when it is pressed.
func (c Card) Actions() (labels []string) {
	for _, e := range c.Elements {
		labels = append(labels, e.Actions()...)
	}
	return labels
}

// Requires reports whether the required fields must be filled in to answer a card: every answer sends the form.
func (c Card) Requires() bool {
	return !slices.ContainsFunc(c.Elements, func(e Element) bool { return e.Answers() && !c.InForm(e) })
}

// InForm reports whether an element is inside the card's form, at any depth.
func (c Card) InForm(e Element) bool {
	for range MaxDepth {
		i := slices.IndexFunc(c.Elements, func(o Element) bool { return e.In != "" && o.Name == e.In && o.IsContainer() })
		if i < 0 {
			return false
		}
		if e = c.Elements[i]; e.Kind == Form {
			return true
		}
	}
	return false
}

// Node is an element with the elements inside it.
type Node struct {
	Element

	Inside []Node
}

// Tree returns the content of a card in display order: the elements of a container follow it.
func (c Card) Tree() []Node { return c.inside("", 0) }

func (c Card) inside(name string, depth int) (nodes []Node) {
	for _, e := range c.Elements {
		if e.In != name {
			continue
		}
		n := Node{Element: e}
		if e.IsContainer() && e.Name != "" && depth < MaxDepth {
			n.Inside = c.inside(e.Name, depth+1)
		}
		nodes = append(nodes, n)
	}
	return nodes
}
