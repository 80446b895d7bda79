//go:build race

package decode

// raceDetector says that the program is a test whose shadow memory no limit allows for, and which is ten times as slow.
const raceDetector = true
