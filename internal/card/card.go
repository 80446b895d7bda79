// Package card is what a model may put on a card: its elements, the rules that a card has to fit, and its content as text. It is pure: no
// platform, no rows. An element is written by a model and is hostile; an adapter that shows it makes it harmless in its own markup.
package card

// Card is a card as a model makes it. Its elements stand in their order; one that names a form stands in it.
type Card struct {
	Title    string    `json:"title"`
	Subtitle string    `json:"subtitle,omitempty"`
	Colour   string    `json:"colour,omitempty"` // of the title, one of Colours; empty: blue
	Elements []Element `json:"elements"`
}

// Kind is what an element is.
type Kind string

// The kinds. Fields stand in a form, and buttons that send it.
const (
	Markdown    Kind = "markdown"
	Divider     Kind = "divider"
	Table       Kind = "table"
	Form        Kind = "form"
	Input       Kind = "input"
	Select      Kind = "select"
	MultiSelect Kind = "multi_select"
	Date        Kind = "date"
	Time        Kind = "time"
	DateTime    Kind = "date_time"
	Button      Kind = "button"
)

// Element is one element of a card.
type Element struct {
	Kind     Kind       `json:"kind"`
	Name     string     `json:"name,omitempty"`     // of forms and fields: what the answer is called
	Form     string     `json:"form,omitempty"`     // name of the form that it stands in
	Text     string     `json:"text,omitempty"`     // Markdown, or the label of a field or button
	Options  []string   `json:"options,omitempty"`  // what can be chosen
	Required bool       `json:"required,omitempty"` // the form is not sent without it
	URL      string     `json:"url,omitempty"`      // of a button that opens an address and answers nothing
	Columns  []string   `json:"columns,omitempty"`  // heads of a table
	Rows     [][]string `json:"rows,omitempty"`     // cells of a table
}

// Colours are those that a title can have.
var Colours = []string{"blue", "wathet", "turquoise", "green", "yellow", "orange", "red", "carmine", "violet", "purple", "indigo", "grey"}

// Bounds of a card. A platform takes 30 KB of its own JSON (Feishu), which is larger than ours.
const (
	MaxElements = 40
	MaxFields   = 12
	MaxButtons  = 8
	MaxOptions  = 30
	MaxTitle    = 100 // characters of a title, a label or an option
	MaxTables   = 3
	MaxCells    = 300    // of a table
	MaxBytes    = 16_000 // of the card as JSON, with 200 for each element
)

// isField reports whether a kind is something that a person fills in.
func (k Kind) isField() bool {
	switch k {
	case Input, Select, MultiSelect, Date, Time, DateTime:
		return true
	case Markdown, Divider, Table, Form, Button:
	}
	return false
}

// chooses reports whether a kind has options.
func (k Kind) chooses() bool { return k == Select || k == MultiSelect }

// Action names the answer that says which button was pressed.
const Action = "action"

// Answers reports whether an element sends an answer when it is pressed.
func (e Element) Answers() bool { return e.Kind == Button && e.URL == "" }

// Asks reports whether a person can answer a card.
func (c Card) Asks() bool { return len(c.Actions()) > 0 }

// Actions are the labels of the buttons that answer.
func (c Card) Actions() (labels []string) {
	for _, e := range c.Elements {
		if e.Answers() {
			labels = append(labels, e.Text)
		}
	}
	return labels
}

// Requires reports whether a card is not answered without its required fields: each of its buttons sends the form.
func (c Card) Requires() bool {
	for _, e := range c.Elements {
		if e.Answers() && e.Form == "" {
			return false
		}
	}
	return true
}

// IsField reports whether a person fills an element in.
func (e Element) IsField() bool { return e.Kind.isField() }
