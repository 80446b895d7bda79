package messages

import (
	"cmp"
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/i18n"
	"xbot/internal/turn/command"
	"xbot/internal/turn/slashcommand"
)

// Command is a slash command that the server carries out, as clients complete and explain it.
type Command struct {
	Name    string            `json:"name" doc:"Without the slash." example:"compact"`
	Aliases []string          `json:"aliases,omitempty" doc:"Other names of the command."`
	Usage   string            `json:"usage" doc:"The whole line, for people." example:"/compact [FOCUS]"`
	Args    string            `json:"args,omitempty" doc:"Description of the arguments." example:"[FOCUS]"`
	Words   []string          `json:"words,omitempty" doc:"What may be typed after the name, to complete it. More follows one that ends with a space." example:"[\"list\",\"use \"]"`
	Group   string            `json:"group" doc:"What it is about." enum:"conversation,model,context,queue,folder,you,server"`
	Who     string            `json:"who" doc:"Required role: anyone who may write, the owner of the conversation, or administrators. Administrators may use all commands." enum:"anyone,owner,admin"`
	Inline  bool              `json:"inline" doc:"It also works inside a message: it is answered at once and removed from the text."`
	Queued  bool              `json:"queued" doc:"It is queued among the messages; other commands run at once."`
	Help    map[string]string `json:"help" doc:"Description in one line, by language: en, zh."`
}

// CommandsBody lists commands.
type CommandsBody struct {
	Commands []Command `json:"commands"`
}

func (a *Endpoints) registerCommands(h huma.API) {
	huma.Register(h, huma.Operation{
		OperationID: "list-commands", Method: http.MethodGet, Path: "/api/commands", Summary: "List the slash commands that can be sent as messages", Security: endpoint.Secured,
	}, func(context.Context, *struct{}) (*struct{ Body CommandsBody }, error) {
		out := CommandsBody{Commands: []Command{}}
		for _, known := range a.Dispatch.Commands.List() {
			c, help := known.Spec(), map[string]string{}
			for _, lang := range []i18n.Lang{i18n.English, i18n.Chinese} {
				help[string(lang)] = c.About(lang)
			}
			out.Commands = append(out.Commands, Command{
				Name: c.Name, Aliases: c.Aliases, Usage: c.Line(), Args: c.Usage, Words: command.Words(c.Usage), Group: c.Group,
				Who: cmp.Or(string(c.Who), "anyone"), Inline: c.Inline, Queued: c.When == slashcommand.InTurn, Help: help,
			})
		}
		return &struct{ Body CommandsBody }{out}, nil
	})
}
