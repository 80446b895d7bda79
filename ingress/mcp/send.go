package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/ingress/api/messages"
	"xbot/ingress/api/sessions"
	"xbot/ingress/auth"
	"xbot/ingress/intake"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/session"
)

const (
	// maxWait is the longest wait for an answer.
	maxWait = 300 * time.Second
	// usualWait is the default: less than the 60 s after which the official clients give a request up.
	usualWait = 50 * time.Second
	// channel is the one of conversations that are begun here.
	channel = "api"
)

// SendMessage is a message of a user.
type SendMessage struct {
	Text     string          `json:"text" jsonschema:"the message, at most 200000 bytes. It may be the answer to a question, or a slash command such as /stop."`
	Session  chat.SessionKey `json:"session,omitempty" jsonschema:"where; a new conversation if left out"`
	Wait     *int            `json:"wait,omitempty" jsonschema:"how many seconds to wait for the answer, 0 to 300; 50 if left out. The work goes on after that."`
	ClientID string          `json:"client_id,omitempty" jsonschema:"any id, at most 128 bytes, that no other message of yours has. Sent again with it after a lost connection, the message is the same one and is answered once."`
}

func (s *Server) sendMessage(ctx context.Context, req *sdk.CallToolRequest, in SendMessage) (Answer, error) {
	if err := auth.MayConverse(ctx); err != nil {
		return Answer{}, err
	}
	wait, err := waitOf(in.Wait)
	if err != nil {
		return Answer{}, err
	}
	m := messages.NewMessage{ClientMessageID: in.ClientID, Text: in.Text}
	if m.ClientMessageID == "" {
		m.ClientMessageID = rand.Text()
	}
	if err := intake.Check(intake.Message{NewRow: engine.NewRow{PlatformID: m.ClientMessageID, Text: m.Text}}); err != nil {
		return Answer{}, err // before a conversation is begun for it
	}
	where, err := s.where(ctx, in)
	if err != nil {
		return Answer{}, err
	}
	got, err := s.Messages.Send(ctx, where, m)
	if err != nil {
		return Answer{}, err
	}
	q := progressSubject{session: where.Key, message: got.ID}
	if got.Answer { // the turn that had asked continues
		q.turn = where.Running
	}
	answer, err := s.await(ctx, req, q, wait)
	answer.Duplicate = got.Duplicate
	if got.Ended != "" {
		answer.Notice = got.Ended
	}
	return answer, err
}

// where returns the conversation of a message, which begins with it if none is named. The same client_id begins the same one.
func (s *Server) where(ctx context.Context, in SendMessage) (chat.Session, error) {
	if in.Session != "" {
		return s.Own(ctx, in.Session)
	}
	id := strings.ToLower(rand.Text()[:12])
	if in.ClientID != "" {
		mac := hmac.New(sha256.New, s.Key.Derive("conversations of mcp"))
		fmt.Fprintf(mac, "%d %s", auth.User(ctx).ID, in.ClientID)
		id = hex.EncodeToString(mac.Sum(nil))[:24]
	}
	return s.Sessions.Create(ctx, sessions.NewSession{Key: session.Thread(session.DefaultAgent, channel, id)})
}

func waitOf(seconds *int) (time.Duration, error) {
	if seconds == nil {
		return usualWait, nil
	}
	if *seconds < 0 || *seconds > int(maxWait.Seconds()) {
		return 0, fault.Errorf(fault.Invalid, "wait is %d; it must be between 0 and %d seconds, or left out", *seconds, int(maxWait.Seconds()))
	}
	return time.Duration(*seconds) * time.Second, nil
}
