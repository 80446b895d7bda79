package media

import (
	"strconv"
	"strings"
)

// Pixels returns the width and height of a shape WIDTHxHEIGHT. ok is false for one of the named shapes, and for other text.
func Pixels(shape string) (width, height int, ok bool) {
	w, h, found := strings.Cut(strings.ToLower(shape), "x")
	width, err := strconv.Atoi(w)
	if !found || err != nil {
		return 0, 0, false
	}
	height, err = strconv.Atoi(h)
	return width, height, err == nil && width >= 16 && height >= 16 && width <= 8192 && height <= 8192
}

// Ratio returns the one of some ratios, such as 16:9, that is nearest to a shape; empty: the shape is empty.
func Ratio(shape string, ratios ...string) string {
	w, h, ok := Pixels(shape)
	switch shape {
	case "":
		return ""
	case Square:
		w, h, ok = 1, 1, true
	case Landscape:
		w, h, ok = 3, 2, true
	case Portrait:
		w, h, ok = 2, 3, true
	}
	if !ok {
		return ""
	}
	best, least := "", 0.0
	for _, ratio := range ratios {
		a, b, _ := strings.Cut(ratio, ":")
		x, _ := strconv.ParseFloat(a, 64) // ratios are constants of the providers
		y, _ := strconv.ParseFloat(b, 64)
		far := (float64(w) / float64(h)) / (x / y)
		if far < 1 {
			far = 1 / far
		}
		if best == "" || far < least {
			best, least = ratio, far
		}
	}
	return best
}
