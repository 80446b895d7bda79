package conversation

import (
	"context"
	"net/url"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/slashcommand"
)

// Export is /export. The address needs a login: a transcript is no file to be passed around.
type Export struct{ Base string } // address of the page

var _ slashcommand.Runner = Export{}

// Spec describes the command.
func (Export) Spec() slashcommand.Spec {
	return slashcommand.Spec{Name: "export", Usage: "[jsonl|md]", Help: i18n.HelpExport, Group: slashcommand.GroupConversation, Who: slashcommand.Owner}
}

// Run returns the address.
func (e Export) Run(_ context.Context, in slashcommand.Request, args string) (string, error) {
	format := strings.ToLower(args)
	switch format {
	case "":
		format = "jsonl"
	case "jsonl", "md":
	default:
		return "", i18n.Fault(fault.Invalid, i18n.ExportAs)
	}
	at := strings.TrimRight(e.Base, "/") + "/api/sessions/" + url.PathEscape(string(in.Session)) + "/export?format=" + format
	return i18n.Say(in.Lang, i18n.ExportAt, format, at), nil
}
