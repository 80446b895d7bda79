//go:build race

package decode_test

const raceDetector = true
