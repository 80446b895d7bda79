//go:build race

package webpage

const raceDetector = true
