//go:build race

package format_test

// The race detector makes everything larger and ten times slower.
const (
	attackSize    = 10_000
	mostAllocated = 1 << 30
)
