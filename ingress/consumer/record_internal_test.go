package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/service/servicestore"
)

// ledger keeps requests as the database does, by their ids.
type ledger struct {
	kept  map[string]servicestore.Request
	asked int
	says  []error // to the first writes, which keep what they were given unless it is refused
}

func (l *ledger) RecordRequests(_ context.Context, all []servicestore.Request) (err error) {
	if l.asked < len(l.says) {
		err = l.says[l.asked]
	}
	l.asked++
	if fault.Is(err, fault.Internal) {
		return err
	}
	for _, q := range all {
		l.kept[q.ID] = q
	}
	return err
}

func recording(says ...error) (*recorder, *ledger) {
	l := &ledger{kept: map[string]servicestore.Request{}, says: says}
	return newRecorder(l, slog.New(slog.DiscardHandler)), l
}

func TestRecorder_WritesAgainWhatMayNotHaveBeenWrittenAndCountsItOnce(t *testing.T) {
	r, l := recording(fault.Errorf(fault.Unavailable, "the connection was lost in the commit"))
	for range 3 {
		r.add(servicestore.Request{Service: "svc_a"})
	}
	r.write(t.Context())
	r.add(servicestore.Request{Service: "svc_b"})
	r.write(t.Context())
	require.Equal(t, 2, l.asked)
	require.Len(t, l.kept, 4)
	r.write(t.Context())
	require.Equal(t, 2, l.asked, "nothing waits")
}

func TestRecorder_NobodyWaitsAndAServiceTakesNoRoomOfAnother(t *testing.T) {
	r, l := recording(fault.Errorf(fault.Unavailable, "away"))
	for range recordShare + 10 {
		r.add(servicestore.Request{Service: "svc_loud"})
	}
	r.add(servicestore.Request{Service: "svc_quiet"})
	r.write(t.Context())
	require.Equal(t, 1, l.asked)
	r.write(t.Context())
	n := map[string]int{}
	for _, q := range l.kept {
		n[q.Service]++
	}
	require.Equal(t, map[string]int{"svc_loud": recordShare, "svc_quiet": 1}, n)
	r.add(servicestore.Request{Service: "svc_loud"})
	r.write(t.Context())
	require.Len(t, l.kept, recordShare+2, "there is room again")
}

func TestRecorder_DropsABatchThatIsRefusedForGood(t *testing.T) {
	r, l := recording(fault.Errorf(fault.Internal, "violates a constraint"))
	r.add(servicestore.Request{Service: "svc_a"})
	r.write(t.Context())
	r.add(servicestore.Request{Service: "svc_a"})
	r.write(t.Context())
	require.Len(t, l.kept, 1)
}

func TestRecorder_WritesWhatIsLeftWhenItStops(t *testing.T) {
	r, l := recording()
	stop := r.start(t.Context())
	for range recordMost + 7 {
		r.add(servicestore.Request{Service: "svc_a"})
	}
	stop()
	require.Len(t, l.kept, recordMost+7)
}

// stalled is a ledger whose first write does not return before its context ends.
type stalled struct {
	*ledger
	began chan struct{}
}

func (s *stalled) RecordRequests(ctx context.Context, all []servicestore.Request) error {
	if s.asked == 0 {
		s.asked++
		close(s.began)
		<-ctx.Done()
		return fmt.Errorf("record %d requests: %w", len(all), ctx.Err()) // as the store returns it
	}
	return s.ledger.RecordRequests(ctx, all)
}

func TestRecorder_AStopDuringAWriteLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := recording()
		s := &stalled{l, make(chan struct{})}
		r := newRecorder(s, slog.New(slog.DiscardHandler))
		stop := r.start(t.Context())
		r.add(servicestore.Request{Service: "svc_a"})
		<-s.began
		stop()
		require.Len(t, l.kept, 1)
	})
}

func TestRecorder_AWriteThatTimedOutIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, l := recording()
		s := &stalled{l, make(chan struct{})}
		r := newRecorder(s, slog.New(slog.DiscardHandler))
		r.add(servicestore.Request{Service: "svc_a"})
		r.write(t.Context())
		require.Empty(t, l.kept)
		r.write(t.Context())
		require.Len(t, l.kept, 1)
	})
}
