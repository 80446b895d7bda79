package people_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/users"
)

// call is a call of a tool as a client reads it.
type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type calling struct {
	completion
	Choices []struct {
		Message struct {
			Content   *string
			ToolCalls []call `json:"tool_calls"`
		}
		FinishReason string `json:"finish_reason"`
	}
}

var weather = object{"type": "function", "function": object{"name": "get_weather", "description": "The weather.", "parameters": object{"type": "object", "properties": object{"city": object{"type": "string"}}}}}

// callsTools is an agent that calls tools of the client for the first message of a conversation, and says then what they returned.
func callsTools(n int) func(t turn, asked chat.Message) {
	return func(t turn, asked chat.Message) {
		if asked.Origin == chat.OriginClient || strings.HasPrefix(asked.Content, "and ") {
			page, err := t.Conversations.Messages(context.Background(), t.session, conversation.Page{Limit: 10})
			if err != nil {
				panic(err)
			}
			said := ""
			for _, m := range page.Messages {
				for _, c := range m.ToolCalls {
					said += c.Result + ";"
				}
			}
			t.answers(said)
			return
		}
		s := chat.Step{Session: t.session, Turn: t.id}
		if _, _, _, err := t.Turns.BeginStep(context.Background(), s); err != nil {
			panic(err)
		}
		a := chat.Answer{Text: "I look.", Finish: "tool_calls", Model: "demo/demo"}
		for i := range n {
			a.Calls = append(a.Calls, chat.ToolCall{ID: chat.NewCallID(t.id, 0, i), ProviderID: fmt.Sprint("p", i), Name: "get_weather", Arguments: `{"city":"Rome"}`, Class: chat.ClassClient, State: chat.CallOpen, Rule: chat.RuleAllow})
		}
		if _, err := t.Turns.CommitStep(context.Background(), s, a); err != nil {
			panic(err)
		}
	}
}

// continued is the request that follows an answer with calls.
func continued(c calling, results ...string) object {
	messages := []object{{"role": "user", "content": "weather?"}, {"role": "assistant", "content": nil, "tool_calls": c.Choices[0].Message.ToolCalls}}
	for i, r := range results {
		messages = append(messages, object{"role": "tool", "tool_call_id": c.Choices[0].Message.ToolCalls[i].ID, "content": r})
	}
	return object{"model": "xbot", "messages": messages, "tools": []object{weather}}
}

func TestTools_AResultContinuesTheConversationOfItsCallOnce(t *testing.T) {
	b := setup(t)
	b.agent = callsTools(2)
	var first, second calling
	b.post(chats, says("weather?", object{"tools": []object{weather}})).is(http.StatusOK, &first)
	require.Equal(t, "tool_calls", first.Choices[0].FinishReason)
	calls := first.Choices[0].Message.ToolCalls
	require.Len(t, calls, 2)
	require.Equal(t, "function", calls[0].Type)
	require.Equal(t, "get_weather", calls[0].Function.Name)
	require.JSONEq(t, `{"city":"Rome"}`, calls[0].Function.Arguments)
	require.Equal(t, "I look.", *first.Choices[0].Message.Content)

	for range 2 { // a program that repeats its request without a key
		b.post(chats, continued(first, "sunny", "warm")).is(http.StatusOK, &second)
		require.Equal(t, "sunny;warm;", *second.Choices[0].Message.Content)
		require.Equal(t, first.Conversation, second.Conversation)
	}
	require.Len(t, b.sent(), 2, "it counts once")
	require.Equal(t, "conflict", b.post(chats, continued(first, "sunny", "cold")).fails(http.StatusConflict).Code)
}

func TestTools_ResultsThatDoNotFitAreRefused(t *testing.T) {
	b := setup(t)
	b.agent = callsTools(2)
	var first calling
	b.post(chats, says("weather?", object{"tools": []object{weather}})).is(http.StatusOK, &first)
	id := first.Choices[0].Message.ToolCalls[0].ID
	result := func(id string) object { return object{"role": "tool", "tool_call_id": id, "content": "x"} }
	for name, c := range map[string]struct {
		messages []object
		code     string
	}{
		"one is missing": {[]object{result(id)}, "missing_tool_result"},
		"of no call":     {[]object{result("call_1")}, "unknown_tool_call"},
		"of no step":     {[]object{result("t1.99.0"), result("t1.99.1")}, "unknown_tool_call"},
		"twice":          {[]object{result(id), result(id)}, "invalid_value"},
		"no id":          {[]object{result("")}, "invalid_value"},
		"too long":       {[]object{{"role": "tool", "tool_call_id": id, "content": strings.Repeat("x", 200_001)}}, "invalid_value"},
		"a large number": {[]object{result("t1.99999999999999.0")}, "unknown_tool_call"},
	} {
		got := b.post(chats, object{"model": "xbot", "messages": append([]object{{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}}, c.messages...)})
		require.Equal(t, c.code, got.fails(http.StatusBadRequest).Code, name)
	}
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	stolen := b.do(b.tokenOf(bob, users.ScopeChat), http.MethodPost, chats, continued(first, "sunny", "warm"))
	require.Equal(t, "unknown_tool_call", stolen.fails(http.StatusBadRequest).Code, "the calls of somebody else are none")
	require.Len(t, b.sent(), 1, "nothing was asked")
}

func TestTools_AUserMayWriteBehindTheResults(t *testing.T) {
	b := setup(t)
	b.agent = callsTools(1)
	var first, second calling
	b.post(chats, says("weather?", object{"tools": []object{weather}})).is(http.StatusOK, &first)
	next := continued(first, "sunny")
	next["messages"] = append(next["messages"].([]object), object{"role": "user", "content": "and tomorrow?"})
	b.post(chats, next).is(http.StatusOK, &second)
	require.Equal(t, "sunny;", *second.Choices[0].Message.Content)
	require.Equal(t, "and tomorrow?", b.sent()[1])
}

func TestTools_AreStreamedInBothForms(t *testing.T) {
	b := setup(t)
	b.agent = callsTools(2)
	var got []call
	finish := ""
	for _, e := range b.post(chats, says("weather?", object{"tools": []object{weather}, "stream": true})).events() {
		var c struct {
			Choices []struct {
				Delta struct {
					ToolCalls []struct {
						Index int
						call
					} `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
		}
		if e == "[DONE]" {
			continue
		}
		require.NoError(t, json.Unmarshal([]byte(e), &c))
		for _, d := range c.Choices[0].Delta.ToolCalls {
			require.Len(t, got, d.Index)
			got = append(got, d.call)
		}
		if c.Choices[0].FinishReason != nil {
			finish = *c.Choices[0].FinishReason
		}
	}
	require.Len(t, got, 2)
	require.Equal(t, "tool_calls", finish)

	var kinds []string
	for _, e := range b.post(responses, object{"model": "xbot", "input": "weather?", "tools": []object{flat}, "stream": true}).events() {
		var event struct{ Type string }
		require.NoError(t, json.Unmarshal([]byte(e), &event))
		kinds = append(kinds, event.Type)
	}
	one := []string{"response.output_item.added", "response.function_call_arguments.delta", "response.function_call_arguments.done", "response.output_item.done"}
	require.Equal(t, append(append(append([]string{}, one...), one...), "response.completed"), kinds[len(kinds)-9:])
}

var flat = object{"type": "function", "name": "get_weather", "parameters": object{"type": "object"}, "strict": true}

func TestTools_OfAResponseGoOnBehindIt(t *testing.T) {
	b := setup(t)
	b.agent = callsTools(2)
	type called struct {
		ID     string
		Status string
		Output []struct {
			Type   string
			CallID string `json:"call_id"`
			Name   string
		}
		Tools    []object
		Previous *string `json:"previous_response_id"`
		Format   struct {
			Format object
		} `json:"text"`
	}
	var first, second, kept called
	b.post(responses, object{"model": "xbot", "input": "weather?", "tools": []object{flat}}).is(http.StatusOK, &first)
	require.Equal(t, "completed", first.Status)
	require.Len(t, first.Output, 3)
	require.Equal(t, "function_call", first.Output[1].Type)
	require.Equal(t, "get_weather", first.Tools[0]["name"])
	output := func(i int, text string) object {
		return object{"type": "function_call_output", "call_id": first.Output[i].CallID, "output": text}
	}
	b.post(responses, object{
		"model": "xbot", "previous_response_id": first.ID, "input": []object{output(1, "sunny"), output(2, "warm")},
		"text": object{"format": object{"type": "json_schema", "name": "w", "schema": object{"type": "object"}}},
	}).is(http.StatusOK, &second)
	require.Equal(t, first.ID, *second.Previous)
	b.do(b.token, http.MethodGet, responses+"/"+second.ID, nil).is(http.StatusOK, &kept)
	require.Equal(t, second, kept, "it is kept as it was told")
	require.Equal(t, "json_schema", kept.Format.Format["type"])

	var items struct{ Data []object }
	b.do(b.token, http.MethodGet, responses+"/"+second.ID+"/input_items?order=asc", nil).is(http.StatusOK, &items)
	require.Len(t, items.Data, 2)
	require.Equal(t, "warm", items.Data[1]["output"])
	b.do(b.token, http.MethodGet, responses+"/"+first.ID+"/input_items", nil).is(http.StatusOK, &items)
	require.Equal(t, "message", items.Data[0]["type"])

	stateless := object{"model": "xbot", "input": []object{
		{"role": "user", "content": "weather?"}, {"type": "function_call", "call_id": first.Output[1].CallID, "name": "get_weather", "arguments": "{}"}, output(1, "sunny"),
		{"type": "function_call", "call_id": first.Output[2].CallID, "name": "get_weather", "arguments": "{}"}, output(2, "warm"),
	}}
	var again called
	b.post(responses, stateless).is(http.StatusOK, &again)
	require.Equal(t, second.ID, again.ID, "the same results are the same request")
}

func TestResponse_IsForgottenWhereItIsDeleted(t *testing.T) {
	b := setup(t)
	made := b.respond("hi")
	var out struct{ Deleted bool }
	reads := b.tokenOf(b.User, users.ScopeRead)
	b.do(reads, http.MethodDelete, responses+"/"+made.ID, nil).fails(http.StatusForbidden)
	b.do(b.token, http.MethodDelete, responses+"/"+made.ID, nil).is(http.StatusOK, &out)
	require.True(t, out.Deleted)
	for _, r := range [][2]string{{http.MethodGet, ""}, {http.MethodDelete, ""}, {http.MethodGet, "/input_items"}, {http.MethodPost, "/cancel"}} {
		require.Equal(t, "response_not_found", b.do(b.token, r[0], responses+"/"+made.ID+r[1], nil).fails(http.StatusNotFound).Code)
	}
	require.Len(t, b.sent(), 1, "the conversation keeps what was said")
}

func TestPaths_MayEndInSlashes(t *testing.T) {
	b := setup(t)
	b.post(chats+"/", says("hi")).is(http.StatusOK, nil)
	b.post(responses+"//", object{"model": "xbot", "input": "hi"}).is(http.StatusOK, nil)
	for _, path := range []string{"/v1/models/", "/v1/models/xbot/"} {
		b.do(b.token, http.MethodGet, path, nil).is(http.StatusOK, nil)
	}
}

func TestFormat_TheLastTextAloneCounts(t *testing.T) {
	b := setup(t)
	b.agent = func(t turn, _ chat.Message) {
		s := chat.Step{Session: t.session, Turn: t.id}
		t.writes(0, 1, "I look.")
		calls := []chat.ToolCall{{ID: chat.NewCallID(t.id, 0, 0), Name: "Read", Arguments: "{}", Class: chat.ClassRead, State: chat.CallOpen}}
		if _, err := t.Turns.CommitStep(context.Background(), s, chat.Answer{Text: "I look.", Finish: "tool_calls", Calls: calls}); err != nil {
			panic(err)
		}
		t.says(1, 1, "Here:\n```json\n{\"a\":1}\n```", "Here:\n```json\n", "{\"a\":1}\n```")
	}
	for _, format := range []object{{"type": "json_object"}, {"type": "json_schema", "json_schema": object{"name": "a", "schema": object{"type": "object"}, "strict": true}}} {
		var whole completion
		b.post(chats, says("hi", object{"response_format": format})).is(http.StatusOK, &whole)
		require.Equal(t, `{"a":1}`, whole.text())
		text := ""
		for _, e := range b.post(chats, says("hi", object{"response_format": format, "stream": true})).events() {
			var c struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if e != "[DONE]" {
				require.NoError(t, json.Unmarshal([]byte(e), &c))
				text += c.Choices[0].Delta.Content
			}
		}
		require.Equal(t, `{"a":1}`, text)
	}
	require.Contains(t, b.sent()[2], "JSON Schema")
}

func TestTools_WhatIsWrongInARequestIsNamed(t *testing.T) {
	b := setup(t)
	many := make([]object, 129)
	for i := range many {
		many[i] = object{"type": "function", "function": object{"name": fmt.Sprint("t", i)}}
	}
	fn := func(fields object) object { return object{"tools": []object{{"type": "function", "function": fields}}} }
	for name, more := range map[string]object{
		"too many":               {"tools": many},
		"too large":              fn(object{"name": "a", "description": strings.Repeat("x", 256<<10)}),
		"no name":                fn(object{}),
		"a bad name":             fn(object{"name": "a b"}),
		"a schema that is none":  fn(object{"name": "a", "parameters": []int{1}}),
		"another type":           {"tools": []object{{"type": "code_interpreter"}}},
		"two of a name":          {"tools": []object{weather, weather}},
		"required of none":       {"tool_choice": "required"},
		"an unknown choice":      {"tools": []object{weather}, "tool_choice": "perhaps"},
		"a choice of no tool":    {"tools": []object{weather}, "tool_choice": object{"type": "function", "function": object{"name": "x"}}},
		"a form of another type": {"response_format": object{"type": "grammar"}},
		"a form without schema":  {"response_format": object{"type": "json_schema", "json_schema": object{"name": "a"}}},
		"a form that is large":   {"response_format": object{"type": "json_schema", "json_schema": object{"name": "a", "schema": object{"x": strings.Repeat("x", 65<<10)}}}},
	} {
		require.NotNil(t, b.post(chats, says("hi", more)).fails(http.StatusBadRequest).Param, name)
	}
	require.Empty(t, b.sent())
}
