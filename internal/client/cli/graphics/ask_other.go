//go:build !unix

package graphics

import (
	"image"
	"os"
)

// AsksSixel is no: such a terminal is not asked.
func AsksSixel(_, _ *os.File) bool { return false }

// CellOf returns a usual size of a cell, in pixels.
func CellOf(*os.File) image.Point { return usualCell }
