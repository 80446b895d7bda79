package weblink_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/extension/plugin/weblink"
	"xbot/internal/fault"
	"xbot/internal/secret"
)

func TestVerify_TakesWhatThisServerSignedUntilItsEnd(t *testing.T) {
	now := time.Unix(1_800_000_000, 0).UTC()
	link := weblink.Link{Plugin: "feeds", Digest: "abc", User: 7, Expires: now.Add(weblink.Life)}
	s := weblink.New(secret.Key{1})
	url, err := s.URL(link, "web/index.html")
	require.NoError(t, err)
	token := strings.TrimSuffix(strings.TrimPrefix(url, weblink.Prefix), "/web/index.html")
	got, err := s.Verify(token, now)
	require.NoError(t, err)
	require.Equal(t, link, got)
	_, err = s.Verify(token, link.Expires)
	require.ErrorIs(t, err, weblink.ErrExpired)
	_, err = weblink.New(secret.Key{2}).Verify(token, now)
	require.True(t, fault.Is(err, fault.Denied), "another server signed it")
	for _, forged := range []string{"", ".", token + "x", "x" + token, strings.ToUpper(token), strings.Repeat("a", 5000) + "." + token} {
		_, err = s.Verify(forged, now)
		require.True(t, fault.Is(err, fault.Denied), forged)
	}
}
