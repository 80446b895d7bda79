package limits

import "xbot/internal/llm"

// Model is how much one model takes.
type Model struct {
	Context int  // tokens that it takes in all
	Output  int  // tokens that it may write
	Asked   int  // limit of an answer that somebody has set, in tokens; 0: none, the model knows best
	Sees    bool // it reads pictures
}

// Known is a client that knows what its model takes. Two people may have models of one id with other limits.
type Known interface{ Limits() Model }

// For returns what the model of a client takes: what the client knows, else what is known of the model's id.
func (t Table) For(c llm.Client) Model {
	if known, ok := c.(Known); ok {
		return known.Limits()
	}
	return t.Named(c.Model())
}

// Named returns what the model of an id takes.
func (t Table) Named(id string) Model {
	m := Model{Asked: t.Asked(id), Sees: t.Sees(id)}
	m.Context, m.Output = t.Of(id)
	return m
}
