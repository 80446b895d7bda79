package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

type channelsCmd struct {
	List    channelsListCmd    `cmd:"" default:"withargs" help:"List the bots on platforms and their state (the default)."`
	Test    channelsTestCmd    `cmd:"" help:"Test credentials, permissions and the connection of a bot, and optionally send a message."`
	Options channelsOptionsCmd `cmd:"" help:"List the options of a bot."`
	Set     channelsSetCmd     `cmd:"" help:"Make or change a bot."`
	Enable  channelsEnableCmd  `cmd:"" help:"Switch a bot on."`
	Disable channelsDisableCmd `cmd:"" help:"Switch a bot off and keep its settings."`
	Remove  channelsRemoveCmd  `cmd:"" help:"Remove a bot and its settings; its conversations stay."`
}

// bot is which account a command is about.
type bot struct {
	connection

	Name string `arg:"" placeholder:"NAME[/ACCOUNT]" help:"Platform (feishu, qq, napcat), or platform and name of the bot: feishu/second."`
}

func (b bot) parts() (name, account string) {
	name, account, _ = strings.Cut(b.Name, "/")
	return name, account
}

type channelsListCmd struct {
	connection

	JSON bool `name:"json" help:"Print JSON."`
}

// Run lists accounts.
func (c channelsListCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		list, err := client.ListChannels(ctx)
		if err != nil || c.JSON {
			return printJSON(err, list.Accounts)
		}
		if len(list.Accounts) == 0 {
			say(os.Stdout, "No bot is configured yet: xbot channels set NAME makes one; there are %s.", kindNames(list.Kinds))
			return nil
		}
		return channelTable(os.Stdout, list.Accounts, time.Now())
	})
}

func kindNames(kinds []chat.ChannelKind) string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Name)
	}
	return strings.Join(out, ", ")
}

func channelTable(out io.Writer, list []chat.ChannelAccount, now time.Time) error {
	return table(out, "CHANNEL\tSTATE\tSINCE\tLAST EVENT\tLAG\tWAITING\tSIGNS\tSET BY\tERROR", list, func(a chat.ChannelAccount) []any {
		by := cmp.Or(a.ChangedBy, "-")
		if len(a.Environment) > 0 {
			by = "environment"
		}
		return []any{channel.Name(a.Channel, a.Account), a.State, ago(a.ConnectedAt, now, ""), ago(a.EventAt, now, " ago"), lagOf(a), waitingFor(a), signsOf(a), by, cmp.Or(a.Error, heldBy(a), "-")}
	})
}

// ago returns how long ago something was.
func ago(at *time.Time, now time.Time, after string) string {
	if at == nil {
		return "-"
	}
	return short(now.Sub(*at)) + after
}

func lagOf(a chat.ChannelAccount) string {
	if a.LagMS == nil {
		return "-"
	}
	return (time.Duration(*a.LagMS) * time.Millisecond).String()
}

// signsOf returns how many progress updates were shown in this hour, of how many, and how many were not.
func signsOf(a chat.ChannelAccount) string {
	if a.SignsBudget == 0 {
		return "-"
	}
	shown := fmt.Sprintf("%d/%d", min(a.Signs, a.SignsBudget), a.SignsBudget)
	if over := a.Signs - a.SignsBudget; over > 0 {
		shown += fmt.Sprintf(" +%d", over)
	}
	return shown
}

// heldBy returns why messages wait that the platform has been handed, such as that a quota is used up.
func heldBy(a chat.ChannelAccount) string {
	if a.Held == "" {
		return ""
	}
	return "messages wait: " + strings.Join(strings.Fields(a.Held), " ")
}

func waitingFor(a chat.ChannelAccount) string {
	if a.Waiting == 0 {
		return "0"
	}
	return fmt.Sprintf("%d for %s", a.Waiting, short(time.Duration(a.OldestS)*time.Second))
}

type channelsTestCmd struct {
	bot

	To   string `placeholder:"PLACE" help:"Send a message to a person's id on the platform, group:ID, channel:ID, or last: whoever wrote last in a direct chat."`
	JSON bool   `name:"json" help:"Print JSON."`
}

// Run tests an account: it fails where something has failed or is missing.
func (c channelsTestCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		name, account := c.parts()
		got, err := client.TestChannel(ctx, name, apiclient.TestChannelParams{Account: account}, c.To)
		if err != nil {
			return err
		}
		if c.JSON {
			err = printJSON(nil, got)
		} else {
			sayFindings(os.Stdout, got.Findings)
		}
		if err == nil && !got.Passed {
			err = fault.Errorf(fault.Unavailable, "%s does not work as it should", c.Name)
		}
		return err
	})
}

func sayFindings(out io.Writer, found []chat.ChannelFinding) {
	marks := map[string]string{chat.TestOK: "✓", chat.TestFailed: "✗", chat.TestMissing: "✗", chat.TestUntested: "-"}
	for _, f := range found {
		words := strings.Join(strings.Fields(f.What+" "+f.Text), " ")
		switch {
		case f.State == chat.TestMissing:
			words = f.What + " is missing: " + f.Text
		case f.State == chat.TestUntested:
			words = "not tested: " + f.Text
		case words == "":
			words = "ok"
		}
		say(out, "%s %-11s %s", marks[f.State], f.Step, words)
	}
}

type channelsEnableCmd struct{ bot }

// Run switches an account on.
func (c channelsEnableCmd) Run(ctx context.Context) error {
	return c.switched(ctx, true, "on")
}

type channelsDisableCmd struct{ bot }

// Run switches an account off.
func (c channelsDisableCmd) Run(ctx context.Context) error {
	return c.switched(ctx, false, "off")
}

func (b bot) switched(ctx context.Context, enabled bool, word string) error {
	return b.ask(func(client *apiclient.Client) error {
		name, account := b.parts()
		_, err := client.EnableChannel(ctx, name, apiclient.EnableChannelParams{Account: account}, enabled)
		if err == nil {
			say(os.Stdout, "%s is switched %s.", b.Name, word)
		}
		return err
	})
}

type channelsRemoveCmd struct{ bot }

// Run removes an account.
func (c channelsRemoveCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		name, account := c.parts()
		err := client.DeleteChannel(ctx, name, apiclient.DeleteChannelParams{Account: account})
		if err == nil {
			say(os.Stdout, "%s is removed. Its conversations stay.", c.Name)
		}
		return err
	})
}
