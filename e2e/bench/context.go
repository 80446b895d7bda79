package main

import (
	"context"
	"fmt"
	"strings"

	"xbot/internal/llm/llmtest"
)

// tasks is a turn of five calls as models make them: one after another, of several tools, one of them with a large result.
const tasks = `each
call Shell {"command":"seq -f 'item %g of the report' 4000 > report.txt; echo draft > notes.txt; ls -l"}
call Read {"path":"report.txt"}
call Grep {"pattern":"item 39.. of","path":"report.txt"}
call FileReplace {"path":"notes.txt","old_string":"draft","new_string":"final"}
call Shell {"command":"wc -l report.txt && cat notes.txt"}
`

// contextCost measures what a turn of five calls sends to the model, call by call.
func contextCost(ctx context.Context, s *stack) ([]figure, error) {
	if err := s.model.SetWindow(llmtest.Window{}); err != nil { // tokens are counted, and nothing is refused
		return nil, err
	}
	t, err := s.newTalk(ctx)
	if err != nil {
		return nil, err
	}
	s.model.Reset()
	if _, err := t.ask(ctx, tasks); err != nil {
		return nil, err
	}
	var out []figure
	tokens, sent, shared, before := 0, 0, 0, 0
	for i, r := range s.model.Requests() {
		size := weight(r)
		tokens += r.Tokens
		sent += size
		out = append(out, figure{fmt.Sprintf("call %d of a turn with 5 tool calls: sent", i+1), float64(size), "bytes", ""})
		if i > 0 {
			shared += r.Shared
			out = append(out, figure{fmt.Sprintf("call %d: of the call before, sent again unchanged", i+1), percent(r.Shared, before), "%", "100"})
		}
		before = size
	}
	n := float64(s.model.Count())
	return append(out,
		figure{"sent for each call of that turn", float64(sent) / n, "bytes", ""},
		figure{"tokens for each call of that turn", float64(tokens) / n, "tokens", ""},
		figure{"part of that turn's bytes that a provider's cache may hold", percent(shared, sent), "%", ""},
	), nil
}

// weight returns how many bytes the texts of a request have, which is what Shared counts of: each part ends with one more.
func weight(r llmtest.Request) int {
	return len(strings.Join(r.Prompt(), "\x00"))
}

func percent(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) }
