package onebot_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	ob "xbot/internal/channel/onebot/onebottest"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

func fetch(t *testing.T, a channel.Account, e chat.Envelope) ([]byte, error) {
	t.Helper()
	got, err := a.(channel.Fetcher).Fetch(t.Context(), e.ID, e.Attachments[0])
	if err != nil {
		return nil, err
	}
	defer got.Close()
	return io.ReadAll(got)
}

func TestFetch_FilesAreReadWholeHoweverNapCatGivesThem(t *testing.T) {
	big := bytes.Repeat([]byte("seed"), 1<<19) // 2 MB
	for name, c := range map[string]struct {
		o       ob.Options
		kind    string
		inGroup bool
		expire  bool
	}{
		"an image by its address":              {kind: "image"},
		"an image whose address has expired":   {kind: "image", expire: true},
		"an image as base64":                   {kind: "image", expire: true, o: ob.Options{Base64: true}},
		"a file of a person":                   {kind: "file"},
		"a file of a group":                    {kind: "file", inGroup: true},
		"a file in pieces":                     {kind: "file", o: ob.Options{Without: []string{"get_private_file_url"}}},
		"a file in pieces, of an older NapCat": {kind: "file", o: ob.Options{Without: []string{"get_private_file_url", "get_file"}}},
		"a voice":                              {kind: "record"},
		"a voice that cannot be converted":     {kind: "record", o: ob.Options{Without: []string{"get_record"}}},
		"a film":                               {kind: "video", expire: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, c.o)
			a, i := connected(t, s)
			place := ob.Person(ann)
			if c.inGroup {
				place = ob.Group(group)
			}
			s.Say(place, ann, s.File(c.kind, "a.dat", big))
			e := i.next(t, 1)
			if c.expire {
				s.ExpireLinks()
			}
			got, err := fetch(t, a, e)
			require.NoError(t, err)
			require.True(t, bytes.Equal(big, got))
			sound(t, s)
		})
	}
}

func TestFetch_WhatIsGoneIsNotFound(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i := connected(t, s)
	s.Say(ob.Person(ann), ann, ob.Segment{Type: "image", Data: map[string]any{"file": "GONE.png", "url": s.URL()[:0]}})
	_, err := fetch(t, a, i.next(t, 1))
	require.Equal(t, fault.NotFound, fault.KindOf(err), "%v", err)
	_, err = a.(channel.Fetcher).Fetch(t.Context(), "x", chat.Attachment{Kind: "image", Key: "%zz"})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestFetch_FilesThatAreTooLargeAreRefused(t *testing.T) {
	s := newServer(t, ob.Options{})
	a, i := connected(t, s)
	s.Say(ob.Person(ann), ann, s.File("image", "a.png", make([]byte, 50<<20+1)))
	_, err := fetch(t, a, i.next(t, 1))
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}
