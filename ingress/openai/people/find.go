package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"xbot/ingress/auth"
	"xbot/ingress/intake"
	"xbot/ingress/openai"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/engine"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/session"
)

// ofResponse begins the ids of responses.
const ofResponse = "resp_"

// responseID names the answer to a message. Without knowing the conversation the part behind the number cannot be guessed.
func responseID(key chat.SessionKey, id chat.InboxID) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "response %s %d", key, id))
	return fmt.Sprintf("%s%016x%s", ofResponse, int64(id), hex.EncodeToString(sum[:12]))
}

// Find implements openai.Responses.
func (p *People) Find(ctx context.Context, id string) (openai.AcceptedMessage, error) {
	missing := &openai.Error{Status: http.StatusNotFound, Code: "response_not_found", Message: "there is no response " + quoted(id) + " of yours"}
	rest, is := strings.CutPrefix(id, ofResponse)
	if !is || len(rest) < 16 {
		return openai.AcceptedMessage{}, missing
	}
	n, err := strconv.ParseInt(rest[:16], 16, 64)
	if err != nil {
		return openai.AcceptedMessage{}, missing
	}
	sent, err := p.AnswerStore.UserMessage(ctx, auth.User(ctx).ID, channel, chat.InboxID(n))
	if fault.Is(err, fault.NotFound) || err == nil && responseID(sent.Session, chat.InboxID(n)) != id {
		return openai.AcceptedMessage{}, missing
	}
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	s, err := p.Own(ctx, sent.Session)
	if err != nil {
		return openai.AcceptedMessage{}, err
	}
	out := p.acceptedMessage(openai.Ask{Client: sent.Client}, s, chat.InboxID(n), sent.At)
	out.Chosen, out.Model, out.Text = true, usual, sent.Text
	if parsed, err := session.Parse(sent.Session); err == nil && parsed.Agent != policy.DefaultAgent {
		out.Model = usual + "/" + parsed.Agent
	}
	return out, nil
}

// Cancel implements openai.Responses. A message that waits is taken back, a turn that runs is stopped, and messages behind them stay.
func (p *People) Cancel(ctx context.Context, a openai.AcceptedMessage) error {
	if err := auth.MayConverse(ctx); err != nil {
		return err
	}
	fate, err := p.AnswerStore.Fate(ctx, a.Session, a.Message)
	if err != nil {
		return err
	}
	if fate.Turn == "" && fate.Outcome == "" {
		err := p.Dispatch.Recall(ctx, a.Session, a.Message)
		if !fault.Is(err, fault.Conflict) { // else a turn has just taken it
			return err
		}
		if fate, err = p.AnswerStore.Fate(ctx, a.Session, a.Message); err != nil {
			return err
		}
	}
	if fate.Turn == "" {
		return nil
	}
	user := auth.User(ctx)
	_, err = p.Dispatch.StopTurn(ctx, intake.Message{UserName: user.Name, NewRow: engine.NewRow{
		Session: a.Session, User: user.ID, Channel: channel, PlatformID: fmt.Sprintf("cancel-%d", a.Message),
	}}, fate.Turn)
	return err
}

// Forget implements openai.Responses.
func (p *People) Forget(ctx context.Context, a openai.AcceptedMessage) error {
	if err := auth.MayConverse(ctx); err != nil {
		return err
	}
	return p.AnswerStore.HideUserMessage(ctx, auth.User(ctx).ID, channel, a.Message)
}

// Returned implements openai.Responses.
func (p *People) Returned(ctx context.Context, a openai.AcceptedMessage) (out []chat.ClientResult, err error) {
	if len(a.Client.Results) == 0 {
		return nil, nil
	}
	_, calls, err := p.AnswerStore.ClientCalls(ctx, auth.User(ctx).ID, a.Client.Results[0])
	for _, c := range calls {
		out = append(out, chat.ClientResult{Call: c.ID, Content: c.Result})
	}
	return out, err
}
