package onebot

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Name is the channel's name in session keys and policies.
const Name = "napcat"

// The modes of a connection.
const (
	modeForward = "forward" // we dial NapCat
	modeReverse = "reverse" // NapCat dials us
)

// Driver makes accounts of NapCat.
func Driver() channel.Driver {
	return channel.Driver{
		Name: Name,
		Options: []channel.Option{
			{
				Name: "mode", Env: "NAPCAT_MODE", Label: "Connection", Default: modeForward, Choices: []string{modeForward, modeReverse},
				Help: "forward: xbot dials NapCat's WebSocket server. reverse: NapCat's WebSocket client dials xbot.",
			},
			{
				Name: "url", Env: "NAPCAT_URL", Label: "Address of NapCat",
				Help: "Forward only: the WebSocket server in NapCat's network settings, such as ws://127.0.0.1:3001.",
			},
			{
				Name: "token", Env: "NAPCAT_TOKEN", Label: "Token", Secret: true,
				Help: "The token of that server or client in NapCat's network settings. Reverse needs one.",
			},
			{
				Name: "self_id", Env: "NAPCAT_SELF_ID", Label: "QQ number of the bot",
				Help: "Another account than this one is refused. Empty: whoever NapCat is signed in as.",
			},
			{
				Name: "send_pause", Env: "NAPCAT_SEND_PAUSE", Label: "Pause between messages", Default: "1s",
				Help: "QQ suspends accounts that write too fast. A duration such as 800ms; 0s for none.",
			},
			{
				Name: "signs", Env: "NAPCAT_SIGNS", Label: "Signs of life an hour", Default: strconv.Itoa(hourlySigns),
				Help: "At most so many reactions, \"is writing\" and lines that say that a turn goes on; 0 for none. Answers are not counted.",
			},
		},
		Open: open, Called: map[string]string{modeReverse: "ws"},
		IDs: channel.IDs{Person: `[1-9][0-9]{0,19}`, Group: `[1-9][0-9]{0,19}`, Example: "10001"},
	}
}

// settings are the options of an account, checked.
type settings struct {
	mode  string
	url   *url.URL
	token string
	self  string
	pause time.Duration
	signs int // an hour
}

const (
	// hourlySigns is how many calls for progress an account makes in an hour at most: four a minute, like a user who is busy in
	// several chats. QQ gives no figures.
	hourlySigns = 240
	// maxSigns bounds what may be set: one a second.
	maxSigns = 3600
)

// maxPause bounds the pause between messages: longer ones are mistakes of units.
const maxPause = time.Minute

var digits = regexp.MustCompile(`^[0-9]{4,20}$`)

func parseSettings(given map[string]string) (settings, error) {
	s := settings{mode: given["mode"], token: strings.TrimSpace(given["token"]), self: strings.TrimSpace(given["self_id"]), pause: time.Second, signs: hourlySigns}
	switch s.mode {
	case "":
		s.mode = modeForward
	case modeForward, modeReverse:
	default:
		return s, fault.Errorf(fault.Invalid, "mode must be %s or %s", modeForward, modeReverse)
	}
	if s.self != "" && !digits.MatchString(s.self) {
		return s, fault.Errorf(fault.Invalid, "self_id must be a QQ number, or empty")
	}
	if strings.ContainsAny(s.token, "\r\n") {
		return s, fault.Errorf(fault.Invalid, "token must be one line")
	}
	if text := given["send_pause"]; text != "" {
		pause, err := time.ParseDuration(text)
		if err != nil || pause < 0 || pause > maxPause {
			return s, fault.Errorf(fault.Invalid, "send_pause must be a duration from 0s to %v, such as 800ms", maxPause)
		}
		s.pause = pause
	}
	if text := given["signs"]; text != "" {
		signs, err := strconv.Atoi(text)
		if err != nil || signs < 0 || signs > maxSigns {
			return s, fault.Errorf(fault.Invalid, "signs must be a number from 0 to %d", maxSigns)
		}
		s.signs = signs
	}
	if s.mode == modeReverse {
		if s.token == "" {
			return s, fault.Errorf(fault.Invalid, "token must be set when NapCat dials us: anybody could speak for it otherwise")
		}
		return s, nil
	}
	var err error
	s.url, err = parseURL(given["url"])
	return s, err
}

func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" {
		return nil, fault.Errorf(fault.Invalid, "url must be the address of NapCat's WebSocket server, such as ws://127.0.0.1:3001")
	}
	switch u.Scheme {
	case "ws", "wss":
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	default:
		return nil, fault.Errorf(fault.Invalid, "url must begin with ws:// or wss://")
	}
	if u.User != nil || u.Query().Has("access_token") {
		return nil, fault.Errorf(fault.Invalid, "url must not hold a secret; set token instead")
	}
	return u, nil
}

func open(name string, given map[string]string, o channel.Resources) (channel.Account, error) {
	s, err := parseSettings(given)
	if err != nil {
		return nil, err
	}
	a := newAccount(name, s, o)
	if s.mode == modeReverse {
		return &reverse{account: a, attach: make(chan attachment)}, nil
	}
	a.dial = a.dialActions
	return &forward{account: a}, nil
}

// ownAddress is NapCat's configured address, host:port; empty if NapCat dials this server.
func (s settings) ownAddress() string {
	if s.url == nil {
		return ""
	}
	return channel.HostPort(s.url.String())
}
