package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
)

// runsOpenAI starts a program with OpenAI's official client that has the key of the service, and no other address than that of its API.
func (c *consumer) runsOpenAI(args ...string) *openAI {
	c.t.Helper()
	return c.runsOpenAIAt("/api/v1", c.key, args...)
}

// answersIn waits until nothing runs in a conversation, and returns what its agent has said there.
func (c *consumer) answersIn(id string) (said []string) {
	c.t.Helper()
	require.Eventually(c.t, func() bool { return !c.conversation(id).Running }, crashLimit, 50*time.Millisecond)
	for _, m := range c.conversation(id).Messages {
		if m.Role == "assistant" {
			said = append(said, m.Content)
		}
	}
	return said
}

func TestOpenAI_TheOfficialClientIsAnsweredByAService(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	type refusal struct {
		Kind, Code, Param string
		Status            int
	}
	var said struct {
		Chat struct {
			Text, Conversation string
			Usage              struct {
				TotalTokens int `json:"total_tokens"`
			}
		}
		Stream struct {
			Text, Finish, Conversation string
			Usage                      struct {
				TotalTokens int `json:"total_tokens"`
			}
		}
		Helper                                          string
		Same, Models                                    []string
		WrongKey, Unknown, ManyChoices, Nothing, NoPath refusal
	}
	c.runsOpenAI("service", "say good morning").says("done", &said)
	require.Equal(t, "good morning", said.Chat.Text)
	require.Positive(t, said.Chat.Usage.TotalTokens)
	require.Equal(t, "good morning", said.Stream.Text)
	require.Equal(t, "stop", said.Stream.Finish)
	require.Positive(t, said.Stream.Usage.TotalTokens)
	require.Equal(t, said.Chat.Conversation, said.Stream.Conversation, "conversation_id names it")
	require.Equal(t, "good morning", said.Helper)
	require.Equal(t, said.Same[0], said.Same[1], "a user has one conversation")
	require.NotEqual(t, said.Chat.Conversation, said.Same[0])
	require.Equal(t, []string{"good morning", "good morning"}, c.answersIn(said.Chat.Conversation))
	require.Equal(t, refusal{"AuthenticationError", "invalid_api_key", "", 401}, said.WrongKey)
	require.Equal(t, refusal{"NotFoundError", "not_found", "", 404}, said.Unknown)
	require.Equal(t, refusal{"BadRequestError", "unsupported_parameter", "n", 400}, said.ManyChoices)
	require.Equal(t, "BadRequestError", said.Nothing.Kind)
	require.Equal(t, "NotFoundError", said.NoPath.Kind)
	require.Equal(t, []string{c.of.ID}, said.Models, "a service lists itself alone")

	var gone struct{ Conversation string }
	c.runsOpenAI("abort", "stream 40 50ms").says("done", &gone)
	answers := c.answersIn(gone.Conversation)
	require.Len(t, answers, 1, "the answer is there, though its client went away")
	require.Len(t, strings.Fields(answers[0]), 40)
}

func TestOpenAI_ARetryOfAServicesConsumerIsOneMessage(t *testing.T) {
	t.Parallel()
	c := newServer(t).publishesService(service.Patch{})
	p := c.runsOpenAI("cut", "stream 60 100ms", "order-17")
	var lost bool
	p.says("lost", &lost)
	c.crash()
	c.boot()
	var said struct {
		Text, Conversation string
		Attempts           int
	}
	p.says("done", &said)
	require.Len(t, strings.Fields(said.Text), 60)
	require.Greater(t, said.Attempts, 1)
	require.Equal(t, []string{said.Text}, c.answersIn(said.Conversation))
	require.Equal(t, 1, c.turns(said.Conversation), "one turn has answered")
	var conversations int
	require.NoError(t, c.database().QueryRow(t.Context(), "SELECT count(*) FROM service_conversations").Scan(&conversations))
	require.Equal(t, 1, conversations, "in one conversation")
}
