package wire_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/runner/wire"
)

func TestFrame_SurvivesTheWire(t *testing.T) {
	t.Parallel()
	sent, err := wire.NewFrame(7, wire.TypePush, wire.ExecOutput{Offset: 3, Data: []byte{0, 255, '\n'}})
	require.NoError(t, err)
	data, err := sent.Encode()
	require.NoError(t, err)

	got, err := wire.DecodeFrame(data)
	require.NoError(t, err)
	require.Equal(t, sent, got)
	var out wire.ExecOutput
	require.NoError(t, got.Decode(&out))
	require.Equal(t, []byte{0, 255, '\n'}, out.Data)
}

func TestDecodeFrame_RefusesWhatIsNotOneFrame(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"empty":          "",
		"not json":       "hello",
		"two objects":    `{"type":"push"}{"type":"push"}`,
		"no type":        `{"id":1,"body":{}}`,
		"negative id":    `{"id":-1,"type":"push"}`,
		"a list":         `[]`,
		"id is a string": `{"id":"1","type":"push"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.DecodeFrame([]byte(data))
			require.Equal(t, wire.Invalid, wire.AsError(err).Kind)
		})
	}
}

func TestFrame_OverTheLimitIsTooLarge(t *testing.T) {
	t.Parallel()
	f, err := wire.NewFrame(1, wire.TypeResult, strings.Repeat("x", wire.MaxFrame))
	require.NoError(t, err)
	_, err = f.Encode()
	require.Equal(t, wire.TooLarge, wire.AsError(err).Kind)

	_, err = wire.DecodeFrame(make([]byte, wire.MaxFrame+1))
	require.Equal(t, wire.TooLarge, wire.AsError(err).Kind)
}

func TestLargestBodies_FitAFrame(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]any{
		"a chunk":  wire.ReadResult{Data: make([]byte, wire.MaxChunk)},
		"a result": wire.ExecEnd{Output: make([]byte, wire.MaxResultOutput)},
		"a piece":  wire.ExecOutput{Data: make([]byte, wire.MaxPiece)},
	} {
		f, err := wire.NewFrame(1, wire.TypeResult, body)
		require.NoError(t, err, name)
		_, err = f.Encode()
		require.NoError(t, err, name)
	}
}

func TestRegister_SaysWhatToDoWhenItIsRefused(t *testing.T) {
	t.Parallel()
	good := wire.Register{Protocol: wire.Version, Token: "t", Info: wire.Info{Store: "s", Workspace: "/w", Version: "0.1"}}
	require.NoError(t, good.Validate("0.2"))

	other := good
	other.Protocol = wire.Version + 1
	require.EqualError(t, other.Validate("0.2"),
		"xbot-runner 0.1 speaks protocol 2 and the server 0.2 speaks protocol 1: install the xbot-runner that belongs to the server")

	noToken := good
	noToken.Token = ""
	require.Equal(t, wire.Denied, wire.AsError(noToken.Validate("0.2")).Kind)
}

func TestExecAttach_ValidatesItsInput(t *testing.T) {
	t.Parallel()
	good := wire.ExecAttach{ID: "t.0.1", Command: "true"}
	require.NoError(t, good.Validate())
	for name, spoil := range map[string]func(*wire.ExecAttach){
		"no id":            func(r *wire.ExecAttach) { r.ID = "" },
		"long id":          func(r *wire.ExecAttach) { r.ID = strings.Repeat("i", wire.MaxID+1) },
		"no command":       func(r *wire.ExecAttach) { r.Command = " \n" },
		"NUL":              func(r *wire.ExecAttach) { r.Command = "a\x00b" },
		"long command":     func(r *wire.ExecAttach) { r.Command = strings.Repeat("x", wire.MaxCommand+1) },
		"negative timeout": func(r *wire.ExecAttach) { r.TimeoutMS = -1 },
		"timeout too long": func(r *wire.ExecAttach) { r.TimeoutMS = wire.MaxTimeout.Milliseconds() + 1 },
		"env without name": func(r *wire.ExecAttach) { r.Env = []string{"=x"} },
		"env without =":    func(r *wire.ExecAttach) { r.Env = []string{"x"} },
		"secret too short": func(r *wire.ExecAttach) { r.Secrets = []wire.Secret{{Name: "A", Value: "1234567"}} },
		"secret with NUL":  func(r *wire.ExecAttach) { r.Secrets = []wire.Secret{{Name: "A", Value: "1234567\x00"}} },
		"secret of bytes":  func(r *wire.ExecAttach) { r.Secrets = []wire.Secret{{Name: "A", Value: "1234567\xff"}} },
		"secret that begins with a new line": func(r *wire.ExecAttach) {
			r.Secrets = []wire.Secret{{Name: "A", Value: "\n12345678"}}
		},
		"secret without a name": func(r *wire.ExecAttach) { r.Secrets = []wire.Secret{{Value: "12345678"}} },
		"secret with a name of two": func(r *wire.ExecAttach) {
			r.Secrets = []wire.Secret{{Name: "A=B", Value: "12345678"}}
		},
		"too many secrets": func(r *wire.ExecAttach) {
			r.Secrets = slices.Repeat([]wire.Secret{{Name: "A", Value: "12345678"}}, wire.MaxSecrets+1)
		},
		"secrets too long": func(r *wire.ExecAttach) {
			r.Secrets = slices.Repeat([]wire.Secret{{Name: "A", Value: strings.Repeat("x", wire.MaxSecret)}}, 3)
		},
		"negative offset": func(r *wire.ExecAttach) { r.Offset = -1 },
	} {
		bad := good
		spoil(&bad)
		require.Error(t, bad.Validate(), name)
	}
}

func TestSecret_IsNotShownWhereItIsPrinted(t *testing.T) {
	t.Parallel()
	r := wire.ExecAttach{Secrets: []wire.Secret{{Name: "A", Value: "12345678"}}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		require.NotContains(t, fmt.Sprintf(verb, r), "12345678", verb)
	}
	require.NotContains(t, wire.CheckSecret("1234567").Error(), "1234567")
}

func FuzzDecodeFrame(f *testing.F) {
	f.Add([]byte(`{"id":1,"type":"exec.attach","body":{"id":"a","command":"true","env":["A=b"]}}`))
	f.Add([]byte(`{"type":"register","body":{"protocol":1,"token":"t","store":"s","workspace":"/"}}`))
	f.Add([]byte(`{"id":18446744073709551615,"type":"push","body":null}`))
	f.Add([]byte(`{"id":1,"type":"error","body":{"kind":"denied","message":"no"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, err := wire.DecodeFrame(data)
		if err != nil {
			return
		}
		again, err := frame.Encode()
		if err != nil {
			require.Equal(t, wire.TooLarge, wire.AsError(err).Kind)
			return
		}
		second, err := wire.DecodeFrame(again)
		require.NoError(t, err)
		require.Equal(t, frame.ID, second.ID)
		require.Equal(t, frame.Type, second.Type)
		for _, body := range []any{new(wire.ExecAttach), new(wire.Register), new(wire.Write), new(wire.Grep), new(wire.Error)} {
			if err := frame.Decode(body); err == nil {
				_, err = json.Marshal(body)
				require.NoError(t, err)
			}
			if v, ok := body.(*wire.ExecAttach); ok {
				_ = v.Validate() // must not panic; its verdict is tested elsewhere
			}
		}
	})
}
