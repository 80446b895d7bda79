package ingress

import (
	"context"
	"net/url"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/phrase"
)

// ExportCommand is /export. The address needs a login: a transcript is no file to be passed around.
func ExportCommand(base string) Command {
	return Command{
		Name: "export", Usage: "[jsonl|md]", Help: phrase.HelpExport, Group: GroupConversation, Who: Owner,
		Run: func(_ context.Context, in Inbound, args string) (string, error) {
			format := strings.ToLower(args)
			switch format {
			case "":
				format = "jsonl"
			case "jsonl", "md":
			default:
				return "", phrase.Fault(fault.Invalid, phrase.ExportAs)
			}
			at := strings.TrimRight(base, "/") + "/api/sessions/" + url.PathEscape(string(in.Session)) + "/export?format=" + format
			return phrase.Say(in.Lang, phrase.ExportAt, format, at), nil
		},
	}
}
