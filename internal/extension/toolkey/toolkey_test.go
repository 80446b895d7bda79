package toolkey_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"xbot/internal/chat"
	"xbot/internal/extension/toolkey"
	"xbot/internal/extension/toolkey/toolkeystore"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/secret"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const ann chat.UserID = 7

// rows keep keys in memory, the installation's first.
type rows struct{ list []toolkeystore.Key }

func (r *rows) ToolKeys(_ context.Context, user chat.UserID) (out []toolkeystore.Key, err error) {
	for _, owner := range []chat.UserID{0, user} {
		for _, k := range r.list {
			if k.User == owner && (owner != 0 || len(out) == 0 || out[len(out)-1].Service != k.Service) {
				out = append(out, k)
			}
		}
		if user == 0 {
			break
		}
	}
	return out, nil
}

func (r *rows) SetToolKey(_ context.Context, in toolkeystore.Key, _ chat.UserID) error {
	for i, k := range r.list {
		if k.User == in.User && k.Service == in.Service {
			in.Revision++
			r.list[i] = in
			return nil
		}
	}
	r.list = append(r.list, in)
	return nil
}

func (r *rows) RemoveToolKey(context.Context, chat.UserID, string) error { return nil }

func setup() (*toolkey.Store, *rows) {
	r := &rows{}
	return &toolkey.Store{Rows: r, Key: secret.Key{1}, Public: safehttp.NewTransport(safehttp.Allow{}), Env: map[string]string{}}, r
}

func draft(user chat.UserID, service, key, base string) toolkey.Draft {
	return toolkey.Draft{Key: key, ToolKey: chat.ToolKey{User: user, Service: service, BaseURL: base}}
}

func TestFor_APersonsOwnComesBeforeTheInstallationsAndThatBeforeTheEnvironments(t *testing.T) {
	s, _ := setup()
	_, err := s.For(t.Context(), ann, toolkey.Transcription)
	require.True(t, fault.Is(err, fault.Invalid))
	require.ErrorContains(t, err, "Settings, Models and keys")
	require.ErrorContains(t, err, "STT_API_KEY")

	s.Env = map[string]string{"STT_API_KEY": "of-the-environment", "STT_MODEL": "m", "SEARXNG_URL": "http://127.0.0.1:1/"}
	got, err := s.For(t.Context(), ann, toolkey.Transcription)
	require.NoError(t, err)
	require.Equal(t, []string{toolkey.Environment, "of-the-environment", "m", "https://api.openai.com/v1"}, []string{got.Source, got.Key, got.Model, got.BaseURL})
	got, err = s.For(t.Context(), ann, toolkey.SearXNG)
	require.NoError(t, err)
	require.Equal(t, "http://127.0.0.1:1", got.BaseURL)

	require.NoError(t, s.Save(t.Context(), draft(0, toolkey.Transcription, "", "http://10.0.0.1/v1"), ann))
	got, err = s.For(t.Context(), ann, toolkey.Transcription)
	require.NoError(t, err)
	require.Equal(t, []string{toolkey.Installation, "", "http://10.0.0.1/v1"}, []string{got.Source, got.Key, got.BaseURL}, "no key of another source goes along")

	require.NoError(t, s.Save(t.Context(), draft(ann, toolkey.Transcription, "own", ""), ann))
	got, err = s.For(t.Context(), ann, toolkey.Transcription)
	require.NoError(t, err)
	require.Equal(t, []string{toolkey.Own, "own", "https://api.openai.com/v1"}, []string{got.Source, got.Key, got.BaseURL})
	got, err = s.For(t.Context(), 8, toolkey.Transcription)
	require.NoError(t, err)
	require.Equal(t, toolkey.Installation, got.Source, "nobody else uses it")
	sources, err := s.Sources(t.Context(), ann)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"tavily": "", "cloudsway": "", "searxng": "environment", "image": "", "speech": "", "video": "", "transcription": "own", "realtime": "",
	}, sources)
}

func TestSave_AStoredKeyStaysWhereTheAddressStays(t *testing.T) {
	s, r := setup()
	require.NoError(t, s.Save(t.Context(), draft(ann, toolkey.Image, "secret-of-ann-0123456789", "https://one.example/v1"), ann))
	require.Equal(t, "…6789", r.list[0].KeyHint)
	require.NotContains(t, string(r.list[0].Secrets), "secret-of-ann")
	change := draft(ann, toolkey.Image, "", "https://one.example/v1")
	change.Model = "m"
	require.NoError(t, s.Save(t.Context(), change, ann))
	got, err := s.For(t.Context(), ann, toolkey.Image)
	require.NoError(t, err)
	require.Equal(t, "secret-of-ann-0123456789", got.Key)
	require.Equal(t, "m", got.Model)
	change.BaseURL = "https://two.example/v1"
	require.ErrorContains(t, s.Save(t.Context(), change, ann), "enter the key for it")
	change.Forget = true
	require.NoError(t, s.Save(t.Context(), change, ann))
	got, err = s.For(t.Context(), ann, toolkey.Image)
	require.NoError(t, err)
	require.Empty(t, got.Key)
}

func TestSave_RefusesWhatCannotBeUsed(t *testing.T) {
	s, r := setup()
	for _, d := range []toolkey.Draft{
		draft(ann, "nothing", "k", ""), draft(ann, toolkey.Tavily, "", ""), draft(ann, toolkey.Tavily, "", "https://x.example"), draft(ann, toolkey.SearXNG, "k", ""), draft(ann, toolkey.SearXNG, "", ""),
		draft(ann, toolkey.Image, "", ""), draft(ann, toolkey.Image, "a b", ""), draft(ann, toolkey.Image, "k\r\nX: y", ""), draft(ann, toolkey.Image, strings.Repeat("k", 5000), ""),
		draft(ann, toolkey.Image, "k", "ftp://x"), draft(ann, toolkey.Image, "k", "https://a:b@x"), draft(ann, toolkey.Image, "k", "https://x/?q"), draft(ann, toolkey.Image, "k", "nowhere"),
	} {
		require.Error(t, s.Save(t.Context(), d, ann), "%+v", d)
	}
	require.Empty(t, r.list)
}

func TestFor_AKeyThatCannotBeReadSaysSoAndIsNotReplacedByAnother(t *testing.T) {
	s, r := setup()
	s.Env["IMAGE_API_KEY"] = "of-the-environment"
	r.list = []toolkeystore.Key{{ToolKey: chat.ToolKey{User: ann, Service: toolkey.Image}, Secrets: secret.Key{2}.Seal([]byte(`{"api_key":"k"}`))}}
	_, err := s.For(t.Context(), ann, toolkey.Image)
	require.ErrorContains(t, err, "enter it again")
}

// service answers like one that people enter, and tells whose key came.
func service(t *testing.T, answer http.HandlerFunc) (url string, keys func() []string) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.Header.Get("Authorization")+" "+r.URL.Path)
		answer(w, r)
	}))
	t.Cleanup(func() { server.Close(); http.DefaultTransport.(*http.Transport).CloseIdleConnections() })
	return server.URL, func() []string { return got }
}

func TestTry_MakesOneRequestThatCostsNothing(t *testing.T) {
	s, r := setup()
	url, keys := service(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[]}`)) })
	tried, err := s.Try(t.Context(), draft(0, toolkey.Transcription, "k", url+"/v1/"))
	require.NoError(t, err)
	require.True(t, tried.Passed, tried.Problem)
	require.Equal(t, []string{"Bearer k /v1/models"}, keys())
	require.Empty(t, r.list)
	tried, err = s.Try(t.Context(), draft(0, toolkey.CloudsWay, "k", url))
	require.NoError(t, err)
	require.True(t, tried.Untested)
	require.Len(t, keys(), 1)
}

func TestTry_AServerOfWhisperCppPassesByItsHealth(t *testing.T) {
	s, _ := setup()
	url, keys := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"status":"ok"}`))
	})
	for _, base := range []string{url, url + "/v1"} {
		tried, err := s.Try(t.Context(), draft(0, toolkey.Transcription, "", base))
		require.NoError(t, err)
		require.True(t, tried.Passed, tried.Problem)
	}
	require.Len(t, keys(), 4)
	tried, err := s.Try(t.Context(), draft(0, toolkey.Speech, "", url))
	require.NoError(t, err)
	require.False(t, tried.Passed, "other services do not have the path")
}

func TestTry_SaysWhatIsWrongAndNeverTheKey(t *testing.T) {
	s, _ := setup()
	for says, answer := range map[string]http.HandlerFunc{
		"(401)": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
		},
		"(404)":   http.NotFound,
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"(302)": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		"(503": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
	} {
		url, _ := service(t, answer)
		tried, err := s.Try(t.Context(), draft(0, toolkey.Tavily, "secret-key", url))
		require.NoError(t, err)
		require.False(t, tried.Passed)
		require.Contains(t, tried.Problem, says)
		require.NotContains(t, tried.Problem, "secret-key")
	}
}

func TestTry_APersonsOwnReachesNoAddressOfTheServersNetwork(t *testing.T) {
	s, _ := setup()
	url, keys := service(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) })
	tried, err := s.Try(t.Context(), draft(ann, toolkey.Image, "k", url))
	require.NoError(t, err)
	require.Contains(t, tried.Problem, "not an address on the public internet")
	require.Empty(t, keys())
}

func TestSave_AProviderBringsItsAddressAndTheFormOfItsKey(t *testing.T) {
	s, _ := setup()
	for i, c := range []struct{ service, provider, base, header, value string }{
		{toolkey.Image, "", "https://api.openai.com/v1", "Authorization", "Bearer k"},
		{toolkey.Image, toolkey.Gemini, "https://generativelanguage.googleapis.com/v1beta", "x-goog-api-key", "k"},
		{toolkey.Video, toolkey.DashScope, "https://dashscope.aliyuncs.com/api/v1", "Authorization", "Bearer k"},
		{toolkey.Speech, toolkey.ElevenLabs, "https://api.elevenlabs.io/v1", "xi-api-key", "k"},
		{toolkey.Speech, toolkey.MiniMax, "https://api.minimax.io/v1", "Authorization", "Bearer k"},
	} {
		user := chat.UserID(100 + i)
		d := draft(user, c.service, "k", "")
		d.Provider, d.Price = c.provider, new(0.5)
		require.NoError(t, s.Save(t.Context(), d, ann))
		got, err := s.For(t.Context(), user, c.service)
		require.NoError(t, err)
		require.Equal(t, c.base, got.BaseURL)
		require.Equal(t, 0.5, *got.Price)
		req, err := got.Request(t.Context(), http.MethodGet, "/x", nil)
		require.NoError(t, err)
		require.Equal(t, c.value, req.Header.Get(c.header))
	}
}

func TestSave_AProviderOffersWhatItHas(t *testing.T) {
	s, _ := setup()
	for _, c := range [][3]string{
		{toolkey.Speech, toolkey.Gemini, "does not make speech"}, {toolkey.Image, "acme", "choose one of [openai gemini dashscope]"},
		{toolkey.Tavily, toolkey.OpenAI, "no choice of a provider"}, {toolkey.Video, toolkey.OpenAI, "closed its Videos API"}, {toolkey.Video, "", "closed its Videos API"},
	} {
		d := draft(ann, c[0], "k", "")
		d.Provider = c[1]
		require.ErrorContains(t, s.Save(t.Context(), d, ann), c[2])
	}
	d := draft(ann, toolkey.Image, "k", "")
	d.Price = new(-1.0)
	require.ErrorContains(t, s.Save(t.Context(), d, ann), "a price is")

	s.Env = map[string]string{"IMAGE_API_KEY": "k", "IMAGE_PROVIDER": "acme", "VIDEO_API_KEY": "k", "TTS_API_KEY": "k", "TTS_PROVIDER": "MiniMax", "TTS_PRICE": "60"}
	_, err := s.For(t.Context(), ann, toolkey.Image)
	require.ErrorContains(t, err, "IMAGE_PROVIDER")
	_, err = s.For(t.Context(), ann, toolkey.Video)
	require.Error(t, err, "OpenAI has no videos")
	got, err := s.For(t.Context(), ann, toolkey.Speech)
	require.NoError(t, err)
	require.Equal(t, []any{toolkey.MiniMax, 60.0}, []any{got.Provider, *got.Price})
}

func TestSave_AStoredKeyStaysWithItsProvider(t *testing.T) {
	s, _ := setup()
	require.NoError(t, s.Save(t.Context(), draft(ann, toolkey.Image, "k", ""), ann))
	d := draft(ann, toolkey.Image, "", "")
	d.Provider = toolkey.Gemini
	require.ErrorContains(t, s.Save(t.Context(), d, ann), "enter the key for it")
	d.Provider = toolkey.OpenAI
	require.NoError(t, s.Save(t.Context(), d, ann))
}

func TestTry_ReadsARefusalInABody(t *testing.T) {
	s, _ := setup()
	url, keys := service(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"base_resp":{"status_code":1004,"status_msg":"login fail"}}`))
	})
	d := draft(0, toolkey.Speech, "k", url)
	d.Provider = toolkey.MiniMax
	tried, err := s.Try(t.Context(), d)
	require.NoError(t, err)
	require.Contains(t, tried.Problem, "the key was not accepted (1004)")
	require.Equal(t, []string{"Bearer k /get_voice"}, keys())
}
