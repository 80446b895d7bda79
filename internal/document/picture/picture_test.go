package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	xdraw "golang.org/x/image/draw"

	"xbot/internal/document/picture"
	"xbot/internal/fault"
)

var (
	red, blue = color.RGBA{R: 255, A: 255}, color.RGBA{B: 255, A: 255}
	glass     = color.RGBA{}
)

// halves is a picture whose left half has one colour and whose right half another.
func halves(w, h int, left, right color.Color) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, image.Rect(0, 0, w/2, h), image.NewUniform(left), image.Point{}, draw.Src)
	draw.Draw(p, image.Rect(w/2, 0, w, h), image.NewUniform(right), image.Point{}, draw.Src)
	return p
}

func jpegOf(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, p, nil))
	return b.Bytes()
}

func pngOf(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, p))
	return b.Bytes()
}

// held writes into a JPEG file how the camera was held, and where (Exif 2.3 §4.6).
func held(file []byte, orientation uint16) []byte {
	tiff := []byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	tiff = append(binary.BigEndian.AppendUint16(tiff, orientation), 0, 0, 0, 0, 0, 0)
	body := append([]byte("Exif\x00\x00"), tiff...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return append(append(append([]byte{}, file[:2]...), append(segment, body...)...), file[2:]...)
}

func made(t *testing.T, file []byte) (picture.Picture, image.Image) {
	t.Helper()
	got, err := picture.Make(t.Context(), file)
	require.NoError(t, err)
	shown, format, err := image.Decode(bytes.NewReader(got.Data))
	require.NoError(t, err)
	require.Equal(t, got.MediaType, "image/"+format)
	require.Equal(t, image.Pt(got.Width, got.Height), shown.Bounds().Size())
	return got, shown
}

func like(t *testing.T, want color.RGBA, got color.Color) {
	t.Helper()
	r, g, b, _ := got.RGBA()
	require.InDelta(t, want.R, r>>8, 40)
	require.InDelta(t, want.G, g>>8, 40)
	require.InDelta(t, want.B, b>>8, 40)
}

func TestMake_TakesTheFormatsThatPeopleSend(t *testing.T) {
	p := halves(40, 20, red, blue)
	var animated bytes.Buffer
	frame := func(left, right color.Color) *image.Paletted {
		f := image.NewPaletted(p.Bounds(), color.Palette{red, blue})
		draw.Draw(f, f.Bounds(), halves(40, 20, left, right), image.Point{}, draw.Src)
		return f
	}
	require.NoError(t, gif.EncodeAll(&animated, &gif.GIF{Image: []*image.Paletted{frame(red, blue), frame(blue, red)}, Delay: []int{1, 1}}))
	for name, c := range map[string]struct {
		file []byte
		as   string
	}{
		"a photo":                         {jpegOf(t, p), "image/jpeg"},
		"a drawing":                       {pngOf(t, p), "image/png"},
		"the first frame of an animation": {animated.Bytes(), "image/png"},
	} {
		t.Run(name, func(t *testing.T) {
			got, shown := made(t, c.file)
			require.Equal(t, c.as, got.MediaType)
			require.Equal(t, image.Pt(40, 20), shown.Bounds().Size())
			like(t, red, shown.At(5, 10))
			like(t, blue, shown.At(35, 10))
		})
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	require.NoError(t, err)
	got, _ := made(t, webp)
	require.Equal(t, "image/png", got.MediaType)
}

func TestMake_ShowsAPhotoAsTheCameraWasHeldAndNothingElseThatItWrote(t *testing.T) {
	photo := jpegOf(t, halves(40, 20, red, blue))
	for orientation, c := range map[uint16]struct {
		size  image.Point
		red   image.Point // where the left half went
		other image.Point
	}{
		1: {image.Pt(40, 20), image.Pt(5, 10), image.Pt(35, 10)},
		2: {image.Pt(40, 20), image.Pt(35, 10), image.Pt(5, 10)},
		3: {image.Pt(40, 20), image.Pt(35, 10), image.Pt(5, 10)},
		4: {image.Pt(40, 20), image.Pt(5, 10), image.Pt(35, 10)},
		5: {image.Pt(20, 40), image.Pt(10, 5), image.Pt(10, 35)},
		6: {image.Pt(20, 40), image.Pt(10, 5), image.Pt(10, 35)},
		7: {image.Pt(20, 40), image.Pt(10, 35), image.Pt(10, 5)},
		8: {image.Pt(20, 40), image.Pt(10, 35), image.Pt(10, 5)},
		9: {image.Pt(40, 20), image.Pt(5, 10), image.Pt(35, 10)}, // there is none such
	} {
		t.Run(fmt.Sprint("orientation ", orientation), func(t *testing.T) {
			got, shown := made(t, held(photo, orientation))
			require.Equal(t, c.size, shown.Bounds().Size())
			like(t, red, shown.At(c.red.X, c.red.Y))
			like(t, blue, shown.At(c.other.X, c.other.Y))
			require.NotContains(t, string(got.Data), "Exif", "where it was taken is nobody's business")
		})
	}
}

func TestMake_ScalesAPhotoOf40MegapixelsDown(t *testing.T) {
	got, shown := made(t, jpegOf(t, image.NewGray(image.Rect(0, 0, 7300, 5480))))
	require.Equal(t, image.Pt(1568, 1177), shown.Bounds().Size())
	require.Less(t, len(got.Data), 1<<20)
}

func TestMake_ScalesInPartsAsAtOnce(t *testing.T) {
	source := image.NewRGBA(image.Rect(0, 0, 1600, 6000)) // too large to be scaled at once
	for i := range source.Pix {
		source.Pix[i] = byte(i/4%1600*200/1600 + i/6400*50/6000 + i%4*10)
		if i%4 == 3 {
			source.Pix[i] = 255
		}
	}
	got, shown := made(t, pngOf(t, source))
	require.Equal(t, image.Pt(418, 1568), image.Pt(got.Width, got.Height))
	want := image.NewRGBA(shown.Bounds())
	xdraw.CatmullRom.Scale(want, want.Bounds(), source, source.Bounds(), xdraw.Src, nil)
	for y := range 1568 {
		for x := range 418 {
			r, g, b, _ := shown.At(x, y).RGBA()
			c := want.RGBAAt(x, y)
			require.InDelta(t, c.R, r>>8, 2)
			require.InDelta(t, c.G, g>>8, 2)
			require.InDelta(t, c.B, b>>8, 2)
		}
	}
}

func TestMake_KeepsAThinPictureVisible(t *testing.T) {
	_, shown := made(t, pngOf(t, halves(9000, 2, red, blue)))
	require.Equal(t, image.Pt(1568, 1), shown.Bounds().Size())
}

func TestMake_KeepsWhatCanBeSeenThrough(t *testing.T) {
	_, shown := made(t, pngOf(t, halves(40, 20, red, glass)))
	_, _, _, alpha := shown.At(35, 10).RGBA()
	require.Zero(t, alpha)
}

func TestMake_ALargeDrawingIsAPhotoOnWhite(t *testing.T) {
	p := halves(1500, 1500, red, glass)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range p.Pix { // what PNG cannot shorten
		if i%6000 < 3000 && i%4 != 3 {
			p.Pix[i] = byte(noise.Uint32())
		}
	}
	got, shown := made(t, pngOf(t, p))
	require.Equal(t, "image/jpeg", got.MediaType)
	like(t, color.RGBA{255, 255, 255, 255}, shown.At(1400, 700))
}

// bomb is the beginning of a PNG file that says how large it is.
func bomb(w, h uint32, colorType byte) []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), w), h)
	header = append(header, 8, colorType, 0, 0, 0)
	if colorType == 6 {
		header[12] = 16
	}
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(header))
}

// gifBomb is the beginning of a GIF file that says how large it is, with two colours.
func gifBomb(w, h uint16) []byte {
	out := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16([]byte("GIF89a"), w), h)
	return append(out, 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
}

// progressiveBomb is the beginning of a progressive JPEG file with three colours; sampling is that of the first one.
func progressiveBomb(w, h uint16, sampling byte) []byte {
	out := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xc2\x00\x11\x08"), h), w)
	return append(out, 3, 1, sampling, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0, 12)
}

// webpBomb is the beginning of a WebP file with one kind of chunk, which says how large it is.
func webpBomb(kind string, w, h uint32) []byte {
	var chunk []byte
	switch kind {
	case "VP8 ":
		chunk = []byte{0x10, 0, 0, 0x9d, 0x01, 0x2a, byte(w), byte(w >> 8), byte(h), byte(h >> 8)}
	case "VP8L":
		chunk = append([]byte{0x2f}, binary.LittleEndian.AppendUint32(nil, w-1|(h-1)<<14)...)
	case "VP8X":
		chunk = []byte{0, 0, 0, 0, byte(w - 1), byte((w - 1) >> 8), byte((w - 1) >> 16), byte(h - 1), byte((h - 1) >> 8), byte((h - 1) >> 16)}
	}
	body := append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(chunk))), chunk...)
	if len(chunk)%2 == 1 {
		body = append(body, 0)
	}
	const claimed = 1 << 16 // more than there is
	return append(append(binary.LittleEndian.AppendUint32([]byte("RIFF"), claimed), "WEBP"...), body...)
}

func TestMake_ReadsOneFrameOfAnAnimationWhateverFollows(t *testing.T) {
	one := image.NewPaletted(image.Rect(0, 0, 1000, 1000), color.Palette{red, blue})
	var single bytes.Buffer
	require.NoError(t, gif.Encode(&single, one, &gif.Options{NumColors: 2}))
	file := single.Bytes()
	frames := file[bytes.IndexByte(file[13:], 0x2c)+13 : len(file)-1]
	file = append(file[:len(file)-1:len(file)-1], bytes.Repeat(frames, 10_000)...)
	require.Less(t, len(file), picture.MaxBytes)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := picture.Decode(append(file, 0x3b))
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Equal(t, "image/png", got.MediaType)
	require.Equal(t, image.Pt(1000, 1000), image.Pt(got.Width, got.Height))
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "10,000 frames are 10 GB")
}

func TestMake_TakesAProgressivePhotoOf40Megapixels(t *testing.T) {
	_, err := picture.Make(t.Context(), progressiveBomb(7300, 5480, 0x22)) // colours of a quarter, as cameras and editors write them
	require.ErrorContains(t, err, "broken", "it is not too large: only the rest of it is missing")
}

func TestMake_RefusesWhatItCannotOrMustNotRead(t *testing.T) {
	photo := jpegOf(t, halves(400, 200, red, blue))
	huge := func(file []byte) []byte { // the same photo, which says that it is larger
		at := bytes.Index(file, []byte{0xff, 0xc0})
		out := bytes.Clone(file)
		binary.BigEndian.PutUint16(out[at+5:], 65_500)
		binary.BigEndian.PutUint16(out[at+7:], 65_500)
		return out
	}
	for name, c := range map[string]struct {
		file []byte
		kind fault.Kind
		says string
	}{
		"a bomb":                 {bomb(60_000, 60_000, 2), fault.TooLarge, "60000 × 60000 pixels"},
		"a bomb of deep colours": {bomb(8000, 6000, 6), fault.TooLarge, "8000 × 6000 pixels"},
		"a GIF bomb":             {gifBomb(65_535, 65_535), fault.TooLarge, "65535 × 65535 pixels"},
		"a JPEG bomb":            {huge(photo), fault.TooLarge, "65500 × 65500 pixels"},
		"a progressive bomb":     {progressiveBomb(8000, 6000, 0x11), fault.TooLarge, "8000 × 6000 pixels"},
		"a WebP bomb":            {webpBomb("VP8 ", 16_383, 16_383), fault.TooLarge, "16383 × 16383 pixels"},
		"a lossless WebP bomb":   {webpBomb("VP8L", 16_384, 16_384), fault.TooLarge, "16384 × 16384 pixels"},
		"an extended WebP bomb":  {webpBomb("VP8X", 40_000, 40_000), fault.TooLarge, "40000 × 40000 pixels"},
		"a small canvas of a huge WebP picture": {
			append(webpBomb("VP8X", 10, 10), webpBomb("VP8L", 16_384, 16_384)[12:]...), fault.Invalid, "broken",
		},
		"a huge frame of a small GIF": {
			append(gifBomb(10, 10), 0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 1, 0, 0, 0x3b), fault.Invalid, "broken",
		},
		"a text":              {[]byte("#!/bin/sh"), fault.Invalid, "JPEG, PNG, GIF and WebP"},
		"nothing":             {nil, fault.Invalid, "JPEG, PNG, GIF and WebP"},
		"a file that was cut": {photo[:len(photo)/3], fault.Invalid, "broken"},
		"a file of 31 MB":     {make([]byte, picture.MaxBytes+1), fault.TooLarge, "30 MB"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := picture.Make(t.Context(), c.file)
			require.True(t, fault.Is(err, c.kind), "%v", err)
			require.ErrorContains(t, err, c.says)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := picture.Make(ctx, photo); err != nil { // it may have been its turn already
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestTokens_GrowWithThePicture(t *testing.T) {
	require.Equal(t, 1, picture.Tokens(1, 1))
	require.Equal(t, 3278, picture.Tokens(1568, 1568))
}

func FuzzMake(f *testing.F) {
	f.Add(jpegOf(f, halves(8, 4, red, blue)))
	f.Add(held(jpegOf(f, halves(8, 4, red, blue)), 6))
	f.Add(pngOf(f, halves(8, 4, red, glass)))
	f.Add(bomb(60_000, 60_000, 2))
	f.Add(gifBomb(10, 10))
	f.Add(progressiveBomb(16, 16, 0x22))
	f.Add(webpBomb("VP8X", 10, 10))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := picture.Decode(file)
		if err != nil {
			return
		}
		if shown, err := png.DecodeConfig(bytes.NewReader(got.Data)); err == nil {
			require.LessOrEqual(t, max(shown.Width, shown.Height), 1568)
		}
	})
}
