package tool

// Reason returns why the model makes a call, in its own words; empty when it does not say. Tools that a person may have
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

// maxReason bounds what is shown of a reason, in characters.
const maxReason = 300
