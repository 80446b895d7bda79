package filename_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/filename"
)

func TestGuess_KnowsContentByItsBeginning(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		"\x89PNG\r\n\x1a\n": ".png", "\xff\xd8\xff\xe0": ".jpg", "%PDF-1.7": ".pdf", "hello": ".txt", "\x00\x01\x02": "", "": ".txt",
	} {
		require.Equal(t, want, filename.Guess([]byte(head)), "%q", head)
	}
}
