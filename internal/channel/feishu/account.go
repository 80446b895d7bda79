// Package feishu connects to Feishu, and to Lark, the same platform in other countries. It receives by a long connection or
// by webhook and sends by HTTP. Codes of the platform and their meanings are in codes.go.
//
//	        POST /callback/ws/endpoint            events in frames, each
//	idle ─────────────────────────────► dialled ──────────────────────► taken ── committed ──► acknowledged, 200
//	 ▲                                     │ pings; pongs bring settings    │
//	 │  pause: 1 s, doubled up to 60 s     ▼                                └── not committed ─► acknowledged, 500:
//	 └────────────────────────────── disconnected                                                  it comes again
//
// The platform wants an acknowledgement within three seconds. Lookups before a message is delivered to the receiver (names,
// the quoted message) have half of that together, and are left out when they take longer.
//
// Calls, the long connection and events are the vendor's library's (larksuite/oapi-sdk-go). Sending and judging requests
// (wire.go), tokens, reconnecting (link.go), routing events (dispatch.go), and verifying webhooks are ours; decision record 18
// gives the reasons.
package feishu

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	larkcore "github.com/larksuite/oapi-sdk-go/v3/core"
	"github.com/larksuite/oapi-sdk-go/v3/event/dispatcher"
	larkcardkit "github.com/larksuite/oapi-sdk-go/v3/service/cardkit/v1"
	larkcontact "github.com/larksuite/oapi-sdk-go/v3/service/contact/v3"
	larkim "github.com/larksuite/oapi-sdk-go/v3/service/im/v1"

	"xbot/internal/channel"
	"xbot/internal/channel/memo"
	"xbot/internal/channel/token"
	"xbot/internal/fault"
)

const (
	// maxText is how many characters of Markdown surely fit into a card.
	maxText = 8000
	// maxFile and maxImage are the platform's limits for uploads, in bytes.
	maxFile  = 30 << 20
	maxImage = 10 << 20
	// window is how long the platform drops a second message with the same uuid: an hour, less the clock difference.
	window = 55 * time.Minute
	// editEvery keeps five changes of a message in a second, which is the platform's limit.
	editEvery = 250 * time.Millisecond
)

// Account is one app of Feishu with its bot.
type Account struct {
	name   string
	set    settings
	http   *http.Client
	tokens *token.Cache
	im     *larkim.V1         // messages, files, chats
	cards  *larkcardkit.V1    // cards that stream
	book   *larkcontact.V3    // the address book
	people *memo.Memo[string] // names by open_id
	chats  *memo.Memo[place]  // chats by chat_id
	wrote  *memo.Memo[author] // the author of each message, for recalls
	pause  time.Duration      // the first between two connections

	intake

	me atomic.Pointer[identity] // nil: not known yet
}

// intake is the state of event handling.
type intake struct {
	slots       chan struct{} // one for each event that is handled
	dispatching sync.Once
	dispatcher  *dispatcher.EventDispatcher
}

// Interface guards.
var (
	_ channel.Account  = (*Account)(nil)
	_ channel.Editor   = (*Account)(nil)
	_ channel.Deleter  = (*Account)(nil)
	_ channel.Reactor  = (*Account)(nil)
	_ channel.Asker    = (*Account)(nil)
	_ channel.Streamer = (*Account)(nil)
	_ channel.Fetcher  = (*Account)(nil)
	_ channel.Finder   = (*Account)(nil)
	_ channel.Webhook  = (*Account)(nil)
)

func newAccount(name string, s settings, client *http.Client) *Account {
	a := &Account{name: name, set: s, http: client, people: memo.New[string](), chats: memo.New[place](), wrote: memo.New[author](), pause: firstPause}
	a.slots = make(chan struct{}, maxHandling)
	a.tokens = token.New(a.askToken)
	config := a.config()
	a.im, a.cards, a.book = larkim.New(config), larkcardkit.New(config), larkcontact.New(config)
	return a
}

// Traits are the same everywhere on the platform.
func (a *Account) Traits() channel.Traits {
	return channel.Traits{MaxText: maxText, MaxFile: maxFile, Window: window, Dialect: channel.Card}
}

// EditEvery returns the shortest pause between two edits of one message.
func (a *Account) EditEvery() time.Duration { return editEvery }

// identity is the bot as the platform knows it.
type identity struct {
	OpenID string `json:"open_id"`
	Name   string `json:"app_name"`
}

// identify returns the identity of the bot, asking once.
func (a *Account) identify(ctx context.Context) (identity, error) {
	if me := a.me.Load(); me != nil {
		return *me, nil
	}
	var out struct {
		Bot identity `json:"bot"`
	}
	if err := a.request(ctx, &larkcore.ApiReq{HttpMethod: http.MethodGet, ApiPath: "/open-apis/bot/v3/info"}, &out); err != nil {
		return identity{}, err
	}
	if out.Bot.OpenID == "" {
		return identity{}, fault.Errorf(fault.Denied, "the app has no bot: open.feishu.cn, the app, Add Features, Bot")
	}
	a.me.Store(&out.Bot)
	return out.Bot, nil
}

// Run receives until ctx ends. With webhooks it shows that the credentials are right, and the events come to Webhook.
func (a *Account) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	if report == nil {
		report = channel.Unreported{}
	}
	if !a.set.webhook {
		return a.connect(ctx, to, report)
	}
	pause := pauses(a.pause)
	for {
		_, err := a.tokens.Get(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			report.Report(channel.Status{Connected: true})
			<-ctx.Done()
			return nil
		case hopeless(err):
			return err
		}
		report.Report(channel.Status{Err: err})
		channel.Rest(ctx, pause.NextBackOff())
	}
}

// hopeless reports whether trying again cannot help.
func hopeless(err error) bool { return fault.Is(err, fault.Denied) || fault.Is(err, fault.Invalid) }
