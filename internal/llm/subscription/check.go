package subscription

import (
	"regexp"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
)

// Limits of a subscription.
const (
	maxModels = 500
	maxKey    = 4096 // characters
	maxURL    = 512
)

// names matches the names of subscriptions: a name is the first part of the ids of models.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// Check refuses a subscription whose form is wrong, with a sentence on what to change. It makes no request.
func Check(s chat.Subscription) error {
	switch {
	case !names.MatchString(s.Name):
		return fault.Errorf(fault.Invalid, "the name of a subscription has 1 to 32 small letters, digits, _ and -, such as openrouter")
	case s.Name == "demo":
		return fault.Errorf(fault.Invalid, "demo is the name of the model that needs no provider: choose another name")
	case s.Provider != chat.ProviderOpenAI && s.Provider != chat.ProviderAnthropic:
		return fault.Errorf(fault.Invalid, "the provider must be openai (also for compatible services, with their address) or anthropic")
	case s.APIType != chat.APIChatCompletions && s.APIType != chat.APIResponses:
		return fault.Errorf(fault.Invalid, "the API must be chat_completions or responses")
	case s.Provider == chat.ProviderAnthropic && s.APIType == chat.APIResponses:
		return fault.Errorf(fault.Invalid, "anthropic has no Responses API: choose chat_completions")
	case len(s.BaseURL) > maxURL:
		return fault.Errorf(fault.Invalid, "the base URL has more than %d characters", maxURL)
	case len(s.Models) > maxModels:
		return fault.Errorf(fault.Invalid, "a subscription has at most %d models: leave out those that nobody chooses", maxModels)
	}
	return checkModels(s.Models)
}

func checkModels(models []chat.SubscribedModel) error {
	seen := map[string]bool{}
	for _, m := range models {
		switch id := strings.ToLower(strings.TrimSpace(m.ID)); {
		case id == "" || m.ID != strings.TrimSpace(m.ID) || strings.ContainsFunc(m.ID, func(r rune) bool { return r <= ' ' || r == '`' || r == 0x7f }):
			return fault.Errorf(fault.Invalid, "%.40q cannot be the name of a model: it has a blank, or is empty", m.ID)
		case seen[id]:
			return fault.Errorf(fault.Invalid, "the model %.60s stands there twice", m.ID)
		default:
			seen[id] = true
		}
		if m.Think != "" && !slices.Contains(chat.ThinkLevels, m.Think) {
			return fault.Errorf(fault.Invalid, "%.60s cannot think %.20q: the levels are %s", m.ID, m.Think, strings.Join(chat.ThinkLevels, ", "))
		}
		for _, alias := range m.Alias {
			if strings.TrimSpace(alias) == "" || strings.ContainsAny(alias, " \t\r\n`/") {
				return fault.Errorf(fault.Invalid, "%.40q cannot be another name of %.60s: it is one word without a slash", alias, m.ID)
			}
		}
	}
	return nil
}
