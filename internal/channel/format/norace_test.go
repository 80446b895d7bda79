//go:build !race

package format_test

const (
	// attackSize is how long a hostile answer is, in bytes, and mostAllocated what may be allocated for it: far less than work that grows
	// with the square of it does.
	attackSize    = 100_000
	mostAllocated = 200 << 20
)
