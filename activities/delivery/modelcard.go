package delivery

import (
	"encoding/json"

	"xbot/internal/channel"
	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// parseModelCard reads the card that a model has sent.
func parseModelCard(o chat.Outbound) (c card.Card, err error) {
	if err := json.Unmarshal([]byte(o.Text), &c); err != nil {
		return c, fault.Errorf(fault.Internal, "the card of delivery %d cannot be read: %w", o.ID, err)
	}
	return c, nil
}

// showCard makes the piece of a card that waits for no answer, where cards are shown; else its text. It continues in the form in which it began.
func (s *sending) showCard() error {
	made, err := parseModelCard(s.o)
	if err != nil {
		return err
	}
	if _, shows := s.account.(channel.Asker); shows && (len(s.o.Pieces) == 0 || s.o.Pieces[0].Text == "") {
		s.card = &channel.Question{Title: made.Title, Text: card.Text(made), Design: &made}
		if len(s.o.Pieces) == 0 {
			s.o.Pieces = []chat.Piece{{Seq: s.o.Before + 1}}
		}
		return nil
	}
	if !divided(s.o.Pieces) {
		s.o.Pieces = s.divide(card.Text(made), s.o.Before, channel.TraitsAt(s.account, s.o.Place))
	}
	return nil
}
