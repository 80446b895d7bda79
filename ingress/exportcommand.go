package ingress

import (
	"context"
	"net/url"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// ExportCommand is /export. The address needs a login: a transcript is no file to be passed around.
func ExportCommand(base string) Command {
	return Command{
		Name: "export", Usage: "[jsonl|md]", Help: i18n.HelpExport, Group: GroupConversation, Who: Owner,
		Run: func(_ context.Context, in Inbound, args string) (string, error) {
			format := strings.ToLower(args)
			switch format {
			case "":
				format = "jsonl"
			case "jsonl", "md":
			default:
				return "", i18n.Fault(fault.Invalid, i18n.ExportAs)
			}
			at := strings.TrimRight(base, "/") + "/api/sessions/" + url.PathEscape(string(in.Session)) + "/export?format=" + format
			return i18n.Say(in.Lang, i18n.ExportAt, format, at), nil
		},
	}
}
