package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/media/mediatest"
	"xbot/internal/service"
)

// generatesMedia returns a server whose tools generate media at an emulator.
func generatesMedia(t *testing.T) (*server, *mediatest.Server) {
	t.Helper()
	m := mediatest.New(t)
	env := []string{}
	for _, prefix := range []string{"IMAGE", "TTS", "VIDEO"} {
		env = append(env, prefix+"_BASE_URL="+m.URL+"/v1", prefix+"_API_KEY="+mediatest.Key)
	}
	return newServer(t, env...), m
}

// fileMark matches the path in the result of a tool.
var fileMark = regexp.MustCompile(`<<FILE:([^>]+)>>`)

func (k *talk) download(path string) []byte {
	k.t.Helper()
	var b bytes.Buffer
	_, err := k.client.DownloadFile(k.t.Context(), k.key, apiclient.DownloadFileParams{Path: path}, &b)
	require.NoError(k.t, err)
	return b.Bytes()
}

func TestMedia_APictureASpeechAndTheirUsage(t *testing.T) {
	t.Parallel()
	s, m := generatesMedia(t)
	k := s.newTalk()
	k.untilEnded(time.Minute, k.send(`call generate_image {"prompt":"a lighthouse"}`, `call generate_speech {"text":"good morning"}`, "say done"))
	var files []string
	for _, said := range k.toolResults() {
		files = append(files, fileMark.FindStringSubmatch(said)[1])
	}
	require.Len(t, files, 2)
	require.Equal(t, mediatest.PNG(0), k.download(files[0]))
	require.Equal(t, mediatest.MP3(), k.download(files[1]))
	require.Len(t, m.Requests("POST /v1/images/generations"), 1)

	used, err := s.client.GetUsage(t.Context(), apiclient.GetUsageParams{Days: 1})
	require.NoError(t, err)
	require.Len(t, used.Media, 2)
	require.Equal(t, "openai/gpt-image-2.5-flare", used.Media[0].Model)
	require.EqualValues(t, 12, used.Media[1].Units)
	k.untilEnded(time.Minute, k.send("/usage"))
	s.nowhere(mediatest.Key)

	m.Answer("POST /v1/images/generations", func(w http.ResponseWriter, _ *http.Request) {
		mediatest.Say(w, http.StatusBadRequest, map[string]any{"error": map[string]string{"code": "moderation_blocked", "message": "rejected"}})
	})
	k.untilEnded(time.Minute, k.send(`call generate_image {"prompt":"something else"}`, "say no"))
	require.Contains(t, lastCalls(k)[0].Result, "refuses the content: change the prompt: rejected")
}

func TestMedia_AVideoIsMadeOnceOverKillsOfTheServer(t *testing.T) {
	t.Parallel()
	s, m := generatesMedia(t)
	k := s.newTalk()
	id := k.send(`call generate_video {"prompt":"waves","seconds":4}`, "say done")
	polled := func() int { return len(m.Requests("GET /v1/videos/video_1")) }
	require.Eventually(t, func() bool { return polled() > 0 }, time.Minute, 10*time.Millisecond)
	m.Advance(40)
	before := polled()
	s.crash()
	s.boot()
	require.Eventually(t, func() bool { return polled() > before }, crashLimit, 10*time.Millisecond, "it is followed by its id")
	m.Finish()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	file := fileMark.FindStringSubmatch(lastCalls(k)[0].Result)
	require.NotNil(t, file, lastCalls(k)[0].Result)
	require.Equal(t, m.Video(), k.download(file[1]))
	require.Len(t, m.Requests("POST /v1/videos"), 1, "one job")
	require.Equal(t, []string{"done"}, k.answers())
}

func TestMedia_ARequestThatAKillCutOffIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s, m := generatesMedia(t)
	k := s.newTalk()
	m.Hold()
	id := k.send(`call generate_image {"prompt":"a lighthouse"}`, "say done")
	require.Eventually(t, func() bool { return len(m.Requests("POST /v1/images/generations")) == 1 }, time.Minute, 10*time.Millisecond)
	s.crash()
	m.Release()
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Contains(t, lastCalls(k)[0].Result, "It may have been paid for")
	require.Len(t, m.Requests("POST /v1/images/generations"), 1)
}

func TestMedia_AConsumerGetsItsPictureAndNobodyElseDoes(t *testing.T) {
	t.Parallel()
	s, m := generatesMedia(t)
	can, cannot := s.publishesService(service.Patch{Capabilities: &[]service.Capability{service.Image}}), s.publishesService(service.Patch{Name: new("Mute")})
	mine, other := can.begins(), can.begins()
	all := can.follows(http.MethodPost, "/api/v1/chat", map[string]any{"conversation_id": mine, "message": "call generate_image {\"prompt\":\"a lighthouse\"}\nsay done"}, nil)
	told, err := json.Marshal(all[len(all)-1].data)
	require.NoError(t, err)
	require.Equal(t, "done", all[len(all)-1].kind, "%s", told)
	var files []struct{ Path string }
	can.reads(http.StatusOK, &files, http.MethodGet, "/api/v1/conversations/"+mine+"/files", nil)
	require.Len(t, files, 1)
	require.Regexp(t, `images/img_[0-9a-f]{8}\.png$`, files[0].Path)
	got, err := can.asks(t.Context(), http.MethodGet, "/api/v1/conversations/"+mine+"/files/"+files[0].Path, nil)
	require.NoError(t, err)
	defer got.Body.Close()
	data, err := io.ReadAll(got.Body)
	require.NoError(t, err)
	require.Equal(t, mediatest.PNG(0), data)

	can.reads(http.StatusNotFound, nil, http.MethodGet, "/api/v1/conversations/"+other+"/files/"+files[0].Path, nil)
	var none []struct{ Path string }
	can.reads(http.StatusOK, &none, http.MethodGet, "/api/v1/conversations/"+other+"/files", nil)
	require.Empty(t, none)

	theirs := cannot.begins()
	cannot.follows(http.MethodPost, "/api/v1/chat", map[string]any{"conversation_id": theirs, "message": "call generate_image {\"prompt\":\"a lighthouse\"}\nsay done"}, nil)
	require.Len(t, m.Requests("POST /v1/images/generations"), 1, "a service without the capability has no such tool")
	for _, r := range s.model.Requests() {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		has := strings.Contains(string(text), "# Pictures")
		require.Equal(t, strings.Contains(string(text), "Help desk"), has, "the prompt of the capability")
	}
	used, err := can.store.Media.UsageOfService(t.Context(), can.of.ID, time.Now().Add(-48*time.Hour), time.Now().Add(48*time.Hour), true)
	require.NoError(t, err)
	require.Len(t, used, 1)
	require.Equal(t, can.keyID, used[0].Bucket)
	_ = filepath.WalkDir(s.home, func(path string, d os.DirEntry, err error) error { // what cannot be read is none of the runner's
		if err == nil && !d.IsDir() && strings.HasPrefix(d.Name(), "img_") {
			require.Contains(t, path, mine)
		}
		return nil
	})
}
