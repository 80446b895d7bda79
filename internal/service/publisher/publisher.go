// Package publisher creates and changes services for administrators. It validates what a service names: a model that its administrator may
// choose, and versions of its administrator's prompt and profile.
package publisher

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/catalogue"
	"xbot/internal/service"
	"xbot/internal/turn/command/editdistance"
)

// Memory reads versions of user profiles.
type Memory interface {
	ProfileVersion(ctx context.Context, user chat.UserID, n int) (chat.ProfileVersion, error)
}

// Prompts reads versions of prompts.
type Prompts interface {
	PromptVersion(ctx context.Context, user chat.UserID, section string, n int) (chat.PromptVersion, error)
}

// Services is the store of services.
type Services interface {
	AddService(ctx context.Context, admin chat.UserID, d service.Definition, published bool) (service.Service, error)
	ChangeService(ctx context.Context, id string, revision int64, p service.Patch) (service.Service, error)
	Service(ctx context.Context, id string) (service.Service, error)
}

// Models provides the models that a user may choose.
type Models interface {
	Get(ctx context.Context, user chat.UserID) (catalogue.Catalogue, error)
}

// Publisher makes and changes services. It is safe for concurrent use.
type Publisher struct {
	Memory   Memory
	Prompts  Prompts
	Services Services
	Models   Models
}

// Add makes a service of an administrator, published unless the patch sets otherwise. It returns Invalid if it names what is not there.
func (d Publisher) Add(ctx context.Context, admin chat.UserID, p service.Patch) (service.Service, error) {
	if err := d.check(ctx, admin, &p); err != nil {
		return service.Service{}, err
	}
	made, err := service.Defaults().Apply(p)
	if err != nil {
		return service.Service{}, err
	}
	return d.Services.AddService(ctx, admin, made, p.Published == nil || *p.Published)
}

// Change changes a service, for any caller: what it names is its own administrator's. It returns Conflict if it was changed since the revision; 0: any.
func (d Publisher) Change(ctx context.Context, id string, revision int64, p service.Patch) (service.Service, error) {
	now, err := d.Services.Service(ctx, id)
	if err != nil {
		return service.Service{}, err
	}
	if err := d.check(ctx, now.Admin, &p); err != nil {
		return service.Service{}, err
	}
	return d.Services.ChangeService(ctx, id, revision, p)
}

// check refuses what is not there, and writes the model's name as the catalogue does.
func (d Publisher) check(ctx context.Context, admin chat.UserID, p *service.Patch) error {
	if p.Model != nil && strings.TrimSpace(*p.Model) != "" {
		known, err := d.Models.Get(ctx, admin)
		if err != nil {
			return err
		}
		id, err := resolve(known, *p.Model)
		if err != nil {
			return err
		}
		p.Model = &id
	}
	if p.PromptVersion != nil && *p.PromptVersion > 0 {
		if _, err := d.Prompts.PromptVersion(ctx, admin, chat.PromptSystem, *p.PromptVersion); err != nil {
			return missing(err, "system_prompt_version_id: the service's administrator has no version %d of their system prompt", *p.PromptVersion)
		}
	}
	if p.ProfileVersion != nil && *p.ProfileVersion > 0 {
		if _, err := d.Memory.ProfileVersion(ctx, admin, *p.ProfileVersion); err != nil {
			return missing(err, "user_profile_version_id: the service's administrator has no version %d of their profile", *p.ProfileVersion)
		}
	}
	return nil
}

// missing turns the NotFound of something that is named into an invalid definition: the service itself was found.
func missing(err error, format string, n int) error {
	if fault.Is(err, fault.NotFound) {
		return fault.Errorf(fault.Invalid, format, n)
	}
	return err
}

// resolve returns the id of the model that a word means: an exact id first.
func resolve(known catalogue.Catalogue, word string) (string, error) {
	if e, ok := known.Get(word); ok && e.Think == "" {
		return e.ID, nil
	}
	may := known.Candidates(word)
	switch {
	case len(may) == 1:
		return may[0], nil
	case len(may) > 1:
		return "", fault.Errorf(fault.Invalid, "model %.100q may be %s: name one", word, listed(may))
	}
	return "", fault.Errorf(fault.Invalid, "the service's administrator has no model %.100q; near ones are %s", word, listed(nearest(known, word)))
}

// maxNamed is how many models a sentence names.
const maxNamed = 5

func listed(ids []string) string { return strings.Join(ids[:min(len(ids), maxNamed)], ", ") }

// nearest returns the ids of models, those first that are written most like a word.
func nearest(known catalogue.Catalogue, word string) []string {
	word = strings.ToLower(catalogue.Canonical(word))
	word = word[:min(len(word), 100)]
	far := map[string]int{}
	var ids []string
	for _, e := range known.Entries {
		id := strings.ToLower(e.ID)
		_, name, _ := strings.Cut(id, "/")
		far[e.ID] = min(editdistance.Between(word, id), editdistance.Between(word, name))
		ids = append(ids, e.ID)
	}
	slices.SortStableFunc(ids, func(a, b string) int { return far[a] - far[b] })
	return ids
}

// Link returns the address of a service's page with a key in its fragment: any holder can talk to the service. A fragment is never sent to a server.
func Link(base, id, key string) string {
	link := strings.TrimRight(base, "/") + "/s/" + id
	if key == "" {
		return link
	}
	return fmt.Sprintf("%s#key=%s", link, key)
}
