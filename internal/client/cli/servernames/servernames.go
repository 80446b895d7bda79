// Package servernames lists the sessions, runners and models of a server for shell completion. The list is empty if the server does not
// respond at once.
package servernames

import (
	"context"
	"time"

	"xbot/internal/client/apiclient"
	"xbot/internal/client/cli/text"
	"xbot/internal/client/completion"
)

// atOnce limits how long a completion takes.
const atOnce = 1500 * time.Millisecond

// Words returns the names of the sessions, runners or models of the server of a source. Those that it does not return in time are left out.
func Words(ctx context.Context, source apiclient.Source) completion.Values {
	return func(kind string) (words []completion.Word) {
		ctx, cancel := context.WithTimeout(ctx, atOnce)
		defer cancel()
		if _, err := source.Endpoint(ctx); err != nil {
			return nil // no server runs, and none is started for this
		}
		client := apiclient.New(source)
		defer client.Close()
		switch kind {
		case "session": // the newest first; a shell may sort them
			all, _ := client.ListSessions(ctx, apiclient.ListSessionsParams{Shelf: "all"}) // none after an error
			for _, s := range all {
				words = append(words, completion.Word{Text: string(s.Key), About: text.Line(s.Title)})
			}
		case "runner":
			all, _ := client.ListRunners(ctx) // none after an error
			for _, r := range all.Runners {
				words = append(words, completion.Word{Text: r.Name, About: r.Kind})
			}
		case "model":
			all, _ := client.ListModels(ctx) // none after an error
			for _, m := range all.Models {
				if m.Callable() {
					for _, name := range m.Names() {
						words = append(words, completion.Word{Text: name})
					}
				}
			}
		}
		return words
	}
}
