package feishu

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"xbot/internal/channel"
	"xbot/internal/fault"
)

// Name is the channel's name in session keys and policies.
const Name = "feishu"

const (
	defaultDomain  = "https://open.feishu.cn"
	modeConnection = "connection"
	modeWebhook    = "webhook"
	maxSecretBytes = 256
)

// Driver makes accounts of Feishu and Lark.
func Driver() channel.Driver {
	return channel.Driver{
		Name: Name, Options: options(), Open: open, Called: map[string]string{modeWebhook: "http"},
		IDs: channel.IDs{Person: `ou_[A-Za-z0-9_]{1,64}`, Direct: `oc_[A-Za-z0-9_]{1,64}`, Group: `oc_[A-Za-z0-9_]{1,64}`, Example: "ou_7d8a6e6df7621556ce0d21922b676706"},
	}
}

func options() []channel.Option {
	return []channel.Option{
		{Name: "app_id", Env: "FEISHU_APP_ID", Label: "App ID", Help: "open.feishu.cn, the app, Credentials & Basic Info; begins with cli_", Required: true},
		{Name: "app_secret", Env: "FEISHU_APP_SECRET", Label: "App Secret", Help: "beside the App ID", Secret: true, Required: true},
		{
			Name: "mode", Env: "FEISHU_MODE", Label: "Events arrive by", Choices: []string{modeConnection, modeWebhook}, Default: modeConnection,
			Help: "webhook needs an address that Feishu can reach by HTTPS; set the same under Events & Callbacks, for events and for callbacks",
		},
		{
			Name: "verification_token", Env: "FEISHU_VERIFICATION_TOKEN", Label: "Verification Token", Secret: true,
			Help: "Events & Callbacks, Encryption Strategy; webhook needs it",
		},
		{
			Name: "encrypt_key", Env: "FEISHU_ENCRYPT_KEY", Label: "Encrypt Key", Secret: true,
			Help: "beside the Verification Token; with it events are signed, without it the token alone shows who sends them",
		},
		{Name: "domain", Env: "FEISHU_DOMAIN", Label: "Address of the platform", Default: defaultDomain, Help: "for Lark: https://open.larksuite.com"},
	}
}

// settings are the options, checked.
type settings struct {
	appID, secret     string
	webhook           bool
	token, encryptKey string
	domain            string
}

// appForm matches app ids.
var appForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func open(account string, given map[string]string, o channel.Resources) (channel.Account, error) {
	s, err := parse(given)
	if err != nil {
		return nil, err
	}
	client := o.HTTP
	if client == nil {
		client = &http.Client{}
	}
	return newAccount(account, s, client), nil
}

func parse(given map[string]string) (settings, error) {
	values, err := channel.Values(options(), given, "open.feishu.cn, the app, Credentials & Basic Info")
	if err != nil {
		return settings{}, err
	}
	for _, o := range options() {
		if o.Secret && len(values[o.Name]) > maxSecretBytes {
			return settings{}, fault.Errorf(fault.Invalid, "%s is longer than any of Feishu; copy it again", o.Name)
		}
	}
	s := settings{
		appID: values["app_id"], secret: values["app_secret"], webhook: values["mode"] == modeWebhook,
		token: values["verification_token"], encryptKey: values["encrypt_key"], domain: strings.TrimRight(values["domain"], "/"),
	}
	u, err := url.Parse(s.domain)
	switch {
	case !appForm.MatchString(s.appID):
		return settings{}, fault.Errorf(fault.Invalid, "app_id has letters, digits and _ only; it begins with cli_")
	case err != nil || u.Host == "" || (u.Scheme != "https" && u.Scheme != "http"):
		return settings{}, fault.Errorf(fault.Invalid, "domain must be an address such as %s", defaultDomain)
	case s.webhook && s.token == "":
		return settings{}, fault.Errorf(fault.Invalid, "verification_token is missing: webhook needs it; it stands under Events & Callbacks, Encryption Strategy")
	}
	return s, nil
}
