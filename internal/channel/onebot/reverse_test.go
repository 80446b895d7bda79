package onebot_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/channeltest"
	"xbot/internal/channel/onebot"
	ob "xbot/internal/channel/onebot/onebottest"
	"xbot/internal/channel/remote"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

func TestConformance_Reverse(t *testing.T) {
	lacks := map[channeltest.Ability]string{
		channeltest.Threads:     "QQ has none",
		channeltest.Editing:     "QQ has none",
		channeltest.Acks:        "OneBot tells events once and asks for nothing",
		channeltest.Delay:       "QQ gives no figures",
		channeltest.Credentials: "it is NapCat that shows the secret",
		channeltest.Reach:       "NapCat dials the process that receives, and no other",
	}
	for name, start := range map[string]func(t testing.TB) channeltest.Emulator{
		"dialled by NapCat": func(t testing.TB) channeltest.Emulator { return &dialling{napcat: newNapCat(t, ob.Options{})} },
		"and spoken through from beside": func(t testing.TB) channeltest.Emulator {
			return &dialling{napcat: newNapCat(t, ob.Options{}), apart: true}
		},
	} {
		t.Run(name, func(t *testing.T) {
			channeltest.Run(t, channeltest.Platform{Channel: onebot.Name, Start: start, Lacks: lacks})
		})
	}
}

// dialling drives an emulator whose client dials the account.
type dialling struct {
	*napcat
	apart bool // another process sends than the one that NapCat has dialled
}

func (d *dialling) openReverse(t testing.TB) channel.ConnectedAccount {
	t.Helper()
	given := map[string]string{"mode": "reverse", "token": "secret", "send_pause": "0s"}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	a, err := onebot.Driver().Open(channeltest.Account, given, channel.Resources{HTTP: &http.Client{Transport: transport}, Memory: d.kept})
	require.NoError(t, err)
	return a.(channel.ConnectedAccount)
}

func (d *dialling) Open(t testing.TB) channel.Account {
	t.Helper()
	here := &dialled{ConnectedAccount: d.openReverse(t), d: d}
	if !d.apart {
		return here
	}
	beside := throughProcess(t, here, d.openReverse(t))
	return &split{ConnectedAccount: beside, runs: here}
}

// throughProcess is an account that is opened in a process beside the one that holds the connection of another.
func throughProcess(t testing.TB, holder, opened channel.Account) channel.ConnectedAccount {
	t.Helper()
	server := httptest.NewServer(remote.Handler(only{holder}))
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	accounts := &remote.Accounts{Live: only{opened}, Holders: address(server.URL), HTTP: &http.Client{Transport: transport}, Key: secret.Key{1}}
	a, err := accounts.Account(t.Context(), onebot.Name, channeltest.Account)
	require.NoError(t, err)
	return a.(channel.ConnectedAccount)
}

// only is a process with one account.
type only struct{ account channel.Account }

func (o only) Account(context.Context, string, string) (channel.Account, error) {
	return o.account, nil
}

// address is where the holder of every account is.
type address string

func (a address) ChannelHolder(context.Context, string, string) (string, error) {
	return string(a), nil
}

// dialled is an account that NapCat dials while it runs.
type dialled struct {
	channel.ConnectedAccount

	d *dialling
}

// Run serves the account's handler until ctx ends.
func (a *dialled) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	server := httptest.NewServer(a.ConnectedAccount.(channel.Webhook).Webhook(to, report))
	defer server.Close()
	defer a.d.Dial(ob.Client{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Token: "secret"})()
	return a.ConnectedAccount.Run(ctx, to, report)
}

// split receives in one process and speaks from another.
type split struct {
	channel.ConnectedAccount

	runs *dialled
}

// Run is the other process's.
func (s *split) Run(ctx context.Context, to channel.Receiver, report channel.Reporter) error {
	return s.runs.Run(ctx, to, report)
}

func TestHeld_AProcessWithoutAConnectionSaysSo(t *testing.T) {
	d := &dialling{napcat: newNapCat(t, ob.Options{})}
	holder := d.openReverse(t) // NapCat has not dialled it
	beside := throughProcess(t, holder, d.openReverse(t))
	_, err := beside.Send(t.Context(), channel.Address{ChatType: chat.ChatGroup, Chat: group}, channel.Message{Key: "k", Text: "x"})
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
	require.False(t, channel.Unknown(err), "it is certain that nothing was sent")
}
