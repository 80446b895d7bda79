package tool

// Reason returns why the model makes a call, in its own words; empty without one. Tools that a user may have
// to permit take it as their argument "reason".
func Reason(arguments string) string {
	var params struct {
		Reason string `json:"reason,omitempty"`
	}
	if _, err := Decode(arguments, &params); err != nil {
		return ""
	}
	return OneLine(params.Reason, maxReason)
}

// maxReason bounds the shown part of a reason, in characters.
const maxReason = 300
