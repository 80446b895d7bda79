package openai

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"

	"xbot/internal/chat"
)

// inputItem is one input of a response: a message, or the result of a tool of the client.
type inputItem struct {
	ID      string      `json:"id"`
	Type    string      `json:"type"`
	Status  string      `json:"status"`
	Role    string      `json:"role,omitempty"`
	Content []inputText `json:"content,omitempty"`
	*toolResultItem
}

type inputText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// toolResultItem has the members of an item that is the result of a tool.
type toolResultItem struct {
	Call   string `json:"call_id"`
	Output string `json:"output"`
}

// Items answers GET /v1/responses/{id}/input_items, in one page. The text of a message is the one that the model reads.
func (a *ResponseAPI) Items(w http.ResponseWriter, r *http.Request) {
	asked, err := a.Responses.Find(r.Context(), r.PathValue("id"))
	var results []chat.ClientResult
	if err == nil {
		results, err = a.Responses.Returned(r.Context(), asked)
	}
	if err != nil {
		Refuse(w, err, a.Refusals)
		return
	}
	items := []inputItem{}
	for _, result := range results {
		items = append(items, inputItem{ID: "fco_" + string(result.Call), Type: "function_call_output", Status: statusCompleted, toolResultItem: &toolResultItem{string(result.Call), result.Content}})
	}
	if !asked.Client.Wordless {
		items = append(items, inputItem{ID: inputID(asked), Type: "message", Status: statusCompleted, Role: roleUser, Content: []inputText{{"input_text", asked.Text}}})
	}
	if r.URL.Query().Get("order") != "asc" { // the newest first, as OpenAI does
		slices.Reverse(items)
	}
	writeJSON(w, http.StatusOK, struct {
		Object  string      `json:"object"`
		Data    []inputItem `json:"data"`
		FirstID string      `json:"first_id"`
		LastID  string      `json:"last_id"`
		HasMore bool        `json:"has_more"`
	}{"list", items, items[0].ID, items[len(items)-1].ID, false})
}

// inputID returns the id of the message that a response answers.
func inputID(a AcceptedMessage) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "input %s %d", a.Session, a.Message))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// Delete answers DELETE /v1/responses/{id}.
func (a *ResponseAPI) Delete(w http.ResponseWriter, r *http.Request) {
	asked, err := a.Responses.Find(r.Context(), r.PathValue("id"))
	if err == nil {
		err = a.Responses.Forget(r.Context(), asked)
	}
	if err != nil {
		Refuse(w, err, a.Refusals)
		return
	}
	writeJSON(w, http.StatusOK, struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{asked.ID, "response", true})
}
