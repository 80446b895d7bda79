package temporalclient_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"xbot/internal/host/temporalclient"
)

func payload(t *testing.T, value any) *commonpb.Payload {
	p, err := converter.GetDefaultDataConverter().ToPayload(value)
	require.NoError(t, err)
	return p
}

// stored are keys as they are stored now.
type stored []temporalclient.PayloadKey

func (s *stored) PayloadKeys() ([]temporalclient.PayloadKey, error) { return *s, nil }

func codec(t *testing.T, encrypts bool, keys *[]temporalclient.PayloadKey) *temporalclient.Codec {
	c, err := temporalclient.NewCodec(encrypts, (*stored)(keys))
	require.NoError(t, err)
	return c
}

func TestCodec_HidesAndReturnsWhatItEncrypted(t *testing.T) {
	t.Parallel()
	keys := &[]temporalclient.PayloadKey{temporalclient.NewPayloadKey()}
	c := codec(t, true, keys)
	plain := payload(t, "rm -rf /secret")
	hidden, err := c.Encode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	raw, err := proto.Marshal(hidden[0])
	require.NoError(t, err)
	require.False(t, bytes.Contains(raw, []byte("secret")))
	for _, reader := range []*temporalclient.Codec{c, codec(t, false, keys)} {
		got, err := reader.Decode(hidden)
		require.NoError(t, err)
		require.True(t, proto.Equal(plain, got[0]), "also by a process that does not encrypt")
	}
	again, err := c.Encode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	require.NotEqual(t, hidden[0].Data, again[0].Data)

	hidden[0].Data[20] ^= 1
	_, err = c.Decode(hidden)
	require.ErrorContains(t, err, "cannot be decrypted")
}

func TestCodec_ReadsWhatWasWrittenWithoutIt(t *testing.T) {
	t.Parallel()
	plain := payload(t, "as before")
	got, err := codec(t, true, &[]temporalclient.PayloadKey{temporalclient.NewPayloadKey()}).Decode([]*commonpb.Payload{plain})
	require.NoError(t, err)
	require.True(t, proto.Equal(plain, got[0]))
}

func TestCodec_FindsAKeyThatAnotherProcessMadeMeanwhile(t *testing.T) {
	t.Parallel()
	known := &[]temporalclient.PayloadKey{}
	reader := codec(t, false, known)
	writer := codec(t, true, &[]temporalclient.PayloadKey{temporalclient.NewPayloadKey()})
	hidden, err := writer.Encode([]*commonpb.Payload{payload(t, "x")})
	require.NoError(t, err)
	_, err = reader.Decode(hidden)
	require.ErrorContains(t, err, "a key that this installation does not have")
	fresh := temporalclient.NewPayloadKey()
	*known = []temporalclient.PayloadKey{fresh}
	hidden, err = codec(t, true, known).Encode([]*commonpb.Payload{payload(t, "y")})
	require.NoError(t, err)
	_, err = reader.Decode(hidden)
	require.NoError(t, err)
}
