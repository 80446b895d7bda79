package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/service/servicestore"
	"xbot/internal/turn/engine"
)

func limited(l service.Limits) service.Patch { return service.Patch{Limits: l.Patch()} }

// sendAs accepts a message of a consumer, as the API does after it was admitted.
func (b *bundle) sendAs(c service.Conversation, id string) {
	b.t.Helper()
	_, err := b.Turns.Accept(b.t.Context(), engine.NewRow{Session: c.Session, User: c.User, Channel: service.Channel, PlatformID: id, Text: "hi"})
	require.NoError(b.t, err)
}

// admitted is how many of 50 requests are admitted that come at once.
func (b *bundle) admitted(by servicestore.Caller, send func(n int) servicestore.Send) int {
	b.t.Helper()
	var ok atomic.Int32
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			err := b.Services.Admit(b.t.Context(), by, send(n))
			if err == nil {
				ok.Add(1)
				return
			}
			if fault.KindOf(err) != fault.RateLimited || fault.After(err) <= 0 {
				b.t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	return int(ok.Load())
}

func TestAdmit_FiftyRequestsAtOnceExceedNoLimitOfTheMinute(t *testing.T) {
	b := setup(t)
	_, key := b.service(limited(service.Limits{RequestsPerMinute: 20, Concurrent: 4}))
	by := b.caller(key)
	minute := time.Now().Truncate(time.Minute)
	got := b.admitted(by, func(int) servicestore.Send { return servicestore.Send{} })
	if minutes := int(time.Now().Truncate(time.Minute).Sub(minute).Minutes()); minutes == 0 {
		require.Equal(t, 20, got)
	} else {
		require.LessOrEqual(t, got, 20*(minutes+1))
	}
	other := b.caller(b.key(by.Service))
	require.NoError(t, b.Services.Admit(t.Context(), other, servicestore.Send{}), "another key has a minute of its own")
	_, err := b.pool.Exec(t.Context(), "UPDATE service_rates SET n = 20, minute = minute - interval '1 minute'")
	require.NoError(t, err)
	require.NoError(t, b.Services.Admit(t.Context(), by, servicestore.Send{}), "the next minute")
}

func TestAdmit_FiftyMessagesAtOnceTakeNoMorePlacesThanThereAre(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	_, key := b.service(limited(service.Limits{RequestsPerMinute: 1000, Concurrent: 4}))
	by := b.caller(key)
	c := b.beginWith(by)
	send := func(n int) servicestore.Send { return servicestore.Send{ID: fmt.Sprint("m", n), User: c.User} }
	require.Equal(t, 4, b.admitted(by, send))
	require.Error(t, b.Services.Admit(ctx, by, send(100)))

	var held []string
	rows, err := b.pool.Query(ctx, "SELECT id FROM service_sends ORDER BY id")
	require.NoError(t, err)
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		held = append(held, id)
	}
	require.Len(t, held, 4)
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{ID: held[0], User: c.User}), "the same message again takes no other place")
	for range 2 { // neither had it accepted
		require.NoError(t, b.Services.FreeSend(ctx, held[0]))
	}
	require.NoError(t, b.Services.Admit(ctx, by, send(100)), "one that was not accepted gave its place back")

	for _, id := range held[1:] {
		b.sendAs(c, id)
	}
	b.sendAs(c, "m100")
	require.Error(t, b.Services.Admit(ctx, by, send(101)), "they wait")
	_, ok, err := b.Turns.Claim(ctx, c.Session, "t1", "run", 0)
	require.NoError(t, err)
	require.True(t, ok)
	require.Error(t, b.Services.Admit(ctx, by, send(101)), "one is answered")
	_, err = b.Turns.FinishTurn(ctx, c.Session, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.NoError(t, b.Services.Admit(ctx, by, send(101)))
	require.Error(t, b.Services.Admit(ctx, by, send(102)))
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{ID: held[1], User: c.User}), "one that was answered may be asked for again")
	require.NoError(t, b.Services.Admit(ctx, b.caller(b.key(by.Service)), servicestore.Send{ID: "other", User: c.User}), "another key has places of its own")

	_, err = b.pool.Exec(ctx, "UPDATE service_sends SET at = at - interval '2 minutes' WHERE id = 'm101'")
	require.NoError(t, err)
	require.NoError(t, b.Services.Admit(ctx, by, send(103)), "whoever died between the two gives the place back after a minute")
}

func TestFreeSend_TakesNoPlaceFromAnotherRequestWithTheSameMessage(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	_, key := b.service(limited(service.Limits{RequestsPerMinute: 1000, Concurrent: 1}))
	by := b.caller(key)
	c := b.beginWith(by)
	one, two := servicestore.Send{ID: "one", User: c.User}, servicestore.Send{ID: "two", User: c.User}
	for range 2 {
		require.NoError(t, b.Services.Admit(ctx, by, one), "sent twice at once")
	}
	require.NoError(t, b.Services.FreeSend(ctx, "one"), "and one of the two fails")
	require.Error(t, b.Services.Admit(ctx, by, two), "the other one is about to be accepted")
	b.sendAs(c, "one")
	require.Error(t, b.Services.Admit(ctx, by, two))
	require.NoError(t, b.Services.Admit(ctx, by, one))
	for range 3 {
		require.NoError(t, b.Services.FreeSend(ctx, "one"), "what fails later changes nothing")
	}
	require.Error(t, b.Services.Admit(ctx, by, two))
	b.claimsIn(c, "t1")
	_, err := b.Turns.FinishTurn(ctx, c.Session, "t1", chat.TurnDone, "")
	require.NoError(t, err)
	require.NoError(t, b.Services.Admit(ctx, by, two))
	require.NoError(t, b.Services.FreeSend(ctx, "two"))
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{ID: "three", User: c.User}), "nobody holds it any more")
}

func TestAdmit_TheTokensOfADayStayUsedWhenTheirConversationIsDeleted(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	_, key := b.service(limited(service.Limits{RequestsPerMinute: 1000, Concurrent: 4, TokensPerDay: 100}))
	by := b.caller(key)
	c, d := b.beginWith(by), b.beginWith(b.caller(b.key(by.Service)))
	require.NoError(t, b.Usage.BookUsage(ctx, c.Session, "m", 1, chat.Usage{PromptTokens: 40, CompletionTokens: 9}))
	require.NoError(t, b.Usage.BookUsage(ctx, c.Session, "m", 1, chat.Usage{PromptTokens: 20, CompletionTokens: 20}))
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{ID: "a", User: c.User}))
	require.NoError(t, b.Usage.BookUsage(ctx, d.Session, "m", 1, chat.Usage{PromptTokens: 11}))
	err := b.Services.Admit(ctx, by, servicestore.Send{ID: "b", User: c.User})
	require.ErrorContains(t, err, "100 tokens of today")
	require.LessOrEqual(t, fault.After(err), 24*time.Hour)
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{ID: "a", User: c.User}), "what was admitted is not refused when it comes again")
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{}), "reading is free")

	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, c))
	require.NoError(t, b.Agents.DeleteSession(ctx, c.Session))
	require.NoError(t, b.Users.EndDeletion(ctx, c.User))
	require.Error(t, b.Services.Admit(ctx, by, servicestore.Send{ID: "b", User: d.User}))
	taken, err := b.ServiceUsage.ServiceTokens(ctx)
	require.NoError(t, err)
	require.Equal(t, []servicestore.TokenUsage{{Service: by.Service.ID, Prompt: 71, Completion: 29}}, taken)
	_, err = b.pool.Exec(ctx, "UPDATE service_tokens SET day = day - 1")
	require.NoError(t, err)
	require.NoError(t, b.Services.Admit(ctx, by, servicestore.Send{ID: "b", User: d.User}), "the next day")
}

func TestRecordRequests_StayWithoutTheirConversationUntilTheyAreOld(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	made, key := b.service(service.Patch{})
	by := b.caller(key)
	c := b.beginWith(by)
	now := time.Now().UTC().Truncate(time.Millisecond)
	old := servicestore.Request{ID: "old", Service: made.ID, Key: by.Key, Conversation: c.ID, Endpoint: "POST /api/v1/chat", Source: service.SourceAPI, Status: 200, Latency: 1500 * time.Millisecond, Turn: "t1", At: now.Add(-48 * time.Hour)}
	fresh := servicestore.Request{ID: "fresh", Service: made.ID, Key: by.Key, Endpoint: "GET /api/v1/service", Source: service.SourceWeb, Status: 429, At: now}
	foreign := fresh
	foreign.ID, foreign.Service = "foreign", "svc_00000000"
	for range 2 { // nobody knew whether the first time succeeded
		require.NoError(t, b.ServiceUsage.RecordRequests(ctx, []servicestore.Request{old, fresh, foreign}))
	}
	list := func() []servicestore.Request {
		out, err := b.ServiceUsage.ServiceRequests(ctx, made.ID, 10)
		require.NoError(t, err)
		for i := range out {
			out[i].At = out[i].At.UTC()
		}
		return out
	}
	require.Equal(t, []servicestore.Request{fresh, old}, list())
	require.NoError(t, b.Services.DeleteConsumerConversation(ctx, c))
	require.NoError(t, b.Agents.DeleteSession(ctx, c.Session))
	require.NoError(t, b.Users.EndDeletion(ctx, c.User))
	require.Len(t, list(), 2)
	_, err := b.Turns.Prune(ctx, 24*time.Hour)
	require.NoError(t, err)
	require.Equal(t, []servicestore.Request{fresh}, list())
}

func TestRecordRequests_AServiceThatIsDeletedMeanwhileLosesNoneOfAnother(t *testing.T) {
	b := setup(t)
	ctx := t.Context()
	gone, _ := b.service(service.Patch{Name: new("gone")})
	stays, _ := b.service(service.Patch{Name: new("stays")})
	tx, err := b.pool.Begin(ctx)
	require.NoError(t, err)
	_, err = tx.Exec(ctx, "DELETE FROM services WHERE id = $1", gone.ID)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		now := time.Now()
		done <- b.ServiceUsage.RecordRequests(ctx, []servicestore.Request{
			{ID: "gone", Service: gone.ID, Endpoint: "GET /api/v1/service", Source: service.SourceAPI, Status: 200, At: now},
			{ID: "stays", Service: stays.ID, Endpoint: "GET /api/v1/service", Source: service.SourceAPI, Status: 200, At: now},
		})
	}()
	require.Eventually(t, func() bool {
		return b.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%service_requests%'") == 1
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, tx.Commit(ctx))
	require.NoError(t, <-done)
	kept, err := b.ServiceUsage.ServiceRequests(ctx, stays.ID, 10)
	require.NoError(t, err)
	require.Len(t, kept, 1)
}
