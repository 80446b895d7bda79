package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/tool"
	toolservice "xbot/internal/tool/service"
	"xbot/internal/tool/toolset"
)

// house has one service, and an inbox.
type house struct {
	has  service.Definition
	told bool
	err  error
	got  []service.Contact
}

func (h *house) Service(_ context.Context, id string) (service.Service, error) {
	if id != "svc_0a1b2c3d" {
		return service.Service{}, fault.Errorf(fault.NotFound, "there is no service %q", id)
	}
	return service.Service{ID: id, Definition: h.has}, nil
}

func (h *house) ContactAdmin(_ context.Context, c service.Contact) (service.Contacted, error) {
	h.got = append(h.got, c)
	return service.Contacted{ID: "inbox_0a1b2c3d", Told: h.told}, h.err
}

var consumer = service.SessionKey("svc_0a1b2c3d", "0123456789")

func TestSource_OnlyConsumersOfAServiceWithTheCapabilityHaveTheTool(t *testing.T) {
	t.Parallel()
	with := service.Definition{Capabilities: []service.Capability{service.HumanChat}}
	for name, c := range map[string]struct {
		has  service.Definition
		at   chat.SessionKey
		want int
	}{
		"a consumer":               {with, consumer, 2},
		"without the capability":   {service.Definition{}, consumer, 1},
		"the house":                {with, "agent:main:web:thread:t", 0},
		"the inbox of the service": {with, service.InboxSession("svc_0a1b2c3d", 7), 0},
		"another service":          {with, service.SessionKey("svc_00000000", "0123456789"), 0},
		"where rules are written":  {with, "", 0},
	} {
		h := &house{has: c.has}
		found, err := toolservice.NewSource(h, h, toolservice.NewOwn(nil, nil)).Tools(t.Context(), toolset.Place{Session: c.at})
		require.NoError(t, err)
		require.Equal(t, []string{toolservice.OwnName, toolservice.ContactName}[:c.want], names(found), name)
	}
}

func names(tools []tool.Tool) []string {
	out := []string{}
	for _, t := range tools {
		out = append(out, t.Spec().Name)
	}
	return out
}

func TestContact_SaysWhetherTheAdministratorIsTold(t *testing.T) {
	t.Parallel()
	h := &house{told: true}
	call := tool.Call{ID: "t1.0.0", Session: consumer, Arguments: `{"message":"a refund"}`}
	got, err := toolservice.NewContact(h).Run(t.Context(), call)
	require.NoError(t, err)
	require.Contains(t, got.Content, "is being told in their chat")
	require.Equal(t, []service.Contact{{Session: consumer, Call: "t1.0.0", Message: "a refund"}}, h.got)
	h.told = false
	got, err = toolservice.NewContact(h).Run(t.Context(), call)
	require.NoError(t, err)
	require.Contains(t, got.Content, "when they look into their inbox")
	h.err = fault.Errorf(fault.RateLimited, "10 messages were sent")
	got, err = toolservice.NewContact(h).Run(t.Context(), call)
	require.NoError(t, err)
	require.True(t, got.IsError)
	require.Contains(t, got.Content, "Not sent: 10 messages were sent")
	h.err = fault.Errorf(fault.Unavailable, "the database is away")
	_, err = toolservice.NewContact(h).Run(t.Context(), call)
	require.Error(t, err, "which is tried again")
}
