package elicit

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
)

const (
	// maxRounds is how often the person is asked for one call.
	maxRounds = 8
	// maxCalls bounds the calls whose answers are remembered. A call that was forgotten asks again.
	maxCalls = 1000
)

// Calls remembers what people have answered for calls that ask several times. It is safe for concurrent use.
type Calls struct {
	mu    sync.Mutex
	given map[chat.CallID][]Answered
}

// Begin returns what a call may ask. approval is how the person permitted it, with their last answers; nobody: nobody can be asked.
func (c *Calls) Begin(id chat.CallID, approval *chat.Approval, nobody bool) *Asking {
	if nobody || id == "" {
		return nil
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
	return &Asking{given: given}
}

// End forgets a call that has its result.
func (c *Calls) End(id chat.CallID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.given, id)
}

// Asking answers what a server asks during a call. nil declines everything.
type Asking struct {
	given []Answered

	mu   sync.Mutex
	next []chat.Inquiry
}

// Next is what has to be asked before the call is made again; nil: nothing.
func (a *Asking) Next() []chat.Inquiry {
	if a == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

// Elicit answers a question of the server of a name. An error tells the server that the person is asked first: the call is made again then.
func (a *Asking) Elicit(server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	if a == nil {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	form, err := Parse(server, p)
	if err != nil {
		return &sdk.ElicitResult{Action: "decline"}, nil //nolint:nilerr // what cannot be asked is declined
	}
	content, next, err := form.Fill(a.given)
	switch {
	case err != nil || next != nil && len(a.given) >= maxRounds:
		return &sdk.ElicitResult{Action: "decline"}, nil //nolint:nilerr // as above
	case next != nil:
		if a.next == nil {
			a.next = next
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the user is asked first; the call will be made again with the answer"}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}

type askingKey struct{}

// WithAsking has questions of a server that come with this context answered by an asking.
func WithAsking(ctx context.Context, a *Asking) context.Context {
	return context.WithValue(ctx, askingKey{}, a)
}

// AskingOf returns the asking of a context. known is false where there is none.
func AskingOf(ctx context.Context) (a *Asking, known bool) {
	a, known = ctx.Value(askingKey{}).(*Asking)
	return a, known
}
