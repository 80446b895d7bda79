package largebody

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func request(size int64) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.ContentLength = size
	return r
}

func places() *Places {
	p := New()
	p.wait = 10 * time.Millisecond
	return p
}

func TestPlaces_OneCallerCannotHoldAll(t *testing.T) {
	p := places()
	var held []*Place
	for range ofOne {
		place, err := p.Enter(request(From+1), "a")
		require.NoError(t, err)
		held = append(held, place)
	}
	_, err := p.Enter(request(-1), "a")
	require.Equal(t, fault.RateLimited, fault.KindOf(err), "what does not say how large it is may be large")
	require.Positive(t, fault.After(err))
	small, err := p.Enter(request(From), "a")
	require.NoError(t, err, "small ones wait for nobody")
	small.Leave()
	_, err = p.Enter(request(From+1), "b")
	require.NoError(t, err)
	for range 2 {
		held[0].Leave() // the second time nothing happens
	}
	_, err = p.Enter(request(From+1), "a")
	require.NoError(t, err)
	_, err = p.Enter(request(From+1), "a")
	require.Error(t, err)
}

func TestPlaces_AreBoundedForAllAndForgottenWhenLeft(t *testing.T) {
	p := places()
	var held []*Place
	for n := range ofAll {
		place, err := p.Enter(request(From+1), string(rune('a'+n/ofOne)))
		require.NoError(t, err)
		held = append(held, place)
	}
	_, err := p.Enter(request(From+1), "z")
	require.Equal(t, fault.RateLimited, fault.KindOf(err))
	Read(held[0].With(request(0)).Context())
	last, err := p.Enter(request(From+1), "z")
	require.NoError(t, err, "the body of another one was read")
	last.Leave()
	for _, place := range held {
		place.Leave()
	}
	require.Empty(t, p.one)
	require.Empty(t, p.all)
}
