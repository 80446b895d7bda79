package e2e

import (
	"bytes"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// photo is a PNG file of a size.
func photo(t *testing.T, width, height int) []byte {
	t.Helper()
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, width, height))))
	return file.Bytes()
}

// widths are those of the pictures in the newest request to the model, in their order.
func (s *server) widths() (out []int) {
	s.t.Helper()
	requests := s.model.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		for _, p := range m.Pictures {
			shown, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
			require.NoError(s.t, err)
			out = append(out, shown.Width)
		}
	}
	return out
}

func TestPictures_OfAMessageAreShownToTheModelAndStayReadableAfterACrash(t *testing.T) {
	t.Parallel()
	s := diskServer(t, "LLM_VISION=on")
	k := s.newTalk()
	upload := func(name string, content []byte) string {
		f, err := s.client.Upload(t.Context(), k.key, "", name, bytes.NewReader(content))
		require.NoError(t, err)
		return f.Path
	}
	files := []string{upload("holiday.txt", photo(t, 31, 20)), upload("notes.png", []byte("no picture")), "/nowhere/at/all.png", s.home + "/secret.key"}
	sent, err := s.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "m1", Text: "say I see it", Files: files})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, sent.ID).State)
	require.Equal(t, []int{31}, s.widths(), "what a file holds counts, not its name")
	asked := k.transcript().Messages[0]
	for _, line := range []string{"[file: holiday.txt · ", "[file: notes.png · 10 bytes · ", "[file: all.png · not fetched: ", "[file: secret.key · not fetched: "} {
		require.Contains(t, asked.Content, line)
	}
	require.Len(t, asked.Pictures, 1)

	s.crash()
	s.boot()
	var got bytes.Buffer
	_, err = s.client.ReadPicture(t.Context(), k.key, asked.Pictures[0].Hash, &got)
	require.NoError(t, err)
	shown, err := png.DecodeConfig(&got)
	require.NoError(t, err)
	require.Equal(t, 31, shown.Width)
	_, err = s.client.ReadPicture(t.Context(), s.newTalk().key, asked.Pictures[0].Hash, &got)
	require.Equal(t, fault.NotFound, fault.KindOf(err), "%v", err)

	k.untilEnded(time.Minute, k.send(`call Read {"path":"`+files[0]+`"}`, "say read again"))
	require.Equal(t, []int{31, 31}, s.widths(), "the message and the result show it")
}

func TestPictures_AreOfferedAsLinesToAModelThatReadsNone(t *testing.T) {
	t.Parallel()
	s := newServer(t, "LLM_VISION=off")
	k := s.newTalk()
	f, err := s.client.Upload(t.Context(), k.key, "", "a.png", bytes.NewReader(photo(t, 31, 20)))
	require.NoError(t, err)
	sent, err := s.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "m1", Files: []string{f.Path}})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, sent.ID).State)
	require.Empty(t, s.widths())
	requests := s.model.Requests()
	messages := requests[len(requests)-1].Messages
	require.Contains(t, messages[len(messages)-1].Content, "\n[file: a.png · ")
}

func TestNapCat_APictureThatSomebodySendsIsShownToTheModel(t *testing.T) {
	t.Parallel()
	s, p := onNapCat(t, "LLM_VISION=on")
	s.mine("napcat:20007")
	carol := onebottest.Person("20007")
	require.Eventually(t, func() bool { return p.Connected() > 0 }, time.Minute, 20*time.Millisecond)
	p.Say(carol, "20007", onebottest.Text("say nice"), p.File("image", "", photo(t, 33, 20)))
	saw(t, p, carol, "nice")
	require.Equal(t, []int{33}, s.widths())
}
