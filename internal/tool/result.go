package tool

import (
	"fmt"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// The two hints that end a failed result.
const (
	fixHint     = "Please fix the issue and try again."
	dontRetry   = "Do NOT retry the same command. Analyze the error, fix the root cause."
	errorPrefix = "Error: "
)

// Text returns a successful result.
func Text(content string) chat.ToolResult { return chat.ToolResult{Content: content} }

// Textf returns a successful result with a formatted text.
func Textf(format string, args ...any) chat.ToolResult { return Text(fmt.Sprintf(format, args...)) }

// Fail returns the result of a call that could not be done as asked. The text describes what to change.
func Fail(format string, args ...any) chat.ToolResult {
	return chat.ToolResult{Content: errorPrefix + fmt.Sprintf(format, args...) + "\n" + fixHint, IsError: true}
}

// FailCommand returns the result of a command that ran and failed; content is what it printed and how it ended.
func FailCommand(content string) chat.ToolResult {
	return chat.ToolResult{Content: content + "\n" + dontRetry, IsError: true}
}

// FromError sorts an error of a sandbox or a store: what the model can mend becomes a failed result, everything else
// is handed back as it came.
func FromError(err error) (chat.ToolResult, error) {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Denied, fault.NotFound, fault.Conflict, fault.TooLarge:
		return Fail("%s", err), nil
	default:
		return chat.ToolResult{}, err
	}
}
