package relay

import (
	"context"
	"fmt"

	"xbot/ingress/wake"
)

// outage is the relay's view of an outage of Temporal.
type outage int

const (
	unknownOutage   outage = iota // the relay has just started: one may have ended a moment ago
	noOutage                      // Temporal answers
	suspectedOutage               // a request of the last round found no answer
	provenOutage                  // neither did a probe
)

// probeID is a workflow that does not exist: if Temporal answers so, it is back.
const probeID = "relay-probe"

// suspect records that a request found no answer. The rest of the round is left alone: each row that is taken without a wake waits for longer.
func (r *Relay) suspect(err error) {
	if r.outage == noOutage && away(err) {
		r.outage = suspectedOutage
	}
}

// probe asks Temporal one question before the rows of a round are taken, where it may be away. The first answer after an outage ends all
// pauses that grew in the meantime; rounds are limited, so rows due then are taken at their pace. A failure of one request that a probe does not
// confirm ends no pause, or a workflow that never answers would end all pauses again and again.
func (r *Relay) probe(ctx context.Context) error {
	if r.outage == noOutage {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, wake.Timeout)
	defer cancel()
	if _, err := r.Client.DescribeWorkflowExecution(asking, probeID, ""); away(err) {
		if r.outage == suspectedOutage {
			r.outage = provenOutage
		}
		return fmt.Errorf("ask whether Temporal is back: %w", err)
	}
	if r.outage != suspectedOutage {
		if err := r.Inbox.EndBackOff(ctx); err != nil {
			return err
		}
	}
	r.outage = noOutage
	return nil
}
