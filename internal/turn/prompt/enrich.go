package prompt

import (
	"context"
	"fmt"
	"strings"
)

// Enricher adds text of a plugin to system prompts.
type Enricher interface {
	Name() string
	Enrich(ctx context.Context, a *Assembly) (string, error)
}

// Enrichers is the enrichers of all plugins.
type Enrichers []Enricher

var _ Middleware = Enrichers{}

// Order returns the position of the section.
func (Enrichers) Order() int { return 150 }

// Name is used in errors.
func (Enrichers) Name() string { return "plugin enrichers" }

// maxEnriched bounds the text of one enricher, in characters. The plugins of the installation count as one.
const maxEnriched = 4_000

// Process adds the texts in the order of the list. A plugin that fails is left out.
func (e Enrichers) Process(ctx context.Context, a *Assembly) error {
	var texts []string
	for _, one := range e {
		text, err := one.Enrich(ctx, a)
		if err != nil {
			a.Notes = append(a.Notes, fmt.Errorf("plugin %s: %w", one.Name(), err))
			continue
		}
		if text = capped(text, maxEnriched, int64(len(text))); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) > 0 {
		a.Parts["plugin_enrichers"] = strings.Join(texts, "\n\n")
	}
	return nil
}
