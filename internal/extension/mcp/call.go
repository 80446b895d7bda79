package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

// Call calls a tool of a server, under the name that the server knows, with arguments that are a JSON object. It cancels the request at the server
// when ctx ends. Messages of the server during the call go to progress, line by line, and not after Call has returned; nil discards them. A call of
// the classes read and idempotent is repeated once where the connection broke; of others the outcome is unknown then, and the result states it.
// Problems that the model can fix are a result, too; the error is for an unreachable database or runner, and for the end of ctx.
func (c *Connections) Call(ctx context.Context, at At, name string, class chat.ToolClass, arguments json.RawMessage, progress func(line string)) (chat.ToolResult, error) {
	s, err := c.server(ctx, at)
	if err != nil {
		return tool.FromError(err)
	}
	if progress == nil {
		progress = func(string) {}
	}
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	var out *sdk.CallToolResult
	var said *bearer
	required := ""
	repeatable := class == chat.ClassRead || class == chat.ClassIdempotent
	err = c.use(ctx, s, at, repeatable, func(ctx context.Context, conn *connection) error {
		said = conn.bearer
		token, end := conn.calls.begin(func(line string) { progress(said.hide(line)) }, at.Asking)
		defer end()
		conn.worksIn(at)
		params := &sdk.CallToolParams{Name: name, Arguments: arguments, Meta: sdk.Meta{"progressToken": token}}
		out, err = conn.session.CallTool(elicit.WithAsking(ctx, at.Asking), params)
		required = conn.required(at.Asking, err)
		return err
	})
	if asks := at.Asking.Next(); asks != nil && answered(err) {
		return chat.ToolResult{Asks: asks}, nil
	}
	switch {
	case err != nil && required != "":
		return tool.Fail("%s", required), nil
	case err != nil:
		return failed(ctx, err)
	case out.NeedsInput():
		return tool.Fail("the MCP server %s wants to ask a person something before it goes on, which is not possible here", s.Name), nil
	}
	result, err := resultOf(ctx, name, out)
	result.Content = said.hide(result.Content)
	return result, err
}

// elicit answers a question of the server to the user.
func (n *connection) elicit(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	return n.asking(ctx).Elicit(n.server.Name, r.Params)
}

// sampling answers a request of the server to the model.
func (n *connection) sampling(ctx context.Context, r *sdk.CreateMessageWithToolsRequest) (*elicit.SamplingResult, error) {
	return n.asking(ctx).Sample(ctx, n.server.Name, r.Params)
}

// asking returns the Asking of the call during which the server asks. In older versions of the protocol the server does not name the call, so there
// is none while there are several.
func (n *connection) asking(ctx context.Context) *elicit.Asking {
	if asking, known := elicit.AskingOf(ctx); known {
		return asking
	}
	return n.calls.asking()
}

// required asks the user to open the addresses that a server requires before it carries a call out. It returns a text for the model instead of the
// error; empty: the error is another one, or the user is asked.
func (n *connection) required(asking *elicit.Asking, err error) string {
	refusal, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || refusal.Code != sdk.CodeURLElicitationRequired {
		return ""
	}
	var wants struct {
		Elicitations []*sdk.ElicitParams `json:"elicitations"`
	}
	_ = json.Unmarshal(refusal.Data, &wants) // invalid data has no address
	return asking.Required(n.server.Name, wants.Elicitations)
}

// answered reports whether a server has answered a request.
func answered(err error) bool {
	_, refused := errors.AsType[*RefusedError](err)
	return err == nil || refused
}

// failed returns the text for the model about a server that could not carry out a request.
func failed(ctx context.Context, err error) (chat.ToolResult, error) {
	if _, unknown := errors.AsType[*UnknownError](err); unknown {
		return tool.FailCommand(err.Error()), nil
	}
	if _, refused := errors.AsType[*RefusedError](err); refused {
		return tool.Fail("%s", err), nil
	}
	if ctx.Err() != nil || away(err) || errors.Is(err, errClosing) || fault.KindOf(err) == fault.Internal {
		return chat.ToolResult{}, err
	}
	return tool.Fail("%s; nothing was done", err), nil
}
