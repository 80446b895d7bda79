//go:build race

package crash_test

const raceDetector = true
