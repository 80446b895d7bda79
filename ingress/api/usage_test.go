package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/usagereport"
	"xbot/internal/chat"
	"xbot/internal/chat/ops"
)

func TestUsage_IsTheOwnByDayAndSessionWithItsCost(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:u").Key
	b.exchange(key, "t1", "hello")
	b.exchange(key, "t2", "more")
	require.NoError(t, b.store.Usage.BookUsage(t.Context(), key, "other/model", 1, chat.Usage{PromptTokens: 7}))

	var got usagereport.UsageReport
	b.alice.get("/api/usage").is(http.StatusOK, &got)
	cost := (2*600*2 + 2*400*0.5 + 2*50*10) / 1e6
	want := ops.Spent{Model: "demo/demo", Calls: 2, PromptTokens: 2000, CachedTokens: 800, CompletionTokens: 100, Cost: &cost}
	require.Equal(t, "USD", got.Currency)
	require.Len(t, got.Days, 2)
	require.Equal(t, want, got.Days[0].Spent)
	require.Nil(t, got.Days[1].Cost, "of a model without a price")
	require.Equal(t, []ops.SpentSession{{Key: key, Title: "hello", Spent: want}, {Key: key, Title: "hello", Spent: got.Days[1].Spent}}, got.Sessions)
	require.EqualValues(t, 3, got.Total.Calls)
	require.EqualValues(t, 2007, got.Total.PromptTokens)
	require.InDelta(t, cost, *got.Total.Cost, 1e-12)

	var none usagereport.UsageReport
	b.bob.get("/api/usage?days=1").is(http.StatusOK, &none)
	require.Empty(t, none.Days)
	require.Empty(t, none.Sessions)
	b.bob.get("/api/usage?days=0").problem(http.StatusUnprocessableEntity)
}

func TestUsage_AsACommandIsATableOfTodayTheWeekAndThisConversation(t *testing.T) {
	b := setup(t)
	key := b.alice.session("agent:main:web:thread:u").Key
	answer := func() string { m := b.alice.transcript(key).Messages; return m[len(m)-1].Content }
	b.alice.say(key, "u0", "/usage").is(http.StatusAccepted, nil)
	require.Contains(t, answer(), "Nothing was used")
	b.exchange(key, "t1", "hello")
	b.alice.say(key, "u1", "/usage").is(http.StatusAccepted, nil)
	for _, row := range []string{"today (UTC)", "last 7 days", "this conversation"} {
		require.Contains(t, answer(), "| "+row+" | `demo/demo` | 1 | 1000 | 400 | 50 | 0.0019 |")
	}
}
