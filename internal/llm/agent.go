package llm

import (
	"xbot/internal/chat"
	"xbot/internal/codingagent"
)

// agentClient stands for a coding agent, which answers whole turns and no calls.
type agentClient interface{ CodingAgent() codingagent.Settings }

// AgentOf returns how the coding agent is asked that a client stands for; false: it stands for a model.
func AgentOf(c Client) (set codingagent.Settings, ok bool) {
	effort := ""
	for c != nil {
		if a, ok := c.(agentClient); ok {
			set = a.CodingAgent()
			if set.Effort == "" {
				set.Effort = effort
			}
			return set, true
		}
		if e, ok := c.(interface{ Effort() string }); ok {
			effort = e.Effort()
		}
		inner, ok := c.(interface{ Unwrap() Client })
		if !ok {
			return set, false
		}
		c = inner.Unwrap()
	}
	return set, false
}

// ClientAskOf returns what the program asks whose message a client answers; nil: nothing.
func ClientAskOf(c Client) *chat.ClientAsk {
	for c != nil {
		if a, ok := c.(interface{ ClientAsk() *chat.ClientAsk }); ok {
			return a.ClientAsk()
		}
		inner, ok := c.(interface{ Unwrap() Client })
		if !ok {
			return nil
		}
		c = inner.Unwrap()
	}
	return nil
}
