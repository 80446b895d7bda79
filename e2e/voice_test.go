package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/feishu/feishutest"
	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/channel/qq/qqtest"
	"xbot/internal/client/apiclient"
)

const voiceKey = "sk-of-the-transcription-and-nothing-else-5151"

// dictation is a service of transcription that takes one key alone, and a file that holds what is said in it.
func dictation(t *testing.T) (url string, calls *atomic.Int64) {
	calls = &atomic.Int64{}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		file, _, err := r.FormFile("file")
		if err != nil || r.URL.Path != "/v1/audio/transcriptions" || r.Header.Get("Authorization") != "Bearer "+voiceKey {
			http.Error(w, "refused: "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		said, _ := io.ReadAll(file)
		if strings.HasPrefix(string(said), "noise") {
			http.Error(w, "this is no speech", http.StatusBadRequest)
			return
		}
		_, _ = w.Write([]byte(`{"text":"` + string(said) + `"}`))
	}))
	t.Cleanup(service.Close)
	return service.URL + "/v1", calls
}

// reads waits until the model has read a text, and returns the message.
func (s *server) reads(text string) string {
	s.t.Helper()
	var read string
	require.Eventually(s.t, func() bool {
		for _, r := range s.model.Requests() {
			for _, m := range r.Messages {
				if strings.Contains(m.Content, text) {
					read = m.Content
				}
			}
		}
		return read != ""
	}, time.Minute, 20*time.Millisecond, "the model reads %q", text)
	return read
}

func TestVoice_AMessageIsReadOnceAsTextAndTheKeyIsNowhere(t *testing.T) {
	t.Parallel()
	url, calls := dictation(t)
	s, p := onNapCat(t)
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)

	p.Say(carol, "20007", p.File("record", "a.amr", []byte("unheard")))
	without := s.reads("[voice transcript: not made: there is no key for transcription")
	require.Contains(t, without, ".amr · 7 bytes · ", "the file stays")
	require.Zero(t, calls.Load())

	_, err := s.client.SetToolKey(t.Context(), "transcription", apiclient.ToolKeyDraft{Shared: true, Key: voiceKey, BaseURL: url})
	require.NoError(t, err)
	p.Say(carol, "20007", p.File("record", "b.amr", []byte("please buy milk")))
	require.Contains(t, s.reads("[voice transcript] please buy milk"), ".amr · 15 bytes · ")
	require.EqualValues(t, 1, calls.Load())
	p.Say(carol, "20007", p.File("record", "c.amr", []byte("noise")))
	require.Contains(t, s.reads("[voice transcript: not made: the service refused the request (400 Bad Request)]"), ".amr · 5 bytes · ")

	s.crash()
	s.boot()
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	said, err := s.operate("key", "rotate")
	require.NoError(t, err, said)
	p.Say(carol, "20007", p.File("record", "d.amr", []byte("and bread")))
	s.reads("[voice transcript] and bread")
	last := s.model.Requests()
	var whole strings.Builder
	for _, m := range last[len(last)-1].Messages {
		whole.WriteString(m.Content + "\n")
	}
	require.Equal(t, 1, strings.Count(whole.String(), "[voice transcript] please buy milk"), "what was stored is shown again")
	require.EqualValues(t, 3, calls.Load(), "and not made again")
	s.nowhere(voiceKey)
}

func TestVoice_AFileOfSoundOnThePageIsReadAsText(t *testing.T) {
	t.Parallel()
	url, calls := dictation(t)
	s := newServer(t)
	_, err := s.client.SetToolKey(t.Context(), "transcription", apiclient.ToolKeyDraft{Shared: true, Key: voiceKey, BaseURL: url})
	require.NoError(t, err)
	k := s.newTalk()
	f, err := s.client.Upload(t.Context(), k.key, "", "memo.m4a", strings.NewReader("remember the keys"))
	require.NoError(t, err)
	sent, err := s.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "m1", Text: "say heard", Files: []string{f.Path}})
	require.NoError(t, err)
	k.untilEnded(time.Minute, sent.ID)
	require.Contains(t, k.transcript().Messages[0].Content, "\n[voice transcript] remember the keys")
	require.EqualValues(t, 1, calls.Load())
}

func TestVoice_OfFeishuIsReadAsText(t *testing.T) {
	t.Parallel()
	url, calls := dictation(t)
	p, carol, s := carolAtFeishu(t)
	s.mine("feishu:ou_carol")
	speak := func(said string) {
		key := p.Give(feishutest.File{Kind: "file", Data: []byte(said)})
		p.Write(feishutest.Incoming{From: carol, Kind: "audio", Content: `{"file_key":"` + key + `","duration":2000}`})
	}
	speak("unheard")
	require.Contains(t, s.reads("[voice transcript: not made: there is no key for transcription"), " · 7 bytes · ", "the file stays")
	_, err := s.client.SetToolKey(t.Context(), "transcription", apiclient.ToolKeyDraft{Shared: true, Key: voiceKey, BaseURL: url})
	require.NoError(t, err)
	speak("water the plants")
	require.Contains(t, s.reads("[voice transcript] water the plants"), "[audio: audio 1 · 16 bytes · ")
	require.EqualValues(t, 1, calls.Load())
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestVoice_OfQQIsReadAsTextBesideWhatQQHasUnderstood(t *testing.T) {
	t.Parallel()
	url, calls := dictation(t)
	s, p := onlyQQ(t, qqtest.Config{})
	s.mine("qq:CAROL")
	speak := func(said, words string) {
		p.Write(qqtest.Incoming{Scene: qqtest.Direct, From: carolOnQQ, Files: []qqtest.File{{Kind: "voice", Name: "v.silk", Data: []byte(said), Words: words}}})
	}
	speak("unheard", "")
	require.Contains(t, s.reads("[voice transcript: not made: there is no key for transcription"), " · 7 bytes · ", "the file stays")
	_, err := s.client.SetToolKey(t.Context(), "transcription", apiclient.ToolKeyDraft{Shared: true, Key: voiceKey, BaseURL: url})
	require.NoError(t, err)
	speak("feed the cat", "feet the cat")
	read := s.reads("[voice transcript] feed the cat")
	require.Contains(t, read, " · 12 bytes · ")
	require.Contains(t, read, "feet the cat")
	require.EqualValues(t, 1, calls.Load())
	require.Empty(t, p.Broken(), "the protocol was kept")
}

func TestVoice_ARecordingIsTranscribedOverHTTPAndKeptNowhere(t *testing.T) {
	t.Parallel()
	url, calls := dictation(t)
	s := newServer(t)
	const said = "what nobody but the service hears 6262"
	_, err := s.client.Transcribe(t.Context(), "audio/webm", strings.NewReader(said))
	require.ErrorContains(t, err, "enter one on the page under Settings, Models and keys")
	require.Zero(t, calls.Load())
	_, err = s.client.SetToolKey(t.Context(), "transcription", apiclient.ToolKeyDraft{Key: voiceKey, BaseURL: url})
	require.NoError(t, err)
	_, err = s.client.Transcribe(t.Context(), "audio/webm", strings.NewReader(said))
	require.ErrorContains(t, err, "not an address on the public internet", "a person's own key goes to no address of the server's network")
	require.NotContains(t, err.Error(), voiceKey)
	require.NoError(t, s.client.DeleteToolKey(t.Context(), "transcription", apiclient.DeleteToolKeyParams{}))
	_, err = s.client.SetToolKey(t.Context(), "transcription", apiclient.ToolKeyDraft{Shared: true, Key: voiceKey, BaseURL: url})
	require.NoError(t, err)
	got, err := s.client.Transcribe(t.Context(), "audio/webm;codecs=opus", strings.NewReader(said))
	require.NoError(t, err)
	require.Equal(t, said, got)
	_, err = s.client.Transcribe(t.Context(), "audio/webm", strings.NewReader("noise"))
	require.ErrorContains(t, err, "the service refused the request (400 Bad Request)")
	require.EqualValues(t, 2, calls.Load())
	s.nowhere(said)
	s.nowhere(voiceKey)
}
