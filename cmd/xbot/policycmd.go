package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	policies "xbot/internal/turn/policy"
)

type policyCmd struct {
	Show    policyShowCmd    `cmd:"" help:"Print the policy document, and its version on standard error."`
	Set     policySetCmd     `cmd:"" help:"Make a document current; every process follows within a second."`
	Check   policyCheckCmd   `cmd:"" help:"Check a document without making it current; needs no server."`
	History policyHistoryCmd `cmd:"" help:"List the versions of the document: when, and by whom."`
	Links   policyLinksCmd   `cmd:"" help:"List the names of identityLinks that have an account, and the ids that have used it."`
	Unlink  policyUnlinkCmd  `cmd:"" help:"Take the account from a name of identityLinks: its ids begin another one when they write next."`
}

type policyShowCmd struct {
	connection

	Version int64 `help:"Print this version; default: the current one."`
}

// Run prints the document.
func (c policyShowCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		p, err := client.GetPolicy(ctx, apiclient.GetPolicyParams{Version: c.Version})
		if err != nil {
			return err
		}
		if p.Version == 0 {
			say(os.Stderr, "There is no policy yet; the defaults hold.")
		} else {
			say(os.Stderr, "Version %d.", p.Version)
		}
		sayAll(os.Stderr, "note: ", p.Notes)
		_, err = io.WriteString(os.Stdout, p.Text)
		return err
	})
}

type policySetCmd struct {
	connection

	File     string   `arg:"" complete:"file" help:"File with the document (JSON5); -: standard input."`
	From     *int64   `name:"from" placeholder:"VERSION" help:"Change nothing unless this version is current."`
	Transfer []string `placeholder:"NAME" help:"Confirm that the account of this name of identityLinks, with its conversations and memory, goes to the ids that the document lists now. Can be repeated."`
}

// Run puts a document in force.
func (c policySetCmd) Run(ctx context.Context) error {
	text, err := readPolicy(c.File)
	if err != nil {
		return err
	}
	return c.ask(func(client *apiclient.Client) error {
		if err := checkPolicy(ctx, client, text, c.Transfer); err != nil {
			return err
		}
		from := c.From
		if from == nil {
			inForce, err := client.GetPolicy(ctx, apiclient.GetPolicyParams{})
			if err != nil {
				return err
			}
			from = &inForce.Version
		}
		p, err := client.SetPolicy(ctx, apiclient.NewPolicy{Text: text, Version: *from, Transfer: c.Transfer})
		if err != nil {
			return err
		}
		say(os.Stdout, "Version %d is in force.", p.Version)
		return nil
	})
}

type policyCheckCmd struct {
	connection

	File string `arg:"" complete:"file" help:"File with the document (JSON5); -: standard input."`
}

// Run prints the faults of a document. A server is asked only where one is named, which may be of another version, and whether the
// document gives accounts to other ids.
func (c policyCheckCmd) Run(ctx context.Context) error {
	text, err := readPolicy(c.File)
	if err != nil {
		return err
	}
	if c.Server != "" {
		err = c.ask(func(client *apiclient.Client) error { return checkPolicy(ctx, client, text, nil) })
	} else {
		p, notes, wrong := policies.Parse([]byte(text))
		faults := policies.FaultsOf(wrong)
		if wrong == nil && len(p.Session.IdentityLinks) > 0 {
			transfers, err := c.transfers(ctx, text)
			if err != nil {
				notes = append(notes, "session.identityLinks: whether an account would go to other ids was not checked: "+err.Error())
			}
			faults = append(faults, transfers...)
		}
		err = sayPolicy(faults, notes)
	}
	if err == nil {
		say(os.Stdout, "The document can be put in force.")
	}
	return err
}

// transfers asks the server which accounts a document gives to other ids.
func (c policyCheckCmd) transfers(ctx context.Context, text string) (faults []string, err error) {
	err = c.ask(func(client *apiclient.Client) error {
		said, err := client.CheckPolicy(ctx, apiclient.CheckPolicyRequest{Text: text})
		if err == nil && len(said.Transfers) > 0 {
			faults = said.Errors
		}
		return err
	})
	return faults, err
}

// checkPolicy prints the server's findings about a document: its faults are an error.
func checkPolicy(ctx context.Context, client *apiclient.Client, text string, confirmed []string) error {
	said, err := client.CheckPolicy(ctx, apiclient.CheckPolicyRequest{Text: text, Transfer: confirmed})
	if err != nil {
		return err
	}
	return sayPolicy(said.Errors, said.Notes)
}

func sayPolicy(faults, notes []string) error {
	sayAll(os.Stderr, "error: ", faults)
	sayAll(os.Stderr, "note: ", notes)
	if len(faults) > 0 {
		return fault.Errorf(fault.Invalid, "the document has %s; nothing was changed", several(len(faults), "fault"))
	}
	return nil
}

func sayAll(out io.Writer, before string, sentences []string) {
	for _, sentence := range sentences {
		say(out, "%s%s", before, sentence)
	}
}

func readPolicy(file string) (string, error) {
	in := os.Stdin
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return "", fault.Errorf(fault.NotFound, "the document cannot be read: %w", err)
		}
		defer opened.Close()
		in = opened
	}
	text, err := io.ReadAll(io.LimitReader(in, policies.MaxBytes+1))
	if err != nil {
		return "", fault.Errorf(fault.Unavailable, "read the document: %w", err)
	}
	return string(text), nil
}

type policyHistoryCmd struct {
	connection
}

// Run lists the versions.
func (c policyHistoryCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		list, err := client.ListPolicyVersions(ctx, apiclient.ListPolicyVersionsParams{})
		if err != nil {
			return err
		}
		if len(list) == 0 {
			say(os.Stdout, "There is no policy yet; the defaults hold.")
			return nil
		}
		return table(os.Stdout, "VERSION\tCHANGED\tBY\tACCOUNTS TRANSFERRED", list, func(v apiclient.PolicyVersion) []any {
			return []any{v.Version, v.At.Format(time.RFC3339), v.By, strings.Join(v.Transfers, ", ")}
		})
	})
}

type policyLinksCmd struct {
	connection
}

// Run lists the links.
func (c policyLinksCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		list, err := client.ListIdentityLinks(ctx)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			say(os.Stdout, "No name of identityLinks has an account.")
			return nil
		}
		return table(os.Stdout, "NAME\tACCOUNT\tCONVERSATIONS\tIDS", list, func(l apiclient.IdentityLink) []any {
			return []any{l.Name, l.Account, l.Conversations, strings.Join(l.Ids, ", ")}
		})
	})
}

type policyUnlinkCmd struct {
	connection

	Name string `arg:"" help:"Name in identityLinks."`
}

// Run removes a link.
func (c policyUnlinkCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		err := client.RemoveIdentityLink(ctx, apiclient.RemoveIdentityLinkParams{Name: c.Name})
		if err == nil {
			say(os.Stdout, "%q has no account any more. The former account keeps its conversations.", c.Name)
		}
		return err
	})
}
