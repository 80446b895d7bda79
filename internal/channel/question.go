package channel

import "xbot/internal/channel/card"

// Question is a question that a card asks a user: an approval, or questions of the model.
type Question struct {
	ID    string `json:"id,omitempty"` // of the call that asks; it comes back with the answer
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"` // Markdown above the fields
	// Fields are the questions. None: Buttons alone.
	Fields  []Field  `json:"fields,omitempty"`
	Buttons []Button `json:"buttons,omitempty"`
	// Design is the card's design where the platform shows cards of models; Title, Text, Fields and Buttons have the same content for other
	// platforms. Its buttons come back as PressAction with their label, and its fields by their names.
	Design *card.Card `json:"design,omitempty"`
	// Images are the pictures of the design that can be shown, by their paths.
	Images map[string]File `json:"images,omitempty"`
}

// PressAction is the name under which the label of the button comes back that was pressed on a card with a Design.
const PressAction = card.Action

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

// Press is a user's answer by a card.
type Press struct {
	Channel string
	Account string
	Event   string // the platform's id of the event
	Sender  string // id of the user
	Union   string // the user's id under every bot of one owner, if the platform has one
	Chat    string
	Message string // the card
	// Question and Button are the values the card was made with, Values the answers by the name of the field.
	Question string
	Button   string
	Values   map[string][]string
}

// Toast is the text that the user sees at once.
type Toast struct {
	Kind string // info, success, warning or error
	Text string
	Card *Question // the card's new content, if the platform can change it with the toast; nil: unchanged
}
