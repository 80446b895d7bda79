package picture_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/decode/decodetest"
	"xbot/internal/document/picture"
)

// pngChunk is a chunk of a PNG file.
func pngChunk(kind string, data []byte) []byte {
	body := append([]byte(kind), data...)
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}

// blackPNG is a whole PNG file of one colour, of one bit each pixel where colorType is 0.
func blackPNG(t testing.TB, w, h int, colorType byte) []byte {
	t.Helper()
	row := map[byte]int{0: (w + 7) / 8, 2: 3 * w, 6: 4 * w}[colorType] + 1
	depth := byte(8)
	if colorType == 0 {
		depth = 1
	}
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	require.NoError(t, err)
	_, err = io.CopyN(z, zeros{}, int64(row)*int64(h))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(header, depth, colorType, 0, 0, 0))...)
	return append(append(out, pngChunk("IDAT", packed.Bytes())...), pngChunk("IEND", nil)...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// emptyScans returns a progressive JPEG file of one grey colour with so many scans without data.
func emptyScans(w, h uint16, scans int) []byte {
	out := []byte("\xff\xd8\xff\xdb\x00\x43\x00")
	out = append(out, bytes.Repeat([]byte{1}, 64)...)
	out = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(append(out, "\xff\xc2\x00\x0b\x08"...), h), w)
	out = append(out, 1, 1, 0x11, 0)
	out = append(out, "\xff\xc4\x00\x14\x10\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xe0"...) // the one code: 16384 blocks without a coefficient, and more
	blocks := (int(w) + 7) / 8 * ((int(h) + 7) / 8)
	runs := (blocks + 16383) / 16384
	scan := append([]byte("\xff\xda\x00\x08\x01\x01\x00\x01\x3f\x00"), make([]byte, (15*runs+7)/8)...)
	return append(append(out, bytes.Repeat(scan, scans)...), 0xff, 0xd9)
}

// textPNG returns a small picture with a text chunk that unpacks to so many bytes.
func textPNG(t testing.TB, size int64) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := io.CopyN(z, zeros{}, size)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	file := pngOf(t, halves(4, 4, red, blue))
	chunk := pngChunk("zTXt", append([]byte("Raw profile type exif\x00\x00"), packed.Bytes()...))
	return append(append(append([]byte{}, file[:33]...), chunk...), file[33:]...)
}

// exif returns a JPEG file with a metadata segment.
func exif(t testing.TB, tiff []byte) []byte {
	t.Helper()
	file := jpegOf(t, halves(8, 4, red, blue))
	body := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return append(append(append([]byte{}, file[:2]...), append(segment, body...)...), file[2:]...)
}

// Each file is refused or decoded while another owner's picture is decoded.
func TestAttack_APictureHarmsNobodyElse(t *testing.T) {
	four := pngOf(t, halves(4, 4, red, blue))
	photo := jpegOf(t, halves(400, 200, red, blue))
	for name, c := range map[string]struct {
		file []byte
		says string // in the error; empty: it may be decoded
	}{
		"a PNG of 80,000,000 × 1 pixels":              {blackPNG(t, 80_000_000, 1, 0), "80000000 × 1 pixels"},
		"a PNG of 1 × 80,000,000 pixels":              {blackPNG(t, 1, 80_000_000, 0), "1 × 80000000 pixels"},
		"a PNG of 1,000,000 × 80 pixels":              {blackPNG(t, 1_000_000, 80, 0), ""},
		"a PNG of 80 × 1,000,000 pixels":              {blackPNG(t, 80, 1_000_000, 0), ""},
		"a PNG of 9,000 × 8,900 pixels":               {blackPNG(t, 9000, 8900, 6), ""},
		"a PNG of 60,000 × 60,000 pixels":             {blackPNG(t, 60_000, 60_000, 0), "60000 × 60000 pixels"},
		"a PNG that claims 2^31 pixels a side":        {bomb(1<<31-1, 1<<31-1, 2), ""},
		"a PNG whose rows go on behind its end":       {append(blackPNG(t, 10, 10, 2), bytes.Repeat([]byte{0}, 20<<20)...), ""},
		"a PNG with a text of 256 MB":                 {textPNG(t, 1<<28), ""},
		"a JPEG of 5,000 × 5,000 with 9,000 scans":    {emptyScans(5000, 5000, 9000), "takes more than 5s to decode"},
		"a JPEG of 8 × 8 with 500,000 scans":          {emptyScans(8, 8, 500_000), ""},
		"a JPEG of 8,000 × 8,000 with one scan":       {emptyScans(8000, 8000, 1), ""},
		"a JPEG of 65,535 × 65,535 with one scan":     {emptyScans(65_535, 65_535, 1), "65535 × 65535 pixels"},
		"a JPEG with 10 MB between its segments":      {append(append(bytes.Clone(photo[:2]), bytes.Repeat([]byte{0xff}, 10<<20)...), photo[2:]...), ""},
		"a JPEG that repeats its tables for 20 MB":    {append(append(bytes.Clone(photo[:2]), bytes.Repeat(photo[2:20], 20<<20/18)...), photo[20:]...), ""},
		"metadata that refers to itself":              {exif(t, []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x87\x69\x00\x04\x00\x00\x00\x01\x00\x00\x00\x08\x00\x00\x00\x08")), ""},
		"metadata that claims 4 billion values":       {exif(t, []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x0e\x00\x02\xff\xff\xff\xff\x00\x00\x00\x1a\x00\x00\x00\x00")), ""},
		"a GIF of 65,535 × 65,535 pixels":             {gifBomb(65_535, 65_535), "65535 × 65535 pixels"},
		"a GIF whose codes never end":                 {append(append(gifBomb(8000, 8000), 0x2c, 0, 0, 0, 0, 0x40, 0x1f, 0x40, 0x1f, 0, 2), bytes.Repeat(append([]byte{255}, make([]byte, 255)...), 80_000)...), ""},
		"a GIF with 100,000 comments":                 {append(gifBomb(10, 10), bytes.Repeat([]byte{0x21, 0xfe, 1, 'x', 0}, 100_000)...), ""},
		"an animated GIF with huge frames":            {append(gifBomb(9, 9), bytes.Repeat([]byte{0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 1, 0, 0}, 1000)...), ""},
		"a WebP of 16,383 × 16,383 pixels":            {webpBomb("VP8 ", 16_383, 16_383), "16383 × 16383 pixels"},
		"a WebP without loss, of nothing":             {append(webpBomb("VP8L", 9000, 8000), make([]byte, 10<<20)...), ""},
		"an animated WebP with huge frames":           {append(webpBomb("VP8X", 10, 10), bytes.Repeat([]byte("ANMF\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\x3f\x00\xff\x3f\x00\x00\x00\x00\x00"), 1000)...), ""},
		"an SVG":                                      {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>`), "JPEG, PNG, GIF and WebP"},
		"an SVG of entities":                          {[]byte(`<?xml version="1.0"?><!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><svg>&b;</svg>`), "JPEG, PNG, GIF and WebP"},
		"a PDF":                                       {[]byte("%PDF-1.7"), "JPEG, PNG, GIF and WebP"},
		"a zip archive that begins as a PNG":          {append([]byte("\x89PNG\r\n\x1a\n"), "PK\x03\x04"...), ""},
		"a JPEG that begins as a GIF":                 {append([]byte("GIF89a"), photo...), ""},
		"a gray JPEG that claims another's samplings": {append(progressiveBomb(5000, 5000, 0x44), make([]byte, 1<<20)...), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := decodetest.Attack(t, func(ctx context.Context) error {
				got, err := picture.Make(ctx, c.file)
				if err == nil {
					require.LessOrEqual(t, max(got.Width, got.Height), 1568)
				}
				return err
			}, func(ctx context.Context) error {
				got, err := picture.Make(ctx, four)
				if err == nil {
					require.Equal(t, image.Pt(4, 4), image.Pt(got.Width, got.Height))
				}
				return err
			})
			if c.says != "" {
				require.ErrorContains(t, err, c.says)
			}
		})
	}
}

// photo returns a picture of 4 MB, like those of cameras.
func photo(b *testing.B) []byte {
	b.Helper()
	p := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	state := uint32(1)
	for i := range p.Pix {
		state = state*1664525 + 1013904223
		p.Pix[i] = byte(i/16000/12) + byte(state>>27)
	}
	return jpegOf(b, p)
}

func BenchmarkMake(b *testing.B) {
	file := photo(b)
	b.ReportMetric(float64(len(file))/(1<<20), "MB")
	b.Run("in a process of its own", func(b *testing.B) {
		for b.Loop() {
			_, err := picture.Make(b.Context(), file)
			require.NoError(b, err)
		}
	})
	b.Run("in this process", func(b *testing.B) {
		for b.Loop() {
			_, err := picture.Decode(file)
			require.NoError(b, err)
		}
	})
}
