//go:build !race

package decode

// raceDetector reports whether the race detector is on, under which the memory limit cannot be set and decoding is ten times as slow.
const raceDetector = false
