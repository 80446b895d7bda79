package modelcall

import (
	"xbot/internal/chat"
	"xbot/internal/tool"
)

// Catalog says what tools there are.
type Catalog interface {
	Specs() []tool.Spec
	Name(name string) string
	Class(name string) chat.ToolClass
	Quick(name string) bool
	Summary(name, arguments string) string
	Questions(name, arguments string) []chat.Inquiry
}
