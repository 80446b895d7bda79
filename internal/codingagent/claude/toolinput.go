package claude

import (
	"encoding/json"
	"strings"

	"xbot/internal/codingagent"
)

type toolInput struct {
	Command  string `json:"command"`
	File     string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Query    string `json:"query"`
	URL      string `json:"url"`
}

func (i toolInput) files() []string { return codingagent.Files(i.File, i.Notebook) }

// workOf describes the work of a tool of claude. False: it is a question to the user.
func workOf(id, name string, raw json.RawMessage) (codingagent.Work, bool) {
	w, ok := callOf(id, name, raw)
	w.Title = codingagent.Title(w.Title)
	return w, ok
}

// callOf is workOf with the title in full.
func callOf(id, name string, raw json.RawMessage) (codingagent.Work, bool) {
	var in toolInput
	if json.Unmarshal(raw, &in) != nil { // a file that cannot be read is not known to lie inside
		in.File, in.Notebook = "", ""
	}
	w := codingagent.Work{ID: id, Kind: codingagent.ToolCall, Title: name}
	switch name {
	case askPerson:
		return w, false
	case "Bash":
		w.Kind, w.Title = codingagent.CommandRun, in.Command
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		w.Kind, w.Files = codingagent.FileChange, in.files()
		w.Title = strings.Join(w.Files, ", ")
	case "WebSearch", "web_search":
		w.Kind, w.Title = codingagent.WebSearch, in.Query
	case "WebFetch":
		w.Kind, w.Title = codingagent.WebSearch, in.URL
	}
	return w, true
}
