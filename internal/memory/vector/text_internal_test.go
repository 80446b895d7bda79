package vector

import (
	"context"
	"net/http"
	"testing"

	"github.com/philippgille/chromem-go"
	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

// offline counts requests and answers none.
type offline struct{ asked int }

func (o *offline) RoundTrip(*http.Request) (*http.Response, error) {
	o.asked++
	return nil, fault.Errorf(fault.Unavailable, "no network")
}

// TestDB_NoTextLeavesForAServiceThatNobodyChose gives chromem-go a text, which xbot never does, where the environment holds a
// key of OpenAI's. It is not parallel: it owns the environment and what all clients of net/http share.
func TestDB_NoTextLeavesForAServiceThatNobodyChose(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "somebody's")
	network, before := &offline{}, http.DefaultTransport
	http.DefaultTransport = network
	t.Cleanup(func() { http.DefaultTransport = before })

	x, err := New(nil).Create("x")
	require.NoError(t, err)
	err = x.documents.AddDocument(t.Context(), chromem.Document{ID: "1", Content: "a private text"})
	require.ErrorContains(t, err, "no model makes embeddings here")
	require.Zero(t, network.asked)

	var asked []string
	x, err = New(func(_ context.Context, text string) ([]float32, error) {
		asked = append(asked, text)
		return []float32{1}, nil
	}).Create("x")
	require.NoError(t, err)
	require.NoError(t, x.documents.AddDocument(t.Context(), chromem.Document{ID: "1", Content: "a private text"}))
	require.Equal(t, []string{"a private text"}, asked, "the embedder that is set is asked")
	require.Zero(t, network.asked)
}
