package channels

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"xbot/internal/fault"
)

// Any client can send bodies to a webhook, and their sender is known only when they are read. These bound what all of
// them hold together. Events of platforms have some kilobytes.
const (
	// hooksAtOnce is how many calls a process handles at once, and hooksOfOne how many of them may come from one address, so that a slow client
	// delays no platform.
	hooksAtOnce = 64
	hooksOfOne  = 24
	// smallBody is the most that each of them may hold, in bytes.
	smallBody = 256 << 10
	// largeBodies is how much larger ones may hold together beyond that, in bytes.
	largeBodies = 24 << 20
	// largestBody is the most that a platform may send, in bytes.
	largestBody = 8 << 20
	// bodyTime is how long a caller may take to send its body.
	bodyTime = 15 * time.Second
)

var (
	errTooMany  = fault.Limited(time.Second, "too many calls at once")
	errTooLarge = fault.Errorf(fault.TooLarge, "the body is larger than %d bytes", largestBody)
)

// bodies limits the memory that bodies of calls take.
type bodies struct {
	mu    sync.Mutex
	calls map[string]int // by address
	all   int            // number of calls
	large int            // bytes
}

// read reads the body of a call from an address within the limits. done releases the reserved capacity.
func (b *bodies) read(w http.ResponseWriter, r *http.Request, from string) (body []byte, done func(), err error) {
	if !b.enter(from) {
		return nil, nil, errTooMany
	}
	taken := 0
	done = func() { b.leave(from, taken) }
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTime)) // the server's own deadline holds otherwise
	var held bytes.Buffer
	for {
		n, err := io.CopyN(&held, r.Body, smallBody)
		if errors.Is(err, io.EOF) {
			return held.Bytes(), done, nil
		}
		if err == nil && held.Len() > largestBody {
			err = errTooLarge
		}
		if err == nil && !b.take(int(n)) {
			err = errTooMany
		}
		if err != nil {
			done()
			return nil, nil, err
		}
		taken += int(n)
	}
}

func (b *bodies) enter(from string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all >= hooksAtOnce || from != "" && b.calls[from] >= hooksOfOne {
		return false
	}
	if b.calls == nil {
		b.calls = map[string]int{}
	}
	b.all++
	b.calls[from]++
	return true
}

func (b *bodies) take(bytes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.large+bytes > largeBodies {
		return false
	}
	b.large += bytes
	return true
}

func (b *bodies) leave(from string, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.large -= bytes
	b.all--
	if b.calls[from]--; b.calls[from] <= 0 {
		delete(b.calls, from)
	}
}
