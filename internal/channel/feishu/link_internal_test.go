package feishu

import (
	"encoding/json"
	"io"
	"testing"

	larkws "github.com/larksuite/oapi-sdk-go/v3/ws"
	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// Without a pause between pings the library makes none.
func TestBootstrap_TheLibraryAlwaysSeesAPauseBetweenPings(t *testing.T) {
	for name, c := range map[string]struct {
		config string
		want   int
	}{
		"nothing is said":    {`null`, 120},
		"no pause":           {`{"ReconnectCount":-1}`, 120},
		"one of nothing":     {`{"PingInterval":0}`, 120},
		"one before":         {`{"PingInterval":-5}`, 120},
		"one without an end": {`{"PingInterval":1e18}`, 120},
		"one that is none":   {`{"PingInterval":"soon"}`, 120},
		"part of a second":   {`{"PingInterval":0.1}`, 1},
		"a pause":            {`{"PingInterval":90}`, 90},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := rewritten([]byte(`{"code":0,"data":{"URL":"wss://x.example/ws?service_id=1","ClientConfig":` + c.config + `}}`))
			require.NoError(t, err)
			raw, err := io.ReadAll(body)
			require.NoError(t, err)
			var seen larkws.EndpointResp
			require.NoError(t, json.Unmarshal(raw, &seen))
			require.Equal(t, "wss://x.example/ws?service_id=1", seen.Data.Url)
			require.Equal(t, c.want, seen.Data.ClientConfig.PingInterval)
		})
	}
}

func TestBootstrap_WhatIsNoAddressIsNotDialledAndNotShown(t *testing.T) {
	for _, address := range []string{"", "https://x.example/ws?ticket=hidden", "wss:///ws?ticket=hidden", "%zz?ticket=hidden"} {
		_, err := rewritten([]byte(`{"code":0,"data":{"URL":"` + address + `"}}`))
		require.True(t, fault.Is(err, fault.Unavailable), address)
		require.NotContains(t, err.Error(), "hidden")
	}
}

func TestBroken_OnlyARefusalOfThePlatformEndsTheAccount(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"the platform refuses":      {larkws.NewClientError(larkws.Forbidden, "not your app"), fault.Denied},
		"something on the way does": {larkws.NewClientError(larkws.Forbidden, ""), fault.Unavailable},
		"too many connections":      {larkws.NewClientError(larkws.AuthFailed, "exceed"), fault.Unavailable},
		"the ticket has ended":      {larkws.NewServerError(larkws.AuthFailed, "expired"), fault.Unavailable},
		"the connection broke":      {io.ErrUnexpectedEOF, fault.Unavailable},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, fault.KindOf(broken(c.err))) })
	}
}
