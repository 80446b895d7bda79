package oidc

import (
	"context"
	"fmt"
	"slices"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// admit returns the user of an identity, with the role that its groups give, or the problem.
func (s *SignOn) admit(ctx context.Context, who person) (users.User, string, error) {
	if allowed := s.Settings.AllowedGroups; len(allowed) > 0 && !shared(who.Groups, allowed) {
		return users.User{}, problemDenied, fault.Errorf(fault.Denied, "%q is in none of the groups that may come (XBOT_OIDC_ALLOWED_GROUPS)", who.Name)
	}
	// The account of the identity is the issuer, the peer the subject.
	user, err := s.Accounts.Meet(ctx, users.ChannelSignOn, s.Settings.Issuer, chat.Peer{ID: who.Subject, Name: who.Name})
	if err != nil {
		return users.User{}, problemFailed, fmt.Errorf("find the user of %q: %w", who.Name, err)
	}
	if user.Disabled {
		return users.User{}, problemDisabled, fault.Errorf(fault.Denied, "the account of %s is disabled", user.Name)
	}
	if err := s.setRole(ctx, user, who.Groups); err != nil {
		return users.User{}, problemFailed, fmt.Errorf("give %s the role of their groups: %w", user.Name, err)
	}
	return user, "", nil
}

// setRole gives a user the role that their groups define, where any group makes administrators. The last administrator stays one.
func (s *SignOn) setRole(ctx context.Context, user users.User, groups []string) error {
	if len(s.Settings.AdminGroups) == 0 {
		return nil
	}
	role, admin := users.RoleMember, shared(groups, s.Settings.AdminGroups)
	if admin {
		role = users.RoleAdmin
	}
	if admin == user.Admin {
		return nil
	}
	err := s.Accounts.SetRole(ctx, user.ID, role)
	if fault.Is(err, fault.Conflict) {
		s.Log.Warn("the last administrator stays one, though in no group of administrators any more", "user", user.Name)
		return nil
	}
	return err
}

func shared(a, b []string) bool {
	return slices.ContainsFunc(a, func(one string) bool { return slices.Contains(b, one) })
}
