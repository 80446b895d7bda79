package prompt

import (
	"context"

	"xbot/internal/toolset"
)

// Optional names the tools that the model can find and is not shown (spec/001 §5.3), so that none vanishes silently.
type Optional struct{}

var _ Middleware = Optional{}

// Order is between the agents and the permissions.
func (Optional) Order() int { return 112 }

// Name is for errors.
func (Optional) Name() string { return "optional tools" }

// MaxOptional bounds the list, in bytes: about 500 tokens, since what is always there takes 3 500 of the 4 000 that a prompt has (DESIGN §12).
const MaxOptional = 1_300

// Process adds the list. It names what is shown just now, too: what a conversation uses does not change its prompt.
func (Optional) Process(_ context.Context, a *Assembly) error {
	if !a.Tools.Shows(toolset.Search) {
		return nil
	}
	if optional := a.Tools.Optional(); len(optional) > 0 {
		a.Parts["16_tools"] = optionalHead + "\n\n" + toolset.List(optional, MaxOptional)
	}
	return nil
}

const optionalHead = "# More tools\n\nThese can be called, too. Those whose parameters you do not see you find with " + toolset.Search + " first."
