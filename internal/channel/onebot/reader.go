package onebot

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"xbot/internal/channel/onebot/wire"
	"xbot/internal/chat"
)

// reader makes text of segments, and collects their files and mentions.
type reader struct {
	*account
	group    string // in which mentioned users are looked up; empty: in none
	mentions bool

	out       strings.Builder
	mentioned bool
	others    []chat.Peer
	files     []chat.Attachment
	reply     wire.Number
	replied   string // text of the message that is answered, if sent along
	messages  int    // forwarded messages that may still be read
}

func (r *reader) text() string { return cut(strings.TrimSpace(clean(r.out.String())), maxRead) }

func (r *reader) say(format string, args ...any) {
	if r.out.Len() < 2*maxRead {
		fmt.Fprintf(&r.out, format, args...)
	}
}

// read reads segments. Depth counts the forwarded messages around them.
func (r *reader) read(ctx context.Context, segments []wire.Segment, depth int) {
	for _, s := range segments {
		switch s.Type {
		case "text":
			r.words(s.Data["text"])
		case "at":
			r.at(ctx, s.Data, depth)
		case "reply":
			if depth == 0 {
				r.reply, r.replied = wire.Number(wire.NumberForm.FindString(s.Data["id"])), s.Data["text"]
			}
		case "image", "mface", "record", "video", "file":
			r.file(s)
		case "forward", "node":
			r.forwarded(ctx, s, depth)
		default:
			r.readSegment(s)
		}
	}
}

// words adds text; a removed mention of the bot leaves no gap.
func (r *reader) words(t string) {
	if said := r.out.String(); said == "" || strings.HasSuffix(said, " ") || strings.HasSuffix(said, "\n") {
		t = strings.TrimPrefix(t, " ")
	}
	r.say("%s", t)
}

// at reads a mention. The one of the bot is taken out of the text.
func (r *reader) at(ctx context.Context, d wire.Attributes, depth int) {
	who := cmp.Or(d["qq"], d["user_id"])
	switch {
	case who == "all" || who == "0":
		r.say("@all ")
		return
	case wire.Number(who) == r.who() && depth == 0:
		r.mentioned = true
		return
	case !wire.NumberForm.MatchString(who):
		return
	}
	name := ""
	if r.mentions {
		name = r.member(ctx, r.group, wire.Number(who))
	}
	name = cmp.Or(name, cleanName(strings.TrimPrefix(d["name"], "@")), who)
	r.say("@%s", name)
	if depth > 0 || slices.ContainsFunc(r.others, func(p chat.Peer) bool { return p.ID == who }) {
		return
	}
	r.others = append(r.others, chat.Peer{ID: who, Name: name})
}

// readSegment reads a segment that is neither text nor a file.
func (r *reader) readSegment(s wire.Segment) {
	d := s.Data
	switch s.Type {
	case "face":
		r.say("[face: %s]", cmp.Or(faceName(d), d["id"]))
	case "json":
		r.say("%s", card(d["data"]))
	case "xml":
		r.say("[card]")
	case "markdown":
		r.say("%s", d["content"])
	case "poke":
		r.say("[poke]")
	case "dice", "rps":
		r.say("[%s: %s]", s.Type, d["result"])
	case "share", "music":
		r.say("[%s: %s]", s.Type, strings.TrimSpace(strings.Join(nonEmpty(d["title"], d["content"], d["url"]), " ")))
	case "location":
		r.say("[location: %s]", strings.Join(nonEmpty(d["title"], d["content"], d["lat"]+","+d["lon"]), " "))
	case "contact":
		r.say("[contact: %s %s]", d["type"], d["id"])
	case "onlinefile", "flashtransfer":
		r.say("[file transfer: %s]", cmp.Or(d["fileName"], d["fileSetId"]))
	default:
		r.say("[%s]", cut(cleanName(s.Type), 40))
	}
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" || s == "," })
}

// kinds are the kinds of attachments by the types of segments.
var kinds = map[string]string{"image": "image", "mface": "sticker", "record": "audio", "video": "video", "file": "file"}

// file reads a segment of a file. Files over the limit leave a mark.
func (r *reader) file(s wire.Segment) {
	kind := kinds[s.Type]
	if s.Type == "image" && s.Data["emoji_id"] != "" {
		kind = "sticker" // from QQ's shop
	}
	if len(r.files) >= maxFiles {
		r.say("[%s]", kind)
		return
	}
	r.files = append(r.files, attached(kind, s.Data, r.group))
}

// attached names a file so that Fetch finds it: its key has all parameters that NapCat may need.
func attached(kind string, d wire.Attributes, group string) chat.Attachment {
	key := url.Values{}
	for _, name := range []string{"file", "file_id", "url", "busid"} {
		if v := d[name]; v != "" && !strings.HasPrefix(v, "base64://") {
			key.Set(name, v)
		}
	}
	if group != "" && group != "0" {
		key.Set("group", group)
	}
	name := cmp.Or(d["name"], d["file"])
	if strings.Contains(name, "://") {
		name = ""
	}
	if name = path.Base("/" + name); name == "/" {
		name = ""
	}
	return chat.Attachment{Kind: kind, Key: key.Encode(), Name: cleanName(name), Size: d.Size()}
}

// placeholder represents a file in text: in quotes and in forwarded messages.
func placeholder(a chat.Attachment) string {
	if a.Name == "" || a.Kind == "image" || a.Kind == "sticker" || a.Kind == "audio" {
		return "[" + a.Kind + "]"
	}
	return "[" + a.Kind + ": " + a.Name + "]"
}

// digest replaces a long or unusual name by a few letters.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:12])
}
