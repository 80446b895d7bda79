package e2e

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/realtime"
	"xbot/internal/realtime/realtimetest"
)

// voicePage is a page in voice mode.
type voicePage struct {
	t    *testing.T
	conn *websocket.Conn
}

// voiceServer returns a server with a key of an emulated realtime service.
func voiceServer(t *testing.T, env ...string) (*server, *realtimetest.Server) {
	t.Helper()
	service := realtimetest.New(t)
	return newServer(t, append([]string{"S2S_BASE_URL=" + service.URL, "S2S_API_KEY=" + realtimetest.Key}, env...)...), service
}

// speak opens voice mode in the conversation.
func (k *talk) speak() *voicePage {
	k.t.Helper()
	at, err := k.Endpoint(k.t.Context())
	require.NoError(k.t, err)
	address := strings.Replace(at.URL, "http", "ws", 1) + "/api/sessions/" + url.PathEscape(string(k.key)) + "/realtime"
	conn, _, err := websocket.DefaultDialer.DialContext(k.t.Context(), address, http.Header{"Authorization": {"Bearer " + at.Token}})
	require.NoError(k.t, err)
	k.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(k.t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	p := &voicePage{k.t, conn}
	p.until(realtime.TypeSessionCreated)
	return p
}

// say sends the bytes of the text as speech, and silence.
func (p *voicePage) say(text string) {
	p.t.Helper()
	for _, audio := range [][]byte{[]byte(text), make([]byte, 96)} {
		require.NoError(p.t, p.conn.WriteJSON(map[string]string{"type": realtime.TypeAppend, "audio": base64.StdEncoding.EncodeToString(audio)}))
	}
}

// until reads events up to one of a type, and returns the transcript of the answers among them.
func (p *voicePage) until(kind string) (transcript string) {
	p.t.Helper()
	for {
		var e realtime.Event
		require.NoError(p.t, p.conn.ReadJSON(&e), "while waiting for %s", kind)
		if e.Type == realtime.TypeTranscript {
			transcript += e.Delta
		}
		if e.Type == kind {
			return strings.TrimSpace(transcript)
		}
	}
}

// settled waits until no turn runs, and returns the conversation, one line per message with text.
func (k *talk) settled(messages int) (lines []string) {
	k.t.Helper()
	require.Eventually(k.t, func() bool {
		lines = nil
		for _, m := range k.transcript().Messages {
			if m.Content != "" && m.Role != chat.RoleNotice {
				lines = append(lines, string(m.Role)+": "+m.Content)
			}
		}
		return len(lines) >= messages
	}, time.Minute, 50*time.Millisecond, "the conversation")
	return lines
}

func TestRealtime_ACallRunsOnceAndItsResultIsSpokenAfterTheServerWasKilled(t *testing.T) {
	s, service := voiceServer(t)
	k := s.newTalk()
	p := k.speak()
	command := k.shell("echo ran >>%s; %s; echo forty two", k.file("ran"), k.untilFile("gate"))
	p.say(command)
	p.until(realtime.TypeResponseDone)
	k.untilTool(time.Minute, chat.CallRunning)
	require.Eventually(t, func() bool { return len(k.trace("ran")) == 1 }, time.Minute, 20*time.Millisecond)
	s.crash()
	s.boot()
	p = k.speak()
	k.touch("gate")
	require.Contains(t, p.until(realtime.TypeResponseDone), "forty two")
	lines := k.settled(2)
	require.Equal(t, "user: "+command, lines[0])
	require.Contains(t, lines[1], "forty two")
	require.Len(t, lines, 2)
	require.Equal(t, []string{"ran"}, k.trace("ran"))
	require.Equal(t, 2, service.Connections())
	require.Empty(t, s.model.Requests(), "no request to the model of the conversation")
	k.wellFormed()

	p.say("say good bye")
	require.Equal(t, "good bye", p.until(realtime.TypeResponseDone))
	require.Equal(t, []string{"user: say good bye", "assistant: good bye"}, k.settled(4)[2:])
}

func TestRealtime_TheConversationsModelAnswersIfThePageDoesNotReconnect(t *testing.T) {
	s, _ := voiceServer(t)
	k := s.newTalk()
	p := k.speak()
	p.say(k.shell("%s; echo read", k.untilFile("gate")))
	p.until(realtime.TypeResponseDone)
	k.untilTool(time.Minute, chat.CallRunning)
	s.crash()
	s.boot()
	k.touch("gate")
	k.settled(2)
	require.NotEmpty(t, s.model.Requests(), "it has the result of the call")
	k.wellFormed()
}

func TestRealtime_CallsWaitForTheApprovalOfTheirRule(t *testing.T) {
	s, _ := voiceServer(t, "XBOT_TOOL_RULES=Shell=ask")
	k := s.newTalk()
	p := k.speak()
	p.say(k.shell("echo permitted"))
	p.until(realtime.TypeResponseDone)
	k.until(time.Minute, "a question", func(e chat.Event) bool {
		return e.Kind == chat.EventTool && decode[chat.ToolEvent](t, e).Approval != nil
	})
	k.send("/approve")
	require.Contains(t, p.until(realtime.TypeResponseDone), "permitted")
}
