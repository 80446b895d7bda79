package qq

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Name is the channel's name in session keys and policies.
const Name = "qq"

// Addresses of the platform. The older ones, api.sgroup.qq.com and bots.qq.com, answer as well.
const (
	defaultAPI     = "https://api.bot.qq.com"
	sandboxAPI     = "https://sandbox.api.sgroup.qq.com"
	tokenPath      = "/app/getAppAccessToken"
	modeWebSocket  = "websocket"
	modeWebhook    = "webhook"
	guildPublic    = "mentions"
	guildPrivate   = "all"
	linksLeaveOut  = "leave_out"
	linksRefuse    = "refuse"
	typingTwice    = "twice"
	typingAlways   = "always"
	typingOff      = "off"
	maxSecretBytes = 256
)

// Driver makes accounts of QQ's official bot platform.
func Driver() channel.Driver {
	return channel.Driver{
		Name: Name, Options: options(), Open: open, Called: map[string]string{modeWebhook: "http"},
		IDs: channel.IDs{Person: `[A-Za-z0-9_-]{1,64}`, Group: `[A-Za-z0-9_-]{1,64}`, Example: "E4F4AEA33253A2797FB897C50B81D7ED"},
	}
}

func options() []channel.Option {
	return []channel.Option{
		{Name: "app_id", Env: "QQ_APP_ID", Label: "AppID", Help: "q.qq.com, the bot, Development, Development settings", Required: true},
		{Name: "app_secret", Env: "QQ_APP_SECRET", Label: "AppSecret", Help: "beside the AppID; shown once", Secret: true, Required: true},
		{
			Name: "mode", Env: "QQ_MODE", Label: "Events arrive by", Choices: []string{modeWebSocket, modeWebhook}, Default: modeWebSocket,
			Help: "webhook needs an address that QQ can reach by HTTPS",
		},
		{
			Name: "guild_messages", Env: "QQ_GUILD_MESSAGES", Label: "Messages of guild channels", Choices: []string{guildPublic, guildPrivate},
			Default: guildPublic, Help: "all: only a private-domain bot may read messages that do not mention it",
		},
		{
			Name: "links", Env: "QQ_LINKS", Label: "Links that QQ blocks", Choices: []string{linksLeaveOut, linksRefuse}, Default: linksLeaveOut,
			Help: "leave_out: the answer is sent without their addresses, and says so; refuse: it is an error",
		},
		{
			Name: "typing", Env: "QQ_TYPING", Label: "\"Is writing\" in direct chats", Choices: []string{typingTwice, typingAlways, typingOff}, Default: typingTwice,
			Help: "QQ counts each as one of four answers to a message. twice: for up to two minutes; always: renewed for as long as an answer takes, which may then come as a message of the bot's own; off: never",
		},
		{Name: "sandbox", Env: "QQ_SANDBOX", Label: "Sandbox", Choices: []string{"no", "yes"}, Default: "no", Help: "yes for a bot that is not published"},
		{Name: "api_url", Env: "QQ_API_URL", Label: "Address of the API", Help: "empty: QQ's own"},
		{Name: "token_url", Env: "QQ_TOKEN_URL", Label: "Address that gives out access tokens", Help: "empty: QQ's own"},
	}
}

// settings are the options, checked.
type settings struct {
	appID, secret string
	webhook       bool
	everything    bool // messages of guild channels that do not mention the bot, too
	refuseLinks   bool
	typing        int // how often "is writing" is shown for a message; negative: as often as an answer takes
	api, tokenURL string
}

func open(account string, given map[string]string, o channel.Resources) (channel.Account, error) {
	s, err := parse(given)
	if err != nil {
		return nil, err
	}
	client := o.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	a := newAccount(account, s, client, o.Memory)
	a.files = o.FileClient(channel.HostPort(strings.TrimSpace(given["api_url"])))
	return a, nil
}

func parse(given map[string]string) (settings, error) {
	values, err := channel.Values(options(), given, "q.qq.com, the bot, Development settings")
	if err != nil {
		return settings{}, err
	}
	s := settings{
		appID: values["app_id"], secret: values["app_secret"], webhook: values["mode"] == modeWebhook,
		everything: values["guild_messages"] == guildPrivate, refuseLinks: values["links"] == linksRefuse,
		typing: map[string]int{typingTwice: usualTyping, typingAlways: -1}[values["typing"]],
		api:    strings.TrimRight(values["api_url"], "/"), tokenURL: values["token_url"],
	}
	if strings.Trim(s.appID, "0123456789") != "" {
		return settings{}, fault.Errorf(fault.Invalid, "app_id has digits only; it stands in q.qq.com beside the name of the bot")
	}
	if len(s.secret) > maxSecretBytes {
		return settings{}, fault.Errorf(fault.Invalid, "app_secret is longer than any secret of QQ; copy it again")
	}
	return s.addressed(values["sandbox"] == "yes")
}

// addressed fills in the addresses that were left open.
func (s settings) addressed(sandbox bool) (settings, error) {
	if s.api == "" {
		s.api, s.tokenURL = defaultAPI, cmp.Or(s.tokenURL, defaultAPI+tokenPath)
		if sandbox {
			s.api = sandboxAPI
		}
	}
	s.tokenURL = cmp.Or(s.tokenURL, s.api+tokenPath)
	for _, a := range []struct{ name, value string }{{"api_url", s.api}, {"token_url", s.tokenURL}} {
		u, err := url.Parse(a.value)
		if err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http") {
			return settings{}, fault.Errorf(fault.Invalid, "%s must be an address such as %s", a.name, defaultAPI)
		}
	}
	return s, nil
}
