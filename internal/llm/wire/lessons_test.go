package wire_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/llm"
	"xbot/internal/llm/wire"
)

func TestLessons_AreLearnedOnceByManyCalls(t *testing.T) {
	t.Parallel()
	e := provider(t, 0, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	lessons := wire.NewLessons(0)
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			answer, err := lessons.Apply(func(known int) (llm.Answer, error) {
				if known == 3 {
					return llm.Answer{Text: "ok"}, nil
				}
				_, err := fetch(t.Context(), e, nil)
				return llm.Answer{}, err
			}, func(applied int, r *wire.Refusal) (int, bool) { return applied + 1, r.Status == 400 && applied < 3 })
			if err != nil || answer.Text != "ok" {
				t.Errorf("the lesson did not help: %v", err)
			}
		})
	}
	calls.Wait()
	attempts := 0
	_, err := lessons.Apply(func(known int) (llm.Answer, error) {
		attempts++
		require.Equal(t, 3, known)
		return llm.Answer{}, nil
	}, nil)
	require.NoError(t, err)
	require.Equal(t, 1, attempts)
}
