package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/internal/phrase"
)

// Command is a slash command that the server carries out, as clients complete and explain it.
type Command struct {
	Name    string            `json:"name" doc:"Without the slash." example:"compact"`
	Aliases []string          `json:"aliases,omitempty" doc:"Other names that are understood."`
	Args    string            `json:"args,omitempty" doc:"What may follow the name, for people." example:"[focus]"`
	Queued  bool              `json:"queued" doc:"It waits for its place among the messages; others are carried out at once."`
	Help    map[string]string `json:"help" doc:"What it does, in one line, by language: en, zh."`
}

// CommandsBody lists commands.
type CommandsBody struct {
	Commands []Command `json:"commands"`
}

func (a *API) registerCommands(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-commands", Method: http.MethodGet, Path: "/api/commands", Summary: "The slash commands that can be sent as messages", Security: secured,
	}, func(context.Context, *struct{}) (*struct{ Body CommandsBody }, error) {
		out := CommandsBody{Commands: []Command{}}
		for _, c := range a.Dispatch.Commands.List() {
			help := map[string]string{}
			for _, lang := range []phrase.Lang{phrase.English, phrase.Chinese} {
				help[string(lang)] = phrase.Say(lang, c.Help)
			}
			out.Commands = append(out.Commands, Command{Name: c.Name, Aliases: c.Aliases, Args: c.Args, Queued: c.Queued, Help: help})
		}
		return &struct{ Body CommandsBody }{out}, nil
	})
}
