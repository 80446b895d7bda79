package s3

import (
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
)

func TestReader_ABrokenBodyIsUnavailableAndDoesNotShowTheAddressOfTheServer(t *testing.T) {
	body := reader{io.NopCloser(iotest.ErrReader(errors.New("read tcp 10.1.2.3:9000: connection reset by peer")))}
	_, err := io.ReadAll(body)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	require.NotContains(t, err.Error(), "10.1.2.3")
	require.ErrorContains(t, Cause(err), "10.1.2.3")
}
