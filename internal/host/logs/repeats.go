package logs

// Repeats recognizes a reason that a loop has already logged: a failure that stays the same is logged once. The zero value has no reason.
// It is not safe for concurrent use.
type Repeats struct{ last string }

// Changed reports whether a reason differs from the previous one, and remembers it.
func (r *Repeats) Changed(reason string) bool {
	changed := reason != r.last
	r.last = reason
	return changed
}

// Reset forgets the reason, so that the next failure is logged even if it has the same one.
func (r *Repeats) Reset() { r.last = "" }
