package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// modeVariable makes a test program a server, of a mode.
const modeVariable = "XBOT_TEST_MCP"

type nothing struct{}

type words struct {
	Text string `json:"text"`
}

// serve is a server over standard input and output.
func serve(mode string) int {
	switch mode {
	case "lies":
		return serveLies()
	case "old":
		return serveOld()
	case "silent":
		_, _ = bufio.NewReader(os.Stdin).ReadString(0)
		return 0
	case "broken":
		fmt.Fprintln(os.Stderr, "no such module: secret-value-of-hers")
		return 9
	}
	ctx := context.Background()
	s := testServer()
	if mode == "floods" {
		go flood()
	}
	switch mode {
	case "asks":
		s.AddReceivingMiddleware(older)
		asking(s)
		thinking(s)
	case "asks anew":
		reserving(s)
		pondering(s)
	}
	if err := s.Run(ctx, &sdk.StdioTransport{}); err != nil {
		return 1
	}
	return 0
}

// flood says the same forever, in between the messages of the server.
func flood() {
	for {
		if _, err := os.Stdout.WriteString(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"noise"}}` + "\n"); err != nil {
			return
		}
	}
}

func text(format string, args ...any) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// dot is a picture.
func dot() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 3, 2))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// note appends a line to a file of the working folder, by which a test sees how often something was done.
func note(name string) {
	f, err := os.OpenFile(filepath.Clean(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, "once")
	if err := f.Close(); err != nil {
		panic(err)
	}
}

// testServer has a tool of each sort.
func testServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ServerOptions{Instructions: "use echo first"})
	sdk.AddTool(s, &sdk.Tool{Name: "echo", Description: "Says it again.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in words) (*sdk.CallToolResult, any, error) {
			return text("you said %s", in.Text), nil, nil
		})
	sdk.AddTool(s, &sdk.Tool{Name: "die"}, func(_ context.Context, _ *sdk.CallToolRequest, in words) (*sdk.CallToolResult, any, error) {
		note("died")
		if data, err := os.ReadFile("died"); in.Text == "once" && err == nil && strings.Count(string(data), "\n") > 1 {
			return text("alive"), nil, nil
		}
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(3)
		return nil, nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "hang"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		note("hangs")
		<-ctx.Done()
		note("canceled")
		return nil, nil, ctx.Err()
	})
	sdk.AddTool(s, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	})
	sdk.AddTool(s, &sdk.Tool{Name: "big"}, func(context.Context, *sdk.CallToolRequest, nothing) (*sdk.CallToolResult, any, error) {
		return text("%s", "begin\n"+strings.Repeat("x", 20<<20)+"\nend"), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest, nothing) (*sdk.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("it is raining")
	})
	sdk.AddTool(s, &sdk.Tool{Name: "mixed"}, mixed)
	sdk.AddTool(s, &sdk.Tool{Name: "steps"}, steps)
	sdk.AddTool(s, &sdk.Tool{Name: "grow"}, func(_ context.Context, _ *sdk.CallToolRequest, in words) (*sdk.CallToolResult, any, error) {
		for i := range 20 {
			sdk.AddTool(s, &sdk.Tool{Name: fmt.Sprint(in.Text, i)}, func(context.Context, *sdk.CallToolRequest, nothing) (*sdk.CallToolResult, any, error) {
				return text("new"), nil, nil
			})
		}
		return text("grown"), nil, nil
	})
	s.AddResource(&sdk.Resource{URI: "note:///one", Name: "one", MIMEType: "text/plain"}, func(_ context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, Text: "the first note"}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet", Arguments: []*sdk.PromptArgument{{Name: "who", Required: true}}}, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: &sdk.TextContent{Text: "Greet " + r.Params.Arguments["who"]}}, {Role: "assistant", Content: &sdk.TextContent{Text: "Hello"}}}}, nil
	})
	return s
}

// older makes a server one of an older version of the protocol.
func older(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if method == "server/discover" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "unknown"}
		}
		return next(ctx, method, r)
	}
}

// reserving adds a tool that asks as the newest version of the protocol has it: by its result.
func reserving(s *sdk.Server) {
	sdk.AddTool(s, &sdk.Tool{Name: "reserve"}, func(_ context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		got, ok := r.Params.InputResponses["sure"].(*sdk.ElicitResult)
		if !ok {
			return &sdk.CallToolResult{RequestState: "s", InputRequests: sdk.InputRequestMap{"sure": &sdk.ElicitParams{Mode: "form", Message: "Sure?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}}}}, nil, nil
		}
		note("reserved")
		return text("%s %s", got.Action, r.Params.RequestState), nil, nil
	})
}

// asking adds tools that ask the client something.
func asking(s *sdk.Server) {
	form := map[string]any{"type": "object", "required": []string{"name"}, "properties": map[string]any{
		"name": map[string]any{"type": "string", "title": "Your name"}, "seats": map[string]any{"type": "integer", "minimum": 1, "maximum": 8},
		"window": map[string]any{"type": "boolean"}, "api_token": map[string]any{"type": "string"}, "area": map[string]any{"type": "string", "enum": []string{"in", "out"}, "enumNames": []string{"Inside", "Outside"}},
	}}
	sdk.AddTool(s, &sdk.Tool{Name: "book"}, func(ctx context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		note("begun")
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: "Whose table?", RequestedSchema: form})
		if err != nil {
			return nil, nil, err
		}
		note("booked")
		said, err := json.Marshal(got.Content)
		return text("%s %s", got.Action, said), nil, err
	})
	sdk.AddTool(s, &sdk.Tool{Name: "pester"}, func(ctx context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		declined := 0
		for i := range 200 {
			got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: fmt.Sprint("Question ", time.Now().UnixNano(), i), RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}}})
			if err == nil && got.Action == "decline" {
				declined++
			}
		}
		return text("declined %d times", declined), nil, nil
	})
	sdk.AddTool(s, &sdk.Tool{Name: "folders"}, func(ctx context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		got, err := r.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, nil, err
		}
		said := ""
		for _, root := range got.Roots {
			said += root.URI + "\n"
		}
		return text("%s", said), nil, nil
	})
}

// thought is what servers ask the model.
func thought() *sdk.CreateMessageParams { //nolint:staticcheck // servers of older versions of the protocol ask the model
	return &sdk.CreateMessageParams{ //nolint:staticcheck // as above
		SystemPrompt: "Be brief.", MaxTokens: 9000, IncludeContext: "thisServer", StopSequences: []string{" END"},
		Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "What is the sea?"}}}, //nolint:staticcheck // as above
	}
}

// thinking adds tools that ask the model, or send the user to a web page.
func thinking(s *sdk.Server) {
	think := func(times int) sdk.ToolHandlerFor[nothing, any] {
		return func(ctx context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
			said := ""
			for range times {
				got, err := r.Session.CreateMessage(ctx, thought()) //nolint:staticcheck // as above
				if err != nil {
					return text("%srefused: %s", said, err), nil, nil
				}
				answer, _ := got.Content.(*sdk.TextContent)
				said += fmt.Sprintf("%s by %s, %s\n", answer.Text, got.Model, got.StopReason)
			}
			return text("%s", said), nil, nil
		}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "think"}, think(1))
	sdk.AddTool(s, &sdk.Tool{Name: "think_twice"}, think(2))
	sdk.AddTool(s, &sdk.Tool{Name: "visit"}, func(ctx context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Sign in.", URL: "https://Accounts.example.com/in?x=1", ElicitationID: "1"})
		if err != nil {
			return nil, nil, err
		}
		return text("%s", got.Action), nil, nil
	})
	gate := func(address string) sdk.ToolHandlerFor[nothing, any] {
		return func(context.Context, *sdk.CallToolRequest, nothing) (*sdk.CallToolResult, any, error) {
			if _, err := os.Stat("opened"); err == nil {
				return text("come in"), nil, nil
			}
			return nil, nil, sdk.URLElicitationRequiredError([]*sdk.ElicitParams{{Mode: "url", Message: "Pay first.", URL: address, ElicitationID: "2"}})
		}
	}
	sdk.AddTool(s, &sdk.Tool{Name: "gate"}, gate("https://pay.example.com/"))
	sdk.AddTool(s, &sdk.Tool{Name: "trap"}, gate("javascript:alert(1)"))
}

// pondering adds a tool that asks the model as the newest version of the protocol has it: by its result.
func pondering(s *sdk.Server) {
	sdk.AddTool(s, &sdk.Tool{Name: "ponder"}, func(_ context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
		got, ok := r.Params.InputResponses["m"].(*sdk.CreateMessageWithToolsResult) //nolint:staticcheck // as above
		if !ok {
			return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"m": thought()}}, nil, nil
		}
		answer, _ := got.Content[0].(*sdk.TextContent)
		return text("%s", answer.Text), nil, nil
	})
}

func mixed(context.Context, *sdk.CallToolRequest, nothing) (*sdk.CallToolResult, any, error) {
	return &sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "a\x00b\x1b[31mred"},
		&sdk.ImageContent{Data: dot(), MIMEType: "image/png"},
		&sdk.ImageContent{Data: []byte("no picture"), MIMEType: "image/png"},
		&sdk.AudioContent{Data: []byte("12345"), MIMEType: "audio/wav"},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "note:///x", Text: "inside"}},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "note:///y", Blob: []byte("123"), MIMEType: "application/zip"}},
		&sdk.ResourceLink{URI: "note:///z", Name: "z"},
	}}, nil, nil
}

// steps says how far it is, and ends once a file is there that says that somebody has heard it.
func steps(ctx context.Context, r *sdk.CallToolRequest, _ nothing) (*sdk.CallToolResult, any, error) {
	for i := 1; i <= 3; i++ {
		if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: 3, Message: "step\n" + fmt.Sprint(i)}); err != nil {
			return nil, nil, err
		}
	}
	for look := time.Tick(time.Millisecond); ; <-look {
		if _, err := os.Stat("heard"); err == nil || ctx.Err() != nil {
			return text("done"), nil, nil
		}
	}
}

// answers reads requests line by line, and answers each with a result as JSON; none: an error.
func answers(answer func(method string) (result string, known bool)) int {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		if result, ok := answer(r.Method); ok {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", r.ID, result)
		} else {
			fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32601,\"message\":\"unknown\"}}\n", r.ID)
		}
	}
	return 0
}

const handshake = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}`

// serveLies lists tools that are none.
func serveLies() int {
	deep := strings.Repeat(`{"properties":{"a":`, 200) + `{"type":"object"}` + strings.Repeat(`}}`, 200)
	tools := []string{
		`{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string","description":"nul \u0000 there"}},"oneOf":[{"required":["a"]}]}}`,
		`{"name":"text","inputSchema":"an object, honestly"}`,
		`{"name":"none"}`,
		`{"name":"string","inputSchema":{"type":"string"}}`,
		`{"name":"properties","inputSchema":{"type":"object","properties":["a"]}}`,
		`{"name":"nested","inputSchema":{"type":"object","properties":{"a":{"type":7}}}}`,
		`{"name":"reference","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/schema"}}}}`,
		`{"name":"argument","inputSchema":{"type":"object","properties":{"a b":{}}}}`,
		`{"name":"deep","inputSchema":{"type":"object","properties":{"a":` + deep + `}}}`,
		`{"name":"large","inputSchema":{"type":"object","description":"` + strings.Repeat("x", 70<<10) + `"}}`,
		`{"name":"good","description":"the second","inputSchema":{"type":"object"}}`,
		`{"name":"","inputSchema":{"type":"object"}}`,
		`{"name":"line\nbreak","inputSchema":{"type":"object"}}`,
		`{"name":"` + strings.Repeat("n", 200) + `","inputSchema":{"type":"object"}}`,
		`{"name":"long","description":"` + strings.Repeat("ä", 5000) + `","inputSchema":{"type":"object"}}`,
		`{"name":"task","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`,
		`null`,
	}
	return answers(func(method string) (string, bool) {
		switch method {
		case "initialize":
			return handshake, true
		case "tools/list":
			return `{"tools":[` + strings.Join(tools, ",") + `],"nextCursor":"again"}`, true
		}
		return "", false
	})
}

// serveOld prints what is no message, and ends at the first word that it does not know.
func serveOld() int {
	fmt.Println("Server listening [on] {stdio}")
	fmt.Println("[db] Connected\n{\"level\":\"info\"}\n{ port: 1 }")
	return answers(func(method string) (string, bool) {
		switch method {
		case "initialize":
			return handshake, true
		case "tools/list":
			return `{"tools":[{"name":"one","inputSchema":{"type":"object"}}]}`, true
		case "tools/call":
			fmt.Println("[db] called")
			return `{"content":[{"type":"text","text":"old"},{"type":"image","data":"%%","mimeType":"image/png"},{"type":"hologram"}]}`, true
		}
		time.AfterFunc(0, func() { os.Exit(4) })
		select {}
	})
}
