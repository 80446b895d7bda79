package turn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/document/picture"
	"xbot/internal/fault"
	"xbot/internal/llm"
	"xbot/internal/llm/limits"
	"xbot/internal/tool"
	"xbot/internal/turn/permission"
	"xbot/internal/turn/session"
)

const (
	// samplingTime bounds one request of an MCP server to the model.
	samplingTime = 3 * time.Minute
	// samplingPatience is how long a request waits for a place among the calls of its tenant to models.
	samplingPatience = 30 * time.Second
)

// Sampling answers requests of MCP servers to the model, as calls of the model that the user of the tool call pays for.
type Sampling struct {
	Calls       Calls
	Permissions Permissions
	Titles      Titles
	Usage       Usage
	Models      activities.Models
	Limits      limits.Table
	Authorizers permission.Authorizers
}

// sampler answers the requests during an attempt of a call.
type sampler struct {
	*Sampling

	ctx  context.Context //nolint:containedctx // of the call: requests of servers of older versions of the protocol come without one, and end with it
	call chat.Call

	mu    sync.Mutex
	asked int
	same  map[string]int // how often the same request came
}

// of returns the sampler of a call, or nil if there is none.
func (s *Sampling) of(ctx context.Context, call chat.Call) tool.Sampler {
	if s == nil {
		return nil
	}
	return &sampler{Sampling: s, ctx: ctx, call: call, same: map[string]int{}}
}

// Rule implements tool.Sampler. always is false in groups: a later message may be of another user, at the expense of the session's user.
func (s *sampler) Rule(ctx context.Context, of *tool.Remote) (rule chat.Rule, always bool, err error) {
	a, err := s.Authorizers.Of(ctx, s.call.Session, tool.New())
	if err != nil {
		return "", false, err
	}
	return a.Sampling(of).Rule, alone(s.call.Session), nil
}

// alone reports whether a single user writes in a conversation.
func alone(key chat.SessionKey) bool {
	k, err := session.Parse(key)
	return err == nil && k.Kind != session.KindGroup && k.Kind != session.KindChannel && k.Kind != session.KindThread
}

// Allow implements tool.Sampler.
func (s *sampler) Allow(ctx context.Context, of *tool.Remote) error {
	a, err := s.Authorizers.Of(ctx, s.call.Session, tool.New())
	if err != nil {
		return err
	}
	for _, r := range a.Sampling(of).Always {
		if err := s.Permissions.AllowInSession(ctx, s.call.Session, r); err != nil {
			return err
		}
	}
	return nil
}

// Generate implements tool.Sampler.
func (s *sampler) Generate(ctx context.Context, r llm.Request) (llm.Answer, string, error) {
	running, cancel := context.WithTimeout(s.ctx, samplingTime)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	answer, err := s.answer(running, r)
	if err != nil {
		return llm.Answer{}, "", publicError(err)
	}
	return llm.Answer{Text: answer.Text, Finish: llm.FinishReason(answer.Finish)}, answer.Model, nil
}

// samplingError is why a request is refused, in a sentence for the server.
type samplingError string

// Error implements error.
func (e samplingError) Error() string { return string(e) }

// publicError returns an error as sent to the server. An error of the provider may name the key, and one of the database is not for servers.
func publicError(err error) error {
	if own, ok := errors.AsType[samplingError](err); ok {
		return own
	}
	switch kind := fault.KindOf(err); kind {
	case fault.RateLimited:
		return fault.Errorf(kind, "the model cannot be asked now: too many requests; try again later")
	case fault.TooLarge:
		return fault.Errorf(kind, "the request is too long for the model")
	default:
		return fault.Errorf(kind, "the model did not answer: %s", cmp.Or(llm.Reason(err), "the provider refuses the request"))
	}
}

func (s *sampler) answer(ctx context.Context, r llm.Request) (chat.Sample, error) {
	request, err := s.next(r)
	if err != nil {
		return chat.Sample{}, err
	}
	stored, found, answered, err := s.Calls.Sample(ctx, s.call.ID, request)
	if err != nil || found {
		return stored, err
	}
	if answered >= tool.MaxSamples {
		return stored, errSamples
	}
	client, err := s.Models.For(ctx, s.call.Session)
	if err != nil {
		return stored, err
	}
	if _, agent := llm.AgentOf(client); agent {
		return stored, samplingError("a coding agent answers this conversation, and servers cannot ask it")
	}
	if err := s.prepare(ctx, client, &r); err != nil {
		return stored, err
	}
	return s.ask(ctx, client, request, r)
}

var errSamples = samplingError(fmt.Sprintf("at most %d requests to the model are answered during one call of a tool", tool.MaxSamples))

// next counts a request and identifies it: the same request in the same place of another attempt has the same identity.
func (s *sampler) next(r llm.Request) (string, error) {
	data, err := json.Marshal(r) //nolint:musttag // only its hash is used
	if err != nil {
		return "", samplingError("the request cannot be read")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked > tool.MaxSamples {
		return "", errSamples
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	s.same[digest]++
	return fmt.Sprintf("%s.%d", digest, s.same[digest]), nil
}

// prepare makes the request one for the model, and waits until the model may be asked.
func (s *sampler) prepare(ctx context.Context, client llm.Client, r *llm.Request) error {
	takes := s.Limits.For(client)
	if takes.Output > 0 {
		r.MaxTokens = min(r.MaxTokens, takes.Output)
	}
	for i, m := range r.Messages {
		if len(m.Pictures) > 0 && !takes.Sees {
			return samplingError("the model does not read images")
		}
		for n, p := range m.Pictures {
			made, err := picture.Make(ctx, p.Data)
			if err != nil {
				return samplingError("an image of the request cannot be read")
			}
			r.Messages[i].Pictures[n] = llm.Picture{MediaType: made.MediaType, Data: made.Data}
		}
	}
	for until := time.Now().Add(samplingPatience); ; {
		err := s.Titles.TitleCapacity(ctx, s.call.Session)
		pause := fault.After(err)
		if !fault.Is(err, fault.RateLimited) || time.Now().Add(pause).After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// ask makes the call and stores the answer, even if the tool call ends at this moment: it was paid for.
func (s *sampler) ask(ctx context.Context, client llm.Client, request string, r llm.Request) (chat.Sample, error) {
	answer, err := client.Generate(ctx, r, nil)
	settling, cancel := activities.Settling(ctx)
	defer cancel()
	if err != nil {
		if answer.Usage != (chat.Usage{}) {
			if booked := s.Usage.BookUsage(settling, s.call.Session, client.Model(), 1, answer.Usage); booked != nil {
				return chat.Sample{}, booked
			}
		}
		return chat.Sample{}, err
	}
	kept := chat.Sample{Request: request, Model: client.Model(), Text: activities.Clean(answer.Text), Finish: string(answer.Finish)}
	return kept, s.Calls.KeepSample(settling, s.call.Session, s.call.ID, kept, answer.Usage)
}
