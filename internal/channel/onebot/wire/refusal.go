package wire

import (
	"cmp"
	"regexp"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Codes of refused actions. 100 to 104 are of OneBot 11; the others are NapCat's.
const (
	retcodeBad     = 1400 // parameters
	retcodeUnknown = 1404 // there is no such action
)

// RetcodeToken is how NapCat refuses a token: it accepts the WebSocket, sends this code, and closes.
const RetcodeToken = 1403

// The text of a failure has the reason why the client under NapCat did not send a message.
var (
	sendResult = regexp.MustCompile(`"result"\s*:\s*(-?[0-9]+)`)
	tooOften   = regexp.MustCompile(`(?i)频繁|频率|过快|太快|rate.?limit|too (many|fast|often)|风控`)
	tooLate    = regexp.MustCompile(`(?i)time.?out|超时`)
	noSuch     = regexp.MustCompile(`不存在|已过期|(?i:not found)`)
)

// Refused turns a failed answer into an error, nil for a good one. Sends means that the action may have had its effect
// although it failed.
func (a Answer) Refused(action string, sends bool) error {
	said := strings.TrimSpace(cmp.Or(a.Wording, a.Message))
	if len(said) > 500 {
		said = said[:500]
	}
	said = strings.ToValidUTF8(said, "")
	switch {
	case a.Status == "ok" || a.Status == "" && a.Retcode == 0:
		return nil
	case a.Status == "async" || a.Retcode == 1:
		if sends {
			return channel.Uncertain(fault.Errorf(fault.Unavailable, "NapCat took in %s without saying what became of it", action))
		}
		return nil
	}
	return a.failure(action, said, sends)
}

func (a Answer) failure(action, said string, sends bool) error {
	result := ""
	if m := sendResult.FindStringSubmatch(said); m != nil {
		result = m[1]
	}
	switch {
	case a.Retcode == retcodeUnknown:
		return fault.Errorf(fault.NotFound, "NapCat has no action %s; update it", action)
	case a.Retcode == 401 || a.Retcode == 403 || a.Retcode == 1401 || a.Retcode == RetcodeToken:
		return fault.Errorf(fault.Denied, "NapCat does not permit %s (%d): %s", action, a.Retcode, said)
	case a.Retcode == retcodeBad || a.Retcode == 100:
		return fault.Errorf(fault.Invalid, "NapCat does not accept %s (%d): %s", action, a.Retcode, said)
	case result == "120":
		return fault.Errorf(fault.Denied, "the bot is muted in this group: %s", said)
	case result == "110":
		return fault.Errorf(fault.Denied, "the bot is not a member of this group: %s", said)
	case tooOften.MatchString(said):
		return fault.Errorf(fault.RateLimited, "QQ wants fewer messages: %s", said)
	case sends && tooLate.MatchString(said):
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "QQ did not confirm to NapCat: %s", said))
	case noSuch.MatchString(said):
		return fault.Errorf(fault.NotFound, "NapCat answered %s: %s", action, said)
	}
	return fault.Errorf(fault.Unavailable, "NapCat failed at %s (%d): %s", action, a.Retcode, cmp.Or(said, "it did not say why"))
}
