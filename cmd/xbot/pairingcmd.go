package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"text/tabwriter"
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
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "CODE\tCHANNEL\tACCOUNT\tID\tNAME\tLEFT")
		for _, p := range all {
			left := time.Until(p.ExpiresAt).Round(time.Minute)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", p.Code, p.Channel, cmp.Or(p.Account, "-"), p.Peer, cmp.Or(p.Name, "-"), left)
		}
		return w.Flush()
	})
}

type pairingApproveCmd struct {
	connection

	Code string `arg:"" help:"Code that the bot gave the person: 8 characters, in upper or lower case."`
}

// Run lets somebody in.
func (c pairingApproveCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		p, err := client.EndPairing(ctx, c.Code, true)
		if err == nil {
			say(os.Stdout, "%s may write direct messages on %s. They learn of it with their next message.", cmp.Or(p.Name, p.Peer), p.Channel)
		}
		return err
	})
}

type pairingRefuseCmd struct {
	connection

	Code string `arg:"" help:"Code that the bot gave the person."`
}

// Run refuses somebody.
func (c pairingRefuseCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		p, err := client.EndPairing(ctx, c.Code, false)
		if err == nil {
			say(os.Stdout, "%s got no access on %s.", cmp.Or(p.Name, p.Peer), p.Channel)
		}
		return err
	})
}
