package model

import (
	"context"
	"slices"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm/subscription"
	"xbot/internal/turn/slashcommand"
)

// People finds the owner of a conversation.
type People interface {
	Session(ctx context.Context, key chat.SessionKey) (chat.Session, chat.UserID, error)
}

// Changer changes a user's accounts at providers.
type Changer interface {
	Accounts
	Offered(ctx context.Context, d subscription.Draft) (subscription.Offered, error)
	Save(ctx context.Context, d subscription.Draft, by chat.UserID) (id int64, err error)
	Remove(ctx context.Context, user chat.UserID, id int64) error
}

// SetLLM is /set-llm: it adds or changes a subscription of a user. The key that follows it is not kept in the conversation.
type SetLLM struct {
	People   People
	Accounts Changer
}

var (
	_ slashcommand.Runner   = SetLLM{}
	_ slashcommand.Redacter = SetLLM{}
)

// Spec describes the command.
func (SetLLM) Spec() slashcommand.Spec {
	return slashcommand.Spec{
		Name: "set-llm", Usage: "NAME [provider=PROVIDER] [base_url=URL] [api_key=KEY] [api_type=API] [models=MODELS]", Help: i18n.HelpSetLLM, Group: slashcommand.GroupModel, Whole: true,
	}
}

// keyNames are the words before a key.
var keyNames = []string{"api_key", "api-key", "apikey", "key"}

// Redact leaves out all that is no setting without a secret: mistyped text may be a key.
func (SetLLM) Redact(args string) string {
	words := strings.Fields(args)
	for i, word := range words {
		name, _, set := strings.Cut(word, "=")
		switch name = strings.ToLower(name); {
		case i == 0 && !set && len(word) <= maxName:
		case set && slices.Contains([]string{"provider", "base_url", "api_type", "models", "model"}, name) && !strings.Contains(word, "@"):
		case set && slices.Contains(keyNames, name):
			words[i] = name + "=…"
		default:
			words[i] = "…"
		}
	}
	return strings.Join(words, " ")
}

// Limits: of a name, as subscriptions have, and of the models that are taken of a provider's list where none are named.
const (
	maxName  = 32
	maxTaken = 100
)

// askTime is how long a provider has to list its models: the command holds a connection of the database in the meantime.
const askTime = 15 * time.Second

// Run changes a subscription. Where no models are named, and it has none, it gets those that the provider offers.
func (c SetLLM) Run(ctx context.Context, in slashcommand.Request, args string) (string, error) {
	session, _, err := c.People.Session(ctx, in.Session)
	if err != nil {
		return "", err
	}
	if session.ChatType != chat.ChatDirect {
		return "", i18n.Fault(fault.Denied, i18n.LLMPrivately)
	}
	d, err := c.draft(ctx, in, args)
	if err != nil {
		return "", err
	}
	if len(d.Models) == 0 {
		asking, cancel := context.WithTimeout(ctx, askTime)
		offered, err := c.Accounts.Offered(asking, d)
		cancel()
		if err != nil {
			return "", err
		}
		if offered.Problem != "" {
			return "", i18n.Fault(fault.Invalid, i18n.LLMNotOffered, offered.Problem)
		}
		d.Models = offered.Models[:min(len(offered.Models), maxTaken)]
	}
	if _, err := c.Accounts.Save(ctx, d, in.User); err != nil {
		return "", err
	}
	saved, ok, err := named(ctx, c.Accounts, in.User, d.Name)
	if err != nil || !ok {
		return "", err
	}
	return i18n.Say(in.Lang, i18n.LLMSaved, Shown(in.Lang, saved)), nil
}

// draft reads the settings, on top of those of the subscription with that name.
func (c SetLLM) draft(ctx context.Context, in slashcommand.Request, args string) (subscription.Draft, error) {
	words := strings.Fields(args)
	usage := i18n.Fault(fault.Invalid, i18n.LLMUsage)
	if len(words) == 0 || strings.Contains(words[0], "=") {
		return subscription.Draft{}, usage
	}
	was, found, err := named(ctx, c.Accounts, in.User, words[0])
	if err != nil {
		return subscription.Draft{}, err
	}
	d := subscription.Draft{Subscription: was}
	if !found {
		d.Subscription = chat.Subscription{Name: strings.ToLower(words[0]), Provider: chat.ProviderOpenAI}
	}
	d.User, d.Enabled = in.User, true
	for _, word := range words[1:] {
		name, value, set := strings.Cut(word, "=")
		switch name = strings.ToLower(name); {
		case !set:
			return d, usage
		case slices.Contains(keyNames, name):
			d.Key = value
		case name == "provider":
			d.Provider = strings.ToLower(value)
		case name == "base_url":
			d.BaseURL = value
		case name == "api_type":
			d.APIType = strings.ToLower(value)
		case name == "models" || name == "model":
			d.Models = modelsOf(was.Models, value)
		default:
			return d, usage
		}
	}
	return d, nil
}

// modelsOf are models by their names, each as it was known before.
func modelsOf(known []chat.SubscribedModel, list string) (out []chat.SubscribedModel) {
	for id := range strings.SplitSeq(list, ",") {
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		m := chat.SubscribedModel{ID: id}
		if i := slices.IndexFunc(known, func(k chat.SubscribedModel) bool { return k.ID == id }); i >= 0 {
			m = known[i]
			m.Disabled = false
		}
		out = append(out, m)
	}
	return out
}

// named finds a user's subscription by its name.
func named(ctx context.Context, accounts Accounts, user chat.UserID, name string) (chat.Subscription, bool, error) {
	all, err := accounts.List(ctx, user, false)
	for _, s := range all {
		if strings.EqualFold(s.Name, name) {
			return s, true, err
		}
	}
	return chat.Subscription{}, false, err
}
