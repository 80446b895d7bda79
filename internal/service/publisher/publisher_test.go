package publisher_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/llm/catalogue"
	"xbot/internal/service"
	"xbot/internal/service/publisher"
)

// shelf is a catalogue, and rows that keep one service.
type shelf struct {
	kept service.Service
}

func (shelf) Get(context.Context, chat.UserID) (catalogue.Catalogue, error) {
	return catalogue.Catalogue{Entries: []catalogue.Entry{{ID: "openai/gpt-5"}, {ID: "openai/gpt-5-mini"}, {ID: "anthropic/claude-sonnet-5"}}}, nil
}

func (s *shelf) Service(context.Context, string) (service.Service, error) { return s.kept, nil }

func (s *shelf) AddService(_ context.Context, admin chat.UserID, d service.Definition, published bool) (service.Service, error) {
	s.kept = service.Service{ID: service.NewID(), Admin: admin, Definition: d, Published: published}
	return s.kept, nil
}

func (s *shelf) ChangeService(_ context.Context, _ string, _ int64, p service.Patch) (_ service.Service, err error) {
	s.kept.Definition, err = s.kept.Apply(p)
	return s.kept, err
}

func (*shelf) PromptVersion(context.Context, chat.UserID, string, int) (v chat.PromptVersion, err error) {
	return v, fault.Errorf(fault.NotFound, "none")
}

func (*shelf) ProfileVersion(context.Context, chat.UserID, int) (v chat.ProfileVersion, err error) {
	return v, fault.Errorf(fault.NotFound, "none")
}

func TestDesk_AModelIsOneThatTheAdministratorMayChooseAndNearOnesAreNamed(t *testing.T) {
	t.Parallel()
	d := publisher.Publisher{Memory: &shelf{}, Prompts: &shelf{}, Services: &shelf{}, Models: shelf{}}
	for word, want := range map[string]string{"": "", "openai/gpt-5": "openai/gpt-5", "openai:gpt-5": "openai/gpt-5", "sonnet": "anthropic/claude-sonnet-5"} {
		made, err := d.Add(t.Context(), 1, service.Patch{Name: new("x"), Model: &word})
		require.NoError(t, err, word)
		require.Equal(t, want, made.Model)
		require.True(t, made.Published)
	}
	for word, near := range map[string]string{"openai": "openai/gpt-5, openai/gpt-5-mini: name one", "openai/gpt-6": "near ones are openai/gpt-5,", "antropic/claude": "anthropic/claude-sonnet-5"} {
		_, err := d.Add(t.Context(), 1, service.Patch{Name: new("x"), Model: &word})
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.ErrorContains(t, err, near)
	}
}

func TestDesk_ANameOfAVersionThatIsNotThereIsAWrongDefinition(t *testing.T) {
	t.Parallel()
	rows := &shelf{}
	d := publisher.Publisher{Memory: rows, Prompts: rows, Services: rows, Models: shelf{}}
	_, err := d.Add(t.Context(), 1, service.Patch{Name: new("x"), Published: new(false)})
	require.NoError(t, err)
	require.False(t, rows.kept.Published)
	_, err = d.Change(t.Context(), rows.kept.ID, 0, service.Patch{PromptVersion: new(3)})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = d.Change(t.Context(), rows.kept.ID, 0, service.Patch{ProfileVersion: new(3)})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	_, err = d.Change(t.Context(), rows.kept.ID, 0, service.Patch{PromptVersion: new(0)})
	require.NoError(t, err, "that in force")
}

func TestLink_HasTheKeyWhereNoServerSeesIt(t *testing.T) {
	t.Parallel()
	require.Equal(t, "https://x.example/s/svc_0a1b2c3d", publisher.Link("https://x.example/", "svc_0a1b2c3d", ""))
	require.Equal(t, "/s/svc_0a1b2c3d#key=sk-svc-1", publisher.Link("", "svc_0a1b2c3d", "sk-svc-1"))
}
