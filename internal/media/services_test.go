package media_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/host/safehttp"
	"xbot/internal/media"
	"xbot/internal/media/mediatest"
	"xbot/internal/secret"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
)

// consumers makes a service with two keys, and a conversation of a consumer for each.
func (b *bench) consumers(limits service.LimitsPatch) (of service.Service, callers []media.Call) {
	b.t.Helper()
	ctx := b.t.Context()
	d, err := service.Defaults().Apply(service.Patch{Name: new("Shop"), Limits: &limits})
	require.NoError(b.t, err)
	of, err = b.store.Services.AddService(ctx, b.user.ID, d, true)
	require.NoError(b.t, err)
	for _, name := range []string{"one", "two"} {
		_, key, err := b.store.Services.AddServiceKey(ctx, of.ID, name)
		require.NoError(b.t, err)
		by, err := b.store.Services.CallerOf(ctx, secret.HashToken(key))
		require.NoError(b.t, err)
		c, err := b.store.Services.BeginConversation(ctx, servicestore.NewConversation{Caller: by, Source: service.SourceAPI, Title: "hello"})
		require.NoError(b.t, err)
		callers = append(callers, media.Call{Session: c.Session, User: c.User, Request: picture})
	}
	return of, callers
}

func (b *bench) by(c media.Call, id chat.CallID) error {
	c.ID = id
	_, err := b.Generate(b.t.Context(), c)
	return err
}

func TestGenerate_IsWithinTheLimitsOfAKeyAndOfItsService(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.quota = media.Quota{Units: 4}
	of, callers := b.consumers(service.LimitsPatch{PicturesPerDay: new(int64(7))})
	require.NoError(t, b.by(callers[0], "c1"))
	require.NoError(t, b.by(callers[0], "c2"))
	b.end(b.by(callers[0], "c3"), media.Failed, "a key of a service may generate 4 pictures a day")
	require.NoError(t, b.by(callers[1], "c4"), "the other key has its own limit")
	b.end(b.by(callers[1], "c5"), media.Failed, "this service may generate 7 pictures a day")
	b.end(b.by(callers[1], "c6"), media.Failed, "the limits of the service")
	require.NoError(t, b.by(media.Call{Session: session, User: b.user.ID, Request: picture}, "c7"), "its administrator is not bound by them")

	used, err := b.store.Media.UsageOfService(t.Context(), of.ID, of.CreatedAt.AddDate(0, 0, -1), of.CreatedAt.AddDate(0, 0, 2), false)
	require.NoError(t, err)
	require.Len(t, used, 1)
	require.EqualValues(t, 6, used[0].Units)
	require.InDelta(t, 3*(20*5+1000*30)/1e6, *used[0].Cost, 1e-9)
	require.Len(t, b.server.Requests(""), 4)
}

func TestGenerate_ALinkOfAProviderReachesNoAddressOfTheServersNetwork(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.access.Public = &http.Client{Transport: safehttp.NewTransport(safehttp.Allow{}), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	inside := mediatest.New(t)
	b.server.Answer("POST /v1/images/generations", func(w http.ResponseWriter, _ *http.Request) {
		mediatest.Say(w, http.StatusOK, map[string]any{"data": []any{map[string]string{"url": inside.URL + "/files/qwen.png"}}})
	})
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	b.end(err, media.Unknown, "not on the public internet")
	require.Empty(t, inside.Requests(""))
}
