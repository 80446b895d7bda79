// Package sharing makes, lists and revokes the links by which anyone reads a conversation. Its results are for the user at the terminal alone: no
// conversation and no history contains a link.
package sharing

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
	"xbot/internal/client/cli/transfer"
	"xbot/internal/fault"
)

const (
	// Days is how long a link is valid by default.
	Days = 7
	// maxDays is the longest that the server allows.
	maxDays = 90
)

// Words are the arguments that /share completes.
var Words = []string{"list", "revoke "}

// Do carries out the arguments of /share (nothing, a number of days, "list" or "revoke N") and returns the text to print.
func Do(ctx context.Context, client *apiclient.Client, key chat.SessionKey, args string) (string, error) {
	words := transfer.Words(args)
	switch {
	case len(words) == 0:
		return createLink(ctx, client, key, Days)
	case len(words) == 1 && words[0] == "list":
		return List(ctx, client, key)
	case len(words) == 2 && words[0] == "revoke":
		if id, err := strconv.ParseInt(words[1], 10, 64); err == nil {
			return Revoke(ctx, client, key, id)
		}
	case len(words) == 1:
		if days, err := strconv.Atoi(words[0]); err == nil {
			return createLink(ctx, client, key, days)
		}
	}
	return "", fault.Errorf(fault.Invalid, "say /share, /share DAYS, /share list or /share revoke N")
}

func createLink(ctx context.Context, client *apiclient.Client, key chat.SessionKey, days int) (string, error) {
	link, told, err := Make(ctx, client, key, days)
	return told + "\n\n" + link, err
}

// Make makes a link that is valid for so many days, and returns its whole address and a sentence about it.
func Make(ctx context.Context, client *apiclient.Client, key chat.SessionKey, days int) (link, told string, err error) {
	if days < 1 || days > maxDays {
		return "", "", fault.Errorf(fault.Invalid, "a link is good for 1 to %d days", maxDays)
	}
	made, err := client.CreateShare(ctx, key, days)
	if err != nil {
		return "", "", err
	}
	link = made.URL
	if link == "" {
		if link, err = client.Absolute(ctx, made.Link); err != nil {
			return "", "", err
		}
	}
	told = fmt.Sprintf("Link %d: whoever has it reads the conversation as it is now, until %s. It is shown this once.", made.ID, day(made.ExpiresAt))
	return text.Line(link), told, nil
}

// List names the links of a conversation that are good, the newest first, a line each.
func List(ctx context.Context, client *apiclient.Client, key chat.SessionKey) (string, error) {
	links, err := client.ListShares(ctx, key)
	if err != nil || len(links) == 0 {
		return "No link leads to this conversation.", err
	}
	lines := make([]string, len(links))
	for i, link := range links {
		lines[i] = fmt.Sprintf("%d  made %s, good until %s", link.ID, day(link.MadeAt), day(link.ExpiresAt))
	}
	return strings.Join(lines, "\n"), nil
}

func day(at time.Time) string { return at.Local().Format("2006-01-02 15:04") }

// Revoke makes a link useless at once.
func Revoke(ctx context.Context, client *apiclient.Client, key chat.SessionKey, id int64) (string, error) {
	err := client.RevokeShare(ctx, key, id)
	if fault.Is(err, fault.NotFound) {
		return "", fault.Errorf(fault.NotFound, "no link of this conversation has the number %d", id)
	}
	return fmt.Sprintf("Link %d is useless now.", id), err
}
