package e2e

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
)

// openAI is a program with OpenAI's official client, which is one of Node.js.
type openAI struct {
	s     *server
	lines *bufio.Scanner
}

// openAIToken is a token for one.
func (s *server) openAIToken() string {
	s.t.Helper()
	made, err := s.client.CreateToken(s.t.Context(), apiclient.CreateTokenRequest{Name: "program", Scope: "chat"})
	require.NoError(s.t, err)
	return made.Token
}

// runsOpenAI starts the program with the address of the house's API.
func (s *server) runsOpenAI(token string, args ...string) *openAI {
	s.t.Helper()
	return s.runsOpenAIAt("/v1", token, args...)
}

func (s *server) runsOpenAIAt(base, token string, args ...string) *openAI {
	s.t.Helper()
	return s.runsNode("openai.mjs", base, token, args...)
}

// runsNode starts a program of web/test with the address of an API.
func (s *server) runsNode(file, base, token string, args ...string) *openAI {
	s.t.Helper()
	program := exec.CommandContext(s.t.Context(), "node", append([]string{filepath.Join("test", file)}, args...)...)
	program.Dir = filepath.Join("..", "web")
	program.Env = append(os.Environ(), "XBOT_TEST_URL="+s.url+base, "XBOT_TEST_TOKEN="+token)
	program.Stderr = s.t.Output()
	out, err := program.StdoutPipe()
	require.NoError(s.t, err)
	require.NoError(s.t, program.Start())
	s.t.Cleanup(func() { _ = program.Wait() }) // it ends with the test
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &openAI{s, lines}
}

// says decodes the next line of the program that has a member.
func (p *openAI) says(member string, out any) {
	p.s.t.Helper()
	for p.lines.Scan() {
		var said map[string]json.RawMessage
		require.NoError(p.s.t, json.Unmarshal(p.lines.Bytes(), &said))
		if value, is := said[member]; is {
			require.NoError(p.s.t, json.Unmarshal(value, out))
			return
		}
	}
	require.Fail(p.s.t, "the program ended without a word about "+member)
}

// conversationOf is the conversation that an answer names.
func (s *server) conversationOf(id string) *talk {
	return &talk{server: s, key: chat.SessionKey("agent:main:openai:thread:" + id)}
}

func TestOpenAI_TheOfficialClientIsAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	var said struct {
		Chat struct {
			Text, ID string
			Usage    struct {
				TotalTokens int `json:"total_tokens"`
			}
		}
		Stream struct {
			Text, Finish string
			Chunks       int
			Usage        struct {
				TotalTokens int `json:"total_tokens"`
			}
		}
		Helper, Output            string
		Responses, Events, Models []string
		Same                      bool
		WrongKey, NoModel, Tools  struct {
			Kind, Code, Param string
			Status            int
		}
	}
	s.runsOpenAI(s.openAIToken(), "all", "say good morning").says("done", &said)
	require.Equal(t, "good morning", said.Chat.Text)
	require.Positive(t, said.Chat.Usage.TotalTokens)
	require.Equal(t, "good morning", said.Stream.Text)
	require.Equal(t, "stop", said.Stream.Finish)
	require.Positive(t, said.Stream.Usage.TotalTokens)
	require.Equal(t, "good morning", said.Helper)
	require.Equal(t, "good morning", said.Output)
	require.Equal(t, []string{"good morning", "good morning", "good morning", "good morning"}, said.Responses)
	require.True(t, said.Same)
	require.Equal(t, "response.created", said.Events[0])
	require.Equal(t, "response.completed", said.Events[len(said.Events)-1])
	require.Equal(t, "xbot", said.Models[0])
	require.Equal(t, "xbot/main", said.Models[len(said.Models)-1])
	require.Equal(t, "AuthenticationError", said.WrongKey.Kind)
	require.Equal(t, "NotFoundError", said.NoModel.Kind)
	require.Equal(t, "model_not_found", said.NoModel.Code)
	require.Equal(t, "BadRequestError", said.Tools.Kind)
	require.Equal(t, "n", said.Tools.Param)

	var gone struct{ Conversation string }
	s.runsOpenAI(s.openAIToken(), "abort", "stream 40 50ms").says("done", &gone)
	k := s.conversationOf(gone.Conversation)
	require.Eventually(t, func() bool { return len(k.answers()) == 1 }, time.Minute, 50*time.Millisecond, "the answer is there, though its client went away")
	require.Len(t, strings.Fields(k.answers()[0]), 40)
	k.wellFormed()
}

func TestOpenAI_TheClientsOwnRetriesAcrossAKillAreOneTurn(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	p := s.runsOpenAI(s.openAIToken(), "retry", "stream 60 100ms")
	var lost bool
	p.says("lost", &lost)
	s.crash()
	s.boot()
	var said struct {
		Text, Conversation string
		Counts             []string
	}
	p.says("done", &said)
	require.Len(t, strings.Fields(said.Text), 60)
	require.Greater(t, len(said.Counts), 1)
	k := s.conversationOf(said.Conversation)
	require.Equal(t, []string{said.Text}, k.answers(), "one turn has answered")
	all, err := s.client.ListSessions(t.Context(), apiclient.ListSessionsParams{})
	require.NoError(t, err)
	require.Len(t, all, 1, "in one conversation")
	k.wellFormed()
}

func TestOpenAI_AStreamThatAKillCutsIsGoneOnWithByItsKey(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	token := s.openAIToken()
	cut := s.runsOpenAI(token, "stream", "stream 60 100ms", "key-1")
	var began string
	cut.says("began", &began)
	s.crash()
	var broken struct{ Lost struct{ Kind string } }
	cut.says("done", &broken)
	require.NotEmpty(t, broken.Lost.Kind, "no program takes what it has for the answer")
	s.boot()
	var whole struct{ Text, Conversation, Finish string }
	s.runsOpenAI(token, "stream", "stream 60 100ms", "key-1").says("done", &whole)
	require.Equal(t, began, whole.Conversation)
	require.Equal(t, "stop", whole.Finish)
	require.Len(t, strings.Fields(whole.Text), 60)
	k := s.conversationOf(whole.Conversation)
	require.Equal(t, []string{whole.Text}, k.answers())
	k.wellFormed()
}
