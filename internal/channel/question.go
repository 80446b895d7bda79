package channel

// Question is what a card asks a person: an approval, or questions of the model.
type Question struct {
	ID    string `json:"id,omitempty"` // of the call that asks; it comes back with the answer
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"` // Markdown above the fields
	// Fields are the questions. None: Buttons alone.
	Fields  []Field  `json:"fields,omitempty"`
	Buttons []Button `json:"buttons,omitempty"`
}

// Field is one question of a form.
type Field struct {
	Name    string   `json:"name,omitempty"` // comes back with the answer
	Label   string   `json:"label,omitempty"`
	Options []string `json:"options,omitempty"` // empty: free text
	Multi   bool     `json:"multi,omitempty"`   // more than one option may be chosen
	Other   bool     `json:"other,omitempty"`   // free text is an answer, too
}

// Button sends the form.
type Button struct {
	Name  string `json:"name,omitempty"` // comes back with the answer
	Label string `json:"label,omitempty"`
	Style string `json:"style,omitempty"` // primary, danger or empty
	URL   string `json:"url,omitempty"`   // it opens this address, and sends nothing
}

// Press is an answer that a person gave by a card.
type Press struct {
	Channel string
	Account string
	Event   string // the platform's id of the event
	Sender  string // id of the person
	Union   string // who they are under every bot of one owner, where the platform says so
	Chat    string
	Message string // the card
	// Question and Button are what the card was made with, Values the answers by the name of the field.
	Question string
	Button   string
	Values   map[string][]string
}

// Toast is what the person sees at once.
type Toast struct {
	Kind string // info, success, warning or error
	Text string
	Card *Question // what the card shows from now on, where the platform can change it with the toast; nil: as it was
}
