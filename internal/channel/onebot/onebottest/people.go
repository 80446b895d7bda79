package onebottest

import (
	"fmt"
	"time"
)

// Say writes a message as a user, and notifies the bot.
func (s *Server) Say(place Place, by string, parts ...Segment) int32 {
	return s.SayAt(time.Now(), place, by, parts...)
}

// SayAt is Say at another time.
func (s *Server) SayAt(at time.Time, place Place, by string, parts ...Segment) int32 {
	s.world.mu.Lock()
	m := s.world.add(place, by, at, parts)
	e := s.event(m)
	s.world.mu.Unlock()
	s.emit(e)
	return m.ID
}

// Again notifies the bot of a message once more.
func (s *Server) Again(id int32) {
	s.world.mu.Lock()
	m := s.world.find(id)
	if m == nil {
		s.world.mu.Unlock()
		return
	}
	e := s.event(m)
	s.world.mu.Unlock()
	s.emit(e)
}

// SayTemp writes to the bot directly as a member of a group who is no friend.
func (s *Server) SayTemp(group, by, text string) int32 {
	s.world.mu.Lock()
	m := s.world.add(Person(by), by, time.Now(), []Segment{Text(text)})
	e := s.event(m)
	e["sub_type"], e["group_id"], e["temp_source"] = "group", num(group), 0
	s.world.mu.Unlock()
	s.emit(e)
	return m.ID
}

// Recall takes a message back, and notifies the bot.
func (s *Server) Recall(id int32) {
	s.world.mu.Lock()
	m := s.world.find(id)
	if m == nil {
		s.world.mu.Unlock()
		return
	}
	m.Recalled = true
	e := map[string]any{"time": time.Now().Unix(), "self_id": num(s.o.Self), "post_type": "notice", "user_id": num(m.By), "message_id": id}
	e["notice_type"] = "friend_recall"
	if m.Place.group() {
		e["notice_type"], e["group_id"], e["operator_id"] = "group_recall", num(m.Place.id()), num(m.By)
	}
	s.world.mu.Unlock()
	s.emit(e)
}

// Upload puts a file into a group as a user. NapCat reports it by a message and by a notice; here each may be left out.
func (s *Server) Upload(group, by, name string, data []byte, message, notice bool) {
	s.world.mu.Lock()
	part := s.store("file", name, data)
	m := s.world.add(Group(group), by, time.Now(), []Segment{part})
	e := s.event(m)
	told := map[string]any{
		"time": m.At.Unix(), "self_id": num(s.o.Self), "post_type": "notice", "notice_type": "group_upload", "group_id": num(group), "user_id": num(by),
		"file": map[string]any{"id": part.Data["file_id"], "name": name, "size": len(data), "busid": 102},
	}
	s.world.mu.Unlock()
	if message {
		s.emit(e)
	}
	if notice {
		s.emit(told)
	}
}

// Poke nudges the bot as a user.
func (s *Server) Poke(by string) {
	s.emit(map[string]any{
		"time": time.Now().Unix(), "self_id": num(s.o.Self), "post_type": "notice", "notice_type": "notify", "sub_type": "poke",
		"user_id": num(by), "target_id": num(s.o.Self),
	})
}

// AddForward keeps messages that may be forwarded together, under an id.
func (s *Server) AddForward(id string, messages ...Message) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	for _, m := range messages {
		s.world.forwards[id] = append(s.world.forwards[id], &m)
	}
}

// event returns a message as NapCat reports it. The world is locked.
func (s *Server) event(m *Message) map[string]any {
	e := map[string]any{
		"self_id": num(s.o.Self), "user_id": num(m.By), "time": m.At.Unix(), "message_id": m.ID, "message_seq": m.ID, "real_id": m.ID,
		"real_seq": fmt.Sprint(m.Seq), "raw_message": cq(m.Segments), "font": 14, "message": m.Segments, "message_format": "array",
		"post_type": "message", "message_type": "private", "sub_type": "friend",
	}
	sender := map[string]any{"user_id": num(m.By), "nickname": s.world.names[m.By], "card": ""}
	if m.Place.group() {
		e["message_type"], e["sub_type"], e["group_id"], e["group_name"] = "group", "normal", num(m.Place.id()), s.world.groups[m.Place.id()]
		sender["card"], sender["role"] = s.world.cards[m.Place.id()][m.By], "member"
	}
	e["sender"] = sender
	if m.By == s.o.Self {
		e["post_type"], e["message_sent_type"] = "message_sent", "self"
	}
	if s.o.Strings {
		e["message"], e["message_format"] = e["raw_message"], "string"
	}
	return e
}
