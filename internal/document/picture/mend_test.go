package picture_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/picture"
	"xbot/internal/fault"
)

// chunk is a chunk of a PNG file with a checksum that may be wrong.
func chunk(kind, data string, right bool) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	sum := crc32.ChecksumIEEE(out[4:])
	if !right {
		sum++
	}
	return binary.BigEndian.AppendUint32(out, sum)
}

// samples are complete files.
func samples(t *testing.T) map[string][]byte {
	t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, 6, 4), color.Palette{color.RGBA{R: 255, A: 255}, color.RGBA{A: 0}})
	out := map[string][]byte{}
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"png":  func(b *bytes.Buffer) error { return png.Encode(b, p) },
		"jpeg": func(b *bytes.Buffer) error { return jpeg.Encode(b, p, nil) },
		"gif":  func(b *bytes.Buffer) error { return gif.Encode(b, p, nil) },
	} {
		var b bytes.Buffer
		require.NoError(t, encode(&b))
		out[name] = b.Bytes()
	}
	return out
}

func TestDecode_FaultsThatBrowsersAcceptAreAccepted(t *testing.T) {
	t.Parallel()
	whole := samples(t)
	file := whole["png"]
	const header = 8 + 25
	with := func(chunk []byte) []byte { return slices.Concat(file[:header], chunk, file[header:]) }
	transparency := bytes.Index(file, []byte("tRNS"))
	require.Positive(t, transparency)
	broken := bytes.Clone(file)
	broken[transparency+4+2]++ // the first byte of its checksum
	for name, data := range map[string][]byte{
		"PNG: a text with a wrong checksum":       with(chunk("tEXt", "Software\x00x", false)),
		"PNG: a time with a wrong checksum":       with(chunk("tIME", "1234567", false)),
		"PNG: an unknown chunk":                   with(chunk("vpAg", "123456789", true)),
		"PNG: an unknown chunk, wrong checksum":   with(chunk("zzZz", "", false)),
		"PNG: a profile that is none":             with(chunk("iCCP", "x", true)),
		"PNG: transparency with a wrong checksum": broken,
		"PNG: no end":                              file[:len(file)-12],
		"PNG: half of an end":                      file[:len(file)-5],
		"PNG: an end with a wrong checksum":        append(bytes.Clone(file[:len(file)-1]), 0),
		"PNG: cut within a text behind the pixels": slices.Concat(file[:len(file)-12], chunk("tEXt", "Comment\x00long", true)[:14]),
		"PNG: bytes behind the end":                append(bytes.Clone(file), "\r\n<html>"...),
		"JPEG: no end":                             whole["jpeg"][:len(whole["jpeg"])-2],
		"JPEG: bytes behind the end":               append(bytes.Clone(whole["jpeg"]), "MotionPhoto_Data\x00\xff\xd8"...),
		"GIF: no end":                              whole["gif"][:len(whole["gif"])-1],
		"GIF: no end of the pixels either":         whole["gif"][:len(whole["gif"])-2],
		"GIF: bytes behind the end":                append(bytes.Clone(whole["gif"]), "\x00\x00"...),
	} {
		got, err := picture.Decode(data)
		require.NoError(t, err, name)
		require.Equal(t, []int{6, 4}, []int{got.Width, got.Height}, name)
	}
}

func TestDecode_BrokenPixelsAreRefused(t *testing.T) {
	t.Parallel()
	whole := samples(t)
	file := whole["png"]
	pixels := bytes.Index(file, []byte("IDAT"))
	flipped := bytes.Clone(file)
	flipped[pixels+8] ^= 0xff
	for name, data := range map[string][]byte{
		"PNG: cut within the pixels":       file[:pixels+6],
		"PNG: pixels with other content":   flipped,
		"PNG: a header with other content": append(bytes.Clone(file[:20]), file[24:]...),
		"PNG: a signature alone":           file[:8],
		"JPEG: cut within the tables":      whole["jpeg"][:100],
		"GIF: cut within the header":       whole["gif"][:9],
	} {
		_, err := picture.Decode(data)
		require.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}
