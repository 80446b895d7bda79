package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/service/publisher"
)

type serviceKeyCmd struct {
	Add    serviceKeyAddCmd    `cmd:"" help:"Make a key and print it, only this once."`
	List   serviceKeyListCmd   `cmd:"" help:"List the keys of a service, without their secrets."`
	Revoke serviceKeyRevokeCmd `cmd:"" help:"Make a key useless at once. Its conversations stay."`
	Rotate serviceKeyRotateCmd `cmd:"" help:"Give a key another secret and print it, only this once. The one of before is useless at once."`
}

type serviceKeyAddCmd struct {
	ofService

	Name string `arg:"" help:"Whom or what it is for."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run makes a key.
func (c serviceKeyAddCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		made, err := client.CreateServiceKey(ctx, s.ID, c.Name)
		return c.printKey(made, s, err, c.JSON)
	})
}

// printKey prints a key for a program that reads it, and for users where it is good.
func (o ofService) printKey(made apiclient.NewServiceKey, s apiclient.ServiceView, err error, asJSON bool) error {
	if err != nil || asJSON {
		return printJSON(err, made)
	}
	say(os.Stdout, "%s", made.Key)
	say(os.Stderr, "It is %s and is not shown again. Whoever opens %s, behind the address of this server, talks to the service.", made.ID, publisher.Link(o.Server, s.ID, made.Key))
	return nil
}

type serviceKeyListCmd struct {
	ofService

	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists keys.
func (c serviceKeyListCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		list, err := client.ListServiceKeys(ctx, s.ID)
		if err != nil || c.JSON {
			return printJSON(err, list)
		}
		if len(list) == 0 {
			say(os.Stdout, "%s has no keys: nobody can use it.", printable(s.Name))
			return nil
		}
		return serviceKeyTable(os.Stdout, list)
	})
}

func serviceKeyTable(out io.Writer, list []apiclient.ServiceKey) error {
	return table(out, "ID\tPREFIX\tSTATE\tMADE\tUSED\tNAME", list, func(k apiclient.ServiceKey) []any {
		state := "good"
		if k.RevokedAt != nil {
			state = "revoked"
		}
		return []any{k.ID, k.Prefix, state, k.CreatedAt.Format(time.DateOnly), usedAgo(k.LastUsedAt), printable(k.Name)}
	})
}

type serviceKeyRevokeCmd struct {
	ofService

	Key string `arg:"" help:"Id of the key, as xbot service key list prints it."`
}

// Run revokes a key.
func (c serviceKeyRevokeCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		if err := client.RevokeServiceKey(ctx, s.ID, c.Key); err != nil {
			return err
		}
		say(os.Stdout, "%s is useless from now on.", c.Key)
		return nil
	})
}

type serviceKeyRotateCmd struct {
	ofService

	Key  string `arg:"" help:"Id of the key, as xbot service key list prints it."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run gives a key another secret.
func (c serviceKeyRotateCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		made, err := client.RotateServiceKey(ctx, s.ID, c.Key)
		return c.printKey(made, s, err, c.JSON)
	})
}

type serviceConversationsCmd struct {
	ofService

	Query  string `short:"q" placeholder:"TEXT" help:"List only those whose title holds this."`
	Limit  int    `default:"50" help:"List at most this many, the last used first; at most 200."`
	Show   string `placeholder:"ID" xor:"one" help:"Print what was said in this conversation."`
	Delete string `placeholder:"ID" xor:"one" help:"Delete this conversation."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// Run lists conversations, prints one or deletes one.
func (c serviceConversationsCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(client *apiclient.Client, s apiclient.ServiceView) error {
		switch {
		case c.Delete != "":
			if err := client.DeleteServiceConversation(ctx, s.ID, c.Delete); err != nil {
				return err
			}
			say(os.Stdout, "Nobody finds %s any more. The server deletes what it has.", c.Delete)
			return nil
		case c.Show != "":
			return c.show(ctx, client, s)
		}
		found, err := client.ListServiceConversations(ctx, s.ID, apiclient.ListServiceConversationsParams{Q: c.Query, Limit: c.Limit})
		if err != nil || c.JSON {
			return printJSON(err, found.Conversations)
		}
		if len(found.Conversations) == 0 {
			say(os.Stdout, "There are no such conversations.")
			return nil
		}
		return consumerTable(os.Stdout, found)
	})
}

func consumerTable(out io.Writer, found apiclient.ConsumerConversations) error {
	err := table(out, "ID\tKEY\tBY\tUSED\tMESSAGES\tSTATE\tTITLE", found.Conversations, func(one apiclient.ConsumerConversation) []any {
		state := "idle"
		if one.Running {
			state = "running"
		}
		return []any{one.ID, one.KeyID, one.Source, usedAgo(&one.UpdatedAt), one.MessageCount, state, chat.FirstWords(printable(one.Title), maxTitle)}
	})
	if err != nil {
		return err
	}
	if found.More {
		say(out, "There are more: ask for them with --limit or --query.")
	}
	return nil
}

// show prints an untrusted transcript: without characters that could steer a terminal.
func (c serviceConversationsCmd) show(ctx context.Context, client *apiclient.Client, s apiclient.ServiceView) error {
	said, err := client.GetServiceConversation(ctx, s.ID, c.Show, apiclient.GetServiceConversationParams{Limit: 500})
	if err != nil || c.JSON {
		return printJSON(err, said)
	}
	if said.HasMore {
		say(os.Stdout, "(earlier messages are left out)\n")
	}
	for _, m := range said.Messages {
		say(os.Stdout, "%s  %s", m.CreatedAt.Local().Format(time.DateTime), m.Role)
		for line := range strings.SplitSeq(m.Content, "\n") {
			say(os.Stdout, "  %s", printable(line))
		}
		for _, call := range m.ToolCalls {
			say(os.Stdout, "  [%s %s]", printable(call.Name), chat.FirstWords(printable(call.Arguments), 200))
		}
	}
	if len(said.Messages) == 0 {
		say(os.Stdout, "Nothing was said yet.")
	}
	return nil
}
