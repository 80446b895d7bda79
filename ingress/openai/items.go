package openai

import "xbot/internal/fault"

// maxItems bounds the members and elements of a request, of whatever depth.
const maxItems = 100_000

// CheckItems refuses a body of more members and elements than a request has a use for: taken apart, each of them takes many times the memory
// that its few bytes do, so that a body of a size that is accepted could take all that there is.
func CheckItems(body []byte) error {
	items, inText := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++ // what follows is part of the text
		case c == '"':
			inText = !inText
		case !inText && (c == '{' || c == '[' || c == ','):
			items++
		}
		if items > maxItems {
			return fault.Errorf(fault.TooLarge, "the request has more than %d members and elements", maxItems)
		}
	}
	return nil
}
