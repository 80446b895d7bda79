package servicestore

import (
	"context"
	"fmt"
	"time"

	"xbot/internal/chat/ops"
	"xbot/internal/pg"
	"xbot/internal/service/dbsqlc"
)

// Period is the days to sum up: days of UTC, the last one excluded.
type Period struct {
	Since, Until time.Time
	ByKey        bool // else by day
}

// Requested is the outcome of the requests of a day, or of a key.
type Requested struct {
	Bucket   string // the day, or the id of the key; empty: all of them
	Requests int64
	Errors   int64 // answered with 400 or more
	P50, P95 time.Duration
	Slowest  time.Duration
}

// Spent is the usage of one model on a day, or for a key.
type Spent struct {
	Bucket string
	ops.Spent
}

// ServiceUsage sums up the requests of consumers of a service, and their usage. Requests are there for as long as they are kept, tokens for as
// long as the service is, also after the deletion of its conversations.
func (s *Usage) ServiceUsage(ctx context.Context, of string, p Period) (all Requested, by []Requested, spent []Spent, err error) {
	rows, err := dbsqlc.Q.ServiceUsageRequests(ctx, s.db.Pool, dbsqlc.ServiceUsageRequestsParams{ByKey: p.ByKey, ServiceID: of, Since: p.Since, Until: p.Until})
	if err != nil {
		return all, nil, nil, pg.Classify(fmt.Errorf("sum up the requests of %s: %w", of, err))
	}
	const ms = time.Millisecond
	for _, r := range rows {
		one := Requested{Bucket: r.Bucket, Requests: r.Requests, Errors: r.Errors, P50: time.Duration(r.P50) * ms, P95: time.Duration(r.P95) * ms, Slowest: time.Duration(r.Slowest) * ms}
		if r.AllOf {
			all = one
		} else {
			by = append(by, one)
		}
	}
	tokens, err := dbsqlc.Q.ServiceUsageTokens(ctx, s.db.Pool, dbsqlc.ServiceUsageTokensParams{ByKey: p.ByKey, ServiceID: of, Since: p.Since, Until: p.Until})
	if err != nil {
		return all, nil, nil, pg.Classify(fmt.Errorf("sum up the tokens of %s: %w", of, err))
	}
	for _, t := range tokens {
		spent = append(spent, Spent{t.Bucket, ops.Spent{Model: t.Model, Calls: t.Calls, PromptTokens: t.PromptTokens, CachedTokens: t.CachedTokens, CompletionTokens: t.CompletionTokens}})
	}
	return all, by, spent, nil
}

// TokenUsage is the usage of models for the consumers of a service since it was made.
type TokenUsage struct {
	Service                    string
	Prompt, Cached, Completion int64 // Cached: part of Prompt
}

// ServiceTokens sums up what models took for the consumers of each service; one that took nothing is left out.
func (s *Usage) ServiceTokens(ctx context.Context) ([]TokenUsage, error) {
	rows, err := dbsqlc.Q.ServiceUsageTotals(ctx, s.db.Pool)
	if err != nil {
		return nil, pg.Classify(fmt.Errorf("sum up the tokens of services: %w", err))
	}
	out := make([]TokenUsage, len(rows))
	for i, r := range rows {
		out[i] = TokenUsage{r.ServiceID, r.PromptTokens, r.CachedTokens, r.CompletionTokens}
	}
	return out, nil
}
