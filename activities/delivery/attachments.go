package delivery

import (
	"bytes"
	"context"
	"io"
	"math"
	"mime"
	"path"
	"strings"
	"time"

	"xbot/activities/files"
	"xbot/internal/channel"
	"xbot/internal/channel/format"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

const (
	// maxFiles is how many files are sent with one answer.
	maxFiles = 10
	// folderWait is how long an answer waits for the runner of the files that it links.
	folderWait = 15 * time.Second
)

// linked returns the text of an answer with file names in place of links that cannot be opened on a platform, and the files
// that these links name. If a file is not sent, the text contains the reason. linked returns an error while Postgres or another part of xbot is
// unavailable, so that the outage is not reported as a fault of the runner.
func (d *Deliverer) linked(ctx context.Context, o chat.Outbound, t channel.Traits) (text string, files []chat.PieceFile, err error) {
	links := format.FileLinks(o.Text)
	if !o.Answer || d.Files == nil || len(links) == 0 {
		return o.Text, nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, folderWait)
	defer cancel()
	from, away := d.Files.Of(ctx, o.Session, "")
	most := maxFiles
	if t.Replies > 0 {
		most = max(0, min(most, t.Replies-o.Before-1)) // the text is a reply, too
	}
	seen, said := map[string]bool{}, ""
	for _, l := range links {
		if seen[l.Path] {
			continue
		}
		seen[l.Path] = true
		file, err := "", away
		if err == nil && len(files) == most {
			err = i18n.Fault(fault.Invalid, i18n.FileMany, most)
		}
		if err == nil {
			file, err = from.Find(ctx, l.Path, t.MaxFile)
		}
		if fault.PartOf(err) != "" {
			return "", nil, err
		}
		if err != nil {
			said += "\n" + notSent(d.spoken(ctx, o), l.Path, err)
			continue
		}
		files = append(files, chat.PieceFile{Runner: from.Box.Name(), Path: file, Name: path.Base(file)})
	}
	text = format.Unlinked(o.Text, links, format.FileLink.Name)
	if said != "" {
		text += "\n" + said
	}
	return text, files, nil
}

// notSent returns why a file was not sent.
func notSent(lang i18n.Lang, name string, err error) string {
	if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Internal) {
		err = i18n.Fault(fault.Unavailable, i18n.FileAway)
	}
	return i18n.Say(lang, i18n.FileNotSent, name, i18n.Explain(lang, err))
}

// load reads the file of a piece. A file that cannot be read any more becomes a sentence, if it was certainly not sent before.
// ready is false if nothing is left to send.
func (s *sending) load(ctx context.Context, n int, place chat.Address, m *channel.Message) (ready bool, err error) {
	p := &s.o.Pieces[n]
	file, err := s.read(ctx, *p.File, math.MaxInt64)
	switch {
	case err == nil:
		m.File = &file
		return true, nil
	case ctx.Err() != nil || fault.PartOf(err) != "":
		return false, err
	case p.State == chat.PieceTried:
		m.File = &channel.File{Name: p.File.Name}
		if absent, err := s.find(ctx, n, place, *m); err != nil || !absent {
			return false, err
		}
		m.File = nil
	}
	p.Text, p.File = notSent(s.spoken(ctx, s.o), p.File.Name, err), nil
	m.Text = p.Text
	return true, nil
}

// maxPicture bounds a picture of a card, in bytes: all of them are in memory at once.
const maxPicture = 4 << 20

// pictures reads the pictures of a card of the model. One that cannot be read is named on the card; where the runner is away, all are.
func (s *sending) pictures(ctx context.Context, q *channel.Question) error {
	if q.Design == nil || q.Images != nil {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, 2*folderWait)
	defer cancel()
	q.Images = map[string]channel.File{}
	for _, e := range q.Design.Elements {
		for _, file := range e.Files {
			if _, there := q.Images[file]; there {
				continue
			}
			got, err := s.read(limited, chat.PieceFile{Runner: q.Design.Runner, Path: file, Name: path.Base(file)}, maxPicture)
			switch {
			case err == nil:
				q.Images[file] = got
			case ctx.Err() != nil:
				return ctx.Err()
			case fault.PartOf(err) != "":
				return err
			case fault.Is(err, fault.Unavailable):
				return nil
			}
		}
	}
	return nil
}

// read reads a file of at most so many bytes, and of no more than the platform takes.
func (s *sending) read(ctx context.Context, f chat.PieceFile, most int64) (channel.File, error) {
	if s.Files == nil {
		return channel.File{}, i18n.Fault(fault.Unavailable, i18n.FileAway)
	}
	limited, cancel := context.WithTimeout(ctx, folderWait)
	defer cancel()
	from, err := s.Files.Of(limited, s.o.Session, f.Runner)
	if err != nil {
		return channel.File{}, err
	}
	most = min(most, channel.TraitsAt(s.account, s.o.Place).MaxFile)
	if _, err := from.Find(limited, f.Path, most); err != nil {
		return channel.File{}, err
	}
	to := &limitedBuffer{left: most}
	if _, err := from.Box.Download(ctx, f.Path, to); err != nil {
		if to.left < 0 {
			err = i18n.Fault(fault.TooLarge, i18n.FileLarge, files.Megabytes(most))
		}
		return channel.File{}, err
	}
	kind := mime.TypeByExtension(strings.ToLower(path.Ext(f.Name)))
	if kind == "" {
		kind = "application/octet-stream"
	}
	return channel.File{Name: f.Name, Type: kind, Data: to.Bytes()}, nil
}

// limitedBuffer is a buffer of bounded size: a file may grow while it is read.
type limitedBuffer struct {
	bytes.Buffer

	left int64
}

// Write takes a part, or breaks the transfer off.
func (r *limitedBuffer) Write(part []byte) (int, error) {
	if r.left -= int64(len(part)); r.left < 0 {
		return 0, io.ErrShortWrite
	}
	return r.Buffer.Write(part)
}

// instead sends a sentence in place of a file that the platform does not accept.
func (s *sending) instead(ctx context.Context, n int, why error) error {
	p := &s.o.Pieces[n]
	p.Text, p.File = notSent(s.spoken(ctx, s.o), p.File.Name, why), nil
	return s.piece(ctx, n)
}
