package qq

import (
	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
)

func TestPauses_GrowToAMinuteAndBeginAnewAfterAConnectionThatLasted(t *testing.T) {
	now := time.Now()
	p := pauses{pace: realPace}
	var got []time.Duration
	for range 8 {
		got = append(got, p.next(connectionEnd{}, now).Round(time.Second)/time.Second)
	}
	require.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}, got)
	require.Equal(t, time.Second, p.next(connectionEnd{opened: now.Add(-time.Minute)}, now))
}

func TestPauses_ThreeQuickDisconnectsAreFollowedByAMinute(t *testing.T) {
	now := time.Now()
	quick := connectionEnd{opened: now.Add(-time.Second)}
	p := pauses{pace: realPace}
	require.Equal(t, time.Second, p.next(quick, now))
	require.Equal(t, 2*time.Second, p.next(quick, now))
	require.Equal(t, time.Minute, p.next(quick, now))
	require.Equal(t, 4*time.Second, p.next(quick, now), "they are counted anew")
	asked := connectionEnd{opened: now.Add(-time.Second), ours: true}
	p = pauses{pace: realPace}
	for range 5 {
		require.Equal(t, time.Second, p.next(asked, now), "asking for less is no failure of the network")
	}
}

func TestPauses_WhatThePlatformAsksForIsHeeded(t *testing.T) {
	now := time.Now()
	p := pauses{pace: realPace}
	require.Equal(t, time.Hour, p.next(connectionEnd{after: time.Hour}, now))
	require.Zero(t, p.next(connectionEnd{atOnce: true, opened: now.Add(-time.Hour)}, now))
}

func TestSession_EverythingIsAskedForAgainAfterADay(t *testing.T) {
	now := time.Now()
	s := session{Level: 2, Tried: now.Add(-23 * time.Hour)}
	s.begin(now)
	require.Equal(t, 2, s.Level)
	s.begin(now.Add(2 * time.Hour))
	require.Zero(t, s.Level)
	require.Equal(t, now.Add(2*time.Hour), s.Tried)
}

// The keys and signatures of the platform's documents.
func TestSigningKey_IsThatOfTheDocuments(t *testing.T) {
	key := signingKey("naOC0ocQE3shWLAfffVLB1rhYPG7")
	public := key.Public().(ed25519.PublicKey)
	require.Equal(t, "d7c362fe78aef81ff23287b493628b5db02a3c4fe30b215e4d19609b5d76673a", hex.EncodeToString(public))
	const body = "{\n  \"op\": 0,\n  \"d\": {},\n  \"t\": \"GATEWAY_EVENT_NAME\"\n}"
	require.Equal(t,
		"865ad13a61752ca65e26bde6676459cd36cf1be609375b37bd62af366e1dc25a8dc789ba7f14e017ada3d554c671a911bfdf075ba54835b23391d509579ed002",
		hex.EncodeToString(ed25519.Sign(key, []byte("1725442341"+body))))
	require.Equal(t,
		"87befc99c42c651b3aac0278e71ada338433ae26fcb24307bdc5ad38c1adc2d01bcfcadc0842edac85e85205028a1132afe09280305f13aa6909ffc2d652c706",
		hex.EncodeToString(ed25519.Sign(signingKey("DG5g3B4j9X2KOErG"), []byte("1725442341"+"Arq0D5A61EgUu4OxUvOp"))))
}

func TestReadToken_TakesNumbersAndStrings(t *testing.T) {
	for _, raw := range []string{`{"access_token":"T","expires_in":"7200"}`, `{"access_token":"T","expires_in":7200}`} {
		token, life, err := readToken(http.StatusOK, []byte(raw))
		require.NoError(t, err)
		require.Equal(t, "T", token)
		require.Equal(t, 2*time.Hour, life)
	}
}

func TestDraft_EveryFormHasANumberOfItsOwn(t *testing.T) {
	seen := map[int]bool{}
	for seq := 1; seq <= maxSeq; seq++ {
		for form := range 8 {
			n := draft{markdown: form&1 == 0, unbuttoned: form&2 != 0, unlinked: form&4 != 0}.number(seq)
			require.False(t, seen[n])
			require.Less(t, n, typingSeq)
			seen[n] = true
		}
	}
	require.LessOrEqual(t, typingSeq+typingSeqs, 1<<16)
}

func TestEnvelope_AnOddMemberCostsNoMessage(t *testing.T) {
	a := alone()
	for _, odd := range []string{`"mentions":"nobody"`, `"ark_data":"x"`, `"attachments":{}`, `"message_scene":[]`, `"timestamp":7`, `"msg_elements":[{"content":1}]`} {
		e, ok := a.envelope("C2C_MESSAGE_CREATE", []byte(`{"id":"1",`+odd+`,"author":{"user_openid":"U"},"content":"hi"}`))
		require.True(t, ok, odd)
		require.Equal(t, "hi", e.Text)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(200, `{"id":"1"}`)
	f.Add(400, `{"err_code":"40054005"}`)
	f.Add(200, `[]`)
	f.Add(502, `<html>`)
	f.Fuzz(func(t *testing.T, status int, raw string) {
		var p postResponse
		err := readAnswer(status, http.Header{}, []byte(raw), &p)
		if status < 300 && err == nil {
			return
		}
		require.Error(t, err)
		require.NotEmpty(t, explained(err).Error())
	})
}

func FuzzMentioning(f *testing.F) {
	f.Add("# t\n- [x] **a** `b` [c](d)\n| a |\n|---|\n```\nx\n```", "Ann")
	f.Fuzz(func(t *testing.T, text, name string) {
		if !utf8.ValidString(text) || !utf8.ValidString(name) {
			return
		}
		require.True(t, utf8.ValidString(withoutLinks(text)))
		d := draft{mentions: map[string]string{"ID": name}}
		got := d.mentioning(spot{scene: group, id: "G"}, text)
		require.True(t, utf8.ValidString(got))
		if !strings.Contains(text, "@") {
			require.Equal(t, text, got)
		}
	})
}

func TestPosted_AMessageIsSentWhateverQQSaysBeside(t *testing.T) {
	for raw, quoted := range map[string]string{
		`{"id": "1"}`: "", `{"id": "1", "ext_info": {"ref_idx": "REFIDX_2"}}`: "REFIDX_2", `{"id": "1", "ext_info": {"ref_idx": 7}}`: "7",
		`{"id": "1", "ext_info": []}`: "", `{"id": "1", "ext_info": "x"}`: "", `{"id": "1", "ext_info": null}`: "", `{"id": "1", "ext_info": {"ref_idx": {}}}`: "",
	} {
		var p postResponse
		require.NoError(t, readAnswer(200, http.Header{}, []byte(raw), &p), raw)
		sent, err := p.sent(spot{}, nil)
		require.NoError(t, err)
		require.Equal(t, channel.Sent{ID: "1", Quoted: quoted}, sent, raw)
	}
}
