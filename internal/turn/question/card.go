package question

import (
	"encoding/json"
	"slices"

	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// OfCard returns the questions of a card: its fields by their names, and card.Action, which is answered with the label of a button. A card
// that cannot be answered is Invalid, in a sentence for the model.
func OfCard(c card.Card) ([]chat.Inquiry, error) {
	actions := c.Actions()
	if len(actions) == 0 {
		return nil, fault.Errorf(fault.Invalid, "nobody can answer the card, for it has no button without url; add one, or send it without wait_response")
	}
	var out []chat.Inquiry
	for _, e := range c.Elements {
		if !e.IsField() {
			continue
		}
		asked := chat.Inquiry{Name: e.Name, Text: e.Text, Options: labelsOf(e.Options), Multi: e.Several(), Optional: !e.Required || !c.Requires()}
		if e.Kind == card.Checker {
			asked.Options = labelsOf([]string{e.Text})
		}
		asked.Other = len(asked.Options) == 0
		out = append(out, asked)
	}
	button := chat.Inquiry{Name: card.Action, Text: i18n.Say(i18n.Of(card.Text(c)), i18n.InquiryButton), Options: labelsOf(actions)}
	if len(actions) == 1 {
		button.Default = actions[0]
	}
	out = append(out, button)
	data, err := json.Marshal(c)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the card cannot be written down: %w", err)
	}
	out[0].Above, out[0].Card = card.Content(c), string(data)
	return out, nil
}

func labelsOf(texts []string) (out []chat.InquiryOption) {
	for _, text := range texts {
		out = append(out, chat.InquiryOption{Label: text})
	}
	return out
}

// CardOf returns the card that asks the questions, or nil if there is none and they are shown like any others.
func CardOf(questions []chat.Inquiry) *card.Card {
	if len(questions) == 0 || questions[0].Card == "" {
		return nil
	}
	var c card.Card
	if json.Unmarshal([]byte(questions[0].Card), &c) != nil {
		return nil
	}
	return &c
}

// CardResult returns the answer to a card for the model: JSON with the button, the values of the fields, and the answerer.
func CardResult(questions []chat.Inquiry, answers chat.Answers, by string) (string, error) {
	said := struct {
		Action string         `json:"action"`
		Values map[string]any `json:"values,omitempty"`
		By     string         `json:"by,omitempty"`
	}{Values: map[string]any{}, By: by}
	boxes := checkers(questions)
	for _, q := range questions {
		switch given := answers[q.Name]; {
		case slices.Contains(boxes, q.Name):
			said.Values[q.Name] = len(given) > 0
		case len(given) == 0:
		case q.Name == card.Action:
			said.Action = given[0]
		case q.Multi:
			said.Values[q.Name] = given
		default:
			said.Values[q.Name] = given[0]
		}
	}
	data, err := json.Marshal(said)
	return string(data), err
}

// checkers returns the names of the boxes in the card of questions.
func checkers(questions []chat.Inquiry) (names []string) {
	made := CardOf(questions)
	if made == nil {
		return nil
	}
	for _, e := range made.Elements {
		if e.Kind == card.Checker {
			names = append(names, e.Name)
		}
	}
	return names
}
