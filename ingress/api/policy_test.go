package api_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/settings"
	"xbot/internal/turn/policy"
)

type policyInput struct {
	Text    string `json:"text"`
	Version int64  `json:"version"`
}

func TestPolicy_IsReadChangedAndListed(t *testing.T) {
	b := setup(t)
	var got settings.PolicyText
	b.alice.get("/api/policy").is(http.StatusOK, &got)
	require.Equal(t, settings.PolicyText{Text: "{}\n", Notes: []string{}}, got)

	b.alice.put("/api/policy", policyInput{Text: "{session: {dmScope: 'main'}} // all of us"}).is(http.StatusOK, &got)
	first := got.Version
	require.NotZero(t, first)
	require.JSONEq(t, `{"session": {"dmScope": "main"}}`, got.Text)
	require.Len(t, got.Notes, 1)
	require.Contains(t, got.Notes[0], "session.dmScope: main: everybody")

	b.alice.put("/api/policy", policyInput{Text: "{limits: {turns: 2}}", Version: first}).is(http.StatusOK, &got)
	var again settings.PolicyText
	b.alice.get("/api/policy").is(http.StatusOK, &again)
	require.Equal(t, got, again)
	live, err := (&policy.Live{Services: b.store.Services, Settings: b.store.Settings}).Get(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, live.Limit().Turns)

	b.alice.get("/api/policy?version="+strconv.FormatInt(first, 10)).is(http.StatusOK, &again)
	require.JSONEq(t, `{"session": {"dmScope": "main"}}`, again.Text)
	b.alice.get("/api/policy?version=999").problem(http.StatusNotFound)

	var list struct {
		Versions []struct {
			Version int64
			By      string
		}
	}
	b.alice.get("/api/policy/versions").is(http.StatusOK, &list)
	require.Len(t, list.Versions, 2)
	require.Equal(t, got.Version, list.Versions[0].Version)
	require.Equal(t, "alice", list.Versions[0].By)
}

func TestPolicy_AnEditOfAnOldVersionIsAConflict(t *testing.T) {
	b := setup(t)
	b.alice.put("/api/policy", policyInput{Text: "{}"}).is(http.StatusOK, nil)
	require.Contains(t, b.alice.put("/api/policy", policyInput{Text: "{}"}).problem(http.StatusConflict), "changed meanwhile")
	require.Contains(t, b.alice.put("/api/policy", policyInput{Text: "{}", Version: 99}).problem(http.StatusConflict), "changed meanwhile")
}

func TestPolicy_OfManyEditsOfOneVersionOneWins(t *testing.T) {
	b := setup(t)
	statuses := make([]int, 8)
	var all sync.WaitGroup
	for i := range statuses {
		all.Go(func() { statuses[i] = b.alice.put("/api/policy", policyInput{Text: "{}"}).status })
	}
	all.Wait()
	won := 0
	for _, status := range statuses {
		if status == http.StatusOK {
			won++
			continue
		}
		require.Equal(t, http.StatusConflict, status)
	}
	require.Equal(t, 1, won)
}

func TestPolicy_EveryFaultIsNamedAndNothingChanges(t *testing.T) {
	b := setup(t)
	const bad = `{session: {dmscope: "main"}, limits: {turns: "2"}}`
	got := b.alice.put("/api/policy", policyInput{Text: bad})
	var doc struct {
		Errors []struct{ Message, Location string }
	}
	got.is(http.StatusUnprocessableEntity, &doc)
	require.Len(t, doc.Errors, 2)
	require.Equal(t, "limits.turns: a number is expected, not a text", doc.Errors[0].Message)
	require.Equal(t, "session.dmscope: is not known; did you mean dmScope?", doc.Errors[1].Message)

	var check settings.PolicyCheck
	b.alice.post("/api/policy/check", map[string]string{"text": bad}).is(http.StatusOK, &check)
	require.Equal(t, []string{doc.Errors[0].Message, doc.Errors[1].Message}, check.Errors)
	b.alice.post("/api/policy/check", map[string]string{"text": "{session: {store: 'x'}}"}).is(http.StatusOK, &check)
	require.Empty(t, check.Errors)
	require.Len(t, check.Notes, 1)

	var inForce settings.PolicyText
	b.alice.get("/api/policy").is(http.StatusOK, &inForce)
	require.Zero(t, inForce.Version)
}

func TestPolicy_ASecretIsNeitherKeptNorRepeated(t *testing.T) {
	b := setup(t)
	const key = "sk-proj-abcdefghijklmnop1234"
	got := b.alice.put("/api/policy", policyInput{Text: `{models: [{id: "a/b", apiKeyEnv: "` + key + `"}]}`})
	require.Contains(t, got.problem(http.StatusUnprocessableEntity), "secrets do not stand in the policy")
	require.NotContains(t, string(got.body), key)
	require.NotContains(t, b.log.String(), key)
}

func TestPolicy_IsForAdministrators(t *testing.T) {
	b := setup(t)
	for _, got := range []answer{
		b.bob.get("/api/policy"), b.bob.get("/api/policy/versions"), b.bob.put("/api/policy", policyInput{Text: "{}"}),
		b.bob.post("/api/policy/check", map[string]string{"text": "{}"}),
	} {
		got.problem(http.StatusForbidden)
	}
	b.do(nil, http.MethodGet, "/api/policy", nil).problem(http.StatusUnauthorized)
}
