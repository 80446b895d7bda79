package main

import (
	"cmp"
	"context"
	"os"
	"time"

	"xbot/internal/client/apiclient"
)

type pairingCmd struct {
	List    pairingListCmd    `cmd:"" help:"List the people who wait for access."`
	Approve pairingApproveCmd `cmd:"" help:"Let the person with this code write direct messages to the bot."`
	Refuse  pairingRefuseCmd  `cmd:"" help:"Refuse the person with this code; they may ask again."`
}

type pairingListCmd struct{ connection }

// Run lists who waits.
func (c pairingListCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		all, err := client.ListPairings(ctx)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			say(os.Stdout, "Nobody waits for access.")
			return nil
		}
		return table(os.Stdout, "CODE\tCHANNEL\tACCOUNT\tID\tNAME\tLEFT", all, func(p apiclient.Pairing) []any {
			left := time.Until(p.ExpiresAt).Round(time.Minute)
			return []any{p.Code, p.Channel, cmp.Or(p.Account, "-"), p.Peer, cmp.Or(p.Name, "-"), left}
		})
	})
}

// end approves or refuses a pairing, and prints a sentence with the name and the channel.
func (r connection) end(ctx context.Context, code string, approve bool, sentence string) error {
	return r.ask(func(client *apiclient.Client) error {
		p, err := client.EndPairing(ctx, code, approve)
		if err == nil {
			say(os.Stdout, sentence, cmp.Or(p.Name, p.Peer), p.Channel)
		}
		return err
	})
}

type pairingApproveCmd struct {
	connection

	Code string `arg:"" help:"Code that the bot gave the person: 8 characters, in upper or lower case."`
}

// Run approves a pairing.
func (c pairingApproveCmd) Run(ctx context.Context) error {
	return c.end(ctx, c.Code, true, "%s may write direct messages on %s. They learn of it with their next message.")
}

type pairingRefuseCmd struct {
	connection

	Code string `arg:"" help:"Code that the bot gave the person."`
}

// Run refuses a pairing.
func (c pairingRefuseCmd) Run(ctx context.Context) error {
	return c.end(ctx, c.Code, false, "%s got no access on %s.")
}
