package resolver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/resolver"
)

// people is what two users chose: 1 is an administrator, 2 a member who made the runner "laptop".
type people struct {
	active map[chat.UserID]string
	sole   string
}

func (p people) RunnerChoice(_ context.Context, user chat.UserID, asked string) (chat.RunnerChoice, error) {
	name := asked
	if name == "" {
		name = p.active[user]
	}
	return chat.RunnerChoice{Name: name, Known: user == 2 && name == "laptop", Sole: p.sole, Admin: user == 1}, nil
}

// engine supplies containers, and notes for whom.
type engine struct{ wanted []chat.UserID }

func (e *engine) Enabled() bool { return true }
func (e *engine) Want(_ context.Context, user chat.UserID) error {
	e.wanted = append(e.wanted, user)
	return nil
}

func TestName_IsTheFirstThatApplies(t *testing.T) {
	const alice, bob = chat.UserID(1), chat.UserID(2)
	for name, c := range map[string]struct {
		user   chat.UserID
		asked  string
		active string
		sole   string
		docker bool
		want   string // or what the refusal says
		denied bool
	}{
		"the session's before the active one":            {user: bob, asked: "laptop", active: "gone", want: "laptop"},
		"the active one before the container":            {user: bob, active: "laptop", docker: true, want: "laptop"},
		"the container by default":                       {user: bob, docker: true, want: resolver.Container},
		"the container by default for an administrator":  {user: alice, docker: true, want: resolver.Container},
		"the host by default for an administrator":       {user: alice, want: resolver.Local},
		"the host if an administrator asks for it":       {user: alice, active: resolver.Local, docker: true, want: resolver.Local},
		"nothing by default for a member":                {user: bob, want: "Connect a runner of your own", denied: true},
		"the only one of a member's own":                 {user: bob, sole: "laptop", want: "laptop"},
		"the container before the only one":              {user: bob, sole: "laptop", docker: true, want: resolver.Container},
		"the host before an administrator's only one":    {user: alice, sole: "laptop", want: resolver.Local},
		"never the only one instead of one that is gone": {user: bob, active: "gone", sole: "laptop", want: "no runner gone any more", denied: true},
		"never the host for a member who asks for it":    {user: bob, asked: resolver.Local, want: "for administrators", denied: true},
		"never the host for a member who made it active": {user: bob, active: resolver.Local, docker: true, want: "for administrators", denied: true},
		"no container where there is none":               {user: alice, asked: resolver.Container, want: "runs no containers", denied: true},
		"nothing instead of a runner that is gone":       {user: alice, active: "gone", docker: true, want: "no runner gone any more", denied: true},
		"nothing instead of somebody else's":             {user: alice, asked: "laptop", want: "no runner laptop any more", denied: true},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := resolver.Config{Choices: people{active: map[chat.UserID]string{c.user: c.active}, sole: c.sole}}
			if c.docker {
				cfg.Docker = &engine{}
			}
			got, err := resolver.New(cfg).Name(t.Context(), c.user, c.asked)
			if c.denied {
				require.Equal(t, fault.Denied, fault.KindOf(err))
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// outside are services and their consumers.
type outside struct{}

func (outside) RunnerChoice(_ context.Context, _ chat.UserID, asked string) (chat.RunnerChoice, error) {
	return chat.RunnerChoice{Name: asked, Known: true, Sole: "laptop", Admin: true, Outside: true}, nil
}

func TestName_AConsumerOfAServiceHasNoMachine(t *testing.T) {
	for _, asked := range []string{"", "laptop", resolver.Local, resolver.Container} {
		docker := &engine{}
		r := resolver.New(resolver.Config{Choices: outside{}, Router: sandbox.NewRouter(sandbox.RouterConfig{}), Docker: docker})
		_, err := r.Box(t.Context(), 7, asked)
		require.Equal(t, fault.Denied, fault.KindOf(err), asked)
		_, err = r.Seen(t.Context(), 7, asked)
		require.Equal(t, fault.Denied, fault.KindOf(err), asked)
		require.Empty(t, docker.wanted, "no container is made for them")
	}
}

func TestBox_AsksForTheContainerOfItsUser(t *testing.T) {
	docker := &engine{}
	router := sandbox.NewRouter(sandbox.RouterConfig{})
	r := resolver.New(resolver.Config{Choices: people{}, Router: router, Docker: docker})
	box, err := r.Box(t.Context(), 2, "")
	require.NoError(t, err)
	require.Equal(t, resolver.Container, box.Name(), "what a call is noted under")
	require.Equal(t, []chat.UserID{2}, docker.wanted)

	again, err := r.Box(t.Context(), 2, resolver.Container)
	require.NoError(t, err)
	require.Same(t, box, again)
	other, err := r.Box(t.Context(), 1, "")
	require.NoError(t, err)
	require.NotSame(t, box, other, "each user has their own")
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"a", "0", "my-laptop.home_2", strings.Repeat("a", 128)} {
		require.NoError(t, resolver.CheckName(name), name)
	}
	for _, name := range []string{"", "A", "-a", ".a", "_a", "a b", "a/b", "größe", "a\n", strings.Repeat("a", 129), resolver.Local, resolver.Container} {
		require.Equal(t, fault.Invalid, fault.KindOf(resolver.CheckName(name)), "%q", name)
	}
}

func TestID_IsUniqueOnTheServer(t *testing.T) {
	require.NotEqual(t, resolver.ID(1, "laptop"), resolver.ID(2, "laptop"))
	require.Equal(t, resolver.ID(1, resolver.Local), resolver.ID(2, resolver.Local), "there is one host")
}
