package transcription_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/document/transcription"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is how a test's service is reached.
type key struct {
	toolkey.Access
	err error
}

func (k key) For(_ context.Context, user chat.UserID, service string) (toolkey.Access, error) {
	if user != 7 || service != toolkey.Transcription {
		return toolkey.Access{}, fault.Errorf(fault.Internal, "asked for another key")
	}
	return k.Access, k.err
}

// setup makes a transcriber whose service answers as given.
func setup(t *testing.T, answer http.HandlerFunc) (*transcription.Transcriber, *int) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls++; answer(w, r) }))
	client := server.Client()
	t.Cleanup(func() { client.CloseIdleConnections(); server.Close() })
	return &transcription.Transcriber{Pause: time.Millisecond, Keys: key{Access: toolkey.Access{BaseURL: server.URL + "/v1", Key: "k", Client: client}}}, &calls
}

func TestTranscribe_SendsTheFileAndReturnsWhatIsSaidOnOneLine(t *testing.T) {
	tr, _ := setup(t, func(w http.ResponseWriter, r *http.Request) {
		file, header, err := r.FormFile("file")
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		data, _ := io.ReadAll(file)
		if r.URL.Path != "/v1/audio/transcriptions" || r.Header.Get("Authorization") != "Bearer k" || r.FormValue("model") != "whisper-1" || header.Filename != "audio.ogg" || string(data) != "sound" {
			http.Error(w, "not as it should be", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(`{"text":" Good\nmorning. \u0000"}`))
	})
	text, err := tr.Transcribe(t.Context(), 7, "", "a secret name.opus", []byte("sound"))
	require.NoError(t, err)
	require.Equal(t, "Good morning.", text)
}

func TestTranscribe_AsksAgainWhereTheServiceWasDownAndNotWhereItRefused(t *testing.T) {
	n := 0
	tr, calls := setup(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n < 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = w.Write([]byte(`{"text":"at last"}`))
	})
	text, err := tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
	require.NoError(t, err)
	require.Equal(t, "at last", text)
	require.Equal(t, 3, *calls)

	for _, status := range []int{400, 401} {
		tr, calls := setup(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		_, err := tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
		require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		require.Equal(t, 1, *calls)
	}
	tr, calls = setup(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	_, err = tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
	require.True(t, fault.Is(err, fault.Unavailable))
	require.Equal(t, 3, *calls, "not for ever")
}

func TestTranscribe_BelievesNoAnswer(t *testing.T) {
	for _, body := range []string{"<html>", `{"error":"no"}`, `{"text":5}`, ""} {
		tr, _ := setup(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		_, err := tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
		require.ErrorContains(t, err, "no transcript", "%q", body)
	}
	tr, _ := setup(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"text":"` + strings.Repeat("x", 30_000) + `"}`))
	})
	text, err := tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
	require.NoError(t, err)
	require.Less(t, len(text), 20_100)
	_, err = tr.Transcribe(t.Context(), 7, "", "a.mp3", make([]byte, chat.MaxAudio+1))
	require.True(t, fault.Is(err, fault.TooLarge))
}

func TestTranscribe_NamesTheFormByWhatTheFileHolds(t *testing.T) {
	var named string
	tr, _ := setup(t, func(w http.ResponseWriter, r *http.Request) {
		if _, header, err := r.FormFile("file"); err == nil {
			named = header.Filename
		}
		_, _ = w.Write([]byte(`{"text":"x"}`))
	})
	for holds, want := range map[string]string{"ID3\x03\x00": "audio.mp3", "OggS\x00": "audio.ogg", "#!AMR\n": "audio.amr"} {
		_, err := tr.Transcribe(t.Context(), 7, "", "voice.amr", []byte(holds))
		require.NoError(t, err)
		require.Equal(t, want, named)
	}
}

func TestIsAudio_GoesByKindAndEnding(t *testing.T) {
	require.True(t, (*transcription.Transcriber)(nil).IsAudio("audio", ""))
	require.True(t, (*transcription.Transcriber)(nil).IsAudio("file", "Memo.M4A"))
	require.False(t, (*transcription.Transcriber)(nil).IsAudio("file", "notes.txt"))
	require.False(t, (*transcription.Transcriber)(nil).IsAudio("video", "a.mp4"))
}

// whisper answers like the server of whisper.cpp: it has one path, and reads WAV alone.
func whisper(paths *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		*paths = append(*paths, r.URL.Path)
		if r.URL.Path != "/inference" {
			http.NotFound(w, r)
			return
		}
		file, _, err := r.FormFile("file")
		if err != nil {
			http.Error(w, `{"error":"no 'file' field in the request"}`, http.StatusBadRequest)
			return
		}
		data, _ := io.ReadAll(file)
		if !strings.HasPrefix(string(data), "RIFF") {
			http.Error(w, `{"error":"failed to read audio data"}`, http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(`{"text":" Good morning.\n"}`))
	}
}

func TestTranscribe_FindsTheServerOfWhisperCppByItsAddressAndRemembersIt(t *testing.T) {
	var paths []string
	tr, _ := setup(t, whisper(&paths))
	for range 2 {
		text, err := tr.Transcribe(t.Context(), 7, "", "a.wav", []byte("RIFF"))
		require.NoError(t, err)
		require.Equal(t, "Good morning.", text)
	}
	require.Equal(t, []string{"/v1/audio/transcriptions", "/inference", "/inference"}, paths)
}

func TestTranscribe_NamesTheOptionOfWhisperCppForOtherFormats(t *testing.T) {
	var paths []string
	tr, _ := setup(t, whisper(&paths))
	_, err := tr.Transcribe(t.Context(), 7, "", "a.ogg", []byte("OggS"))
	require.True(t, fault.Is(err, fault.Invalid), "%v", err)
	require.ErrorContains(t, err, "--convert")
	require.Len(t, paths, 2, "it is not asked again")
}

func TestTranscribe_AServerThatWasReplacedIsFoundAgain(t *testing.T) {
	var paths []string
	answer := whisper(&paths)
	tr, _ := setup(t, func(w http.ResponseWriter, r *http.Request) { answer(w, r) })
	_, err := tr.Transcribe(t.Context(), 7, "", "a.wav", []byte("RIFF"))
	require.NoError(t, err)
	answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/audio/transcriptions" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"text":"Good evening."}`))
	}
	text, err := tr.Transcribe(t.Context(), 7, "", "a.wav", []byte("RIFF"))
	require.NoError(t, err)
	require.Equal(t, "Good evening.", text)
}

// recorder records usage.
type recorder struct{ all []transcription.UsageRecord }

func (b *recorder) BookTranscription(_ context.Context, s transcription.UsageRecord) error {
	b.all = append(b.all, s)
	return nil
}

func TestTranscribe_BooksUsageInAConversationAndWithoutOne(t *testing.T) {
	answers := []string{`{"text":"a","usage":{"type":"duration","seconds":2.5}}`, `{"error":"no"}`, `{"text":"b"}`}
	tr, _ := setup(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(answers[0]))
		answers = answers[1:]
	})
	spent := &recorder{}
	tr.Usage = spent
	_, err := tr.Transcribe(t.Context(), 7, "agent:main:web:thread:t", "a.mp3", nil)
	require.NoError(t, err)
	_, err = tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
	require.Error(t, err, "a refused call costs nothing")
	_, err = tr.Transcribe(t.Context(), 7, "", "a.mp3", nil)
	require.NoError(t, err)
	require.Equal(t, []transcription.UsageRecord{
		{User: 7, Session: "agent:main:web:thread:t", Model: "127.0.0.1/whisper-1", Seconds: 3}, {User: 7, Model: "127.0.0.1/whisper-1"},
	}, spent.all)
}
