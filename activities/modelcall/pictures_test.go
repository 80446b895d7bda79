package modelcall_test

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/activities/activitiestest"
	"xbot/internal/chat"
	"xbot/internal/llm/limits"
	"xbot/internal/llm/llmtest"
	"xbot/internal/turn/conversation"
	"xbot/internal/turn/prompt"
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
	return b.readAll(chat.TurnID(fmt.Sprint("look-", width)), name)
}

// readAll has the model read files in one step of a turn, and returns what it was sent then.
func (b *fixture) readAll(turn chat.TurnID, files ...string) llmtest.Request {
	b.T.Helper()
	var program strings.Builder
	for _, name := range files {
		fmt.Fprintf(&program, "call Read {\"path\":%q}\n", name)
	}
	b.say(string(turn), program.String()+"say seen")
	out := b.think(turn, 0, 0)
	require.Len(b.T, out.Calls, len(files), "one step reads all of them")
	b.act(turn, 0, out)
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
			shown, _, err := image.DecodeConfig(bytes.NewReader(p.Data))
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

func TestAssemble_OneStepThatReadsManyPicturesShowsTheNewest20(t *testing.T) {
	b := seeing(t, true)
	b.look(9)
	var names []string
	var want []int
	for i := range 27 {
		var file bytes.Buffer
		require.NoError(t, png.Encode(&file, image.NewGray(image.Rect(0, 0, 100+i, 10))))
		names, want = append(names, fmt.Sprintf("many%d.png", i)), append(want, 100+i)
		b.Sandbox.Put(t, names[i], file.String())
	}
	r := b.readAll("many", names...)
	require.Equal(t, want[7:], widths(t, r))
	require.Contains(t, fmt.Sprint(r.Messages), "many0.png · ", "an older one is a line")
	require.Contains(t, r.Messages[len(r.Messages)-1].Content, "The first 7 of the newest pictures are not shown")
	sent := b.remade("many", 1)
	require.Equal(t, 7, sent.PicturesSkipped)
	require.Len(t, sent.Window.Pictures, chat.MaxPictures, "no others are read for it, either")

	r = b.readAll("again", names[0])
	require.Equal(t, append(want[8:], want[0]), widths(t, r), "what is read again is new")
	require.NotContains(t, r.Messages[len(r.Messages)-1].Content, "not shown")
	b.remade("many", 1)
}

func TestAssemble_ShowsNoMorePicturesThanARequestMayHaveBytes(t *testing.T) {
	b := seeing(t, true)
	noise := image.NewRGBA(image.Rect(0, 0, 1500, 1500)) // what nothing can shorten
	for i, random := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise.Pix); i++ {
		noise.Pix[i] = byte(random.Uint32())
	}
	var names []string
	var want []int
	for i := range 12 {
		var file bytes.Buffer
		require.NoError(t, jpeg.Encode(&file, noise.SubImage(image.Rect(0, 0, 1480+i, 1500)), nil))
		names, want = append(names, fmt.Sprintf("large%d.jpg", i)), append(want, 1480+i)
		b.Sandbox.Put(t, names[i], file.String())
	}
	r := b.readAll("large", names...)
	total, newest := 0, 0
	for _, m := range r.Messages {
		for _, p := range m.Pictures {
			total, newest = total+len(p.Data), len(p.Data)
		}
	}
	shown := widths(t, r)
	require.LessOrEqual(t, total, chat.MaxPictureBytes)
	require.Greater(t, total+newest+1000, chat.MaxPictureBytes, "there is no room for one more")
	require.Equal(t, want[12-len(shown):], shown, "the newest are shown")
	require.Contains(t, r.Messages[len(r.Messages)-1].Content, fmt.Sprintf("The first %d of the newest pictures", 12-len(shown)))
	b.remade("large", 1)
}

// A step from before requests had bounds kept no number of pictures that it left out: it showed all of a message.
func TestRebuild_AStepFromBeforeThereWereBoundsShowsAllPicturesOfItsMessage(t *testing.T) {
	w := chat.Window{Pictures: map[string]chat.Picture{}}
	m := chat.Message{ID: 4, Role: chat.RoleUser, Content: "look"}
	for i := range 25 {
		hash := fmt.Sprint("h", i)
		m.Pictures = append(m.Pictures, chat.PictureRef{Hash: hash})
		w.Pictures[hash] = chat.Picture{Data: []byte(hash)}
	}
	w.Lines = []chat.Line{{Message: m}}
	require.Len(t, w.PicturesOf(4, 0), 25)
	require.Len(t, prompt.Compose("", nil, w, chat.Sent{PicturesFrom: 4}).Messages[0].Pictures, 25)
	require.Equal(t, "h5", string(prompt.Compose("", nil, w, chat.Sent{PicturesFrom: 4, PicturesSkipped: 5}).Messages[0].Pictures[0].Data))
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
	_, err := b.Turns.FinishTurn(t.Context(), activitiestest.Key, "look-11", chat.TurnDone, "")
	require.NoError(t, err)
	const copied = chat.SessionKey("agent:main:web:thread:copy")
	_, err = b.Conversations.Fork(t.Context(), conversation.NewFork{From: activitiestest.Key, Key: copied, Channel: "web"})
	require.NoError(t, err)
	require.NoError(t, b.Agents.DeleteSession(t.Context(), activitiestest.Key))
	w, err := b.Conversations.Window(t.Context(), copied)
	require.NoError(t, err)
	hashes := w.PicturesOf(1, 0)
	require.Len(t, hashes, 1)
	pictures, err := b.Attachments.Pictures(t.Context(), copied, hashes)
	require.NoError(t, err)
	require.Equal(t, 11, pictures[hashes[0]].Width)
	others, err := b.Attachments.Pictures(t.Context(), "agent:main:web:thread:other", hashes)
	require.NoError(t, err)
	require.Empty(t, others, "another conversation has none of them")
}
