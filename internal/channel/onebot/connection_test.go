package onebot_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot"
	ob "xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func TestRun_AWrongTokenEndsItReadably(t *testing.T) {
	for name, o := range map[string]ob.Options{"told as NapCat does": {Token: "secret"}, "told as OneBot says": {Token: "secret", Status401: true}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, o)
			a, i := openAccount(t, forwardTo(s, "wrong"), nil), &inbox{}
			err := a.Run(t.Context(), i, i)
			require.Equal(t, fault.Denied, fault.KindOf(err))
			require.ErrorContains(t, err, "refuses the token")
			require.NotContains(t, err.Error(), "wrong")
			require.Equal(t, err, i.last().Err)
			_, _, err = a.Check(t.Context())
			require.Equal(t, fault.Denied, fault.KindOf(err))
			require.Equal(t, 2, s.Dials(), "it is not tried again")
		})
	}
}

func TestRun_AnotherAccountThanConfiguredIsRefused(t *testing.T) {
	s := newServer(t, ob.Options{})
	given := forwardTo(s, "")
	given["self_id"] = "10002"
	a, i := openAccount(t, given, nil), &inbox{}
	err := a.Run(t.Context(), i, i)
	require.Equal(t, fault.Invalid, fault.KindOf(err))
	require.ErrorContains(t, err, "10001")
}

func TestRun_ConnectsAgainAndFetchesWhatItMissed(t *testing.T) {
	s := newServer(t, ob.Options{})
	_, i := connected(t, s)
	s.Say(ob.Person(ann), ann, ob.Text("before"))
	i.next(t, 1)
	s.Hold()
	s.Say(ob.Person(ann), ann, ob.Text("meanwhile"))
	s.Say(ob.Group(group), bob, ob.At(bot), ob.Text(" meanwhile, too"))
	s.Disconnect()
	s.Drop()
	require.Eventually(t, func() bool { return contains(i, "meanwhile") && contains(i, "meanwhile, too") }, patience, 5*time.Millisecond)
	s.Say(ob.Person(ann), ann, ob.Text("after"))
	require.Eventually(t, func() bool { return contains(i, "after") }, patience, 5*time.Millisecond)
	ids := map[string]string{}
	for _, e := range i.all() {
		if before, known := ids[e.Text]; known {
			require.Equal(t, before, e.ID, "repeated deliveries carry the same id")
		}
		ids[e.Text] = e.ID
	}
	require.Len(t, ids, 4)
	sound(t, s)
}

func contains(i *inbox, text string) bool {
	for _, e := range i.all() {
		if e.Text == text {
			return true
		}
	}
	return false
}

func TestRun_TheNextProcessFetchesWhatWasWrittenWhileNoneRan(t *testing.T) {
	for name, o := range map[string]ob.Options{"NapCat lists the chats": {}, "messages as strings": {Strings: true}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, o)
			kept := newMemory()
			s.SayAt(time.Now().Add(-time.Minute), ob.Person(bob), bob, ob.Text("long before the first start"))
			first := &inbox{}
			stop := run(t, openAccount(t, forwardTo(s, ""), kept), first)
			waitConnected(t, first)
			s.Say(ob.Person(ann), ann, ob.Text("one"))
			require.Equal(t, "one", first.next(t, 1).Text)
			require.NoError(t, stop())
			for n := range 80 {
				s.Say(ob.Group(group), ann, ob.At(bot), ob.Text(fmt.Sprint(n)))
			}
			second := &inbox{}
			run(t, openAccount(t, forwardTo(s, ""), kept), second)
			require.Eventually(t, func() bool { return contains(second, "79") && contains(second, "0") }, patience, 5*time.Millisecond)
			next := 0
			for _, e := range second.all() {
				if e.ChatType == "group" {
					require.Equal(t, fmt.Sprint(next), e.Text, "in their order")
					require.True(t, e.Mentioned)
					next++
				}
			}
			require.Equal(t, 80, next)
		})
	}
}

func TestRun_WhatWasNotCommittedBeforeTheConnectionEndedComesAgain(t *testing.T) {
	s := newServer(t, ob.Options{})
	kept := newMemory()
	var refuse atomic.Bool
	refuse.Store(true)
	i := &inbox{}
	i.fail = func(chat.Envelope) error {
		if refuse.Load() {
			return fault.Errorf(fault.Unavailable, "the database is away")
		}
		return nil
	}
	run(t, openAccount(t, forwardTo(s, ""), kept), i)
	waitConnected(t, i)
	s.Say(ob.Person(ann), ann, ob.Text("kept"))
	require.Eventually(t, func() bool { return s.Calls("get_login_info") == 1 }, patience, 5*time.Millisecond)
	s.Disconnect()
	refuse.Store(false)
	require.Eventually(t, func() bool { return contains(i, "kept") }, patience, 5*time.Millisecond)
}

func TestRun_WithoutAListOfChatsThoseThatAreKnownAreLookedAt(t *testing.T) {
	s := newServer(t, ob.Options{Without: []string{"get_recent_contact"}})
	_, i := connected(t, s)
	s.Say(ob.Person(ann), ann, ob.Text("before"))
	i.next(t, 1)
	s.Hold()
	s.Say(ob.Person(ann), ann, ob.Text("meanwhile"))
	s.Disconnect()
	s.Drop()
	require.Eventually(t, func() bool { return contains(i, "meanwhile") }, patience, 5*time.Millisecond)
}

func TestRun_ASilentNapCatIsLeftAfterThreeHeartbeats(t *testing.T) {
	s := newServer(t, ob.Options{Heartbeat: 100 * time.Millisecond})
	_, i := connected(t, s)
	s.Say(ob.Person(ann), ann, ob.Text("beats have come by now, or come next"))
	i.next(t, 1)
	require.Never(t, func() bool { return s.Dials() > 1 }, 600*time.Millisecond, 20*time.Millisecond, "heartbeats keep it")
	s.Silence(true)
	require.Eventually(t, func() bool { return i.last().Err != nil }, patience, 5*time.Millisecond)
	require.ErrorContains(t, i.last().Err, "silent")
	s.Silence(false)
	require.Eventually(t, func() bool { return i.last().Connected }, patience, 5*time.Millisecond)
}

func TestRun_AnAccountThatIsOfflineIsToldThoughNapCatRuns(t *testing.T) {
	s := newServer(t, ob.Options{Heartbeat: 50 * time.Millisecond})
	a, i := connected(t, s)
	s.SetOnline(false)
	require.Eventually(t, func() bool { return i.last().Err != nil }, patience, 5*time.Millisecond)
	require.ErrorContains(t, i.last().Err, "offline")
	_, problems, err := a.Check(t.Context())
	require.NoError(t, err)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0].Do, "sign in")
	s.SetOnline(true)
	waitConnected(t, i)
}

func TestCheck_NamesWhatIsMissing(t *testing.T) {
	s := newServer(t, ob.Options{Without: []string{"get_status", "get_version_info", "get_recent_contact"}})
	id, problems, err := openAccount(t, forwardTo(s, ""), nil).Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, channel.Identity{ID: bot, Name: "xbot"}, id)
	var named []string
	for _, p := range problems {
		named = append(named, p.What)
		require.Contains(t, p.Do, "update it")
	}
	require.Equal(t, []string{"get_version_info", "get_status", "get_recent_contact"}, named)

	whole := newServer(t, ob.Options{})
	_, problems, err = openAccount(t, forwardTo(whole, ""), nil).Check(t.Context())
	require.NoError(t, err)
	require.Empty(t, problems)
}

func TestCheck_AnAddressWithoutNapCatIsNamed(t *testing.T) {
	page := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(page.Close)
	_, _, err := openAccount(t, map[string]string{"url": page.URL}, nil).Check(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.ErrorContains(t, err, "no WebSocket server")
}

// listening is an account in reverse mode with its handler at an address.
func listening(t *testing.T, more map[string]string) (channel.Account, *inbox, *httptest.Server) {
	t.Helper()
	given := map[string]string{"mode": "reverse", "token": "secret", "send_pause": "0s"}
	maps.Copy(given, more)
	a, i := openAccount(t, given, nil), &inbox{}
	server := httptest.NewServer(a.(channel.Webhook).Webhook(i, i))
	t.Cleanup(server.Close)
	return a, i, server
}

func wsOf(server *httptest.Server) string { return "ws" + server.URL[len("http"):] }

func TestReverse_NapCatDialsAndIsSpokenTo(t *testing.T) {
	for name, roles := range map[string][]string{"one connection": {"Universal"}, "events and actions apart": {"Event", "API"}} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, ob.Options{})
			a, i, server := listening(t, nil)
			run(t, a, i)
			for _, role := range roles {
				t.Cleanup(s.Dial(ob.Client{URL: wsOf(server), Token: "secret", Role: role}))
			}
			waitConnected(t, i)
			s.Say(ob.Group(group), ann, ob.At(bot), ob.Text(" hi"))
			e := i.next(t, 1)
			require.True(t, e.Mentioned)
			_, err := a.Send(t.Context(), inGroup(e.ID), text("k", "hello"))
			require.NoError(t, err)
			require.Equal(t, "hello", s.Read(s.OfBot(ob.Group(group))[0]))
			sound(t, s)
		})
	}
}

func TestReverse_NapCatThatComesBackIsServedAgainWithWhatWasMissed(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i, server := listening(t, nil)
	run(t, a, i)
	t.Cleanup(s.Dial(ob.Client{URL: wsOf(server), Token: "secret"}))
	waitConnected(t, i)
	s.Say(ob.Person(ann), ann, ob.Text("before"))
	i.next(t, 1)
	for n := range 3 {
		s.Hold()
		s.Say(ob.Person(ann), ann, ob.Text(fmt.Sprint("gap ", n)))
		s.Disconnect()
		s.Drop()
		require.Eventually(t, func() bool { return contains(i, fmt.Sprint("gap ", n)) }, patience, 5*time.Millisecond)
	}
}

func TestReverse_ANewConnectionTakesThePlaceOfAnOlderOne(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i, server := listening(t, nil)
	run(t, a, i)
	t.Cleanup(s.Dial(ob.Client{URL: wsOf(server), Token: "secret", Every: time.Hour}))
	waitConnected(t, i)
	t.Cleanup(s.Dial(ob.Client{URL: wsOf(server), Token: "secret", Every: time.Hour}))
	require.Eventually(t, func() bool { return s.Calls("get_login_info") == 2 && s.Connected() == 1 }, patience, 5*time.Millisecond)
	s.Say(ob.Person(ann), ann, ob.Text("once"))
	first := i.next(t, 1)
	require.Equal(t, "once", first.Text)
	for _, m := range i.all() { // what the new connection looks for in the history may be the same message
		require.Equal(t, first.ID, m.ID)
	}
}

func TestReverse_StrangersAreRefused(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i, server := listening(t, map[string]string{"self_id": "10001"})
	run(t, a, i)
	refused := func(c ob.Client, from *ob.Server) int {
		statuses := make(chan int, 100)
		c.URL, c.Refused = wsOf(server), func(status int) { statuses <- status }
		defer from.Dial(c)()
		select {
		case status := <-statuses:
			return status
		case <-time.After(patience):
			return 0
		}
	}
	require.Equal(t, http.StatusUnauthorized, refused(ob.Client{Token: "wrong"}, s))
	require.Equal(t, http.StatusUnauthorized, refused(ob.Client{}, s))
	other := newServer(t, ob.Options{Self: "10002"})
	require.Equal(t, http.StatusForbidden, refused(ob.Client{Token: "secret"}, other))
	response, err := http.Get(server.URL + "?access_token=secret")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusForbidden, response.StatusCode, "without the number of the account")
	http.DefaultClient.CloseIdleConnections()
}

func TestReverse_WithoutNapCatNothingIsSent(t *testing.T) {
	a, i, _ := listening(t, nil)
	run(t, a, i)
	_, err := a.Send(t.Context(), direct(ann), text("k", "x"))
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.ErrorContains(t, err, "not connected")
	require.False(t, channel.Unknown(err))
	_, _, err = a.Check(t.Context())
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
}

func TestOpen_NamesTheOptionThatIsWrong(t *testing.T) {
	for want, given := range map[string]map[string]string{
		"mode":       {"mode": "sideways"},
		"url":        {},
		"ws://":      {"url": "ftp://host"},
		"secret":     {"url": "ws://host?access_token=x"},
		"self_id":    {"url": "ws://host", "self_id": "ann"},
		"send_pause": {"url": "ws://host", "send_pause": "5"},
		"signs":      {"url": "ws://host", "signs": "-1"},
		"token":      {"mode": "reverse"},
		"one line":   {"url": "ws://host", "token": "a\r\nX-Evil: b"},
	} {
		_, err := onebot.Driver().Open("a", given, channel.Resources{})
		require.Equal(t, fault.Invalid, fault.KindOf(err), want)
		require.ErrorContains(t, err, want)
	}
}
