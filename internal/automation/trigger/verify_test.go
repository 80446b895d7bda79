package trigger_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/automation/trigger"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const secretText = "s3cret"

var at = time.Unix(1_790_000_000, 0)

func sign(text string) string {
	h := hmac.New(sha256.New, []byte(secretText))
	h.Write([]byte(text))
	return "sha256=" + hex.EncodeToString(h.Sum(nil))
}

func headers(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

func verify(source chat.TriggerSource, body string, pairs ...string) (trigger.Verified, error) {
	return trigger.Call{Source: source, Header: headers(pairs...), Body: []byte(body), At: at}.Verify(secretText)
}

func TestVerify_GitHubSignsTheBody(t *testing.T) {
	t.Parallel()
	v, err := verify(chat.TriggerGitHub, "{}", "X-Hub-Signature-256", sign("{}"), "X-GitHub-Delivery", "d-1", "X-GitHub-Event", "push")
	require.NoError(t, err)
	require.Equal(t, trigger.Verified{Key: "d-1", Event: "push"}, v)
	for name, pairs := range map[string][]string{
		"another body":      {"X-Hub-Signature-256", sign("{ }")},
		"no signature":      {},
		"not hexadecimal":   {"X-Hub-Signature-256", "sha256=zz"},
		"cut":               {"X-Hub-Signature-256", sign("{}")[:20]},
		"SHA-1 only":        {"X-Hub-Signature", sign("{}")},
		"without algorithm": {"X-Hub-Signature-256", sign("{}")[7:]},
	} {
		_, err := verify(chat.TriggerGitHub, "{}", pairs...)
		require.True(t, fault.Is(err, fault.Denied), name)
		require.NotContains(t, err.Error(), secretText)
	}
}

func TestVerify_GitLabSendsTheSecret(t *testing.T) {
	t.Parallel()
	v, err := verify(chat.TriggerGitLab, "{}", "X-Gitlab-Token", secretText, "Idempotency-Key", "k-1", "X-Gitlab-Event-UUID", "u-1", "X-Gitlab-Event", "Push Hook")
	require.NoError(t, err)
	require.Equal(t, trigger.Verified{Key: "k-1", Event: "Push Hook"}, v)

	first, err := verify(chat.TriggerGitLab, "{}", "X-Gitlab-Token", secretText, "X-Gitlab-Event-UUID", "u-1")
	require.NoError(t, err)
	again, err := verify(chat.TriggerGitLab, "{}", "X-Gitlab-Token", secretText, "X-Gitlab-Event-UUID", "u-1")
	require.NoError(t, err)
	caused, err := verify(chat.TriggerGitLab, "[]", "X-Gitlab-Token", secretText, "X-Gitlab-Event-UUID", "u-1")
	require.NoError(t, err)
	require.Equal(t, first.Key, again.Key)
	require.NotEqual(t, first.Key, caused.Key, "a call that another one has caused has the same id there")

	for _, token := range []string{"", "s3cre", "s3crets", "S3CRET"} {
		_, err := verify(chat.TriggerGitLab, "{}", "X-Gitlab-Token", token)
		require.True(t, fault.Is(err, fault.Denied), token)
	}
}

func generic(stamp, id, body string) []string {
	return []string{"X-Webhook-Signature", sign(stamp + "." + id + "." + body), "X-Webhook-Timestamp", stamp, "X-Webhook-Id", id}
}

func TestVerify_GenericSignsTimeIDAndBody(t *testing.T) {
	t.Parallel()
	now := strconv.FormatInt(at.Unix(), 10)
	v, err := verify(chat.TriggerGeneric, "x", generic(now, "a-1", "x")...)
	require.NoError(t, err)
	require.Equal(t, "a-1", v.Key)

	for name, pairs := range map[string][]string{
		"only the body is signed":  {"X-Webhook-Signature", sign("x"), "X-Webhook-Timestamp", now, "X-Webhook-Id", "a-1"},
		"another id":               {"X-Webhook-Signature", generic(now, "a-1", "x")[1], "X-Webhook-Timestamp", now, "X-Webhook-Id", "a-2"},
		"another time":             {"X-Webhook-Signature", generic(now, "a-1", "x")[1], "X-Webhook-Timestamp", "1790000001", "X-Webhook-Id", "a-1"},
		"no time":                  generic("", "a-1", "x"),
		"a time with spaces":       generic(" "+now, "a-1", "x"),
		"a time with a sign":       generic("+"+now, "a-1", "x"),
		"too old":                  generic(strconv.FormatInt(at.Add(-trigger.Tolerance-time.Second).Unix(), 10), "a-1", "x"),
		"from the future":          generic(strconv.FormatInt(at.Add(trigger.Tolerance+time.Second).Unix(), 10), "a-1", "x"),
		"the end of the calendar":  generic("9223372036854775807", "a-1", "x"),
		"the begin of it":          generic("-9223372036854775808", "a-1", "x"),
		"an id with a full stop":   generic(now, "a.1", "x"),
		"a part of the id as body": {"X-Webhook-Signature", generic(now, "a", "1.x")[1], "X-Webhook-Timestamp", now, "X-Webhook-Id", "a.1"},
	} {
		_, err := verify(chat.TriggerGeneric, "x", pairs...)
		require.True(t, fault.Is(err, fault.Denied), name)
	}
	for _, away := range []time.Duration{-trigger.Tolerance, trigger.Tolerance} {
		_, err := verify(chat.TriggerGeneric, "x", generic(strconv.FormatInt(at.Add(away).Unix(), 10), "a-1", "x")...)
		require.NoError(t, err, away)
	}
}

func TestVerify_KnowsADeliveryWithoutAnIDByWhatWasSent(t *testing.T) {
	t.Parallel()
	one, err := verify(chat.TriggerGitHub, "{}", "X-Hub-Signature-256", sign("{}"))
	require.NoError(t, err)
	two, err := verify(chat.TriggerGitHub, "{}", "X-Hub-Signature-256", sign("{}"))
	require.NoError(t, err)
	require.Equal(t, one.Key, two.Key)
	odd, err := verify(chat.TriggerGitHub, "{}", "X-Hub-Signature-256", sign("{}"), "X-GitHub-Delivery", one.Key)
	require.NoError(t, err)
	require.NotEqual(t, one.Key, odd.Key, "nobody gives a delivery the key of a body")
}

func TestVerify_NobodyKnowsAnEmptySecret(t *testing.T) {
	t.Parallel()
	for _, source := range []chat.TriggerSource{chat.TriggerGitHub, chat.TriggerGitLab, chat.TriggerGeneric} {
		_, err := trigger.Call{Source: source, Header: http.Header{}, At: at}.Verify("")
		require.True(t, fault.Is(err, fault.Denied))
	}
}

func FuzzVerify_LetsNobodyInWithoutTheSecret(f *testing.F) {
	now := strconv.FormatInt(at.Unix(), 10)
	f.Add("github", "{}", "sha256=00", now, "a")
	f.Add("gitlab", "{}", "token", now, "a")
	f.Add("generic", "{}", sign("{}"), now, "a.b")
	f.Fuzz(func(t *testing.T, source, body, signature, stamp, id string) {
		h := http.Header{
			"X-Hub-Signature-256": {signature}, "X-Gitlab-Token": {signature}, "X-Webhook-Signature": {signature}, "X-Webhook-Timestamp": {stamp},
			"X-Webhook-Id": {id}, "X-Github-Delivery": {id}, "X-Github-Event": {id}, "Idempotency-Key": {id}, "Content-Type": {stamp},
		}
		call := trigger.Call{Source: chat.TriggerSource(source), Header: h, Body: []byte(body), At: at}
		_, err := call.Verify("a secret of 256 bits that no fuzzer guesses")
		require.True(t, fault.Is(err, fault.Denied))
		v, err := call.Verify(signature)
		if err == nil {
			require.NotEmpty(t, v.Key)
			require.Less(t, len(v.Key), 120)
		}
	})
}
