package qq

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// class is the meaning of a refusal for the caller.
type class int

// The classes.
const (
	unclear      class = iota
	repeated           // the same msg_id and msg_seq was sent before
	late               // the message that is answered is too old, unknown, or was answered too often
	limited            // too many messages
	exhausted          // the quota of a day is used up
	blockedLinks       // an address in the text
	noMarkdown         // the bot may not send Markdown here
	badMarkdown        // this Markdown is not understood
	noButtons          // the bot may not send buttons here, or not these
	tooLong            // the text
	tooLarge           // the file
	wrongFormat        // the file is not of the kind that was named
	shut               // the bot was removed or muted, or users do not want its messages
	censored           // the content was refused by review
	audited            // it is being reviewed and will be shown afterwards
	forbidden          // the bot lacks a permission
	unauthorized       // the token
	tooOld             // a message that cannot be recalled any more
	unchecked          // QQ could not check the bot's permissions; nothing was done
	flaky              // their fault; the outcome is open
)

// classes are the codes that QQ documents for sending, uploading and recalling.
var classes = map[int64]class{
	40054005: repeated,

	40034005: late, 40034024: late, 40034025: late, 40034026: late, 40034027: late, 40034128: late,
	304026: late, 304027: late, 304028: late, 304103: late,

	40034100: limited, 22009: limited, 50002: limited, 20028: limited, 100001: limited, 1100100: limited, 1100308: limited,
	620006: limited, 610012: limited, 610013: limited,
	304022: exhausted, 304035: exhausted, 304045: exhausted, 304047: exhausted, 304049: exhausted, 304050: exhausted, 40093002: exhausted,

	40054010: blockedLinks, 304003: blockedLinks, 40034028: blockedLinks,

	304014: noMarkdown, 304036: noMarkdown, 304041: noMarkdown, 40034012: noMarkdown, 40034127: noMarkdown, 50056: noMarkdown,
	40034008: badMarkdown, 40034009: badMarkdown, 40034010: badMarkdown, 40034011: badMarkdown, 40034124: badMarkdown,
	50037: badMarkdown, 50041: badMarkdown, 50042: badMarkdown, 50054: badMarkdown, 50055: badMarkdown, 50057: badMarkdown,
	304037: noButtons, 304038: noButtons, 304039: noButtons, 304040: noButtons, 305007: noButtons, 40034029: noButtons,

	40054007: tooLong, 40054018: tooLong, 850031: tooLarge, 304020: tooLarge, 850019: wrongFormat,

	40034101: shut, 40034105: shut, 40054002: shut, 40054003: shut, 40054004: shut, 40054013: shut, 40054016: shut, 850018: shut,
	304031: shut, 304032: shut, 304046: shut, 304048: shut, 1100104: shut, 1100301: shut,
	40034006: censored, 304025: censored, 1100101: censored, 1100103: censored,
	304023: audited, 304024: audited,

	40034102: forbidden, 11253: forbidden, 11254: forbidden, 11264: forbidden, 11265: forbidden, 11274: forbidden, 11282: forbidden,
	304004: forbidden, 301006: forbidden, 306004: forbidden, 40062003: forbidden,
	11241: unauthorized, 11242: unauthorized, 11243: unauthorized, 11244: unauthorized,

	40064004: tooOld,
	11252:    unchecked, 11262: unchecked, 11263: unchecked, 11273: unchecked, 11281: unchecked,
	40034004: flaky, 40054006: flaky, 50055001: flaky, 50055002: flaky, 50055006: flaky, 50065001: flaky, 40093001: flaky,
	850026: flaky, 850027: flaky, 306003: flaky, 306005: flaky, 306006: flaky,
}

// Words of refusals whose codes QQ does not document.
var (
	markdownRefused = regexp.MustCompile(`(?i)(不允许|无权限|not allow)[^.。]{0,24}markdown`)
	linksRefused    = regexp.MustCompile(`(?i)(不允许|not allow)[^.。]{0,24}url|url not allow`)
)

// class classifies a refusal by its code, or else by its words and its status.
func (r *refusal) class() class {
	if c, ok := classes[r.code]; ok {
		return c
	}
	switch {
	case markdownRefused.MatchString(r.message):
		return noMarkdown
	case linksRefused.MatchString(r.message):
		return blockedLinks
	case r.status == http.StatusTooManyRequests:
		return limited
	case r.status == http.StatusUnauthorized:
		return unauthorized
	case r.status >= 500:
		return flaky
	}
	return unclear
}

const (
	// limitedFor is how long to wait if QQ gives no time: its limits count by the minute.
	limitedFor = time.Minute
	// exhaustedFor is how long to wait when a day's quota is used up: waiting messages are sent within a minute after it is lifted.
	exhaustedFor = time.Minute
)

// explained turns a refusal into a fault with a sentence that explains what to do. Other errors are unchanged.
func explained(err error) error {
	r, ok := errors.AsType[*refusal](err)
	if !ok {
		return err
	}
	switch c := r.class(); c {
	case exhausted:
		return fault.Limited(cmp.Or(r.after, exhaustedFor), "the bot has used up its messages of its own for today; an answer to a newer message is not among them: %w", r)
	case limited:
		return fault.Limited(cmp.Or(r.after, limitedFor), "QQ takes no more messages for now: %w", r)
	case flaky:
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "QQ failed, and did not say whether the message was sent: %w", r))
	default:
		kind, sentence := c.says()
		said := fault.Errorf(kind, "%s: %w", sentence, r)
		if c == late {
			return channel.Belated(said)
		}
		return said
	}
}

// says returns the kind of a class and what to do about it.
func (c class) says() (fault.Kind, string) {
	switch c {
	case late:
		return fault.Denied, "the message of the person is too old or was answered too often for another answer; send it as a message of its own"
	case blockedLinks:
		return fault.Denied, "QQ permits no addresses of web pages here; leave them out, or have the domain registered in q.qq.com"
	case noMarkdown, badMarkdown:
		return fault.Invalid, "QQ did not take the Markdown"
	case noButtons:
		return fault.Invalid, "QQ did not take the buttons"
	case tooLong:
		return fault.TooLarge, "the text is too long for QQ; split it"
	case tooLarge:
		return fault.TooLarge, "the file is too large for QQ"
	case wrongFormat:
		return fault.Invalid, "QQ does not take files of this format"
	case shut:
		return fault.Denied, "the bot cannot write there: it was removed or muted, or its messages are turned off; a person there has to change that"
	case censored:
		return fault.Denied, "QQ's review has refused the content; say it differently"
	case forbidden:
		return fault.Denied, "the bot lacks a permission; apply for it in q.qq.com, Development, Interfaces"
	case unauthorized:
		return fault.Denied, "QQ did not take the access token; check AppID and AppSecret"
	case unchecked:
		return fault.Unavailable, "QQ could not find out what the bot may do; it is tried again"
	case tooOld:
		return fault.Denied, "QQ lets a message be recalled within two minutes only"
	default:
		return fault.Invalid, "QQ did not take the request"
	}
}
