//go:build !race

package format_test

const (
	// attackSize is the length of a hostile reply, in bytes, and mostAllocated the limit of its allocations: far below quadratic growth.
	attackSize    = 100_000
	mostAllocated = 200 << 20
)
