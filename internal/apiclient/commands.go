package apiclient

import (
	"context"
	"net/http"
	"slices"
)

// Command is a slash command that the server carries out.
type Command struct {
	Name    string            `json:"name"` // without the slash
	Aliases []string          `json:"aliases,omitempty"`
	Args    string            `json:"args,omitempty"`  // what may follow the name, for people
	Words   []string          `json:"words,omitempty"` // what may be typed after the name; more follows one that ends with a space
	Group   string            `json:"group,omitempty"` // what it is about
	Who     string            `json:"who,omitempty"`   // who may use it: anyone, owner, admin
	Queued  bool              `json:"queued"`          // it waits for its place among the messages
	Help    map[string]string `json:"help"`            // one line a language: en, zh
}

// Is reports whether a name, in lower case, means this command.
func (c Command) Is(name string) bool { return c.Name == name || slices.Contains(c.Aliases, name) }

// Commands returns the slash commands that can be sent as messages. NotFound: the server is too old to say.
func (c *Client) Commands(ctx context.Context) ([]Command, error) {
	var out struct {
		Commands []Command `json:"commands"`
	}
	err := c.do(ctx, http.MethodGet, "/api/commands", nil, nil, &out)
	return out.Commands, err
}
