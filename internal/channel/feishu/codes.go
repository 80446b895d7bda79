package feishu

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// refusal is an error response of the platform.
type refusal struct {
	status  int
	code    int64
	message string
	trace   string // the trace id for Feishu's support
	scopes  []string
	after   time.Duration // when to ask again, if the platform gives a time
}

// Error returns the platform's message.
func (r *refusal) Error() string {
	trace := ""
	if r.trace != "" {
		trace = ", log id " + r.trace
	}
	return strings.TrimSuffix(fmt.Sprintf("HTTP %d, code %d%s: %.300s", r.status, r.code, trace, r.message), ": ")
}

func refusalOf(err error) (*refusal, bool) { return errors.AsType[*refusal](err) }

// refusedAs reports whether the platform refused for one of the reasons.
func refusedAs(err error, classes ...class) bool {
	r, ok := refusalOf(err)
	if !ok {
		return false
	}
	return slices.Contains(classes, r.class())
}

// class is the meaning of a refusal for the caller.
type class int

// The classes.
const (
	unclear    class = iota
	badToken         // the access token
	limited          // too many calls
	spent            // the organization's quota of calls in a month
	noScope          // a permission of the app is missing
	noBot            // the app has no bot, or it is switched off
	outside          // the bot is not in the chat
	unseen           // the user is not among those who may use the bot, or does not want its messages
	muted            // the group does not let the bot write
	censored         // the content
	badContent       // this kind of content, or this content, is not understood
	tooLong          // the content
	gone             // the message that is answered or changed is not there any more
	threadless       // the chat or the message has no threads
	tooOld           // for a change
	sending          // the same uuid is being sent
	badEmoji         // there is no such reaction
	flaky            // their fault; the outcome is open
	noFile           // the file is not there, or not for the bot
)

// classes are the codes that Feishu documents for the calls used here.
var classes = map[int64]class{
	99991661: badToken, 99991663: badToken, 99991664: badToken, 99991665: badToken, 99991668: badToken, 99991671: badToken,
	99991400: limited, 230020: limited, 11232: limited, 11233: limited, 11247: limited, 232019: limited, 300317: limited, 230010: limited,
	99991403: spent, // open.feishu.cn: "Custom app API call limit"
	99991672: noScope, 99991679: noScope, 230027: noScope,
	230006: noBot, 11205: noBot, 10005: noBot, 232025: noBot,
	230002: outside, 232010: outside, 232011: outside, 231002: outside, 234004: outside,
	230013: unseen, 230038: unseen, 230053: unseen, 230029: unseen, 230017: unseen, 230101: unseen,
	230018: muted, 230035: muted,
	230022: censored, 230028: censored,
	230001: badContent, 230054: badContent, 230055: badContent, 230099: badContent, 11310: badContent, 11246: badContent, 200621: badContent,
	200550: badContent, 200570: badContent, 200732: badContent, 200861: badContent, 200850: badContent, 300309: badContent,
	230025: tooLong, 234006: tooLong, 200860: tooLong,
	230011: gone, 230050: gone, 230110: gone, 231003: gone, 230019: gone, 231014: gone,
	230071: threadless, 230072: threadless, 230075: threadless,
	230031: tooOld, 230111: tooOld,
	230049: sending,
	231001: badEmoji,
	234003: noFile, 234001: noFile, 234005: noFile, 234038: noFile, 234043: noFile, 234009: noFile, 234037: noFile,
}

// withoutThreads are messages by which older versions of the platform report that there are no threads.
var withoutThreads = regexp.MustCompile(`(?i)thread.*not support|not support.*thread`)

func (r *refusal) class() class {
	c, known := classes[r.code]
	switch {
	case known && (c != badContent || !withoutThreads.MatchString(r.message)):
		return c
	case withoutThreads.MatchString(r.message):
		return threadless
	case r.status == http.StatusTooManyRequests:
		return limited
	case r.status == http.StatusUnauthorized:
		return badToken
	case r.status >= 500:
		return flaky
	}
	return unclear
}

// limitedFor is how long to wait if Feishu gives no time: most of its limits count by the second.
const limitedFor = 2 * time.Second

// spentFor is how long to wait if the quota of a month is used up: it is renewed on the first, or bought, and waiting messages are sent
// within a minute after that.
const spentFor = time.Minute

// explained turns a refusal into a fault with a sentence that explains what to do.
func (r *refusal) explained() error {
	switch r.class() {
	case limited:
		return fault.Limited(cmp.Or(r.after, limitedFor), "Feishu takes no more calls for now: %w", r)
	case spent:
		return fault.Limited(spentFor, "the organization has used up its calls of Feishu's API for this month; they begin anew on the first, and other editions have more: %w", r)
	case flaky:
		err := fault.Errorf(fault.Unavailable, "Feishu failed: %w", r)
		if r.status == http.StatusServiceUnavailable { // nothing has taken the request
			return err
		}
		return channel.Uncertain(err)
	case sending:
		return channel.Uncertain(fault.Errorf(fault.Unavailable, "Feishu is still sending this message: %w", r))
	case noScope:
		return fault.Errorf(fault.Denied, "the app lacks a permission (%s): add it at open.feishu.cn, the app, Permissions & Scopes, and publish a version: %w",
			strings.Join(r.missing(), ", "), r)
	default:
		kind, sentence := r.class().says()
		return fault.Errorf(kind, "%s: %w", sentence, r)
	}
}

// says returns the kind of a class and what to do about it.
func (c class) says() (fault.Kind, string) {
	switch c {
	case badToken:
		return fault.Denied, "Feishu did not take the access token; check App ID and App Secret"
	case noBot:
		return fault.Denied, "the app has no bot, or it is switched off: open.feishu.cn, the app, Add Features, Bot, and publish a version"
	case outside:
		return fault.Denied, "the bot is not in this chat; add it to the group"
	case unseen:
		return fault.Denied, "the person cannot be reached by the bot; widen its availability at open.feishu.cn, the app, Versions, or have the person open it"
	case muted:
		return fault.Denied, "the group does not let the bot write; its owner has to permit it"
	case censored:
		return fault.Denied, "Feishu's review has refused the content; say it differently"
	case tooLong:
		return fault.TooLarge, "the content is too long for Feishu; split it"
	case gone:
		return fault.NotFound, "the message was taken back, or the bot cannot see it"
	case threadless:
		return fault.Denied, "there are no threads here"
	case tooOld:
		return fault.Denied, "Feishu lets a message be changed within 14 days only"
	case badEmoji:
		return fault.Invalid, "Feishu has no such reaction; its names are in its documentation of emoji_type, such as OK"
	case noFile:
		return fault.NotFound, "Feishu does not give this file to the bot"
	default:
		return fault.Invalid, "Feishu did not take the request"
	}
}

// scopeForm finds permissions in a message of the platform.
var scopeForm = regexp.MustCompile(`\b[a-z]+(?:[_-][a-z]+)*(?::[a-z_.-]+)+(?::readonly)?`)

// scopeList is the part of a message that lists them.
var scopeList = regexp.MustCompile(`\[([^\]]*)\]`)

// missing names the permissions of which one is required.
func (r *refusal) missing() []string {
	if len(r.scopes) > 0 {
		return r.scopes
	}
	if list := scopeList.FindStringSubmatch(r.message); list != nil {
		return scopeForm.FindAllString(list[1], 20)
	}
	return nil
}
