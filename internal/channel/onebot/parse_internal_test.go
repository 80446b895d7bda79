package onebot

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
)

func TestParseCQ_ReadsWhatIsEscaped(t *testing.T) {
	require.Equal(t, []wire.Segment{
		{Type: "text", Data: wire.Attributes{"text": "a & [b] "}},
		{Type: "at", Data: wire.Attributes{"qq": "10001"}},
		{Type: "image", Data: wire.Attributes{"file": "a,b].png", "url": "https://e.org/?a=1&b=2"}},
		{Type: "text", Data: wire.Attributes{"text": "&#91;"}},
	}, wire.ParseCQ("a &amp; &#91;b&#93; [CQ:at,qq=10001][CQ:image,file=a&#44;b&#93;.png,url=https://e.org/?a=1&amp;b=2]&amp;#91;"))
	for _, text := range []string{"[CQ:", "[CQ:]", "[CQ:at,qq=1", "a [b] c", "[CQ:=x]"} {
		require.Equal(t, []wire.Segment{{Type: "text", Data: wire.Attributes{"text": text}}}, wire.ParseCQ(text), text)
	}
	require.Empty(t, wire.ParseCQ(""))
}

func TestParseMessage_EveryFormIsTheSame(t *testing.T) {
	want := []wire.Segment{{Type: "text", Data: wire.Attributes{"text": "x"}}}
	for _, form := range []string{`[{"type":"text","data":{"text":"x"}}]`, `{"type":"text","data":{"text":"x"}}`, `"x"`} {
		require.Equal(t, want, wire.ParseMessage(json.RawMessage(form)))
	}
	require.Equal(t, []wire.Segment{{Type: "at", Data: wire.Attributes{"qq": "7", "flag": "true", "none": ""}}},
		wire.ParseMessage(json.RawMessage(`[{"type":"at","data":{"qq":7,"flag":true,"none":null}},{"type":""},5]`)))
}

func TestCard_SaysWhatIsShown(t *testing.T) {
	require.Equal(t, "[card [分享]Tea · How to brew · https://e.org/tea]", card(
		`{"app":"com.tencent.structmsg","prompt":"[分享]Tea","meta":{"news":{"title":"Tea","desc":"How to brew","jumpUrl":"https://e.org/tea"}}}`))
	require.Equal(t, "[card old]", card(`{"prompt":"old","meta":"strange"}`))
	require.Equal(t, "[card]", card(`not JSON`))
}

func TestSaid_OnlyPeopleOfQQAreMentioned(t *testing.T) {
	group := channel.Address{ChatType: chat.ChatGroup, Chat: "30001"}
	names := map[string]string{"1": "Ann", "2": "Ann Lee", "3": "小明", "x": "Bad"}
	require.Equal(t, []wire.Segment{
		{Type: "text", Data: wire.Attributes{"text": "请"}}, {Type: "at", Data: wire.Attributes{"qq": "3"}}, {Type: "text", Data: wire.Attributes{"text": "和 "}}, {Type: "at", Data: wire.Attributes{"qq": "2"}},
		{Type: "text", Data: wire.Attributes{"text": ", @Bad @Anna"}},
	}, splitMentions(group, "请@小明和 @Ann Lee,\x00 @Bad @Anna", names))
	require.Equal(t, []wire.Segment{{Type: "text", Data: wire.Attributes{"text": "@Ann"}}}, splitMentions(channel.Address{ChatType: chat.ChatDirect, Peer: "1"}, "@Ann", names))
}

func TestBackoff_GrowsAndBeginsAnewAfterALongConnection(t *testing.T) {
	b := newBackoff(coolDown)
	var got []time.Duration
	for range 8 {
		got = append(got, b.next(29*time.Second))
	}
	s := time.Second
	require.Equal(t, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}, got)
	require.Equal(t, s, b.next(30*time.Second))
	require.Equal(t, 2*s, b.next(0))
}

func TestBackoff_CoolsDownAfterConnectionsThatWereCutOffAtOnce(t *testing.T) {
	b := newBackoff(coolDown)
	var got []time.Duration
	for _, lived := range []time.Duration{1, time.Second, 4 * time.Second, time.Second, 0, time.Second, time.Second, 6 * time.Second, time.Second} {
		got = append(got, b.next(lived))
	}
	s := time.Second
	require.Equal(t, []time.Duration{s, 2 * s, 60 * s, 4 * s, 8 * s, 16 * s, 60 * s, 32 * s, 60 * s}, got)
	b = newBackoff(coolDown)
	require.Equal(t, []time.Duration{s, 2 * s, 4 * s, 8 * s}, []time.Duration{b.next(0), b.next(0), b.next(0), b.next(0)}, "what cannot be reached was not cut off")
	b = newBackoff(coolDown)
	require.Equal(t, []time.Duration{s, 2 * s, 60 * s}, []time.Duration{b.next(1), b.next(1), b.next(1)}, "the third in a row waits longer than the growing pauses do")
}

func TestParseID_ReadsItsOwn(t *testing.T) {
	got, ok := parseID(messageID("g30001", "-17", 1700000000))
	require.True(t, ok)
	require.Equal(t, messageRef{group: true, chat: "30001", id: "-17", at: time.Unix(1700000000, 0)}, got)
	for _, bad := range []string{"", "x", "g1.2", "g1.2.3.4", "q1.2.3", "-", "om_123"} {
		_, ok := parseID(bad)
		require.False(t, ok, bad)
	}
}

func TestRefused_TellsWhatMayHaveHappened(t *testing.T) {
	timeout := wire.Answer{Status: "failed", Retcode: 1200, Wording: "Timeout: NTEvent sendMsg"}
	require.True(t, channel.Unknown(timeout.Refused("send_msg", true)))
	require.False(t, channel.Unknown(timeout.Refused("get_msg", false)))
	async := wire.Answer{Status: "async", Retcode: 1}
	require.True(t, channel.Unknown(async.Refused("send_msg", true)))
	require.NoError(t, async.Refused("delete_msg", false))
	require.NoError(t, wire.Answer{Status: "ok"}.Refused("send_msg", true))
}

func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{
		`[{"type":"text","data":{"text":"x"}}]`, `"[CQ:at,qq=1] &#91;"`, `{"type":"at","data":{"qq":7}}`, `[{"type":"forward","data":{"id":1,"content":[{"message":[]}]}}]`,
		`[[[[`, `"\u0000[CQ:reply,id=-1]"`, `[{"type":"json","data":{"data":"{\"meta\":{}}"}}]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		segments := wire.ParseMessage(data)
		require.LessOrEqual(t, len(segments), wire.MaxSegments+1)
		s, err := parseSettings(map[string]string{"mode": modeReverse, "token": "t", "self_id": "10001"})
		require.NoError(t, err)
		r := &reader{account: newAccount("a", s, channel.Resources{}), messages: maxForwarded}
		r.read(t.Context(), segments, 0)
		require.LessOrEqual(t, len(r.text()), maxRead)
		require.True(t, utf8.ValidString(r.text()))
		require.NotContains(t, r.text(), "\x00")
		require.LessOrEqual(t, len(r.files), maxFiles)
	})
}

func FuzzParseCQ(f *testing.F) {
	for _, seed := range []string{"a[CQ:at,qq=1]b", "[CQ:", "&#91;CQ:at&#93;", "[CQ:image,file=a&#44;b]", "[CQ:[CQ:at]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, one := range wire.ParseCQ(s) {
			require.NotEmpty(t, one.Type)
			if one.Type == "text" && !strings.Contains(s, "[CQ:text") {
				require.NotEmpty(t, one.Data["text"])
			}
		}
	})
}

func TestParseEvent_AnOddMemberCostsNoMessage(t *testing.T) {
	for _, odd := range []string{`"sender":[]`, `"sender":{"nickname":7}`, `"sub_type":1`, `"interval":"soon"`, `"group_name":{}`, `"file":"x"`} {
		e, ok := parseEvent([]byte(`{"post_type":"message","message_type":"private",` + odd + `,"user_id":1,"message_id":2,"message":"hi"}`))
		require.True(t, ok, odd)
		require.Equal(t, wire.Number("2"), e.MessageID)
		require.Equal(t, "hi", wire.ParseMessage(e.Message)[0].Data["text"])
	}
}

func FuzzFrame(f *testing.F) {
	for _, seed := range []string{
		`{"post_type":"message","message_type":"group","group_id":1,"user_id":"2","message_id":-3,"time":1700000000000,"message":"x"}`,
		`{"post_type":"meta_event","meta_event_type":"heartbeat","interval":9223372036854775807,"status":{"online":null}}`,
		`{"retcode":1403,"echo":null,"status":"failed"}`, `{"post_type":"notice","notice_type":"group_upload","file":{"id":1,"size":"x"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, ok := parseEvent(data); ok {
			id := messageID(e.place(), e.MessageID, e.Time)
			if e.MessageID != "" && e.UserID != "" && e.UserID[0] != '-' && (e.GroupID == "" || e.GroupID[0] != '-') && len(e.place()) > 1 {
				_, known := parseID(id)
				require.True(t, known, id)
			}
		}
		var a wire.Answer
		if json.Unmarshal(data, &a) == nil {
			_ = a.Refused("send_msg", true) // it must not panic
		}
	})
}

func TestForwarded_MessagesThatComeInsideAreReadWithoutAsking(t *testing.T) {
	s, err := parseSettings(map[string]string{"mode": modeReverse, "token": "t", "self_id": "10001"})
	require.NoError(t, err)
	for name, content := range map[string]string{
		"as messages": `[{"sender":{"nickname":"Ann"},"message":[{"type":"text","data":{"text":"one"}}]},{"sender":{"card":"Bob"},"message":"two[CQ:face,id=1]"}]`,
		"as nodes":    `[{"type":"node","data":{"nickname":"Ann","content":[{"type":"text","data":{"text":"one"}}]}},{"type":"node","data":{"name":"Bob","message":"two[CQ:face,id=1]"}}]`,
	} {
		t.Run(name, func(t *testing.T) {
			r := &reader{account: newAccount("a", s, channel.Resources{}), messages: maxForwarded}
			r.read(t.Context(), wire.ParseMessage(json.RawMessage(`[{"type":"forward","data":{"id":"7","content":`+content+`}}]`)), 0)
			require.Equal(t, "[forwarded messages]\nAnn: one\nBob: two[face: 1]\n[end of forwarded messages]", r.text())
		})
	}
}
