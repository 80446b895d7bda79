package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/ingress/openai"
	"xbot/ingress/replystream"
	"xbot/internal/document/picture"
	"xbot/internal/document/webpicture"
	"xbot/internal/document/webpicture/webpicturetest"
	"xbot/internal/host/safehttp/safehttptest"
	"xbot/internal/service"
)

// picturing are the requests that have the picture of an address in them, by their paths.
func picturing(conversation, address string) map[string]any {
	type object = map[string]any
	parts := []object{{"type": "text", "text": "say I see it"}, {"type": "image_url", "image_url": object{"url": address, "detail": "auto"}}}
	ask := object{"model": "xbot", "messages": []object{{"role": "user", "content": parts}}}
	input := []object{{"type": "input_text", "text": "say I see it"}, {"type": "input_image", "image_url": address}}
	return map[string]any{
		"/api/v1/chat":             object{"conversation_id": conversation, "message": parts},
		"/api/v1/chat/completions": ask,
		"/v1/chat/completions":     ask,
		"/v1/responses":            object{"model": "xbot", "input": []object{{"role": "user", "content": input}}},
	}
}

func TestEscape_NoPictureOfAMessageLeadsIntoTheServersNetwork(t *testing.T) {
	t.Parallel()
	s := newServer(t, "XBOT_HTTP_ALLOW=127.0.0.0/8,10.0.0.0/8,localhost") // what tools may fetch from is not for these
	c, token := s.publishesService(service.Patch{}), s.openAIToken()
	l, err := net.Listen("tcp", ":0") // all addresses of the machine
	require.NoError(t, err)
	site := &http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came through") })}
	go func() { _ = site.Serve(l) }() // ends with Close
	t.Cleanup(func() { require.NoError(t, site.Close()) })
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	conversation := c.begins()
	send := func(path string, body any) (int, string) {
		data, err := json.Marshal(body)
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, bytes.NewReader(data))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+map[bool]string{true: c.key, false: token}[strings.HasPrefix(path, "/api/")])
		got, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer got.Body.Close()
		read, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		return got.StatusCode, string(read)
	}
	for _, address := range append(safehttptest.Inside(port), s.url+"/api/health") {
		for path, body := range picturing(conversation, address+"?token=secret-token") {
			status, said := send(path, body)
			require.Equal(t, http.StatusBadRequest, status, "%s at %s: %s", address, path, said)
			require.Contains(t, said, "its host is nowhere on the public internet", "%s at %s", address, path)
			require.NotContains(t, said, "secret-token")
			require.NotContains(t, said, "XBOT_")
			if path != "/api/v1/chat" {
				require.Contains(t, said, `"code":"invalid_image_url"`, path)
			}
		}
	}
	for _, address := range []string{"file:///etc/passwd", "https://anna:secret-token@example.com/cat.png"} {
		for path, body := range picturing(conversation, address) {
			status, said := send(path, body)
			require.Equal(t, http.StatusBadRequest, status, "%s at %s: %s", address, path, said)
			require.NotContains(t, said, "secret-token")
		}
	}
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log)+s.out.String(), "secret-token")
	var kept int
	require.NoError(t, s.database().QueryRow(t.Context(), "SELECT count(*) FROM inbox").Scan(&kept))
	require.Zero(t, kept, "nothing was accepted")
}

// onlooker answers a message with the size of its picture.
type onlooker struct {
	pictures *webpicture.Fetcher
	seen     string
}

// Ask implements openai.Backend.
func (o *onlooker) Ask(ctx context.Context, a openai.Ask) (openai.AcceptedMessage, error) {
	files, err := o.pictures.Fetch(ctx, "program", a.Files())
	if err != nil {
		return openai.AcceptedMessage{}, a.NotHad(err)
	}
	made, err := picture.Make(ctx, files[0])
	o.seen = fmt.Sprint(made.Width, " pixels wide")
	return openai.AcceptedMessage{Identity: a.Identity}, err
}

// Follow implements openai.Backend.
func (o *onlooker) Follow(context.Context, openai.AcceptedMessage) iter.Seq2[replystream.Event, error] {
	return func(yield func(replystream.Event, error) bool) {
		_ = yield(replystream.Event{Content: replystream.Message{Text: o.seen}}, nil) && yield(replystream.Event{Content: replystream.Done{Finish: "stop"}}, nil)
	}
}

// Delivered implements openai.Backend.
func (*onlooker) Delivered(context.Context, openai.AcceptedMessage) {}

// Refusal implements openai.Refusals.
func (*onlooker) Refusal(err error) (int, string) { return http.StatusBadRequest, err.Error() }

func TestOpenAI_TheOfficialClientShowsPicturesByTheirAddresses(t *testing.T) {
	t.Parallel()
	type refusal struct {
		Kind, Code, Param string
		Status            int
	}
	var said struct {
		Text           string
		Chat, Response refusal
	}
	const inside = "http://169.254.169.254/latest/meta-data/"
	refused := refusal{"BadRequestError", "invalid_image_url", "messages[0].content[1].image_url.url", 400}
	s := newServer(t)
	s.runsOpenAI(s.openAIToken(), "picture", "say I see it", webpicturetest.Picture(t), inside).says("done", &said)
	require.Equal(t, "I see it", said.Text)
	require.Equal(t, refused, said.Chat)
	refused.Param = "input[0].content[1].image_url"
	require.Equal(t, refused, said.Response)

	// The network of a test is the one that a server does not fetch from: the client's request for one that is there is read by the same handler
	// with a fetcher that may.
	site, o := webpicturetest.New(t), &onlooker{pictures: webpicturetest.Fetcher(t)}
	routes := http.NewServeMux()
	routes.Handle("POST /v1/chat/completions", &openai.Chat{Backend: o, Refusals: o})
	server := httptest.NewServer(routes)
	t.Cleanup(server.Close)
	here := *s
	here.url = server.URL
	here.runsOpenAI("any", "picture", "say I see it", site.URL+"/cat.png?a=b", inside).says("done", &said)
	require.Equal(t, fmt.Sprint(webpicturetest.Width, " pixels wide"), said.Text)
	require.Equal(t, "messages[0].content[1].image_url.url", said.Chat.Param)
}
