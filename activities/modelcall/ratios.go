package modelcall

import (
	"context"
	"math"
	"sync"
	"time"
)

// RatioStore keeps what was learnt about models.
type RatioStore interface {
	TokenRatio(ctx context.Context, model string) (ratio float64, samples int, err error)
	SetTokenRatio(ctx context.Context, model string, ratio float64, samples int) error
}

// Limits of what is learnt.
const (
	minRatio, maxRatio = 0.3, 4.0        // no tokenizer explains a ratio outside of these
	learnFrom          = 200             // tokens: of a shorter request too much is overhead
	newestShare        = 0.2             // of the newest answer, once there are enough
	worthKeeping       = 0.02            // a change that is smaller is not written
	ratioFresh         = 5 * time.Minute // before what other processes have learnt is read again
)

// Ratios learns what providers count for one token of our estimate, model by model. Safe for concurrent use; it must not
// be copied.
type Ratios struct {
	Store RatioStore // nil: nothing is known, and what is learnt is kept in memory

	mu    sync.Mutex
	known map[string]ratio
}

type ratio struct {
	value, kept float64 // kept: as it was last written
	samples     int
	read        time.Time
}

// Of returns the ratio of a model, 1 where nothing is known.
func (r *Ratios) Of(ctx context.Context, model string) (float64, error) {
	known, err := r.get(ctx, model)
	return known.value, err
}

func (r *Ratios) get(ctx context.Context, model string) (ratio, error) {
	r.mu.Lock()
	known, ok := r.known[model]
	r.mu.Unlock()
	if ok && (r.Store == nil || time.Since(known.read) < ratioFresh) {
		return known, nil
	}
	known = ratio{value: 1, kept: 1, read: time.Now()}
	if r.Store != nil {
		value, samples, err := r.Store.TokenRatio(ctx, model)
		if err != nil {
			return ratio{}, err
		}
		known.value, known.kept, known.samples = value, value, samples
	}
	r.set(model, known)
	return known, nil
}

func (r *Ratios) set(model string, known ratio) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]ratio{}
	}
	r.known[model] = known
}

// Learn compares an estimate with what the provider counted. It is written when it has moved by 2 % or more.
func (r *Ratios) Learn(ctx context.Context, model string, estimated, counted int) error {
	if estimated < learnFrom || counted <= 0 {
		return nil
	}
	known, err := r.get(ctx, model)
	if err != nil {
		return err
	}
	sample := min(max(float64(counted)/float64(estimated), minRatio), maxRatio)
	known.samples++
	known.value += (sample - known.value) * max(1/float64(known.samples), newestShare)
	moved := known.samples == 1 || math.Abs(known.value-known.kept) >= worthKeeping*known.kept
	if moved {
		known.kept = known.value
	}
	r.set(model, known)
	if !moved || r.Store == nil {
		return nil
	}
	return r.Store.SetTokenRatio(ctx, model, known.value, known.samples)
}
