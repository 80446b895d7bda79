package onebottest

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Segment is a part of a message.
type Segment struct {
	Type string         `json:"type"`
	Data map[string]any `json:"data"`
}

// Text returns a text.
func Text(t string) Segment { return Segment{"text", map[string]any{"text": t}} }

// At mentions a user; all mentions all users.
func At(who string) Segment { return Segment{"at", map[string]any{"qq": who}} }

// Reply names the message that is answered.
func Reply(id int32) Segment { return Segment{"reply", map[string]any{"id": fmt.Sprint(id)}} }

// Face returns one of QQ's faces.
func Face(id, name string) Segment {
	return Segment{"face", map[string]any{"id": id, "raw": map[string]any{"faceText": "/" + name, "faceIndex": 14}, "resultId": nil}}
}

// Forward represents messages that were forwarded together.
func Forward(id string) Segment { return Segment{"forward", map[string]any{"id": id}} }

// storedFile is a file that QQ keeps.
type storedFile struct {
	name string
	data []byte
	kind string // type of the segment
}

// File puts a file into QQ's store and returns its segment. Kind is image, record, video or file.
func (s *Server) File(kind, name string, data []byte) Segment {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	return s.store(kind, name, data)
}

// store keeps a file. The world is locked.
func (s *Server) store(kind, name string, data []byte) Segment {
	sum := md5.Sum(data)
	w := s.world
	w.count++
	id := fmt.Sprintf("f%d-%s", w.count, hex.EncodeToString(sum[:4]))
	d := map[string]any{"file_size": fmt.Sprint(len(data))}
	switch kind {
	case "image":
		id = strings.ToUpper(hex.EncodeToString(sum[:])) + extension(name)
		d["file"], d["sub_type"], d["summary"], d["url"] = id, 0, "", s.link(id)
	case "file":
		d["file"], d["file_id"] = name, id
	case "record":
		d["file"], d["url"], d["path"] = id+".amr", s.link(id+".amr"), "/root/ptt/"+id+".amr"
		id += ".amr"
	default:
		d["file"], d["url"] = id, s.link(id)
	}
	w.files[id] = &storedFile{name: name, data: data, kind: kind}
	return Segment{kind, d}
}

func extension(name string) string {
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		return name[at:]
	}
	return ".png"
}

func (s *Server) link(id string) string {
	return fmt.Sprintf("%s/files/%s?rkey=%d", s.httpURL, id, s.world.rkey)
}

// ExpireLinks makes the links to files that were given out useless, as QQ's are after a while.
func (s *Server) ExpireLinks() {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.world.rkey++
}

// Files returns the files of a message, by the type of their segment.
func (s *Server) Files(m Message) []Content {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	var out []Content
	for _, part := range m.Segments {
		for _, name := range []string{"file_id", "file"} {
			id, _ := part.Data[name].(string)
			if f := s.world.files[id]; f != nil {
				out = append(out, Content{Kind: part.Type, Name: f.name, Data: f.data})
				break
			}
		}
	}
	return out
}

// Content is a file as users see it.
type Content struct {
	Kind, Name string
	Data       []byte
}

// errSegment is an invalid segment of the bot.
type errSegment struct{ error }

// outgoing checks a message of the bot as NapCat does, and stores its files. The world is locked.
func (s *Server) outgoing(place Place, raw json.RawMessage) ([]Segment, error) {
	var parts []Segment
	if json.Unmarshal(raw, &parts) != nil {
		return nil, errSegment{errors.New("message is no array of segments")}
	}
	var out []Segment
	for _, p := range parts {
		switch p.Type {
		case "text":
			if t, _ := p.Data["text"].(string); t == "" {
				return nil, errSegment{errors.New("a text segment is empty")}
			}
			out = append(out, p)
		case "at":
			if place.group() { // NapCat leaves them out elsewhere
				out = append(out, p)
			}
		case "reply":
			if s.world.find(numberOf(p.Data["id"])) != nil { // and answers to what it does not know
				out = append(out, p)
			}
		case "face", "json", "markdown", "node":
			out = append(out, p)
		case "image", "record", "video", "file":
			stored, err := s.received(p)
			if err != nil {
				return nil, err
			}
			out = append(out, stored)
		default:
			return nil, errSegment{fmt.Errorf("未知的消息类型：%s", p.Type)}
		}
	}
	return out, alone(out)
}

// received stores a file that the bot sends.
func (s *Server) received(p Segment) (Segment, error) {
	coded, ok := strings.CutPrefix(fmt.Sprint(p.Data["file"]), "base64://")
	if !ok {
		return p, errSegment{errors.New("a file is neither base64 nor anything that is reachable")}
	}
	data, err := base64.StdEncoding.DecodeString(coded)
	if err != nil || len(data) == 0 {
		return p, errSegment{errors.New("文件处理失败: base64")}
	}
	name, _ := p.Data["name"].(string)
	return s.store(p.Type, name, data), nil
}

// alone checks that files, voices and videos have no other segments in their messages, which QQ requires.
func alone(parts []Segment) error {
	if len(parts) == 0 {
		return errSegment{errors.New("消息体无法解析, 请检查是否发送了不支持的消息类型")}
	}
	for _, p := range parts {
		if (p.Type == "file" || p.Type == "record" || p.Type == "video") && len(parts) > 1 {
			return errSegment{fmt.Errorf("a %s stands with other segments", p.Type)}
		}
	}
	return nil
}

// cq writes segments as a string with CQ codes.
func cq(parts []Segment) string {
	inText := strings.NewReplacer("&", "&amp;", "[", "&#91;", "]", "&#93;")
	inValue := strings.NewReplacer("&", "&amp;", "[", "&#91;", "]", "&#93;", ",", "&#44;")
	var b strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			b.WriteString(inText.Replace(fmt.Sprint(p.Data["text"])))
			continue
		}
		b.WriteString("[CQ:" + p.Type)
		names := make([]string, 0, len(p.Data))
		for name := range p.Data {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			value := p.Data[name]
			if _, plain := value.(string); !plain {
				if coded, err := json.Marshal(value); err == nil {
					value = string(coded)
				}
			}
			b.WriteString("," + name + "=" + inValue.Replace(fmt.Sprint(value)))
		}
		b.WriteString("]")
	}
	return b.String()
}
