package media_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/media"
	"xbot/internal/media/mediatest"
	"xbot/internal/media/providers"
	"xbot/internal/pg"
	"xbot/internal/store"
	"xbot/internal/testing/pgtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

const session chat.SessionKey = "agent:main:web:thread:t"

// bench is a generator on a database, with an emulator of the providers.
type bench struct {
	*media.Generator

	t      *testing.T
	pool   *pgxpool.Pool
	store  *store.Store
	user   users.User
	server *mediatest.Server
	access toolkey.Access
	quota  media.Quota
}

// For implements media.Keys.
func (b *bench) For(_ context.Context, _ chat.UserID, service string) (toolkey.Access, error) {
	if b.access.Key == "" {
		return b.access, fault.Errorf(fault.Invalid, "there is no key for %s", service)
	}
	return b.access, nil
}

// Quota implements media.Quotas.
func (b *bench) Quota(context.Context, media.Kind) (media.Quota, error) { return b.quota, nil }

func setup(t *testing.T, provider string) *bench {
	t.Helper()
	t.Parallel()
	pool := pgtest.NewPool(t, pg.MigrationsHash(), pg.Migrate)
	s := store.New(pool, store.Options{})
	user, err := s.Users.EnsureAdmin(t.Context(), "admin")
	require.NoError(t, err)
	_, err = s.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: session, Owner: user.ID, Channel: "web"})
	require.NoError(t, err)
	server := mediatest.New(t)
	base := server.URL
	if provider == toolkey.OpenAI {
		base += "/v1"
	}
	b := &bench{t: t, pool: pool, store: s, user: user, server: server}
	keys := &toolkey.Store{Rows: noKeys{}, Env: map[string]string{
		"IMAGE_API_KEY": mediatest.Key, "IMAGE_BASE_URL": base, "IMAGE_PROVIDER": provider,
		"TTS_API_KEY": mediatest.Key, "TTS_BASE_URL": base, "TTS_PROVIDER": provider, "VIDEO_API_KEY": mediatest.Key, "VIDEO_BASE_URL": base, "VIDEO_PROVIDER": provider,
	}, Public: http.DefaultTransport}
	for _, service := range []string{toolkey.Image, toolkey.Speech, toolkey.Video} {
		if a, err := keys.For(t.Context(), user.ID, service); err == nil {
			b.access = a
		}
	}
	b.Generator = b.process()
	return b
}

type noKeys struct{ toolkey.Rows }

func (noKeys) ToolKeys(context.Context, chat.UserID) ([]toolkeystore.Key, error) { return nil, nil }

// process returns another generator, as another process has it.
func (b *bench) process() *media.Generator {
	return &media.Generator{
		Rows: b.store.Media, Staging: b.store.MediaStaging, Keys: b, Quotas: b, Providers: providers.All(), Log: slog.New(slog.DiscardHandler), Pause: time.Millisecond,
	}
}

func (b *bench) call(id chat.CallID, r media.Request) media.Call {
	return media.Call{ID: id, Session: session, User: b.user.ID, Request: r}
}

// files reads the staged files of a generation.
func (b *bench) files(g media.Generation) (out [][]byte) {
	b.t.Helper()
	for i, f := range g.Files {
		data, err := io.ReadAll(b.Open(b.t.Context(), g, i))
		require.NoError(b.t, err)
		require.Len(b.t, data, int(f.Size))
		out = append(out, data)
	}
	return out
}

// end requires that a generation ends in a state.
func (b *bench) end(err error, state media.State, says string) {
	b.t.Helper()
	end, ok := errors.AsType[*media.Error](err)
	require.True(b.t, ok, "%v", err)
	require.Equal(b.t, state, end.State, end.Text)
	require.Contains(b.t, end.Text, says)
	require.NotContains(b.t, end.Text, mediatest.Key)
}

func (b *bench) set(statement string, args ...any) {
	b.t.Helper()
	_, err := b.pool.Exec(b.t.Context(), statement, args...)
	require.NoError(b.t, err)
}

var (
	picture = media.Request{Kind: media.Image, Prompt: "a lighthouse", Count: 2}
	film    = media.Request{Kind: media.Video, Prompt: "waves", Seconds: 4}
	speech  = media.Request{Kind: media.Speech, Prompt: "good morning"}
)

func TestGenerate_ACallIsPaidForOnceAndItsUsageBooked(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	for range 3 {
		g, err := b.process().Generate(t.Context(), b.call("c1", picture))
		require.NoError(t, err)
		require.Equal(t, media.Received, g.State)
		require.Equal(t, [][]byte{mediatest.PNG(0), mediatest.PNG(1)}, b.files(g))
	}
	require.Len(t, b.server.Requests("POST /v1/images/generations"), 1)
	days, err := b.store.Media.UsageByDay(t.Context(), b.user.ID, 1)
	require.NoError(t, err)
	require.Len(t, days, 1)
	require.Equal(t, "openai/gpt-image-2.5-flare", days[0].Model)
	require.EqualValues(t, 2, days[0].Units)
	require.InDelta(t, (20*5+1000*30)/1e6, *days[0].Cost, 1e-9)
	require.NoError(t, b.store.Media.Store(t.Context(), "c1"))
	var staged int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT count(*) FROM media_staged").Scan(&staged))
	require.Zero(t, staged, "the conversation has them")
}

func TestGenerate_ARequestOfAKilledProcessIsNotSentAgain(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	added := media.Generation{Call: "c1", Session: session, User: b.user.ID, Kind: media.Image, Provider: toolkey.OpenAI, BaseURL: b.access.BaseURL, Model: "m", Units: 1}
	_, ok, err := b.store.Media.Begin(t.Context(), added, media.Quota{})
	require.NoError(t, err)
	require.True(t, ok)
	b.set("UPDATE media_generations SET alive_at = now() - interval '1 minute'") // the process was killed
	for range 2 {
		_, err = b.Generate(t.Context(), b.call("c1", picture))
		b.end(err, media.Unknown, "It may have been paid for")
	}
	require.Empty(t, b.server.Requests(""))
}

func TestGenerate_AnAttemptWaitsForTheProcessThatSendsTheRequest(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.server.Hold()
	ctx, deploy := context.WithCancel(t.Context())
	first := b.process()
	ended := make(chan error, 1)
	go func() { _, err := first.Generate(ctx, b.call("c1", picture)); ended <- err }()
	require.Eventually(t, func() bool { return len(b.server.Requests("POST /v1/images/generations")) == 1 }, time.Minute, time.Millisecond)
	deploy()
	require.ErrorIs(t, <-ended, context.Canceled, "the attempt ends, and its request goes on")
	got := make(chan media.Generation, 1)
	go func() {
		g, err := b.process().Generate(t.Context(), b.call("c1", picture))
		if err == nil {
			got <- g
		}
		close(got)
	}()
	b.server.Release()
	first.Wait(t.Context())
	g := <-got
	require.Equal(t, media.Received, g.State)
	require.Len(t, b.server.Requests("POST /v1/images/generations"), 1)
}

func TestGenerate_AJobIsFollowedByItsIdAcrossProcesses(t *testing.T) {
	for _, provider := range []string{toolkey.OpenAI, toolkey.Gemini, toolkey.DashScope} {
		t.Run(provider, func(t *testing.T) {
			b := setup(t, provider)
			for range 3 { // each is killed while the job runs
				ctx, kill := context.WithCancel(t.Context())
				c := b.call("c1", film)
				c.Progress = func(int) { kill() }
				_, err := b.process().Generate(ctx, c)
				require.ErrorIs(t, err, context.Canceled)
			}
			b.server.Advance(40)
			b.server.Finish()
			g, err := b.process().Generate(t.Context(), b.call("c1", film))
			require.NoError(t, err)
			require.Equal(t, b.server.Video(), b.files(g)[0], "in parts")
			require.Equal(t, "video/mp4", g.Files[0].MediaType)
			started := 0
			for _, r := range b.server.Requests("") {
				if r.Method == http.MethodPost {
					started++
				}
			}
			require.Equal(t, 1, started, "one job")
			require.Empty(t, b.server.Deleted())
		})
	}
}

func TestGenerate_AStopCancelsTheJobAndSaysThatItMayBeCharged(t *testing.T) {
	for provider, deleted := range map[string][]string{toolkey.OpenAI: {"video_1"}, toolkey.DashScope: {"task1"}, toolkey.Gemini: nil} {
		t.Run(provider, func(t *testing.T) {
			b := setup(t, provider)
			ctx, stop := context.WithCancel(t.Context())
			c := b.call("c1", film)
			c.Progress, c.Stopped = func(int) { stop() }, func() bool { return true }
			_, err := b.Generate(ctx, c)
			b.end(err, media.Failed, "charged")
			require.Equal(t, deleted, b.server.Deleted())
			_, err = b.Generate(t.Context(), b.call("c1", film))
			b.end(err, media.Failed, "charged")
		})
	}
}

func TestGenerate_AStopDuringTheRequestSaysThatTheOutcomeIsUnknown(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.server.Hold()
	ctx, stop := context.WithCancel(t.Context())
	c := b.call("c1", picture)
	c.Stopped = func() bool { return true }
	ended := make(chan error, 1)
	go func() { _, err := b.Generate(ctx, c); ended <- err }()
	require.Eventually(t, func() bool { return len(b.server.Requests("")) == 1 }, time.Minute, time.Millisecond)
	stop()
	b.end(<-ended, media.Unknown, "may be charged")
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	b.end(err, media.Unknown, "unknown")
	require.Len(t, b.server.Requests(""), 1)
}

// problem answers with an error of the form of OpenAI.
func problem(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		mediatest.Say(w, status, map[string]any{"error": map[string]string{"code": code, "message": message}})
	}
}

func TestGenerate_SaysWhyThereIsNothingAndPaysForNothingTwice(t *testing.T) {
	truncated := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"data":[`)) // the connection breaks
	}
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		state  media.State
		says   string
		sent   int
	}{
		"refused content":   {problem(400, "moderation_blocked", "Your request was rejected by the safety system."), media.Failed, "change the prompt", 1},
		"an older refusal":  {problem(400, "content_policy_violation", "no"), media.Failed, "change the prompt", 1},
		"no credit":         {problem(429, "insufficient_quota", "You exceeded your current quota"), media.Failed, "no credit left", 1},
		"billing limit":     {problem(400, "billing_hard_limit_reached", "limit"), media.Failed, "no credit left", 1},
		"a bad key":         {problem(401, "invalid_api_key", "Incorrect API key provided: "+mediatest.Key), media.Failed, "enter another one", 1},
		"an unknown model":  {problem(404, "model_not_found", "The model does not exist"), media.Failed, "the model", 1},
		"an invalid size":   {problem(400, "invalid_value", "Invalid size"), media.Failed, "Invalid size", 1},
		"too many requests": {problem(429, "rate_limit_exceeded", "slow down"), media.Failed, "too many requests", 3},
		"overloaded":        {problem(503, "", "busy"), media.Failed, "overloaded", 3},
		"a failure":         {problem(500, "server_error", "oops"), media.Unknown, "It may have been paid for", 1},
		"a gateway":         {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, media.Unknown, "may have been paid for", 1},
		"a broken answer":   {truncated, media.Unknown, "broke", 1},
		"no JSON":           {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, media.Unknown, "no JSON", 1},
		"nothing":           {func(w http.ResponseWriter, _ *http.Request) { mediatest.Say(w, 200, map[string]any{"data": []any{}}) }, media.Unknown, "without a result", 1},
		"no picture": {func(w http.ResponseWriter, _ *http.Request) {
			mediatest.Say(w, 200, map[string]any{"data": []any{map[string]string{"b64_json": "PGh0bWw+"}}})
		}, media.Unknown, "text/html", 1},
		"no base64": {func(w http.ResponseWriter, _ *http.Request) {
			mediatest.Say(w, 200, map[string]any{"data": []any{map[string]string{"b64_json": "***"}}})
		}, media.Unknown, "cannot be decoded", 1},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, media.Failed, "leads elsewhere", 1},
		"a dropped line":          {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, media.Unknown, "did not answer", 1},
		"members of a wrong type": {func(w http.ResponseWriter, _ *http.Request) { mediatest.Say(w, 400, []any{1, "x"}) }, media.Failed, "refused the request (400)", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, toolkey.OpenAI)
			b.server.Answer("POST /v1/images/generations", c.answer)
			for range 2 {
				_, err := b.Generate(t.Context(), b.call("c1", picture))
				b.end(err, c.state, c.says)
			}
			require.Len(t, b.server.Requests(""), c.sent)
			days, err := b.store.Media.UsageByDay(t.Context(), b.user.ID, 1)
			require.NoError(t, err)
			require.Empty(t, days)
		})
	}
}

func TestGenerate_AnAddressThatAnswersNothingWasNotPaid(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.server.Server.Close()
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	b.end(err, media.Failed, "cannot be reached")
}

func TestGenerate_ARateLimitThatPassesIsWaitedFor(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.server.Answer("POST /v1/images/generations", func(w http.ResponseWriter, r *http.Request) {
		b.server.Answer("POST /v1/images/generations", nil)
		w.Header().Set("Retry-After", "1")
		problem(429, "rate_limit_exceeded", "slow down")(w, r)
	})
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	require.NoError(t, err)
}

func TestGenerate_ALinkedPictureIsDownloadedAgainUntilItIsWhole(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.server.Answer("POST /v1/images/generations", func(w http.ResponseWriter, _ *http.Request) {
		mediatest.Say(w, 200, map[string]any{"data": []any{map[string]string{"url": b.server.URL + "/files/1"}}})
	})
	b.server.Answer("GET /files/1", func(w http.ResponseWriter, r *http.Request) {
		if len(b.server.Requests("GET /files/1")) < 3 {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(mediatest.PNG(1)[:20]) // half of it
			return
		}
		require.Equal(b.t, "Bearer "+mediatest.Key, r.Header.Get("Authorization"), "the host is that of the key")
		_, _ = w.Write(mediatest.PNG(1))
	})
	g, err := b.Generate(t.Context(), b.call("c1", picture))
	require.NoError(t, err)
	require.Equal(t, mediatest.PNG(1), b.files(g)[0])
	require.Len(t, b.server.Requests("POST /v1/images/generations"), 1)
}

func TestGenerate_AnExpiredLinkIsSaidAndItsPictureStaysPaidFor(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		says   string
	}{
		"expired": {http.StatusForbidden, "<Error><Code>AccessDenied</Code></Error>", "expired"}, "gone": {http.StatusGone, "", "expired"},
		"another type": {http.StatusOK, "<html>sign in</html>", "text/html"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, toolkey.OpenAI)
			b.server.Answer("POST /v1/images/generations", func(w http.ResponseWriter, _ *http.Request) {
				mediatest.Say(w, 200, map[string]any{"data": []any{map[string]string{"url": b.server.URL + "/files/1"}}})
			})
			b.server.Answer("GET /files/1", func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := b.Generate(t.Context(), b.call("c1", picture))
			b.end(err, media.Unknown, c.says)
			days, err := b.store.Media.UsageByDay(t.Context(), b.user.ID, 1)
			require.NoError(t, err)
			require.Len(t, days, 1, "it was paid for")
		})
	}
}

func TestGenerate_TheKeyGoesToNoOtherHost(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	other := mediatest.New(t)
	other.Answer("GET /files/1", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(mediatest.PNG(5)) })
	b.server.Answer("POST /v1/images/generations", func(w http.ResponseWriter, _ *http.Request) {
		mediatest.Say(w, 200, map[string]any{"data": []any{map[string]string{"url": b.server.URL + "/redirect"}}})
	})
	b.server.Answer("GET /redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/files/1", http.StatusFound)
	})
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	require.NoError(t, err)
	require.Empty(t, other.Requests("GET /files/1")[0].Header.Get("Authorization"))
}

func TestGenerate_AJobThatFailsSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		answer any
		status int
		state  media.State
		says   string
	}{
		"refused content": {map[string]any{"id": "video_1", "status": "failed", "error": map[string]string{"code": "moderation_blocked", "message": "blocked"}}, 200, media.Failed, "change the prompt"},
		"a failure":       {map[string]any{"id": "video_1", "status": "failed", "error": map[string]string{"code": "internal", "message": "could not"}}, 200, media.Failed, "could not"},
		"a lost job":      {map[string]any{"error": map[string]string{"message": "no such video"}}, 404, media.Unknown, "may have been paid for"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, toolkey.OpenAI)
			b.server.Answer("GET /v1/videos/video_1", func(w http.ResponseWriter, _ *http.Request) { mediatest.Say(w, c.status, c.answer) })
			_, err := b.Generate(t.Context(), b.call("c1", film))
			b.end(err, c.state, c.says)
			require.Len(t, b.server.Requests("POST /v1/videos"), 1)
		})
	}
}

func TestGenerate_AJobIsAskedAboutAgainWhileItsProviderFails(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.server.Finish()
	b.server.Answer("GET /v1/videos/video_1", func(w http.ResponseWriter, _ *http.Request) {
		if len(b.server.Requests("GET /v1/videos/video_1")) == 4 {
			b.server.Answer("GET /v1/videos/video_1", nil)
		}
		w.WriteHeader(http.StatusBadGateway)
	})
	_, err := b.Generate(t.Context(), b.call("c1", film))
	require.NoError(t, err)
}

func TestGenerate_IsWithinTheLimitsOfTheUser(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.quota = media.Quota{Units: 5}
	for _, id := range []chat.CallID{"c1", "c2"} {
		_, err := b.Generate(t.Context(), b.call(id, picture))
		require.NoError(t, err)
	}
	_, err := b.Generate(t.Context(), b.call("c3", picture))
	b.end(err, media.Failed, "5 pictures a day")
	b.end(err, media.Failed, "limits.media of the policy")
	require.NoError(t, b.store.Agents.DeleteSession(t.Context(), session))
	_, err = b.store.Conversations.CreateSession(t.Context(), conversation.NewSession{Key: session, Owner: b.user.ID, Channel: "web"})
	require.NoError(t, err)
	_, err = b.Generate(t.Context(), b.call("c4", picture))
	b.end(err, media.Failed, "4 are used")
	_, err = b.Generate(t.Context(), b.call("c5", speech))
	b.end(err, media.Failed, "characters of speech")
	require.Len(t, b.server.Requests(""), 2)
}

func TestGenerate_AsManyAtOnceAsTheLimitPermits(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	b.quota = media.Quota{Units: 100, Running: 2}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 4)
	for _, id := range []chat.CallID{"c1", "c2", "c3", "c4"} {
		go func() { _, err := b.Generate(ctx, b.call(id, film)); ended <- err }()
	}
	for range 2 {
		b.end(<-ended, media.Failed, "2 files at once")
	}
	require.Eventually(t, func() bool { return len(b.server.Requests("POST /v1/videos")) == 2 }, time.Minute, time.Millisecond)
}

func TestGenerate_AllProvidersSpeakAndDraw(t *testing.T) {
	for provider, c := range map[string]struct {
		r    media.Request
		path string
		body string
		want []byte
	}{
		toolkey.OpenAI:     {media.Request{Kind: media.Speech, Prompt: "hello", Voice: "Nova", Speed: 1.5, Format: "mp3"}, "POST /v1/audio/speech", `{"input":"hello","model":"tts-1","response_format":"mp3","speed":1.5,"voice":"Nova"}`, mediatest.MP3()},
		toolkey.ElevenLabs: {media.Request{Kind: media.Speech, Prompt: "hello", Voice: "sarah", Speed: 1.1}, "POST /text-to-speech/EXAVITQu4vr4xnSDxMaL", `{"model_id":"eleven_multilingual_v2","text":"hello","voice_settings":{"speed":1.1}}`, mediatest.MP3()},
		toolkey.MiniMax:    {speech, "POST /t2a_v2", `{"audio_setting":{"bitrate":128000,"channel":1,"format":"mp3","sample_rate":32000},"model":"speech-2.8-hd","output_format":"hex","stream":false,"text":"good morning","voice_setting":{"pitch":0,"speed":1,"voice_id":"English_Graceful_Lady","vol":1}}`, mediatest.MP3()},
		toolkey.Gemini: {
			media.Request{Kind: media.Image, Prompt: "a cat", Shape: "1920x1080", Sources: []media.File{{MediaType: "image/png", Data: []byte("x")}}}, "POST /models/gemini-nano-banana-2.1:generateContent",
			`{"contents":[{"role":"user","parts":[{"text":"a cat"},{"inlineData":{"mimeType":"image/png","data":"eA=="}}]}],"generationConfig":{"imageConfig":{"aspectRatio":"16:9"},"responseModalities":["TEXT","IMAGE"]}}`, mediatest.PNG(3),
		},
		toolkey.DashScope: {
			media.Request{Kind: media.Image, Prompt: "a cat", Shape: media.Landscape}, "POST /services/aigc/multimodal-generation/generation",
			`{"model":"qwen-image-2.0","input":{"messages":[{"role":"user","content":[{"text":"a cat"}]}]},"parameters":{"n":1,"watermark":false,"size":"1664*928"}}`, mediatest.PNG(4),
		},
	} {
		t.Run(provider, func(t *testing.T) {
			b := setup(t, provider)
			g, err := b.Generate(t.Context(), b.call("c1", c.r))
			require.NoError(t, err)
			require.Equal(t, c.want, b.files(g)[0])
			sent := b.server.Requests(c.path)
			require.Len(t, sent, 1)
			require.JSONEq(t, c.body, string(sent[0].Body))
		})
	}
}

func TestGenerate_OtherProvidersRefuseInTheirForms(t *testing.T) {
	for name, c := range map[string]struct {
		provider, path string
		r              media.Request
		status         int
		answer         string
		state          media.State
		says           string
	}{
		"gemini blocks the prompt":  {toolkey.Gemini, "POST /models/gemini-nano-banana-2.1:generateContent", picture1, 200, `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, media.Failed, "change the prompt: PROHIBITED_CONTENT"},
		"gemini blocks the picture": {toolkey.Gemini, "POST /models/gemini-nano-banana-2.1:generateContent", picture1, 200, `{"candidates":[{"finishReason":"IMAGE_SAFETY"}]}`, media.Failed, "change the prompt"},
		"gemini only talks":         {toolkey.Gemini, "POST /models/gemini-nano-banana-2.1:generateContent", picture1, 200, `{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"I cannot draw."}]}}]}`, media.Unknown, "I cannot draw."},
		"gemini's bad key":          {toolkey.Gemini, "POST /models/gemini-nano-banana-2.1:generateContent", picture1, 400, `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}`, media.Failed, "enter another one"},
		"veo filters the video":     {toolkey.Gemini, "GET /models/veo/operations/op1", film, 200, `{"done":true,"response":{"generateVideoResponse":{"raiMediaFilteredCount":1,"raiMediaFilteredReasons":["a person"]}}}`, media.Failed, "a person"},
		"dashscope inspects":        {toolkey.DashScope, "POST /services/aigc/multimodal-generation/generation", picture1, 400, `{"code":"DataInspectionFailed","message":"inappropriate"}`, media.Failed, "change the prompt"},
		"dashscope is not paid":     {toolkey.DashScope, "POST /services/aigc/multimodal-generation/generation", picture1, 400, `{"code":"Arrearage","message":"overdue"}`, media.Failed, "no credit left"},
		"dashscope's task fails":    {toolkey.DashScope, "GET /tasks/task1", film, 200, `{"output":{"task_status":"FAILED","code":"InternalError","message":"broken"}}`, media.Failed, "broken"},
		"dashscope's task is gone":  {toolkey.DashScope, "GET /tasks/task1", film, 200, `{"output":{"task_status":"UNKNOWN"}}`, media.Unknown, "for a day"},
		"elevenlabs' quota":         {toolkey.ElevenLabs, "POST /text-to-speech/JBFqnCBsd6RMkjVDRZzb", speech, 401, `{"detail":{"status":"quota_exceeded","message":"0 credits remaining"}}`, media.Failed, "no credit left: 0 credits"},
		"elevenlabs' validation":    {toolkey.ElevenLabs, "POST /text-to-speech/JBFqnCBsd6RMkjVDRZzb", speech, 422, `{"detail":[{"msg":"x"}]}`, media.Failed, "refused the request (422)"},
		"minimax's rate limit":      {toolkey.MiniMax, "POST /t2a_v2", speech, 200, `{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`, media.Failed, "too many requests"},
		"minimax's balance":         {toolkey.MiniMax, "POST /t2a_v2", speech, 200, `{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`, media.Failed, "no credit left"},
		"minimax's refusal":         {toolkey.MiniMax, "POST /t2a_v2", speech, 200, `{"base_resp":{"status_code":1026,"status_msg":"sensitive"}}`, media.Failed, "change the prompt"},
		"minimax's failure":         {toolkey.MiniMax, "POST /t2a_v2", speech, 200, `{"base_resp":{"status_code":1000,"status_msg":"unknown"}}`, media.Unknown, "may have been paid for"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, c.provider)
			b.server.Answer(c.path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.answer)
			})
			_, err := b.Generate(t.Context(), b.call("c1", c.r))
			b.end(err, c.state, c.says)
		})
	}
}

var picture1 = media.Request{Kind: media.Image, Prompt: "a lighthouse", Count: 1}

func TestGenerate_WhatAProviderCannotDoIsSaidBeforeItIsPaid(t *testing.T) {
	for name, c := range map[string]struct {
		provider string
		r        media.Request
		says     string
	}{
		"a long text":          {toolkey.OpenAI, media.Request{Kind: media.Speech, Prompt: strings.Repeat("a", 4097)}, "4096 characters"},
		"a fast voice":         {toolkey.ElevenLabs, media.Request{Kind: media.Speech, Prompt: "a", Speed: 3}, "between 0.7 and 1.2"},
		"a format":             {toolkey.MiniMax, media.Request{Kind: media.Speech, Prompt: "a", Format: "opus"}, "mp3, flac or wav"},
		"several of gemini":    {toolkey.Gemini, picture, "one picture a call"},
		"a length of veo":      {toolkey.Gemini, media.Request{Kind: media.Video, Prompt: "a", Seconds: 5}, "4, 6 or 8"},
		"transparency of qwen": {toolkey.DashScope, media.Request{Kind: media.Image, Prompt: "a", Background: "transparent"}, "transparent"},
		"a voice nobody has":   {toolkey.ElevenLabs, media.Request{Kind: media.Speech, Prompt: "a", Voice: "nobody"}, "Sarah"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t, c.provider)
			_, err := b.Generate(t.Context(), b.call("c1", c.r))
			b.end(err, media.Failed, c.says)
			for _, r := range b.server.Requests("") {
				require.Equal(t, http.MethodGet, r.Method)
			}
		})
	}
}

func TestGenerate_AnEditSendsThePicturesAsAForm(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	r := media.Request{Kind: media.Image, Prompt: "a hat on it", Sources: []media.File{{MediaType: "image/png", Data: mediatest.PNG(1)}, {MediaType: "image/jpeg", Data: []byte("jpeg")}}, Background: "transparent", Shape: media.Square}
	b.server.Answer("POST /v1/images/edits", func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil || len(r.MultipartForm.File["image[]"]) != 2 || r.FormValue("background") != "transparent" || r.FormValue("size") != "1024x1024" {
			http.Error(w, "wrong form", http.StatusBadRequest)
			return
		}
		data, _ := json.Marshal(map[string]any{"data": []any{map[string]any{"b64_json": mediatest.PNG(9)}}})
		_, _ = w.Write(data)
	})
	g, err := b.Generate(t.Context(), b.call("c1", r))
	require.NoError(t, err)
	require.Equal(t, mediatest.PNG(9), b.files(g)[0])
}

func TestResume_IsForTheConversationOfTheCallAlone(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	require.NoError(t, err)
	g, err := b.Resume(t.Context(), b.call("c1", picture))
	require.NoError(t, err)
	require.Len(t, g.Files, 2)
	for _, c := range []media.Call{
		{ID: "c1", Session: "agent:main:web:thread:other", User: b.user.ID, Request: picture}, {ID: "c9", Session: session, User: b.user.ID, Request: picture},
		{ID: "c1", Session: session, User: b.user.ID, Request: film},
	} {
		_, err = b.Resume(t.Context(), c)
		b.end(err, media.Failed, "no such generation")
	}
}

func TestGenerate_StagedFilesGoWithTheConversation(t *testing.T) {
	b := setup(t, toolkey.OpenAI)
	_, err := b.Generate(t.Context(), b.call("c1", picture))
	require.NoError(t, err)
	require.NoError(t, b.store.Agents.DeleteSession(t.Context(), session))
	var rows int
	require.NoError(t, b.pool.QueryRow(t.Context(), "SELECT (SELECT count(*) FROM media_staged) + (SELECT count(*) FROM media_generations)").Scan(&rows))
	require.Zero(t, rows)
}
