package feishu

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

// nowhere is a network without anybody.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nobody is there")
}

// alone is an account that knows who it is and cannot ask anybody.
func alone(webhook bool) *Account {
	a := newAccount("a", settings{
		appID: "cli_x", secret: "s", webhook: webhook, token: "token", encryptKey: "key", domain: "http://nowhere.invalid",
	}, &http.Client{Transport: nowhere{}})
	a.me.Store(&identity{OpenID: "ou_bot", Name: "bot"})
	return a
}

// sieve is a receiver that looks at what every receiver relies on.
type sieve struct {
	t     testing.TB
	taken int
}

func (s *sieve) Receive(_ context.Context, e chat.Envelope) error { s.look(e); return nil }
func (s *sieve) Edited(_ context.Context, e chat.Envelope) error  { s.look(e); return nil }
func (s *sieve) Recalled(_ context.Context, e chat.Envelope) error {
	s.look(e)
	return nil
}

func (s *sieve) Pressed(_ context.Context, p channel.Press) (channel.Toast, error) {
	s.taken++
	for _, values := range p.Values {
		s.storable(values...)
	}
	for _, v := range []string{p.Sender, p.Question, p.Button} {
		require.NotEmpty(s.t, v)
	}
	return channel.Toast{Text: "ok"}, nil
}

func (s *sieve) look(e chat.Envelope) {
	s.taken++
	all := []string{e.Sender.Name, e.Text} // ids are the gateway's to refuse
	for _, p := range e.Mentions {
		all = append(all, p.Name)
	}
	for _, f := range e.Attachments {
		all = append(all, f.Kind, f.Name)
		require.NotEmpty(s.t, f.Key)
	}
	s.storable(all...)
	for _, v := range []string{e.ID, e.Chat, e.Sender.ID} {
		require.NotEmpty(s.t, v)
	}
	require.LessOrEqual(s.t, len(e.Mentions), maxMentions)
}

// storable are texts that Postgres takes.
func (s *sieve) storable(all ...string) {
	for _, v := range all {
		require.True(s.t, utf8.ValidString(v), "%q", v)
		require.NotContains(s.t, v, "\x00")
	}
}

// event is an event for the account of alone.
func eventOf(kind, body string) []byte {
	return []byte(`{"schema":"2.0","header":{"event_id":"e","event_type":"` + kind + `","app_id":"cli_x","token":"token","create_time":"1700000000000"},"event":` + body + `}`)
}

// messageOf is the event of a message.
func messageOf(kind, content, more string) []byte {
	quoted, _ := json.Marshal(content) // a string has no error
	return eventOf(eventMessage, `{"sender":{"sender_id":{"open_id":"ou_a"},"sender_type":"user"},"message":{"message_id":"om_1","chat_id":"oc_1","chat_type":"group",`+
		`"message_type":"`+kind+`","content":`+string(quoted)+more+`}}`)
}

// someEvents are what fuzzing begins with.
func someEvents() [][]byte {
	return [][]byte{
		messageOf("text", `{"text":"@_user_1 hi @_all\u0000"}`, `,"mentions":[{"key":"@_user_1","id":{"open_id":"ou_bot"},"name":"b"},{"key":"@_user_2","id":"ou_c","name":"\u0000c"}]`),
		messageOf("post", `{"title":"t","content":[[{"tag":"text","text":"x"},{"tag":"img","image_key":"i"},{"tag":"at","user_id":"@_user_1"}]]}`, `,"create_time":"1700000000000","thread_id":"omt_1","root_id":"om_0","parent_id":"om_0"`),
		messageOf("interactive", `{"header":{"title":{"content":"T"}},"elements":[{"tag":"div","fields":[{"text":{"content":"f"}}]}]}`, ``),
		messageOf("file", `{"file_key":"k","file_name":"a\u0000/../b"}`, ``), messageOf("merge_forward", `x`, ``), messageOf("share_chat", `{"chat_id":"oc_2"}`, ``),
		messageOf("\u0000", "null", ``), messageOf("text", "[]", `,"mentions":[{"id":7},{"key":""},null]`),
		eventOf(eventRecalled, `{"message_id":"om_1","chat_id":"oc_1"}`), eventOf(eventRecalled, `{"message_id":"\u0000"}`),
		eventOf(eventPressed, `{"operator":{"open_id":"ou_a"},"action":{"value":{"question":"q","button":"b","fields":["f"]},"form_value":{"f0":["x","y"],"f0_other":"z"}},"context":{"open_message_id":"om_1"}}`),
		eventOf(eventPressed, `{"operator":{"open_id":"ou_a"},"action":{"value":"{\"question\":\"q\",\"button\":\"b\"}"}}`),
		eventOf("news", `null`), []byte(`null`), []byte(`[]`), []byte(`{"header":7}`), {0xff},
	}
}

func TestTake_AnOddMemberCostsNoMessage(t *testing.T) {
	for _, odd := range []string{`,"mentions":{}`, `,"mentions":[{"key":1}]`, `,"create_time":1700000000000`, `,"root_id":7`, `,"update_time":false`} {
		s := &sieve{t: t}
		_, err := alone(false).take(t.Context(), messageOf("text", `{"text":"hi"}`, odd), s, channel.Unreported{})
		require.NoError(t, err)
		require.Equal(t, 1, s.taken, odd)
	}
}

func FuzzEvent(f *testing.F) {
	for _, raw := range someEvents() {
		f.Add(raw)
	}
	a := alone(false)
	f.Fuzz(func(t *testing.T, raw []byte) {
		s := &sieve{t: t}
		answer, err := a.handOver(inbound(t.Context(), s, channel.Unreported{}), raw)
		if s.taken > 0 {
			require.NoError(t, err)
		}
		if answer != nil {
			_, err := json.Marshal(answer)
			require.NoError(t, err)
		}
	})
}

func FuzzWebhook(f *testing.F) {
	for _, raw := range someEvents() {
		f.Add(raw, "", "")
	}
	f.Add([]byte(`{"encrypt":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}`), "1700000000", "x")
	f.Add([]byte(`{"encrypt":7}`), "-1", "\x00")
	f.Fuzz(func(t *testing.T, raw []byte, at, signature string) {
		s := &sieve{t: t}
		h := alone(true).Webhook(s, nil)
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", bytes.NewReader(raw))
		r.Header["X-Lark-Request-Timestamp"], r.Header["X-Lark-Signature"] = []string{at}, []string{signature}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		require.GreaterOrEqual(t, w.Code, 400, "nobody who does not know the key is believed")
		require.Zero(t, s.taken)
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"code":0,"data":{"message_id":"m"}}`)
	f.Add(400, `{"code":99991672,"msg":"one of [im:message, im:chat:readonly] is required","error":{"permission_violations":[{"subject":"im:message"}]}}`)
	f.Add(200, `{"code":230071,"msg":"thread is not supported"}`)
	f.Add(502, `<html>`)
	f.Add(200, `{"code":null}`)
	f.Add(200, `{"code":0,"data":{"message_id":7,"sender":[],"mentions":{"id":1}}}`)
	f.Add(200, `{"code":0,"data":null}`)
	f.Add(400, `{"code":99991663}`)
	f.Fuzz(func(t *testing.T, status int, raw string) {
		a := newAccount("a", settings{appID: "cli_x", secret: "s", domain: "http://nowhere.invalid"}, &http.Client{Transport: answering{status, raw}})
		sent, err := a.create(t.Context(), channel.Address{Chat: "oc_1"}, "k", rendered{kind: "text", content: "{}"})
		if err == nil {
			require.Less(t, status, 300)
			require.NotEmpty(t, sent.ID)
			return
		}
		require.NotEmpty(t, err.Error())
		require.NotEqual(t, fault.Internal, fault.KindOf(err), "%v", err)
		r, refused := refusalOf(err)
		require.True(t, !refused || r.code != 0 || status >= 300)
		require.True(t, refused || channel.Unknown(err), "what was not refused may have been sent")
	})
}

// answering is a network in which every call but that for a token is answered alike.
type answering struct {
	status int
	raw    string
}

func (n answering) RoundTrip(r *http.Request) (*http.Response, error) {
	res := &http.Response{StatusCode: n.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(n.raw)), Request: r}
	if strings.Contains(r.URL.Path, "tenant_access_token") {
		res.StatusCode, res.Body = http.StatusOK, io.NopCloser(strings.NewReader(`{"code":0,"tenant_access_token":"t","expire":7200}`))
	}
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	return res, nil
}

func FuzzRenderings(f *testing.F) {
	f.Add("**a** ![x](y) <at id=all></at>\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n![c](d)\n```", "Ann")
	f.Add("| a |\n|-|-|\n|\n~~~\n|", "李雷")
	f.Add("`![a](b", "")
	f.Fuzz(func(t *testing.T, text, name string) {
		if !utf8.ValidString(text) || !utf8.ValidString(name) {
			return
		}
		plain := inert(text)
		for _, r := range renderings(channel.Message{Text: text, Mentions: map[string]string{"ou_1": name}}) {
			require.True(t, json.Valid([]byte(r.content)), r.kind)
			require.LessOrEqual(t, len(r.content), maxPlain)
			var said strings.Builder
			spoken(r.content, &said)
			for _, tag := range tagForm.FindAllString(said.String(), -1) {
				require.Contains(t, []string{"<at", "</at"}, tag, "only mentions of people who were named")
			}
			require.LessOrEqual(t, strings.Count(said.String(), "<at "), strings.Count(plain, "@"))
		}
	})
}

// spoken gathers every string of a JSON document.
func spoken(raw string, into *strings.Builder) {
	var v any
	if json.Unmarshal([]byte(raw), &v) != nil {
		return
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			into.WriteString(v + "\n")
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(v)
}
