package modelcall_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/chat"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/store"
)

// seeing prepares a conversation with a model that reads pictures, or one that does not.
func seeing(t *testing.T, sees bool) *fixture {
	t.Helper()
	b := setup(t, "say hello")
	b.Assembler.Budget.Models = limits.Table{Vision: &sees}
	require.Equal(t, "stop", b.think(activitiestest.Turn, 0, 0).Finish)
	return b
}

// look has the model read a picture of a width, and returns what it was sent then.
func (b *fixture) look(width int) llmtest.Request {
	b.T.Helper()
	var file bytes.Buffer
	require.NoError(b.T, png.Encode(&file, image.NewGray(image.Rect(0, 0, width, 10))))
	name := fmt.Sprintf("p%d.png", width)
	b.Sandbox.Put(b.T, name, file.String())
	turn := b.say(fmt.Sprint("look-", width), fmt.Sprintf("call Read {\"path\":%q}\nsay seen", name))
	b.act(turn, 0, b.think(turn, 0, 0))
	require.Equal(b.T, "stop", b.think(turn, 1, 0).Finish)
	b.remade(turn, 0)
	b.remade(turn, 1)
	requests := b.Server.Requests()
	return requests[len(requests)-1]
}

// widths are those of the pictures that a request shows.
func widths(t *testing.T, r llmtest.Request) (out []int) {
	t.Helper()
	for _, m := range r.Messages {
		for _, p := range m.Pictures {
			shown, err := png.DecodeConfig(bytes.NewReader(p.Data))
			require.NoError(t, err)
			out = append(out, shown.Width)
		}
	}
	return out
}

func TestAssemble_ShowsPicturesOfTheNewestThreeMessagesToAModelThatSees(t *testing.T) {
	b := seeing(t, true)
	require.Equal(t, []int{11}, widths(t, b.look(11)))
	require.Equal(t, []int{11, 12}, widths(t, b.look(12)))
	require.Equal(t, []int{11, 12, 13}, widths(t, b.look(13)))
	last := b.look(14)
	require.Equal(t, []int{12, 13, 14}, widths(t, last), "an older one is a line")
	require.Contains(t, fmt.Sprint(last.Messages), "p11.png · ")
	b.remade("look-11", 1)
}

func TestAssemble_ShowsNoPictureToAModelThatDoesNotSee(t *testing.T) {
	b := seeing(t, false)
	r := b.look(11)
	require.Empty(t, widths(t, r))
	require.Contains(t, fmt.Sprint(r.Messages), "10 pixels to models that read pictures")
}

func TestAssemble_ACopyOfAConversationShowsItsPictures(t *testing.T) {
	b := seeing(t, true)
	b.look(11)
	_, err := b.FinishTurn(t.Context(), activitiestest.Key, "look-11", chat.TurnDone, "")
	require.NoError(t, err)
	const copied = chat.SessionKey("agent:main:web:thread:copy")
	_, err = b.Fork(t.Context(), store.NewFork{From: activitiestest.Key, Key: copied, Channel: "web"})
	require.NoError(t, err)
	require.NoError(t, b.DeleteSession(t.Context(), activitiestest.Key))
	w, err := b.Window(t.Context(), copied)
	require.NoError(t, err)
	hashes := w.PicturesOf(1)
	require.Len(t, hashes, 1)
	pictures, err := b.Pictures(t.Context(), copied, hashes)
	require.NoError(t, err)
	require.Equal(t, 11, pictures[hashes[0]].Width)
	others, err := b.Pictures(t.Context(), "agent:main:web:thread:other", hashes)
	require.NoError(t, err)
	require.Empty(t, others, "another conversation has none of them")
}
