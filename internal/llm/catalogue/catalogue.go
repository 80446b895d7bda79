// Package catalogue lists the models that a user can choose: that of the server's settings, those of the installation's
// subscriptions and of the policy, and the user's. It resolves the names that people use for models, and makes their clients.
package catalogue

import (
	"slices"
	"strings"
	"unicode/utf8"

	"xbot/internal/chat"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/subscription"
	"xbot/internal/turn/policy"
)

// Entry is one model.
type Entry struct {
	ID      string // provider/model
	Alias   []string
	Default bool // that of the server's settings

	MaxContext int  // tokens that it takes in all
	MaxOutput  int  // tokens that it may write
	Asked      int  // limit of an answer that the settings name; 0: none, the model knows best
	Sees       bool // it reads pictures

	Subscription string      // name of the one that it belongs to; empty: none
	Shared       bool        // of the installation
	Think        string      // how much it thinks if nothing else decides; empty: the model's default
	Price        *chat.Price // nil: not known, or as the settings say

	definition policy.Model // from the policy; zero for all others
	account    *subscription.Opened
	name       string // the provider's, of a model of a subscription
}

// Own reports whether it is a model of the user's own subscription.
func (e Entry) Own() bool { return e.Subscription != "" && !e.Shared }

// Limits returns the limits of the model.
func (e Entry) Limits() limits.Model {
	return limits.Model{Context: e.MaxContext, Output: e.MaxOutput, Asked: e.Asked, Sees: e.Sees}
}

// Catalogue is the models that a user can choose at one moment, the server's first. It is a value.
type Catalogue struct{ Entries []Entry }

// New lists the server's model, those of subscriptions and those of the policy. A model of the policy that has the id of another one lends
// it other names and limits, but still answers as that one defines. Of two subscriptions with one name a user's own counts, and a subscription
// counts before the settings.
func New(server limits.Table, models []policy.Model, accounts ...subscription.Opened) Catalogue {
	first := Entry{ID: server.Model, Default: true, Asked: server.Output}
	first.MaxContext, first.MaxOutput = limits.Table{Model: server.Model, Context: server.Context, Output: server.Output}.Of(server.Model)
	first.Sees = server.Sees(server.Model)
	c := Catalogue{Entries: []Entry{first}}
	for _, account := range accounts {
		c.subscribe(account)
	}
	for _, m := range models {
		m.ID = Canonical(m.ID)
		if i := slices.IndexFunc(c.Entries, func(e Entry) bool { return strings.EqualFold(e.ID, m.ID) }); i >= 0 {
			c.Entries[i].lend(m)
			continue
		}
		e := Entry{ID: m.ID, Alias: m.Alias, Asked: m.MaxOutput, definition: m}
		e.MaxContext, e.MaxOutput = limits.Table{Model: m.ID, Context: m.MaxContext, Output: m.MaxOutput}.Of(m.ID)
		e.Sees = limits.Table{Model: m.ID, Vision: m.Vision}.Sees(m.ID)
		c.Entries = append(c.Entries, e)
	}
	return c
}

// subscribe adds the models of a subscription. An entry before it with the same id is replaced.
func (c *Catalogue) subscribe(account subscription.Opened) {
	if !account.Enabled {
		return
	}
	for _, m := range account.Models {
		if m.Disabled {
			continue
		}
		e := Entry{
			ID: account.Name + "/" + m.ID, Alias: m.Alias, Asked: m.MaxOutput, Subscription: account.Name, Shared: account.Shared, Think: m.Think, Price: m.Price,
			account: &account, name: m.ID,
		}
		table := limits.Table{Model: e.ID, Context: m.MaxContext, Output: m.MaxOutput, Vision: m.Vision}
		e.MaxContext, e.MaxOutput = table.Of(e.ID)
		e.Sees = table.Sees(e.ID)
		if i := slices.IndexFunc(c.Entries, func(known Entry) bool { return strings.EqualFold(known.ID, e.ID) }); i >= 0 {
			e.Default = c.Entries[i].Default
			c.Entries[i] = e
			continue
		}
		c.Entries = append(c.Entries, e)
	}
}

func (e *Entry) lend(m policy.Model) {
	e.Alias = append(slices.Clone(e.Alias), m.Alias...)
	if m.MaxContext > 0 {
		e.MaxContext = m.MaxContext
	}
	if m.MaxOutput > 0 {
		e.MaxOutput, e.Asked = m.MaxOutput, m.MaxOutput
	}
	if m.Vision != nil {
		e.Sees = *m.Vision
	}
}

// Canonical writes an id as provider/model; provider:model is understood.
func Canonical(id string) string {
	id = strings.TrimSpace(id)
	if i := strings.IndexAny(id, ":/"); i > 0 && id[i] == ':' {
		return id[:i] + "/" + id[i+1:]
	}
	return id
}

// The least that a part of a name must have, in characters: shorter words of ordinary sentences would be models.
const (
	leastPrefix = 3
	leastPart   = 4
)

// Resolve returns the id of the model that a word means, and false when it means none or more than one.
func (c Catalogue) Resolve(word string) (id string, ok bool) {
	found := c.Candidates(word)
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// Candidates returns the ids of the models that a word may mean: those that fit it best, in their order. A word is
// another name of a model, its id, its name without the provider, its provider, or an unmistakable part of one of
// these, ignoring case.
func (c Catalogue) Candidates(word string) []string { return c.find(word, readings) }

// Named returns the ids of the models that have a word for their id, another name, their name without the provider, or their provider. No part of
// a name counts: words of ordinary sentences, such as code and review, are parts of names.
func (c Catalogue) Named(word string) []string {
	return c.find(word, func(word string) []func(Entry) bool { return readings(word)[:exactReadings] })
}

func (c Catalogue) find(word string, readings func(word string) []func(Entry) bool) []string {
	word = fold(word)
	if word == "" {
		return nil
	}
	for _, fits := range readings(word) {
		var ids []string
		for _, e := range c.Entries {
			if fits(e) {
				ids = append(ids, e.ID)
			}
		}
		if len(ids) > 0 {
			return ids
		}
	}
	base, thinks := strings.CutSuffix(word, thinkingSuffix)
	if !thinks {
		return nil
	}
	ids := c.find(base, readings)
	for i := range ids {
		ids[i] += thinkingSuffix
	}
	return ids
}

// thinkingSuffix follows the name of a model that is to think, in the notation of some clients.
const thinkingSuffix = "-thinking"

// fold returns a name as it is compared: in lower case, and provider:model like provider/model.
func fold(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), ":", "/")
}

// exactReadings is the number of readings that are a whole name.
const exactReadings = 3

// readings returns the possible meanings of a word, the likeliest first.
func readings(word string) []func(Entry) bool {
	size := utf8.RuneCountInString(word)
	is := func(name string) bool { return name == word }
	return []func(Entry) bool{
		func(e Entry) bool { return fold(e.ID) == word || slices.ContainsFunc(folded(e.Alias), is) },
		func(e Entry) bool { return slices.ContainsFunc(folded(e.names()), is) },
		func(e Entry) bool { return fold(e.provider()) == word },
		func(e Entry) bool {
			return size >= leastPrefix && e.any(func(n string) bool { return strings.HasPrefix(n, word) })
		},
		func(e Entry) bool {
			return size >= leastPrefix && e.any(func(n string) bool { return startsWord(n, word) })
		},
		func(e Entry) bool {
			return size >= leastPart && e.any(func(n string) bool { return strings.Contains(n, word) })
		},
	}
}

func folded(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fold(name)
	}
	return out
}

// startsWord reports whether a part of a name begins with a word: sonnet in claude-sonnet-5.
func startsWord(name, word string) bool {
	return slices.ContainsFunc([]string{"-", "_", ".", "/", " "}, func(sep string) bool { return strings.Contains(name, sep+word) })
}

// any reports whether a name of the model fits.
func (e Entry) any(fits func(string) bool) bool {
	return slices.ContainsFunc(folded(slices.Concat(e.Alias, e.names(), []string{e.ID})), fits)
}

func (e Entry) provider() string {
	provider, _, _ := strings.Cut(e.ID, "/")
	return provider
}

// names returns the model's names without its provider, and without that of a gateway.
func (e Entry) names() []string {
	_, name, _ := strings.Cut(e.ID, "/")
	return []string{name, name[strings.LastIndexByte(name, '/')+1:]}
}

// Get returns the model of an id, exactly. That with -thinking at its end is the same model, which is to think.
func (c Catalogue) Get(id string) (Entry, bool) {
	id = Canonical(id)
	for _, e := range c.Entries {
		if strings.EqualFold(e.ID, id) {
			return e, true
		}
	}
	if base, thinks := strings.CutSuffix(strings.ToLower(id), thinkingSuffix); thinks {
		e, ok := c.Get(base)
		e.Think = chat.ThinkHigh
		return e, ok
	}
	return Entry{}, false
}

// Usual returns the model that answers if no choice was made: that of the server's settings, or, where they name none but the demo, the first one of
// the installation's subscriptions.
func (c Catalogue) Usual() Entry {
	if first := c.Entries[0]; first.provider() != "demo" {
		return first
	}
	for _, e := range c.Entries {
		if e.Shared {
			return e
		}
	}
	return c.Entries[0]
}

// Find returns the model that an id or another name in a setting means: an exact one first, else what Resolve finds.
func (c Catalogue) Find(word string) (Entry, bool) {
	id, ok := c.Resolve(word)
	if !ok {
		return Entry{}, false
	}
	return c.Get(id)
}
