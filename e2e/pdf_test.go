package e2e

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/document/pdf"
	_ "xbot/internal/document/pdf/engine" // decodes PDFs
	"xbot/internal/document/pdf/pdftest"
)

// lastWords are those of the newest request to the model.
func (s *server) lastWords() (out string) {
	s.t.Helper()
	requests := s.model.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		out += m.Content + "\n"
	}
	return out
}

// translated has the engine translated once: with the race detector that takes a minute, for which clients do not wait.
var translated = sync.OnceValue(func() error {
	_, err := pdf.Reader{Cache: pdftest.Cache()}.Pages(context.Background(), pdftest.Of("one"))
	return err
})

// readsPDFs is a server that need not translate what reads them.
func readsPDFs(t *testing.T, env ...string) *server {
	t.Helper()
	require.NoError(t, translated())
	s := newServer(t, env...)
	require.NoError(t, os.CopyFS(filepath.Join(s.home, "cache", "pdf"), os.DirFS(pdftest.Cache())))
	return s
}

func TestPDF_OfAMessageIsReadAsTextAndAsPictures(t *testing.T) {
	t.Parallel()
	s := readsPDFs(t, "LLM_VISION=on")
	k := s.newTalk()
	f, err := s.client.Upload(t.Context(), k.key, "", "report.txt", bytes.NewReader(pdftest.Of("The answer is 42.", "And the question?", "Nobody knows.")))
	require.NoError(t, err)
	sent, err := s.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{
		ClientMessageID: "m1", Text: `call Read {"path":"` + f.Path + `","pages":"1,3"}` + "\nsay read", Files: []string{f.Path},
	})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, sent.ID).State)
	read := s.lastWords()
	require.Contains(t, read, "--- page 1 ---\nThe answer is 42.\n--- page 3 ---\nNobody knows.")
	require.NotContains(t, read, "And the question?")
	require.Contains(t, read, " bytes · PDF of 3 pages, for Read · "+f.Path+"]")
	require.Empty(t, s.widths())

	k.untilEnded(time.Minute, k.send(`call Read {"path":"`+f.Path+`","pages":"2-","pictures":true}`, "say seen"))
	require.Equal(t, []int{1211, 1211}, s.widths())
}

func TestPDF_AModelThatReadsNoPicturesIsToldSo(t *testing.T) {
	t.Parallel()
	s := readsPDFs(t, "LLM_VISION=off")
	k := s.newTalk()
	f, err := s.client.Upload(t.Context(), k.key, "", "a.pdf", bytes.NewReader(pdftest.Of("one")))
	require.NoError(t, err)
	k.untilEnded(time.Minute, k.send(`call Read {"path":"`+f.Path+`","pictures":true}`, "say none"))
	require.Empty(t, s.widths())
	require.Contains(t, s.lastWords(), "others see none")
}

func TestPDF_PagesAreDrawnForThePage(t *testing.T) {
	t.Parallel()
	s := readsPDFs(t)
	k := s.newTalk()
	f, err := s.client.Upload(t.Context(), k.key, "", "a.pdf", bytes.NewReader(pdftest.Of("one", "two")))
	require.NoError(t, err)
	var drawn bytes.Buffer
	_, err = s.client.DrawPage(t.Context(), k.key, apiclient.DrawPageParams{Path: f.Path, Page: 2, Width: 600}, &drawn)
	require.NoError(t, err)
	shown, err := png.DecodeConfig(&drawn)
	require.NoError(t, err)
	require.Equal(t, 600, shown.Width)
	_, err = s.client.DrawPage(t.Context(), k.key, apiclient.DrawPageParams{Path: f.Path, Page: 3, Width: 600}, &drawn)
	require.ErrorContains(t, err, "ends with page 2")
}
