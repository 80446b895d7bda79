package hook

// Subject returns the member of the payload that matchers are compared with; empty: there is nothing to match.
func (e Event) Subject() string { return traits[e].subject }

// Rules reports whether ask, defer and updatedInput count.
func (e Event) Rules() bool { return traits[e].rules }
