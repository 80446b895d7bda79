package llm

import (
	"xbot/internal/chat"
	"xbot/internal/codingagent"
)

// agentClient is a Client of a coding agent, which answers whole turns and no calls.
type agentClient interface{ CodingAgent() codingagent.Settings }

// As returns the first client of type T among c and the clients that it wraps.
func As[T any](c Client) (found T, ok bool) {
	for c != nil {
		if found, ok = c.(T); ok {
			return found, true
		}
		inner, wraps := c.(interface{ Unwrap() Client })
		if !wraps {
			break
		}
		c = inner.Unwrap()
	}
	return found, false
}

// AgentOf returns the settings of the coding agent behind a client; ok is false for a client of a model.
func AgentOf(c Client) (set codingagent.Settings, ok bool) {
	a, ok := As[agentClient](c)
	if !ok {
		return set, false
	}
	set = a.CodingAgent()
	if e, thinks := As[interface{ Effort() string }](c); thinks && set.Effort == "" {
		set.Effort = e.Effort()
	}
	return set, true
}

// SpokenExchangeOf returns the exchange of a realtime session that answers the turn of a client; empty: the client answers.
func SpokenExchangeOf(c Client) string {
	if s, ok := As[interface{ SpokenExchange() string }](c); ok {
		return s.SpokenExchange()
	}
	return ""
}

// ClientAskOf returns the tools and the response format of the API caller whose message a client answers, nil if there are none.
func ClientAskOf(c Client) *chat.ClientAsk {
	if a, ok := As[interface{ ClientAsk() *chat.ClientAsk }](c); ok {
		return a.ClientAsk()
	}
	return nil
}
