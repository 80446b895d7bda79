package wire

import (
	"encoding/json"
	"fmt"
)

// Op names what a request asks for.
type Op string

// The operations. Each has a body type and a result type in this package.
const (
	OpExecAttach  Op = "exec.attach"  // ExecAttach → ExecEnd, pushes ExecOutput
	OpExecNarrow  Op = "exec.narrow"  // as OpExecAttach, confined; with a separate name, since a runner without it would run the command unconfined
	OpExecSecret  Op = "exec.secret"  // as OpExecNarrow, with secrets, which a runner that does not know them would not hide
	OpExecKill    Op = "exec.kill"    // ExecID → nothing
	OpExecRelease Op = "exec.release" // ExecID → nothing
	OpExecOutput  Op = "exec.output"  // ExecOutputRead → ReadResult
	OpExecWrite   Op = "exec.write"   // ExecWrite → nothing
	OpRead        Op = "fs.read"      // Read → ReadResult
	OpWrite       Op = "fs.write"     // Write → WriteResult
	OpEdited      Op = "fs.edited"    // Edit → EditResult
	OpStat        Op = "fs.stat"      // Path → FileInfo
	OpReadDir     Op = "fs.readdir"   // Path → ReadDirResult
	OpMkdir       Op = "fs.mkdir"     // Path → nothing
	OpRemove      Op = "fs.remove"    // Path → nothing
	OpRemoveAll   Op = "fs.removeall" // Path → nothing
	OpMove        Op = "fs.move"      // Move → nothing
	OpGlob        Op = "search.glob"  // Glob → GlobResult
	OpGrep        Op = "search.grep"  // Grep → GrepResult
	OpStdioStart  Op = "stdio.start"  // StdioStart → StdioEnd, pushes StdioOutput
	OpPluginStart Op = "plugin.start" // PluginStart → StdioEnd, pushes StdioOutput
	OpStdioWrite  Op = "stdio.write"  // StdioWrite → nothing
	OpLLM         Op = "llm.http"     // LLMRequest → nothing, pushes one LLMHead and then LLMBody
	OpSync        Op = "sync.folder"  // SyncFolder → SyncPlan
	OpStatus      Op = "status"       // nothing → Status
)

// Request asks a runner for something.
type Request struct {
	Op   Op              `json:"op"`
	Body json.RawMessage `json:"body"`
}

// Push is a part of an answer that comes ahead of its end.
type Push struct {
	Body json.RawMessage `json:"body"`
}

// Response ends a request that went well. Body is empty for operations without a result.
type Response struct {
	Body json.RawMessage `json:"body,omitempty"`
}

// NewRequest builds a request.
func NewRequest(op Op, body any) (Request, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return Request{}, fmt.Errorf("encode the body of %s: %w", op, err)
	}
	return Request{Op: op, Body: raw}, nil
}

// Decode reads the body into v.
func (r Request) Decode(v any) error { return decodeBody(string(r.Op), r.Body, v) }

// Decode reads the body into v.
func (p Push) Decode(v any) error { return decodeBody("a push", p.Body, v) }

// Decode reads the body into v.
func (r Response) Decode(v any) error { return decodeBody("a result", r.Body, v) }
