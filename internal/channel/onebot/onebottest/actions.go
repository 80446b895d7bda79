package onebottest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

type request struct {
	Action string                     `json:"action"`
	Params map[string]json.RawMessage `json:"params"`
	Echo   json.RawMessage            `json:"echo"`
}

type response struct {
	Status  string          `json:"status"`
	Retcode int             `json:"retcode"`
	Data    any             `json:"data"`
	Message string          `json:"message"`
	Wording string          `json:"wording"`
	Echo    json.RawMessage `json:"echo"`
	Stream  string          `json:"stream"`
}

// failure is a refused action.
type failure struct {
	code int
	said string
}

func (f failure) Error() string { return f.said }

func failed(format string, args ...any) error { return failure{1200, fmt.Sprintf(format, args...)} }
func invalid(format string, args ...any) error {
	return failure{1400, fmt.Sprintf(format, args...)}
}

// act performs one action and answers it.
func (s *Server) act(c *client, frame []byte) {
	var r request
	if json.Unmarshal(frame, &r) != nil {
		s.breach("a frame is no JSON: %.80q", frame)
		c.send(encode(response{Status: "failed", Retcode: 1400, Message: "json解析失败,请检查数据格式", Wording: "json解析失败,请检查数据格式"}))
		return
	}
	if len(r.Echo) == 0 {
		s.breach("%s has no echo", r.Action)
	}
	s.mu.Lock()
	s.calls[r.Action]++
	s.mu.Unlock()
	answer := func(data any, err error) {
		out := response{Status: "ok", Data: data, Echo: r.Echo, Stream: "normal-action"}
		if f, bad := errors.AsType[failure](err); bad {
			out.Status, out.Retcode, out.Data, out.Message, out.Wording = "failed", f.code, nil, f.said, f.said
		}
		if r.Action == "download_file_stream" {
			out.Stream = "stream-action"
		}
		s.mu.Lock()
		silent := s.silent
		s.mu.Unlock()
		if !silent {
			c.send(encode(out))
		}
	}
	if slices.Contains(s.o.Without, r.Action) {
		answer(nil, failure{1404, "不支持的API " + r.Action})
		return
	}
	if strings.HasPrefix(r.Action, "send_") {
		s.sends(c, r, answer)
		return
	}
	do, ok := actions[r.Action]
	if !ok {
		s.breach("there is no action %s", r.Action)
		answer(nil, failure{1404, "不支持的API " + r.Action})
		return
	}
	answer(do(s, c, r))
}

// actions are the emulated actions of NapCat.
var actions map[string]func(*Server, *client, request) (any, error)

func init() { // the table and its functions refer to each other
	actions = map[string]func(*Server, *client, request) (any, error){
		"get_login_info": func(s *Server, _ *client, _ request) (any, error) {
			return map[string]any{"user_id": num(s.o.Self), "nickname": "xbot"}, nil
		},
		"get_version_info": func(*Server, *client, request) (any, error) {
			return map[string]any{"app_name": "NapCat.Onebot", "protocol_version": "v11", "app_version": "4.9.0"}, nil
		},
		"get_status": func(s *Server, _ *client, _ request) (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return map[string]any{"online": !s.offline, "good": true, "stat": map[string]any{}}, nil
		},
		"get_msg":                getMsg,
		"delete_msg":             deleteMsg,
		"get_forward_msg":        getForward,
		"get_group_info":         getGroup,
		"get_group_member_info":  getMember,
		"get_group_msg_history":  getHistory,
		"get_friend_msg_history": getHistory,
		"get_recent_contact":     getRecent,
		"set_msg_emoji_like":     setLike,
		"set_input_status":       setInput,
		"get_image":              getFile,
		"get_record":             getFile,
		"get_file":               getFile,
		"get_group_file_url":     getFileURL,
		"get_private_file_url":   getFileURL,
		"download_file_stream":   streamFile,
	}
}

// str reads a parameter that may be a string or a number.
func (r request) str(name string) string {
	var v any
	d := json.NewDecoder(strings.NewReader(string(r.Params[name])))
	d.UseNumber()
	if d.Decode(&v) != nil || v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func (r request) int(name string, otherwise int) int {
	n, err := strconv.Atoi(r.str(name))
	if err != nil {
		return otherwise
	}
	return n
}

func numberOf(v any) int32 {
	n, err := strconv.ParseInt(fmt.Sprint(v), 10, 32)
	if err != nil {
		return 0
	}
	return int32(n)
}

// sends performs actions that write to users, with the trouble that is due.
func (s *Server) sends(c *client, r request, answer func(any, error)) {
	trouble := s.due()
	if trouble != nil && trouble.Kind == Delayed && !s.passes(trouble.For) {
		return
	}
	if trouble != nil {
		if f, refused := trouble.refusal(); refused {
			answer(nil, f)
			return
		}
		if trouble.Kind == LostRequest {
			c.cut()
			return
		}
		if trouble.Kind == Stuck {
			s.leave()
			return
		}
	}
	id, err := s.send(r)
	switch {
	case err != nil:
		answer(nil, err)
	case trouble != nil && trouble.Kind == LostAnswer:
		c.cut()
	case trouble != nil && trouble.Kind == Mute:
		s.leave()
	case trouble != nil && trouble.Kind == Late:
		answer(nil, failed(`Timeout: NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg ListenerName:NodeIKernelMsgListener/onMsgInfoListUpdate EventRet:{}`))
	case trouble != nil && trouble.Kind == SlowAnswer && !s.passes(trouble.For):
	default:
		answer(map[string]any{"message_id": id}, nil)
	}
}

// passes waits for a while; it reports false if the server ends before.
func (s *Server) passes(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.closed:
		return false
	}
}

func (s *Server) send(r request) (int32, error) {
	place, err := s.destination(r)
	if err != nil {
		return 0, err
	}
	s.world.mu.Lock()
	parts, err := s.outgoing(place, r.Params["message"])
	if err != nil {
		s.world.mu.Unlock()
		s.breach("%s: %v", r.Action, err)
		return 0, failed("%v", err)
	}
	m := s.world.add(place, s.o.Self, time.Now(), parts)
	e := s.event(m)
	s.world.mu.Unlock()
	if s.o.Echoes {
		s.emit(e)
	}
	return m.ID, nil
}

func (s *Server) destination(r request) (Place, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	user, group := r.str("user_id"), r.str("group_id")
	switch r.Action {
	case "send_group_msg":
		if user != "" {
			return "", failed("当前群聊发送,请指定 group_id 而不是 user_id")
		}
		if s.world.cards[group] == nil {
			return "", failed(`EventRet: {"result":110,"errMsg":"not in group"}`)
		}
		return Group(group), nil
	case "send_private_msg":
		if user == "" {
			return "", failed("当前私聊发送,请指定 user_id 而不是 group_id")
		}
		if _, known := s.world.names[user]; !known && s.world.cards[group][user] == "" {
			return "", failed("无法获取用户信息")
		}
		return Person(user), nil
	}
	return "", failure{1404, "不支持的API " + r.Action}
}

func getMsg(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	m := s.world.find(numberOf(r.str("message_id")))
	if m == nil || m.Recalled {
		return nil, failed("消息不存在")
	}
	return s.event(m), nil
}

func deleteMsg(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	m := s.world.find(numberOf(r.str("message_id")))
	if m == nil {
		return nil, failed("消息不存在")
	}
	m.Recalled = true
	return nil, nil
}

func getForward(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	id := r.str("message_id")
	kept, ok := s.world.forwards[id]
	if !ok {
		return nil, failed("消息已过期或者为内层消息，无法获取转发消息")
	}
	out := []any{}
	for _, m := range kept {
		e := s.event(m)
		e["message"] = m.Segments
		out = append(out, e)
	}
	return map[string]any{"messages": out}, nil
}

func getGroup(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	id := r.str("group_id")
	if s.world.cards[id] == nil {
		return nil, failed("群%s不存在", id)
	}
	return map[string]any{"group_id": num(id), "group_name": s.world.groups[id], "member_count": len(s.world.cards[id])}, nil
}

func getMember(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	group, user := r.str("group_id"), r.str("user_id")
	card, ok := s.world.cards[group][user]
	if !ok {
		return nil, failed("群(%s)成员%s不存在", group, user)
	}
	return map[string]any{"group_id": num(group), "user_id": num(user), "nickname": s.world.names[user], "card": card, "role": "member"}, nil
}

func getHistory(s *Server, _ *client, r request) (any, error) {
	place := Person(r.str("user_id"))
	if r.Action == "get_group_msg_history" {
		place = Group(r.str("group_id"))
	}
	if len(place) < 2 {
		return nil, invalid("Key: group_id, Message: Expected string")
	}
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	kept := s.world.history(place, r.int("count", 20))
	if len(kept) == 0 {
		return nil, failed("消息undefined不存在")
	}
	out := []any{}
	for _, m := range kept {
		out = append(out, s.event(m))
	}
	return map[string]any{"messages": out}, nil
}

func getRecent(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	out, seen := []any{}, map[Place]bool{}
	for _, m := range slices.Backward(s.world.messages) {
		if seen[m.Place] || len(out) >= r.int("count", 10) {
			continue
		}
		seen[m.Place] = true
		kind := 1
		if m.Place.group() {
			kind = 2
		}
		out = append(out, map[string]any{
			"lastestMsg": s.event(m), "peerUin": m.Place.id(), "remark": "", "msgTime": fmt.Sprint(m.At.Unix()), "chatType": kind,
			"msgId": fmt.Sprint(m.ID), "sendNickName": "", "sendMemberName": "", "peerName": "",
		})
	}
	return out, nil
}

func setLike(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	m, face := s.world.find(numberOf(r.str("message_id"))), r.str("emoji_id")
	if m == nil {
		return nil, failed("msg not found")
	}
	if face == "" || !m.Place.group() {
		return nil, failed("emojiId not found")
	}
	if !slices.Contains(m.Reactions, face) {
		m.Reactions = append(m.Reactions, face)
	}
	return map[string]any{"result": 0}, nil
}

func setInput(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	user := r.str("user_id")
	if _, ok := s.world.names[user]; !ok || r.str("event_type") == "" {
		return nil, failed("uid is empty")
	}
	s.world.typing[user]++
	return map[string]any{"result": 0}, nil
}

func (s *Server) wanted(r request) (string, *storedFile) {
	for _, name := range []string{"file", "file_id"} {
		if f := s.world.files[r.str(name)]; f != nil {
			return r.str(name), f
		}
	}
	return "", nil
}

func getFile(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	id, f := s.wanted(r)
	if f == nil {
		return nil, failed("file not found")
	}
	out := map[string]any{"file": "/root/.config/QQ/" + f.name, "url": "/root/.config/QQ/" + f.name, "file_size": fmt.Sprint(len(f.data)), "file_name": f.name}
	if f.kind == "image" || f.kind == "video" {
		out["url"] = s.link(id)
	}
	if s.o.Base64 || r.Action == "get_record" && r.str("out_format") != "" {
		out["base64"] = base64.StdEncoding.EncodeToString(f.data)
	}
	return out, nil
}

func getFileURL(s *Server, _ *client, r request) (any, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	id, f := s.wanted(r)
	if f == nil {
		return nil, failed("real fileUUID not found!")
	}
	return map[string]any{"url": s.link(id)}, nil
}

// streamFile sends a file in pieces.
func streamFile(s *Server, c *client, r request) (any, error) {
	s.world.mu.Lock()
	_, f := s.wanted(r)
	s.world.mu.Unlock()
	if f == nil {
		return nil, failed("Download failed: file not found")
	}
	part := func(data map[string]any) {
		data["type"] = "stream"
		c.send(encode(response{Status: "ok", Data: data, Echo: r.Echo, Stream: "stream-action"}))
	}
	part(map[string]any{"data_type": "file_info", "file_name": f.name, "file_size": len(f.data)})
	i := 0
	for chunk := range slices.Chunk(f.data, max(1, r.int("chunk_size", 64<<10))) {
		part(map[string]any{"data_type": "file_chunk", "index": i, "data": base64.StdEncoding.EncodeToString(chunk), "size": len(chunk)})
		i++
	}
	return map[string]any{"type": "response", "data_type": "file_complete", "total_bytes": len(f.data)}, nil
}
