package cards

import (
	"context"
	"encoding/json"

	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/tool"
	"xbot/internal/turn/question"
)

type sendParams struct {
	Card string `json:"card" jsonschema:"its id"`
	Wait bool   `json:"wait_response,omitempty"`
}

type send struct{ store Store }

func (send) Summary(p sendParams) string { return p.Card }

// QuestionsIn returns what a card asks that is sent with wait_response, with a copy of the card as it is when the model has spoken.
func (c send) QuestionsIn(ctx context.Context, in chat.SessionKey, p sendParams) ([]chat.Inquiry, error) {
	if !p.Wait {
		return nil, nil
	}
	made, err := c.whole(ctx, in, p)
	if err != nil {
		return nil, err
	}
	return question.OfCard(made)
}

func (c send) whole(ctx context.Context, in chat.SessionKey, p sendParams) (card.Card, error) {
	made, err := c.store.Card(ctx, in, p.Card)
	if err != nil {
		return made, err
	}
	return card.Check(made)
}

// Run returns the answer, or sends a card that needs none.
func (c send) Run(ctx context.Context, call tool.Call, p sendParams) (chat.ToolResult, error) {
	if a := call.Approval; a != nil && len(a.Answers) > 0 {
		return c.answered(ctx, call, p)
	}
	made, err := c.whole(ctx, call.Session, p)
	if err != nil {
		return tool.FromError(err)
	}
	if p.Wait {
		if _, err := question.OfCard(made); err != nil {
			return tool.FromError(err)
		}
		return tool.Fail("the card was not whole when this was called, so it was not sent; it is whole now: call card_send again, in a step of its own"), nil
	}
	if made.Asks() {
		return tool.Fail("nobody waits for an answer, and the card has buttons that answer; send it with wait_response, or make one without them"), nil
	}
	sent, err := c.store.SendCard(ctx, call.Session, call.ID, made)
	switch {
	case err != nil:
		return tool.FromError(err)
	case !sent:
		return tool.Fail("this turn answers no chat that shows cards; write what the card says instead"), nil
	}
	return tool.Textf("It is on its way to the chat:\n\n%s", card.Text(made)), nil
}

func (c send) answered(ctx context.Context, call tool.Call, p sendParams) (chat.ToolResult, error) {
	a := call.Approval
	result, err := question.CardResult(a.Questions, a.Answers, a.AnsweredBy)
	if err != nil {
		return chat.ToolResult{}, err
	}
	now, err := c.store.Card(ctx, call.Session, p.Card)
	if asked := question.CardOf(a.Questions); err == nil && asked != nil && !same(now, *asked) {
		result += "\n(The card was changed after it was sent; people saw it as it was before.)"
	}
	return tool.Text(result), nil
}

func same(a, b card.Card) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
