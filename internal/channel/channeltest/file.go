package channeltest

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/stretchr/testify/require"

	"xbot/internal/channel"
	"xbot/internal/chat"
	"xbot/internal/fault"
)

var fileClaims = []Claim{
	{"files of people can be fetched", []Ability{Inbound}, fetches},
	{"a file that is not there any more is not found", []Ability{Inbound}, missesFiles},
	{"files and images are sent", []Ability{Outbound}, sendsFiles},
	{"a file is sent once for its key", []Ability{Outbound}, sendsFileOnce},
	{"a file over the limit is refused before it is sent", []Ability{Outbound}, refusesLargeFiles},
}

// dot is a picture of one pixel.
var dot = func() []byte {
	data, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
	if err != nil {
		panic(err)
	}
	return data
}()

// report is a file with content that no text could hold.
var report = bytes.Repeat([]byte{0, 1, 2, 0xff, '\r', '\n'}, 20000)

func fetches(b *bench) {
	p := b.run()
	for i, f := range []File{{Kind: "image", Name: "dot.png", Data: dot}, {Kind: "file", Name: "报告 1.pdf", Data: report}} {
		e, _ := p.arrive(Written{Where: Direct, Files: []File{f}})
		require.Len(b, e.Attachments, 1, "%d", i)
		a := e.Attachments[0]
		require.Equal(b, f.Kind, a.Kind)
		if f.Kind == "file" {
			require.Equal(b, f.Name, a.Name)
		}
		got, err := b.fetch(p.account, e, a)
		require.NoError(b, err)
		require.True(b, bytes.Equal(f.Data, got), "%d bytes came for %d", len(got), len(f.Data))
	}
}

// fetch reads a whole file.
func (b *bench) fetch(account channel.Account, e chat.Envelope, a chat.Attachment) (data []byte, err error) {
	b.Helper()
	fetcher, ok := account.(channel.Fetcher)
	require.True(b, ok, "the account is no channel.Fetcher")
	r, err := fetcher.Fetch(b.within(), e.ID, a)
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(b, r.Close()) }()
	return io.ReadAll(r)
}

func missesFiles(b *bench) {
	p := b.run()
	e, _ := p.arrive(Written{Where: Direct, Files: []File{{Kind: "file", Name: "a.txt", Data: []byte("a")}}})
	a := e.Attachments[0]
	a.Key += "0"
	_, err := b.fetch(p.account, e, a)
	require.Contains(b, []fault.Kind{fault.NotFound, fault.Invalid, fault.Denied}, fault.KindOf(err), "%v", err)
}

func sendsFiles(b *bench) {
	p, to := b.asked()
	for i, f := range []channel.File{{Name: "dot.png", Type: "image/png", Data: dot}, {Name: "报告 1.pdf", Type: "application/pdf", Data: report}} {
		sent, err := p.account.Send(b.within(), to, channel.Message{Key: fmt.Sprintf("file-%d", i), File: &f, Seq: i + 1})
		require.NoError(b, err)
		shown := b.Shown(Direct)
		require.Len(b, shown, i+1)
		require.Equal(b, sent.ID, shown[i].ID)
		require.Len(b, shown[i].Files, 1)
		require.True(b, bytes.Equal(f.Data, shown[i].Files[0].Data))
		if i == 1 {
			require.Equal(b, f.Name, shown[i].Files[0].Name)
		} else {
			require.Equal(b, "image", shown[i].Files[0].Kind)
		}
	}
}

func sendsFileOnce(b *bench) {
	p, to := b.asked()
	m := channel.Message{Key: "file-once", File: &channel.File{Name: "a.csv", Type: "text/csv", Data: []byte("a,b\n1,2\n")}, Seq: 1}
	_, err := p.account.Send(b.within(), to, m)
	require.NoError(b, err)
	if channel.TraitsAt(p.account, to).Window == 0 {
		b.find(p.account, to, m)
		return
	}
	_, err = b.Open(b).Send(b.within(), to, m)
	require.NoError(b, err)
	require.Len(b, b.Shown(Direct), 1)
}

func refusesLargeFiles(b *bench) {
	p, to := b.asked()
	large := channel.File{Name: "large.bin", Type: "application/octet-stream", Data: make([]byte, channel.TraitsAt(p.account, to).MaxFile+1)}
	_, err := p.account.Send(b.within(), to, channel.Message{Key: "large", File: &large, Seq: 1})
	require.Equal(b, fault.TooLarge, fault.KindOf(err), "%v", err)
	require.False(b, channel.Unknown(err))
	require.Empty(b, b.Shown(Direct))
}
