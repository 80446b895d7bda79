package settings

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/ingress/channels"
	"xbot/internal/channel"
	"xbot/internal/channel/accounts"
	"xbot/internal/chat"
)

// Channels has the dependencies of the endpoints of channels.
type Channels struct {
	Accounts *accounts.Store
	Live     *channel.Live
	Trial    *channels.Trial
}

// ChannelList is the platforms that there are, and the accounts that are configured.
type ChannelList struct {
	Kinds    []chat.ChannelKind    `json:"kinds"`
	Accounts []chat.ChannelAccount `json:"accounts"`
}

// ChannelDraft is the new configuration of an account.
type ChannelDraft struct {
	Settings map[string]string `json:"settings" doc:"All settings, by name. An empty or omitted secret keeps its stored value."`
	Forget   []string          `json:"forget,omitempty" maxItems:"50" doc:"Names of secrets to remove."`
	Revision int64             `json:"revision,omitempty" minimum:"0" doc:"Revision of the account that the change is based on; 0: a new account."`
}

// ChannelChange is a draft that is put in force.
type ChannelChange struct {
	ChannelDraft

	Enabled bool `json:"enabled"`
}

// ChannelFaults lists the faults of a draft.
type ChannelFaults struct {
	Faults []chat.ChannelFault `json:"faults" doc:"Empty: it can be saved."`
}

// ChannelTest is the result of a test, step by step.
type ChannelTest struct {
	Passed   bool                  `json:"passed" doc:"Nothing has failed and nothing is missing; what was not tested does not count."`
	Findings []chat.ChannelFinding `json:"findings"`
}

// ChannelName names the account of a request.
type ChannelName struct {
	Channel string `path:"channel" maxLength:"64" doc:"The platform, such as feishu."`
	Account string `query:"account" maxLength:"64" doc:"Name of the account; empty: the one without a name."`
}

type (
	channelChangeInput struct {
		ChannelName

		Body ChannelChange
	}
	channelDraftInput struct {
		ChannelName

		Body ChannelDraft
	}
	channelEnableInput struct {
		ChannelName

		Body struct {
			Enabled bool `json:"enabled"`
		}
	}
	channelTestInput struct {
		ChannelName

		Body struct {
			To string `json:"to,omitempty" maxLength:"256" doc:"Recipient of the test message: a user's ID on the platform, group:ID, channel:ID, or last for the last sender in a direct chat. Empty: none is sent."`
		}
	}
	channelAccountBody struct{ Body chat.ChannelAccount }
)

// maxChannelBody bounds a request with settings, in bytes.
const maxChannelBody = 64 << 10

func (a *Endpoints) registerChannels(h huma.API) {
	const what = "For administrators. Secrets are never returned."
	huma.Register(h, huma.Operation{
		OperationID: "list-channels", Method: http.MethodGet, Path: "/api/channels", Summary: "List the platforms and the state of their bots", Description: what, Security: endpoint.Secured,
	}, a.listChannels)
	huma.Register(h, huma.Operation{
		OperationID: "set-channel", Method: http.MethodPut, Path: "/api/channels/{channel}", Summary: "Create or update an account",
		Description: "All processes apply the change within a second. 409: the account was created or changed in the meantime; 403: the environment sets it; 422 lists all validation errors. " + what,
		Security:    endpoint.Secured, MaxBodyBytes: maxChannelBody,
	}, a.setChannel)
	huma.Register(h, huma.Operation{
		OperationID: "enable-channel", Method: http.MethodPatch, Path: "/api/channels/{channel}", Summary: "Enable or disable an account", Description: what, Security: endpoint.Secured,
	}, a.enableChannel)
	huma.Register(h, huma.Operation{
		OperationID: "delete-channel", Method: http.MethodDelete, Path: "/api/channels/{channel}", Summary: "Remove an account",
		Description: "Waiting deliveries of the account fail; conversations are kept. " + what, DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, a.deleteChannel)
	huma.Register(h, huma.Operation{
		OperationID: "check-channel", Method: http.MethodPost, Path: "/api/channels/{channel}/check", Summary: "Validate settings",
		Description: "The platform is not called, and nothing is saved. " + what, Security: endpoint.Secured, MaxBodyBytes: maxChannelBody,
	}, a.checkChannel)
	huma.Register(h, huma.Operation{
		OperationID: "test-channel", Method: http.MethodPost, Path: "/api/channels/{channel}/test", Summary: "Test an account: credentials, permissions, connection, and a message if a recipient is given",
		Description: "It takes up to 20 seconds. " + what, Security: endpoint.Secured,
	}, a.testChannel)
}

func (a *Endpoints) listChannels(ctx context.Context, _ *struct{}) (*struct{ Body ChannelList }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	all, err := a.Channels.Accounts.View(ctx)
	if err != nil {
		return nil, a.Problem(err)
	}
	kinds, err := a.Channels.Accounts.Kinds(ctx)
	return &struct{ Body ChannelList }{ChannelList{Kinds: kinds, Accounts: all}}, a.Problem(err)
}

func (in ChannelDraft) of(n ChannelName) accounts.Draft {
	return accounts.Draft{Channel: n.Channel, Account: n.Account, Settings: in.Settings, Forget: in.Forget, Revision: in.Revision}
}

func (a *Endpoints) setChannel(ctx context.Context, in *channelChangeInput) (*channelAccountBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	draft := in.Body.of(in.ChannelName)
	draft.Enabled = in.Body.Enabled
	err := a.Channels.Accounts.Save(ctx, draft, auth.User(ctx).ID)
	if refusal, ok := errors.AsType[*accounts.Refusal](err); ok {
		return nil, refusedChannel(refusal)
	}
	return a.changedChannel(ctx, in.ChannelName, "channel set", err)
}

func (a *Endpoints) enableChannel(ctx context.Context, in *channelEnableInput) (*channelAccountBody, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	err := a.Channels.Accounts.Enable(ctx, in.Channel, in.Account, in.Body.Enabled, auth.User(ctx).ID)
	return a.changedChannel(ctx, in.ChannelName, "channel switched", err)
}

func (a *Endpoints) changedChannel(ctx context.Context, n ChannelName, event string, err error) (*channelAccountBody, error) {
	if err != nil {
		return nil, a.Problem(err)
	}
	a.Channels.Live.Refresh()
	a.Log.Info(event, "channel", channel.Name(n.Channel, n.Account), "user", auth.User(ctx).Name)
	now, err := a.Channels.Accounts.ViewOf(ctx, n.Channel, n.Account)
	return &channelAccountBody{now}, a.Problem(err)
}

func (a *Endpoints) deleteChannel(ctx context.Context, in *ChannelName) (*struct{}, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	if err := a.Channels.Accounts.Delete(ctx, in.Channel, in.Account); err != nil {
		return nil, a.Problem(err)
	}
	a.Channels.Live.Refresh()
	a.Log.Info("channel removed", "channel", channel.Name(in.Channel, in.Account), "user", auth.User(ctx).Name)
	return nil, nil
}

func (a *Endpoints) checkChannel(ctx context.Context, in *channelDraftInput) (*struct{ Body ChannelFaults }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	faults, err := a.Channels.Accounts.Check(ctx, in.Body.of(in.ChannelName))
	if err != nil {
		return nil, a.Problem(err)
	}
	if faults == nil {
		faults = []chat.ChannelFault{}
	}
	return &struct{ Body ChannelFaults }{ChannelFaults{faults}}, nil
}

func (a *Endpoints) testChannel(ctx context.Context, in *channelTestInput) (*struct{ Body ChannelTest }, error) {
	if err := a.AdminOnly(ctx); err != nil {
		return nil, err
	}
	found, err := a.Channels.Trial.Test(ctx, in.Channel, in.Account, in.Body.To)
	if err != nil {
		return nil, a.Problem(err)
	}
	out := ChannelTest{Passed: true, Findings: found}
	for _, f := range found {
		if f.State == chat.TestFailed || f.State == chat.TestMissing {
			out.Passed = false
		}
	}
	return &struct{ Body ChannelTest }{out}, nil
}

// refusedChannel names every fault of a draft.
func refusedChannel(r *accounts.Refusal) error {
	details := make([]error, len(r.Faults))
	for i, f := range r.Faults {
		details[i] = &huma.ErrorDetail{Message: f.Text, Location: "body.settings." + f.Option}
	}
	return huma.NewError(http.StatusUnprocessableEntity, r.Error(), details...)
}
