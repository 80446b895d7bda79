package e2e

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// pictureBombs are beginnings of files that say that they have 40,000 × 40,000 pixels.
func pictureBombs() map[string][]byte {
	header := append([]byte("IHDR\x00\x00\x9c\x40\x00\x00\x9c\x40"), 8, 2, 0, 0, 0)
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return map[string][]byte{
		"bomb.png":  binary.BigEndian.AppendUint32(png, crc32.ChecksumIEEE(header)),
		"bomb.gif":  []byte("GIF89a\x40\x9c\x40\x9c\x80\x00\x00\x00\x00\x00\xff\xff\xff"),
		"bomb.jpg":  []byte("\xff\xd8\xff\xc0\x00\x11\x08\x9c\x40\x9c\x40\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00\xff\xda\x00\x0c"),
		"bomb.webp": []byte("RIFF\x00\x00\x01\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x3f\x9c\x00\x3f\x9c\x00"),
	}
}

func TestPictures_AttacksStayFilesALineSaysWhyAndTheTurnIsAnswered(t *testing.T) {
	t.Parallel()
	s := prepareServer(t, "LLM_VISION=on")
	s.bin = bin // the race detector needs minutes for 40 megapixels
	s.boot()
	k := s.newTalk()
	var photo, moving bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 7300, 5480)), nil))
	frame := func(width int) *image.Paletted {
		return image.NewPaletted(image.Rect(0, 0, width, 20), color.Palette{color.Black, color.White})
	}
	require.NoError(t, gif.EncodeAll(&moving, &gif.GIF{Image: []*image.Paletted{frame(41), frame(7), frame(7)}, Delay: []int{1, 1, 1}}))
	contents := pictureBombs()
	contents["40megapixels.jpg"], contents["moving.txt"], contents["text.png"] = photo.Bytes(), moving.Bytes(), []byte("no picture")
	names := []string{"bomb.png", "bomb.gif", "bomb.jpg", "bomb.webp", "text.png", "40megapixels.jpg", "moving.txt"}
	var files []string
	for _, name := range names {
		f, err := s.client.Upload(t.Context(), k.key, "", name, bytes.NewReader(contents[name]))
		require.NoError(t, err)
		files = append(files, f.Path)
	}
	sent, err := s.client.SendMessage(t.Context(), k.key, apiclient.NewMessage{ClientMessageID: "m1", Text: "say I see two", Files: files})
	require.NoError(t, err)
	require.Equal(t, chat.TurnDone, k.untilEnded(time.Minute, sent.ID).State)
	require.Equal(t, []int{1568, 41}, s.widths(), "the photo is made smaller, and an animation shows its first frame, whatever its name")
	asked := k.transcript().Messages[0]
	for i, name := range names {
		reason := ""
		switch {
		case i < 4:
			reason = "not shown as a picture: the picture has 40000 × 40000 pixels, which is too much · "
		case name == "text.png":
			reason = "not shown as a picture: this is no picture in one of the formats JPEG, PNG, GIF and WebP · "
		}
		require.Contains(t, asked.Content, fmt.Sprintf("[file: %s · %d bytes · %s%s]", name, len(contents[name]), reason, files[i]))
		var kept bytes.Buffer
		_, err := s.client.DownloadFile(t.Context(), k.key, apiclient.DownloadFileParams{Path: files[i]}, &kept)
		require.NoError(t, err)
		require.True(t, bytes.Equal(contents[name], kept.Bytes()), "%s is as it was", name)
	}

	calls := make([]string, 0, len(names)+1)
	for i := range names {
		calls = append(calls, fmt.Sprintf("call Read {\"path\":%q}", files[i]))
	}
	require.Equal(t, chat.TurnDone, k.untilEnded(2*time.Minute, k.send(append(calls, "say read")...)).State)
	require.Equal(t, []int{1568, 41, 1568, 41}, s.widths())
	var results []chat.ToolCall
	for _, m := range k.transcript().Messages {
		results = append(results, m.ToolCalls...)
	}
	require.Len(t, results, len(names))
	for i, r := range results {
		require.Equal(t, i < 4, r.IsError, "%s: %s", names[i], r.Result)
		require.Equal(t, i < 4, strings.Contains(r.Result, "40000 × 40000 pixels, which is too much"), r.Result)
	}
	require.Contains(t, results[4].Result, "no picture", "a text is read as one, whatever its name")
}
