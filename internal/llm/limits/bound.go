package limits

import "xbot/internal/llm"

// Model is the limits of one model.
type Model struct {
	Context int  // tokens that it takes in all
	Output  int  // tokens that it may write
	Asked   int  // configured limit of an answer, in tokens; 0: none, the model knows best
	Sees    bool // it reads pictures
}

// Known is a client that knows the limits of its model. Two users may have models of one id with other limits.
type Known interface{ Limits() Model }

// For returns the limits of a client's model: what the client knows, else what is known of the model's id.
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
