package tool

import "xbot/internal/chat"

// Subjecter is a Handler for whose calls users can write rules by what a call is about: its command, its path, its host.
type Subjecter[P any] interface {
	Pattern() chat.PatternKind
	Subject(params P) string
}

// Subject returns what a call of the named tool is about; empty for other tools, and for arguments that cannot be read.
func (r *Registry) Subject(name, arguments string) string {
	t, _ := r.Get(name)
	if about, ok := t.(interface{ Subject(arguments string) string }); ok {
		return about.Subject(arguments)
	}
	return ""
}

func (d *defined[P]) Subject(arguments string) string {
	about, ok := d.handler.(Subjecter[P])
	if !ok {
		return ""
	}
	var params P
	if _, err := Decode(arguments, &params); err != nil {
		return "" // Run reports why
	}
	return about.Subject(params)
}
