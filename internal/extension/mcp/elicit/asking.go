package elicit

import (
	"context"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
)

const (
	// maxRounds limits how often the user is asked for one call.
	maxRounds = 8
	// maxCalls limits the calls whose answers are stored. A call without stored answers asks again.
	maxCalls = 1000
)

// Calls holds the answers of users for calls that ask several times. It is safe for concurrent use.
type Calls struct {
	mu    sync.Mutex
	given map[chat.CallID][]Answered
}

// Begin returns the Asking of a call. approval is the user's approval of the call, with the last answers. unattended is true if there is no user
// to ask. model answers requests to the model; if it is nil, they are refused.
func (c *Calls) Begin(id chat.CallID, approval *chat.Approval, unattended bool, model *Model) *Asking {
	if id == "" || unattended && model == nil {
		return nil
	}
	if unattended {
		return &Asking{nobody: true, model: model}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	given := c.given[id]
	if approval != nil && len(approval.Answers) > 0 {
		given = append(given, Answered{approval.Questions, approval.Answers})
		if c.given == nil {
			c.given = map[chat.CallID][]Answered{}
		}
		for other := range c.given {
			if len(c.given) < maxCalls {
				break
			}
			delete(c.given, other)
		}
		c.given[id] = given
	}
	return &Asking{given: given, model: model}
}

// End removes the answers of a call that has its result.
func (c *Calls) End(id chat.CallID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.given, id)
}

// Asking answers questions of a server during a call. nil declines everything.
type Asking struct {
	given  []Answered
	nobody bool   // questions are declined
	model  *Model // nil: requests to the model are refused

	mu   sync.Mutex
	next []chat.Inquiry
}

// Next returns the questions to ask before the call is made again, or nil if there is none.
func (a *Asking) Next() []chat.Inquiry {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

// errAskedFirst informs a server that its call will be made again.
var errAskedFirst = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the user is asked first; the call will be made again with the answer"}

// Elicit answers a question of the server of a name. An error informs the server that the user is asked first: the call is made again then.
func (a *Asking) Elicit(server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	if a == nil || a.nobody {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if p != nil && p.Mode == modeURL {
		return a.open(server, p)
	}
	form, err := Parse(server, p)
	if err != nil {
		return &sdk.ElicitResult{Action: "decline"}, nil //nolint:nilerr // what cannot be asked is declined
	}
	content, next, err := form.Fill(a.given)
	switch {
	case err != nil:
		return &sdk.ElicitResult{Action: "decline"}, nil //nolint:nilerr // as above
	case next == nil:
		return &sdk.ElicitResult{Action: "accept", Content: content}, nil
	case a.ask(next):
		return nil, errAskedFirst
	}
	return &sdk.ElicitResult{Action: "decline"}, nil
}

// ask schedules questions before the call is made again. It returns false if the user was asked often enough. The caller holds mu.
func (a *Asking) ask(questions []chat.Inquiry) bool {
	if len(a.given) >= maxRounds {
		return false
	}
	if a.next == nil {
		a.next = questions
	}
	return true
}

// chosen returns the last answer to a single question that fits; empty: it was not answered. The caller holds mu.
func (a *Asking) chosen(fits func(chat.Inquiry) bool) string {
	for _, g := range slices.Backward(a.given) {
		if len(g.Questions) == 1 && fits(g.Questions[0]) {
			if said := g.Answers[g.Questions[0].Name]; len(said) > 0 {
				return said[0]
			}
		}
	}
	return ""
}

type askingKey struct{}

// WithAsking returns a context in which an asking answers the questions of a server.
func WithAsking(ctx context.Context, a *Asking) context.Context {
	return context.WithValue(ctx, askingKey{}, a)
}

// AskingOf returns the asking of a context. known is false if there is none.
func AskingOf(ctx context.Context) (a *Asking, known bool) {
	a, known = ctx.Value(askingKey{}).(*Asking)
	return a, known
}
