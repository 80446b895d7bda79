package server

import (
	"context"
	"slices"
	"time"

	"xbot/ingress"
	"xbot/ingress/temporalui"
	"xbot/internal/llm/catalogue"
	"xbot/internal/memory/view"
	"xbot/internal/store"
)

// commands are the slash commands of the server, beside /stop, /help and /commands, which every server has.
func (in *ingressPart) commands() *ingress.Commands {
	c := ingress.NewCommands(in.store, slices.Concat(
		conversationCommands(in.store, words{in.catalogue}), // new reset continue search
		in.views.history.Commands(),                         // rewind fork
		in.dispatch.ApprovalCommands(),                      // approve deny
		[]ingress.Command{ingress.ExportCommand(in.at.people())},
		in.views.minds.Commands(),                  // model models think verbose
		ingress.ContextCommands(in.views.contexts), // context
		in.gateway.Commands(),                      // session send activation link pair
		[]ingress.Command{ingress.CompactCommand()},
		in.views.meter.Commands(),     // usage
		in.recollections().Commands(), // memory
		(&ingress.Profiles{Store: in.store}).Commands(),
		in.promptCommands(),                                                  // prompt language
		(&ingress.Queues{Store: in.store, Policies: in.policies}).Commands(), // queue
		(&ingress.Folders{Store: in.store, Boxes: in.boxes}).Commands(),      // pwd ls cd
		in.views.fleet.Commands(),                                            // runner
		(&ingress.Crons{Store: in.store, Desk: in.jobs}).Commands(),          // cron
		(&ingress.Subagents{Store: in.store, Roles: in.roles}).Commands(),    // subagents agents
		(&ingress.Groups{Store: in.store}).Commands(),                        // groups
		in.statuses().Commands(),                                             // status whoami version
		(&ingress.Triggers{Book: in.triggers}).Commands(),
		(&ingress.Plans{Store: in.store}).Commands(), // todos
		in.hooks.Commands(),
		[]ingress.Command{ingress.ConfigCommand(in.store)},
		(&ingress.Debug{Store: in.store, Pool: in.pool, Metrics: in.tele.Registry}).Commands(),
	)...)
	c.Models = words{in.catalogue}
	return c
}

func (in *ingressPart) statuses() *ingress.Statuses {
	return &ingress.Statuses{
		Store: in.store, Contexts: in.views.contexts, Policies: in.policies, Fleet: in.views.fleet, Version: in.version, Started: time.Now(), Run: in.runLink,
	}
}

// conversationCommands begin conversations, go on with them and find what was said in them.
func conversationCommands(st *store.Store, models words) []ingress.Command {
	return append(ingress.ResetCommands(models), ingress.ContinueCommand(st), ingress.SearchCommand(st))
}

// recollections show people what is remembered of them.
func (in *ingressPart) recollections() *ingress.Recollections {
	return &ingress.Recollections{Desk: view.View{Store: in.store, Policies: in.policies}, Book: in.personas(), Users: in.store, Base: in.at.people()}
}

// runLink is the address of a run in the Temporal UI, empty where there is none.
func (in *ingressPart) runLink(workflow, run string) string {
	if in.ui.target == nil {
		return ""
	}
	return in.at.people() + temporalui.RunPath(in.namespace, workflow, run)
}

// words says which words mean a model. While the database is away, none does.
type words struct{ models *catalogue.Live }

func (w words) Resolve(ctx context.Context, word string) (id string, ok bool) {
	known, err := w.models.Get(ctx)
	if err != nil {
		return "", false
	}
	return known.Resolve(word)
}

func (w words) Candidates(ctx context.Context, word string) []string {
	known, err := w.models.Get(ctx)
	if err != nil {
		return nil
	}
	return known.Candidates(word)
}
