package qqtest

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Message is a message of the bot as users see it.
type Message struct {
	ID       string
	Scene    string
	Chat     string
	Text     string
	Markdown bool
	Buttons  []Button
	Pressed  bool // the buttons are grey
	Files    []File
	ReplyTo  string
	Seq      int
	Recalled bool
	At       time.Time
	Calls    bool // the message mentions all users
}

// calls matches mentions of all users: the mark of the documents (bot.q.qq.com/wiki, text chains), the one of old guilds, and the word,
// which QQ takes in groups and direct chats (as tried by nonebot/adapter-qq, #220). Marks in code count as well.
var calls = regexp.MustCompile(`(?i)<\s*qqbot-at-everyone\s*/?\s*>|@everyone|<@!?(?:all|everyone)>`)

// Button is a button below a message.
type Button struct{ ID, Label, Data, Group string }

// Trouble is a failure of calls that send.
type Trouble struct {
	Kind  string
	Times int           // negative: until Befall is called again with 0
	After time.Duration // for Limited
	For   time.Duration // for SlowAnswer
	Code  int           // for Refused; 0: the bot is no member
}

// Kinds of trouble.
const (
	Limited     = "limited"
	Refused     = "refused"
	Down        = "down"
	LostRequest = "lost request"
	LostAnswer  = "lost answer"
	Mute        = "mute"        // accepted and shown, and no answer ever
	Stuck       = "stuck"       // not accepted, and no answer ever
	SlowAnswer  = "slow answer" // accepted and shown at once, and the answer comes after a while
)

// Befall makes the next calls that send meet with trouble, after the ones set before.
func (s *Server) Befall(t Trouble) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.troubles = slices.DeleteFunc(s.troubles, func(old Trouble) bool { return t.Times == 0 || old.Times < 0 })
	if t.Times != 0 {
		s.troubles = append(s.troubles, t)
	}
}

// trouble takes the next one; mu is held.
func (s *Server) trouble() Trouble {
	if len(s.troubles) == 0 {
		return Trouble{}
	}
	t := s.troubles[0]
	if t.Times > 0 {
		if s.troubles[0].Times--; s.troubles[0].Times == 0 {
			s.troubles = s.troubles[1:]
		}
	}
	return t
}

// meets answers a call as its trouble demands; done means that it has.
func (t Trouble) meets(w http.ResponseWriter) (done bool) {
	switch t.Kind {
	case Limited:
		if t.After > 0 {
			w.Header().Set("Retry-After", fmt.Sprint(int(t.After.Seconds())))
		}
		refuse(w, http.StatusTooManyRequests, 22009, "msg limit exceed")
	case Refused:
		code := t.Code
		if code == 0 {
			code = 40054003
		}
		refuse(w, http.StatusBadRequest, code, "refused")
	case Down:
		w.WriteHeader(http.StatusBadGateway)
	case LostRequest:
		hangUp(w)
	default:
		return false
	}
	return true
}

func hangUp(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if c, _, err := h.Hijack(); err == nil {
			_ = c.Close() // that is its purpose
		}
	}
}

// sending is a message as the API takes it.
type sending struct {
	Type     int    `json:"msg_type"`
	Content  string `json:"content"`
	Markdown *struct {
		Content string `json:"content"`
	} `json:"markdown"`
	Keyboard *struct {
		Content struct {
			Rows []struct {
				Buttons []struct {
					ID     string `json:"id"`
					Group  string `json:"group_id"`
					Render struct {
						Label string `json:"label"`
					} `json:"render_data"`
					Action struct {
						Type int    `json:"type"`
						Data string `json:"data"`
					} `json:"action"`
				} `json:"buttons"`
			} `json:"rows"`
		} `json:"content"`
	} `json:"keyboard"`
	Media *struct {
		Info string `json:"file_info"`
	} `json:"media"`
	ReplyTo string `json:"msg_id"`
	Seq     int    `json:"msg_seq"`
	// Notify is "is writing", of msg_type 6: xcph/openclaw-qqbot, sendC2CInputNotify in src/api.ts and src/typing-keepalive.ts, which
	// shows it in direct chats alone, for 60 seconds, and again every 50. Its msg_id may be missing. The platform's documents count it
	// among the answers to that message.
	Notify *struct {
		Type   int `json:"input_type"`
		Second int `json:"input_second"`
	} `json:"input_notify"`

	image *File // of a form
}

// maxBody bounds how much of a call is read.
const maxBody = 300 << 20

func (s *Server) takeMessage(w http.ResponseWriter, r *http.Request) {
	in, err := readSending(r)
	answered, slow := s.takes(w, r, in, err)
	if slow != nil {
		timer := time.NewTimer(slow.after)
		defer timer.Stop()
		select {
		case <-timer.C:
			answer(w, http.StatusOK, slow.body)
			return
		case <-r.Context().Done():
		case <-s.ended:
		}
		return
	}
	if answered {
		return
	}
	select { // the answer never comes
	case <-r.Context().Done():
	case <-s.ended:
	}
}

// slowly is an answer that is delayed.
type slowly struct {
	after time.Duration
	body  map[string]any
}

// takes accepts a message or refuses it, and reports whether that was answered, or the answer that is given later.
func (s *Server) takes(w http.ResponseWriter, r *http.Request, in sending, err error) (answered bool, slow *slowly) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.breaks("a message that cannot be read")
		refuse(w, http.StatusBadRequest, 12002, "request invalid")
		return true, nil
	}
	t := s.trouble()
	if t.meets(w) {
		return true, nil
	}
	if t.Kind == Stuck {
		s.unanswered++
		return false, nil
	}
	m := &Message{Scene: r.PathValue("kind"), Chat: r.PathValue("chat"), ReplyTo: in.ReplyTo, Seq: in.Seq, At: s.now()}
	if code, why := s.accept(m, in); code != 0 {
		refuse(w, http.StatusBadRequest, code, why)
		return true, nil
	}
	switch t.Kind {
	case LostAnswer:
		hangUp(w)
		return true, nil
	case Mute:
		s.unanswered++
		return false, nil
	}
	said := map[string]any{"id": m.ID, "timestamp": m.At.Format(time.RFC3339), "ext_info": map[string]any{"ref_idx": "REFIDX_" + m.ID}}
	if t.Kind == SlowAnswer {
		return false, &slowly{after: t.For, body: said}
	}
	answer(w, http.StatusOK, said)
	return true, nil
}

// Unanswered returns how many calls were Mute or Stuck so far.
func (s *Server) Unanswered() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unanswered
}

func readSending(r *http.Request) (sending, error) {
	var in sending
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return in, json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&in)
	}
	if err := r.ParseMultipartForm(maxBody); err != nil {
		return in, err
	}
	in.ReplyTo, in.Content = r.FormValue("msg_id"), r.FormValue("content")
	f, h, err := r.FormFile("file_image")
	if err != nil {
		return in, err
	}
	defer f.Close()
	raw, err := io.ReadAll(f)
	in.image = &File{Kind: "image", Name: h.Filename, Data: raw}
	return in, err
}

var address = regexp.MustCompile(`(?i)https?://|\bwww\.|\b[a-z0-9-]+\.(com|cn|net|org|io)\b`)

// accept shows a message, or returns why not; mu is held.
func (s *Server) accept(m *Message, in sending) (int, string) {
	v2 := m.Scene == Direct || m.Scene == Group
	if code, why := s.content2(m, in, v2); code != 0 {
		return code, why
	}
	switch {
	case s.config.BlockLinks && address.MatchString(m.Text):
		return 40034028, "请求参数不允许包含url " + address.FindString(m.Text)
	case utf8.RuneCountInString(m.Text) > 6000:
		return 40054007, "消息长度超限"
	}
	if code, why := s.answers(m, in, v2); code != 0 {
		return code, why
	}
	m.ID = fmt.Sprintf("ROBOT1.0_B%d_%s", s.next(), random())
	m.Calls = calls.MatchString(html.UnescapeString(m.Text))
	if in.Type == 6 {
		s.writing[in.ReplyTo]++
		return 0, ""
	}
	s.messages = append(s.messages, m)
	return 0, ""
}

// content2 checks the parts of a message against its kind; mu is held.
func (s *Server) content2(m *Message, in sending, v2 bool) (int, string) {
	m.Text = in.Content
	switch {
	case in.Markdown != nil:
		if v2 && in.Type != 2 || in.Content != "" {
			s.breaks("Markdown in a message of another kind")
			return 22006, "消息类型与内容不匹配"
		}
		if s.config.NoMarkdown {
			if v2 {
				return 40034012, "不允许发送原生 markdown"
			}
			return 304041, "reply message not allow markdown"
		}
		m.Text, m.Markdown = in.Markdown.Content, true
	case in.Media != nil:
		f, ok := s.infos[m.Scene+m.Chat+in.Media.Info]
		if in.Type != 7 || !ok {
			s.breaks("a file that was not uploaded here")
			return 304080, "文件信息无效"
		}
		m.Files = append(m.Files, f)
	case in.image != nil:
		if v2 {
			return 12002, "request invalid"
		}
		m.Files = append(m.Files, *in.image)
	case in.Type == 6:
		if m.Scene != Direct || in.Notify == nil || in.Notify.Type != 1 || in.Notify.Second < 1 || in.Notify.Second > 60 {
			s.breaks("is writing, elsewhere than in a direct chat or for longer than a minute")
			return 50059, "输入类型错误"
		}
		return 0, ""
	case v2 && in.Type != 0:
		s.breaks("a message of an unknown kind")
		return 340069, "消息类型无效"
	}
	if strings.TrimSpace(m.Text) == "" && len(m.Files) == 0 {
		return 50006, "empty msg"
	}
	return s.buttons(m, in)
}

func (s *Server) buttons(m *Message, in sending) (int, string) {
	if in.Keyboard == nil {
		return 0, ""
	}
	if s.config.NoButtons {
		return 304037, "没有发消息按钮组件的权限"
	}
	rows := in.Keyboard.Content.Rows
	if len(rows) > 5 || !m.Markdown {
		return 40034029, "内联键盘行/列超限"
	}
	for _, row := range rows {
		if len(row.Buttons) > 5 {
			return 40034029, "内联键盘行/列超限"
		}
		for _, b := range row.Buttons {
			if n := utf8.RuneCountInString(b.Render.Label); n == 0 || n > 10 || b.Action.Data == "" {
				return 305007, "键盘样式参数错误"
			}
			m.Buttons = append(m.Buttons, Button{ID: b.ID, Label: b.Render.Label, Data: b.Action.Data, Group: b.Group})
		}
	}
	return 0, ""
}

// answers checks the message that is answered: it is known, young, was not answered like this, nor too often; mu is held.
func (s *Server) answers(m *Message, in sending, v2 bool) (int, string) {
	if in.ReplyTo == "" && s.config.NoOwn {
		return 40034105, "主动消息失败, 无权限"
	}
	if in.ReplyTo == "" {
		return 0, ""
	}
	t, ok := s.incoming[in.ReplyTo]
	if !ok || t.scene != m.Scene || t.chat != m.Chat {
		return 40034024, "请求参数msg_id无效或越权"
	}
	window, most := 5*time.Minute, 5
	if m.Scene == Direct {
		window, most = time.Hour, 4
	}
	number := fmt.Sprintf("%s/%d", in.ReplyTo, max(in.Seq, 1))
	switch {
	case s.now().Sub(t.at) > window:
		return 40034005, "回复消息msg_id已过期"
	case v2 && s.numbers[number]:
		return 40054005, "消息被去重，请检查请求msgseq"
	case v2 && t.answers >= most:
		return 40034128, "被动回复时间或次数超限"
	}
	s.numbers[number] = true
	t.answers++
	return 0, ""
}

func (s *Server) recallMessage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.messages {
		if m.ID != r.PathValue("id") || m.Scene != r.PathValue("kind") || m.Chat != r.PathValue("chat") {
			continue
		}
		if s.now().Sub(m.At) > 2*time.Minute {
			refuse(w, http.StatusBadRequest, 40064004, "已超出消息撤回时限")
			return
		}
		m.Recalled = true
		answer(w, http.StatusOK, map[string]any{})
		return
	}
	refuse(w, http.StatusBadRequest, 40061002, "请求参数msgid无效")
}

// Writing returns how often the bot has shown that it writes an answer to a message of a person.
func (s *Server) Writing(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writing[id]
}

// Messages returns those of the bot in a chat that people see now, oldest first.
func (s *Server) Messages(scene, chat string) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Message
	for _, m := range s.messages {
		if m.Scene == scene && m.Chat == chat && !m.Recalled {
			all = append(all, *m)
		}
	}
	return all
}

// Permit changes the bot's permissions from now on.
func (s *Server) Permit(change func(*Config)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.config)
}
