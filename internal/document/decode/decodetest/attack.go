// Package decodetest decodes hostile files while it decodes a small file of another owner.
package decodetest

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/decode"
	"xbot/internal/fault"
)

const (
	// smallTime bounds the decoding of a small file on a busy machine; it is shorter than that of a hostile file.
	smallTime = 10 * time.Second
	// maxGrowth bounds the growth of the test process's memory, in MB: the hostile file and its answer.
	maxGrowth = 256
)

// Attack decodes a hostile file of one owner and, at the same time, a small one of another. It returns the error of the hostile file; nil if it was
// decoded. The small file must succeed, the error must be about the file, and the process of the test must be unharmed.
func Attack(t *testing.T, hostile, small func(ctx context.Context) error) error {
	t.Helper()
	before := resident(t)
	done := make(chan error, 1)
	go func() { done <- hostile(decode.WithOwner(t.Context(), "attacker")) }()
	limited, cancel := context.WithTimeout(decode.WithOwner(t.Context(), "somebody else"), smallTime)
	defer cancel()
	require.NoError(t, small(limited), "the small file of somebody else")
	err := <-done
	if err != nil {
		require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err), "%v", err)
		require.Less(t, len(err.Error()), 1000)
	}
	require.Less(t, resident(t)-before, maxGrowth, "MB")
	return err
}

// resident returns the resident memory of this process, in MB.
func resident(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	raw, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	require.NoError(t, err)
	return pages * os.Getpagesize() >> 20
}
