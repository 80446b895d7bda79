package api_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/api/messages"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// ear stands in for the service of transcription: it hears what a recording holds.
type ear struct{ waits, goes chan struct{} }

func (e *ear) Transcribe(_ context.Context, user chat.UserID, _ chat.SessionKey, name string, audio []byte) (string, error) {
	switch said := string(audio); said {
	case "no key":
		return "", fault.Errorf(fault.Invalid, "there is no key for transcription: enter one")
	case "down":
		return "", fault.Errorf(fault.Unavailable, "secret.internal cannot be reached")
	case "wait":
		e.waits <- struct{}{}
		<-e.goes
		return "waited", nil
	default:
		return strings.Join([]string{name, said}, ": "), nil
	}
}

// record sends a recording of a kind.
func (p *person) record(kind string, from io.Reader) answer {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"/api/transcriptions", from)
	require.NoError(p.t, err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	return p.send(&http.Client{}, r)
}

func TestTranscribe_SaysWhatIsSaidInARecordingAndKeepsNothing(t *testing.T) {
	b := setup(t)
	for kind, name := range map[string]string{
		"audio/webm;codecs=opus": "a.webm", "Audio/OGG; codecs=opus": "a.ogg", "audio/mp4": "a.m4a", "audio/wav": "a.wav", "audio/mpeg": "a.mp3", "audio/x-m4a": "a.m4a",
	} {
		var got messages.Transcribed
		b.bob.record(kind, strings.NewReader("buy milk")).is(http.StatusOK, &got)
		require.Equal(t, name+": buy milk", got.Text, kind)
	}
	require.NotContains(t, b.log.String(), "milk")
}

func TestTranscribe_RefusesWhatIsNoRecordingAndSaysWhatIsWrong(t *testing.T) {
	b := setup(t)
	for _, kind := range []string{"", "text/html", "application/json", "audio/midi", "audio/webm,audio/ogg", strings.Repeat("a", 300) + "/b"} {
		require.Contains(t, b.bob.record(kind, strings.NewReader("x")).problem(http.StatusBadRequest), "send one of", kind)
	}
	require.Contains(t, b.bob.record("audio/webm", nil).problem(http.StatusBadRequest), "empty")
	require.Contains(t, b.bob.record("audio/webm", strings.NewReader("no key")).problem(http.StatusBadRequest), "enter one")
	down := b.bob.record("audio/webm", strings.NewReader("down")).problem(http.StatusServiceUnavailable)
	require.Contains(t, down, "service of transcription")
	require.NotContains(t, down, "internal")
	require.Contains(t, b.log.String(), "secret.internal", "the log says what the person does not learn")

	b.bob.record("audio/webm", strings.NewReader(strings.Repeat("x", 25<<20))).is(http.StatusOK, nil)
	b.bob.record("audio/webm", strings.NewReader(strings.Repeat("x", 25<<20+1))).problem(http.StatusRequestEntityTooLarge)
	b.bob.record("audio/webm", io.MultiReader(strings.NewReader(strings.Repeat("x", 25<<20+1)))).problem(http.StatusRequestEntityTooLarge)
}

func TestTranscribe_APersonHasTwoAtOnceAndTwentyInAMinute(t *testing.T) {
	b := setup(t)
	ended := make(chan int, 2)
	for range 2 {
		go func() { ended <- b.bob.record("audio/webm", strings.NewReader("wait")).status }()
		<-b.ear.waits
	}
	over := b.bob.record("audio/webm", strings.NewReader("x"))
	require.Contains(t, over.problem(http.StatusTooManyRequests), "being transcribed")
	require.NotEmpty(t, over.header.Get("Retry-After"))
	b.alice.record("audio/webm", strings.NewReader("x")).is(http.StatusOK, nil)
	for range 2 {
		b.ear.goes <- struct{}{}
		require.Equal(t, http.StatusOK, <-ended)
	}
	for range 18 {
		b.bob.record("audio/webm", strings.NewReader("x")).is(http.StatusOK, nil)
	}
	require.Contains(t, b.bob.record("audio/webm", strings.NewReader("x")).problem(http.StatusTooManyRequests), "in a minute")
	b.alice.record("audio/webm", strings.NewReader("x")).is(http.StatusOK, nil)
}
