package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

const (
	// pollEvery finds events whose notification was lost, and tokens that were revoked.
	pollEvery = 2 * time.Second
	// progressEvery is how often a client that asked for it hears of the wait: before proxies take the connection for idle.
	progressEvery = 5 * time.Second
)

// ReadAnswer asks how far something has come.
type ReadAnswer struct {
	Session chat.SessionKey `json:"session"`
	Message chat.InboxID    `json:"message,omitempty" jsonschema:"the answer to this message, as send_message named it; if left out, the newest turn of the conversation"`
	Turn    chat.TurnID     `json:"turn,omitempty" jsonschema:"the answer of this turn"`
	Wait    *int            `json:"wait,omitempty" jsonschema:"how many seconds to wait while the work goes on, 0 to 300; 50 if left out"`
}

func (s *Server) readAnswer(ctx context.Context, req *sdk.CallToolRequest, in ReadAnswer) (Answer, error) {
	wait, err := waitOf(in.Wait)
	if err != nil {
		return Answer{}, err
	}
	if in.Message != 0 && in.Turn != "" {
		return Answer{}, fault.Errorf(fault.Invalid, "name a message or a turn, not both")
	}
	return s.await(ctx, req, progressSubject{session: in.Session, message: in.Message, turn: in.Turn}, wait)
}

// await returns how far something has come once waiting changes nothing, or at the latest after wait. It subscribes first and reads second,
// so that it misses nothing.
func (s *Server) await(ctx context.Context, req *sdk.CallToolRequest, q progressSubject, wait time.Duration) (Answer, error) {
	news := s.Bus.Subscribe(q.session)
	defer news.Close()
	access, leave := s.Bus.AccessChanges()
	defer leave()
	over, poll := time.NewTimer(wait), time.NewTicker(pollEvery)
	defer over.Stop()
	defer poll.Stop()
	p := progress{req: req, began: time.Now(), wait: wait}
	for {
		got, err := s.answer(ctx, q)
		if err != nil || wait == 0 || got.settled() {
			return got, err
		}
		p.report(ctx, got.progress())
		select {
		case <-ctx.Done():
			return got, nil // the client is gone
		case <-s.Closing:
			return got, nil
		case <-over.C:
			return got, nil
		case <-news.Woken():
		case <-poll.C:
		case <-access:
		}
		if err := auth.Still(ctx); err != nil {
			return Answer{}, err
		}
	}
}

// progress reports to a client that asked for it how far something has come.
type progress struct {
	req   *sdk.CallToolRequest
	began time.Time
	wait  time.Duration
	said  string
	at    time.Time
}

func (p *progress) report(ctx context.Context, line string) {
	token := p.req.Params.GetProgressToken()
	switch token.(type) {
	case string, int, int64, float64:
	default:
		return // none, or nothing that the protocol knows
	}
	if line == p.said && time.Since(p.at) < progressEvery {
		return
	}
	p.said, p.at = line, time.Now()
	_ = p.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ // a client that is gone ends the request
		ProgressToken: token, Progress: time.Since(p.began).Seconds(), Total: p.wait.Seconds(), Message: line,
	})
}
