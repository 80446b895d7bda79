package feishutest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// entity is a separate card, which streams.
type entity struct {
	card      map[string]any
	sequence  int
	streaming bool
	over      ending // how the platform has ended the streaming
}

// ending is how the platform ends a streaming mode without a request.
type ending string

// The endings: later text is refused as too late and from then on as closed, or accepted and never shown.
const (
	Refusing  ending = "refusing"
	Dropping  ending = "dropping"
	timeIsOut ending = "told"
)

// noImage begins the fault of a card that shows an image that was not uploaded.
const noImage = "there is no image "

// acceptableCard refuses cards that the platform cannot show; the caller holds the lock.
func (s *Server) acceptableCard(in map[string]any) *refusal {
	if in["type"] == "card" {
		data, _ := in["data"].(map[string]any)
		id, _ := data["card_id"].(string)
		if s.cards[id] == nil {
			return refuse(230099, "card id is invalid")
		}
		return nil
	}
	if why := s.faulty(in); why != "" {
		if !strings.HasPrefix(why, noImage) { // only the platform knows which of them are in code: the bot sends rich text then
			s.complain("a card is malformed: %s", why)
		}
		return refuse(230099, "Failed to create card content, ext=%s", why)
	}
	return nil
}

// visit calls f with every element of a card.
func visit(v any, inForm bool, f func(m map[string]any, inForm bool)) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			visit(one, inForm, f)
		}
	case map[string]any:
		f(v, inForm)
		inForm = inForm || v["tag"] == "form"
		for _, key := range []string{"body", "elements", "columns"} {
			visit(v[key], inForm, f)
		}
	}
}

var (
	tables = regexp.MustCompile(`(?m)^[ \t]*\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$`)
	images = regexp.MustCompile(`!\[[^\]]*\]\(([^)]*)\)`)
	fences = regexp.MustCompile("(?s)```.*?```")
	codes  = regexp.MustCompile("`[^`\n]*`")
)

// faulty returns the fault of a card; empty: it has none.
func (s *Server) faulty(card map[string]any) string {
	if card["schema"] != "2.0" {
		return "the schema is not 2.0"
	}
	var why string
	names, count, form, submits := map[string]bool{}, 0, 0, 0
	visit(card, false, func(m map[string]any, inForm bool) {
		tag, _ := m["tag"].(string)
		name, _ := m["name"].(string)
		if name != "" && names[name] {
			why = "the name " + name + " is there twice"
		}
		names[name] = true
		why = cmp.Or(malformed(m, inForm), why)
		for _, key := range keysOf(m) {
			if s.files[key].Kind != "image" {
				why = "there is no image with the key " + key
			}
		}
		switch tag {
		case "markdown":
			content, _ := m["content"].(string)
			plain := codes.ReplaceAllString(fences.ReplaceAllString(content, ""), "")
			count += len(tables.FindAllString(plain, -1))
			for _, i := range images.FindAllStringSubmatch(plain, -1) {
				if s.files[i[1]].Kind != "image" {
					why = noImage + i[1]
				}
			}
		case "form":
			form++
		case "button":
			submit := m["form_action_type"] == "submit"
			if submit != inForm || inForm && name == "" {
				why = "a button of a form does not submit, or one outside does"
			}
			if submit {
				submits++
			}
		case "person":
			if id, _ := m["user_id"].(string); !slices.ContainsFunc(s.people, func(p Person) bool { return p.OpenID == id }) {
				why = "there is nobody " + id
			}
		}
	})
	switch {
	case why != "":
		return why
	case count > 3:
		return fmt.Sprintf("card table number over limit: %d", count)
	case form > submits:
		return "a form has no button that submits it"
	case countTags(card) > maxTags:
		return fmt.Sprintf("element exceeds the limit: %d", countTags(card))
	}
	return ""
}

func (s *Server) makeCard(c call) (any, *refusal) {
	if s.c.NoStreams {
		return nil, refuse(300305, "the streaming mode is not permitted")
	}
	var in struct{ Type, Data string }
	var card map[string]any
	if !c.in(&in) || in.Type != "card_json" || json.Unmarshal([]byte(in.Data), &card) != nil || s.faulty(card) != "" {
		s.complain("a card entity is malformed: %.200s", c.body)
		return nil, refuse(200621, "parse card json err")
	}
	id := s.id("card")
	config, _ := card["config"].(map[string]any)
	s.cards[id] = &entity{card: card, streaming: config["streaming_mode"] == true}
	return map[string]string{"card_id": id}, nil
}

func (s *Server) convertCard(c call) (any, *refusal) {
	var in struct {
		Message string `json:"message_id"`
	}
	if !c.in(&in) || s.messages[in.Message] == nil {
		return nil, refuse(300301, "invalid message_id")
	}
	var content struct {
		Data struct {
			ID string `json:"card_id"`
		} `json:"data"`
	}
	_ = json.Unmarshal([]byte(s.messages[in.Message].content), &content) // it was accepted as JSON
	return map[string]string{"card_id": content.Data.ID}, nil
}

// changing returns a change of a card entity, whose sequence must grow.
func (s *Server) changing(c call, in any, sequence *int, key *string) (*entity, *refusal) {
	e := s.cards[c.PathValue("id")]
	if e == nil {
		return nil, refuse(300307, "card id is invalid")
	}
	if !c.in(in) || len(*key) > 64 {
		s.complain("a change of a card is malformed: %.200s", c.body)
		return nil, refuse(300310, "invalid parameter")
	}
	if *sequence <= e.sequence {
		return nil, refuse(300317, "sequence number compare failed")
	}
	e.sequence = *sequence
	return e, nil
}

func (s *Server) streamCard(c call) (any, *refusal) {
	var in struct {
		Content, UUID string
		Sequence      int
	}
	e, no := s.changing(c, &in, &in.Sequence, &in.UUID)
	if no != nil {
		return nil, no
	}
	switch {
	case e.over == Dropping:
		return nil, nil
	case e.over == Refusing:
		e.over = timeIsOut
		return nil, refuse(200850, "card streaming timeout")
	case !e.streaming:
		return nil, refuse(300309, "streaming mode is closed")
	}
	found := false
	visit(e.card, false, func(m map[string]any, _ bool) {
		if m["element_id"] == c.PathValue("eid") {
			m["content"], found = in.Content, true
		}
	})
	if !found {
		return nil, refuse(300313, "no such element")
	}
	return nil, nil
}

func (s *Server) setCard(c call) (any, *refusal) {
	var in struct {
		Settings, UUID string
		Sequence       int
	}
	e, no := s.changing(c, &in, &in.Sequence, &in.UUID)
	if no != nil {
		return nil, no
	}
	var set struct {
		Config struct {
			Streaming *bool `json:"streaming_mode"`
			Summary   any   `json:"summary"`
		} `json:"config"`
	}
	if json.Unmarshal([]byte(in.Settings), &set) != nil || set.Config.Streaming == nil && set.Config.Summary == nil {
		return nil, refuse(300310, "invalid settings")
	}
	if set.Config.Streaming != nil {
		e.streaming = *set.Config.Streaming
	}
	if config, _ := e.card["config"].(map[string]any); config != nil && set.Config.Summary != nil {
		config["summary"] = set.Config.Summary
	}
	return nil, nil
}

func (s *Server) replaceCard(c call) (any, *refusal) {
	var in struct {
		Card struct{ Type, Data string }
		UUID string

		Sequence int
	}
	e, no := s.changing(c, &in, &in.Sequence, &in.UUID)
	if no != nil {
		return nil, no
	}
	var card map[string]any
	if json.Unmarshal([]byte(in.Card.Data), &card) != nil || s.faulty(card) != "" {
		return nil, refuse(200621, "parse card json err")
	}
	if e.streaming && s.c.KeepStreams {
		return nil, refuse(300311, "the card is streaming")
	}
	config, _ := card["config"].(map[string]any)
	e.card, e.streaming = card, config["streaming_mode"] == true
	return nil, nil
}

// EndStreams ends every streaming mode, as the platform does after ten minutes and after some of silence.
func (s *Server) EndStreams(how ending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.cards {
		e.streaming, e.over = false, how
	}
}

// cardOf returns the card that a message shows, nil if it shows none; the caller holds the lock.
func (s *Server) cardOf(m *message) map[string]any {
	if m.kind != "interactive" {
		return nil
	}
	var card map[string]any
	_ = json.Unmarshal([]byte(m.content), &card) // it was accepted as JSON
	if card["type"] == "card" {
		data, _ := card["data"].(map[string]any)
		id, _ := data["card_id"].(string)
		return s.cards[id].card
	}
	return card
}

// preview returns the text of a card in a list of chats: its summary, and without one the platform's own words (open.feishu.cn, "card
// JSON 2.0 structure": of a card that streams, that it is being generated).
func preview(card map[string]any, streaming bool) string {
	config, _ := card["config"].(map[string]any)
	if said := label(config["summary"]); said != "" || !streaming {
		return said
	}
	return "生成中"
}

// label returns the text of an element.
func label(v any) string {
	m, _ := v.(map[string]any)
	said, _ := m["content"].(string)
	return said
}

var ats = regexp.MustCompile(`<at (?:user_)?id="?([A-Za-z0-9_-]+)"?>[^<]*</at>`)

// named shows mentions as names; the caller holds the lock.
func (s *Server) named(said string) string {
	return ats.ReplaceAllStringFunc(said, func(found string) string {
		id := ats.FindStringSubmatch(found)[1]
		i := slices.IndexFunc(s.people, func(p Person) bool { return p.OpenID == id })
		if i < 0 {
			return "@all!" // no user, or all
		}
		return "@" + s.people[i].Name
	})
}

// called returns the name of a user; the caller holds the lock.
func (s *Server) called(id string) string {
	if i := slices.IndexFunc(s.people, func(p Person) bool { return p.OpenID == id }); i >= 0 {
		return s.people[i].Name
	}
	return "nobody"
}

// readable returns the visible text of a card, and its buttons; the caller holds the lock.
func (s *Server) readable(card map[string]any) (said string, buttons []string) {
	var lines []string
	if header, ok := card["header"].(map[string]any); ok {
		lines = append(lines, label(header["title"]))
	}
	visit(card, false, func(m map[string]any, _ bool) {
		switch m["tag"] {
		case "markdown":
			content, _ := m["content"].(string)
			lines = append(lines, s.named(content))
		case "collapsible_panel":
			header, _ := m["header"].(map[string]any)
			lines = append(lines, label(header["title"]))
		case "button":
			buttons = append(buttons, label(m["text"]))
		case "interactive_container":
			buttons = append(buttons, label(m["hover_tips"]))
		case "checker":
			lines = append(lines, label(m["text"]))
		case "person":
			id, _ := m["user_id"].(string)
			lines = append(lines, s.called(id))
		case "person_list":
			persons, _ := m["persons"].([]any)
			for _, one := range persons {
				person, _ := one.(map[string]any)
				id, _ := person["id"].(string)
				lines = append(lines, s.called(id))
			}
		case "chart":
			drawn, _ := json.Marshal(m["chart_spec"])
			lines = append(lines, string(drawn))
		case "overflow":
			options, _ := m["options"].([]any)
			for _, o := range options {
				option, _ := o.(map[string]any)
				buttons = append(buttons, label(option["text"]))
			}
		case "select_static", "multi_select_static":
			options, _ := m["options"].([]any)
			for _, o := range options {
				option, _ := o.(map[string]any)
				lines = append(lines, label(option["text"]))
			}
		}
	})
	return strings.Join(lines, "\n"), buttons
}
