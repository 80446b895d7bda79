package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"xbot/ingress/auth"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/user/links"
	"xbot/internal/user/users"
	"xbot/server"
)

type userCmd struct {
	List    userListCmd    `cmd:"" help:"List the people of this installation."`
	Add     userAddCmd     `cmd:"" help:"Add a person and print a link that signs them in once."`
	Invite  userInviteCmd  `cmd:"" help:"Print a link by which people make accounts of their own."`
	Role    userRoleCmd    `cmd:"" help:"Make a person an administrator or a member."`
	Disable userDisableCmd `cmd:"" help:"Shut a person out at once: sign them out, revoke their tokens and runners, stop what runs for them."`
	Enable  userEnableCmd  `cmd:"" help:"Let a person in again."`
	Delete  userDeleteCmd  `cmd:"" help:"Delete a person with all that they have. It cannot be taken back."`
	Unlink  userUnlinkCmd  `cmd:"" help:"List the identities of a person on channels, or unlink one: it becomes an account of its own."`
	Passwd  userPasswdCmd  `cmd:"" help:"Remove a user's password, sign out their browsers, and print a link for choosing a new one."`
}

type userListCmd struct{}

// Run lists users.
func (userListCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, _ config.Serve) error {
		people, err := s.Users.Accounts(ctx)
		if err != nil {
			return err
		}
		return table(os.Stdout, "NAME\tROLE\tSTATE\tCONVERSATIONS\tLAST SEEN\tCHANNELS", people, func(p users.Account) []any {
			state, seen, on := "active", "never", "-"
			switch {
			case p.DeletingSince != nil:
				state = "being deleted"
			case p.DisabledAt != nil:
				state = "disabled"
			}
			if p.SeenAt != nil {
				seen = p.SeenAt.Format(time.RFC3339)
			}
			if len(p.Channels) > 0 {
				on = strings.Join(p.Channels, ",")
			}
			return []any{p.Name, p.Role, state, p.Conversations, seen, on}
		})
	})
}

type userAddCmd struct {
	Name string `arg:"" help:"What they sign in with."`
	Role string `enum:"admin,member" default:"member" help:"What they are: ${enum}."`
}

// Run adds a user.
func (c userAddCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		user, err := s.Users.CreateUser(ctx, c.Name, c.Role)
		if err != nil {
			return err
		}
		return printLink(ctx, s, user, server.PeopleURL(cfg))
	})
}

func printLink(ctx context.Context, s *store.Store, user users.User, base string) error {
	link, err := (&auth.Auth{Accounts: s.Users}).NewLink(ctx, user.ID, base)
	if err == nil {
		fmt.Println(link)
	}
	return err
}

type userInviteCmd struct {
	Note string `help:"Whom it is for."`
	Role string `enum:"admin,member" default:"member" help:"What those are who come by it: ${enum}."`
	Uses int    `default:"1" help:"How many people may come by it."`
	Days int    `default:"7" help:"How many days it is good."`
}

// Run prints an invitation.
func (c userInviteCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		token, hash := secret.NewToken()
		invite := users.Invite{Note: c.Note, Role: c.Role, Uses: c.Uses, ExpiresAt: time.Now().AddDate(0, 0, c.Days)}
		if _, err := s.Users.AddInvite(ctx, invite, nil, hash); err != nil {
			return err
		}
		fmt.Println(strings.TrimRight(server.PeopleURL(cfg), "/") + auth.JoinPath + token)
		return nil
	})
}

// ofPerson names a user.
type ofPerson struct {
	Name string `arg:"" help:"Name of the person."`
}

type userRoleCmd struct {
	ofPerson

	Role string `arg:"" enum:"admin,member" help:"What they are from now on: ${enum}."`
}

// Run changes a role.
func (c userRoleCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(s *store.Store, u users.User) error { return s.Users.SetRole(ctx, u.ID, c.Role) })
}

type userDisableCmd struct{ ofPerson }

// Run disables a user.
func (c userDisableCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(s *store.Store, u users.User) error { return s.Users.Disable(ctx, u.ID, nil) })
}

type userEnableCmd struct{ ofPerson }

// Run enables a user again.
func (c userEnableCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(s *store.Store, u users.User) error { return s.Users.Enable(ctx, u.ID) })
}

type userDeleteCmd struct {
	ofPerson

	Yes bool `help:"Do not ask."`
}

// Run has a user deleted: the server does it, at once or when it runs again.
func (c userDeleteCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(s *store.Store, u users.User) error {
		if !c.Yes {
			if err := typed(c.Name); err != nil {
				return err
			}
		}
		if err := s.Users.Delete(ctx, u.ID, nil); err != nil {
			return err
		}
		fmt.Printf("%s is shut out. The server deletes what they have; \"xbot user list\" shows how far it is.\n", c.Name)
		return nil
	})
}

// typed asks to type the name of the user to delete.
func typed(name string) error {
	fmt.Printf("This deletes %s with all conversations, memory, schedules, triggers, keys and files of theirs that xbot keeps.\nType the name to go on: ", name)
	line, _ := bufio.NewReader(os.Stdin).ReadString('\n') // an end without a line is no name
	if strings.TrimSpace(line) != name {
		return fault.Errorf(fault.Invalid, "that is not %q; nothing was deleted. Without a terminal give --yes", name)
	}
	return nil
}

type userPasswdCmd struct {
	ofPerson

	RevokeTokens bool `help:"Also revoke their access tokens."`
}

// Run replaces a password by a link.
func (c userPasswdCmd) Run(ctx context.Context) error {
	return withStore(ctx, func(s *store.Store, cfg config.Serve) error {
		user, err := s.Users.UserByName(ctx, c.Name)
		if err != nil {
			return err
		}
		if err := s.Users.MayEnter(ctx, user.ID); err != nil {
			return err
		}
		if err := forgetPassword(ctx, s, user, c.RevokeTokens); err != nil {
			return err
		}
		return printLink(ctx, s, user, server.PeopleURL(cfg))
	})
}

// forgetPassword removes the password of a user, ends their logins and sign-in links, and prints how many access tokens remain.
func forgetPassword(ctx context.Context, s *store.Store, user users.User, revokeTokens bool) error {
	if err := s.Users.SetPassword(ctx, user.ID, "", users.PasswordEffect{RevokeTokens: revokeTokens}); err != nil {
		return err
	}
	tokens, err := s.Users.Tokens(ctx, user.ID)
	if err == nil && len(tokens) > 0 {
		fmt.Fprintf(os.Stderr, "%d access tokens of %s remain valid; --revoke-tokens revokes them.\n", len(tokens), user.Name)
	}
	return err
}

type userUnlinkCmd struct {
	ofPerson

	Identity string `arg:"" optional:"" help:"Identity as it is listed; default: list them."`
}

// Run unlinks an identity.
func (c userUnlinkCmd) Run(ctx context.Context) error {
	return c.on(ctx, func(s *store.Store, u users.User) error {
		all, err := s.Links.Identities(ctx, u.ID)
		if err != nil {
			return err
		}
		for _, one := range all {
			switch {
			case c.Identity == "":
				fmt.Println(one)
			case c.Identity == one.String():
				got, err := s.Links.Unlink(ctx, links.Link{User: u.ID, Channel: one.Channel, Account: one.Account, Peer: one.Peer})
				if err == nil {
					fmt.Printf("%s is not linked to %s any more. Conversations that moved with it: %d.\n", one, u.Name, got.Moved)
				}
				return err
			}
		}
		if c.Identity != "" {
			return fault.Errorf(fault.NotFound, "%s has no identity %q; \"xbot user unlink %s\" lists them", u.Name, c.Identity, u.Name)
		}
		return nil
	})
}

// on opens the database and finds the user.
func (o ofPerson) on(ctx context.Context, do func(*store.Store, users.User) error) error {
	return withStore(ctx, func(s *store.Store, _ config.Serve) error {
		user, err := s.Users.UserByName(ctx, o.Name)
		if err != nil {
			return err
		}
		return do(s, user)
	})
}
