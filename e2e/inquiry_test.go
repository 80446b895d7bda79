package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

const askWhich = `call AskUser {"questions":[{"question":"Which database?","options":["Postgres","SQLite"]}]}`

func TestInquiry_SurvivesAKillAndIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send(askWhich, "say thank you")
	call := k.untilAsked(1)
	require.Equal(t, "Which database?", call.Approval.Questions[0].Text)
	require.Contains(t, k.details(), "waiting for an answer: AskUser · Which database?")
	s.crash()
	s.boot()
	require.Equal(t, chat.ApprovalOpen, k.lastApproval().State, "the question is still open after a restart")
	k.answer(call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"SQLite"}}})
	_, err := k.client.AnswerApproval(t.Context(), k.key, call.ID, apiclient.Answer{Decision: apiclient.Allow, Answers: chat.Answers{"q1": {"Postgres"}}})
	require.Equal(t, fault.Conflict, fault.KindOf(err))
	turn := k.untilEnded(crashLimit, id)
	require.Equal(t, chat.TurnDone, turn.State)
	require.Equal(t, "SQLite", lastCalls(k)[0].Result)
	require.Equal(t, []string{"thank you"}, k.answers())
	k.wellFormed()
}

func TestInquiry_AnsweredInWordsRightBeforeACrashCounts(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	k := s.newTalk()
	id := k.send(askWhich, "say thank you")
	k.untilAsked(1)
	k.send("1")
	s.crash() // the wake may be lost with it: the relay repeats it
	s.boot()
	require.Equal(t, chat.TurnDone, k.untilEnded(crashLimit, id).State)
	require.Equal(t, "Postgres", lastCalls(k)[0].Result)
	require.Equal(t, []string{"thank you"}, k.answers(), "the answer began no turn of its own")
	k.wellFormed()
}

func TestHistories_OfQuestions(t *testing.T) {
	t.Parallel()
	k := newServer(t).newTalk()
	const spoken = "a long secret tale that goes on and on well past the first words of it"
	id := k.send(`call AskUser {"questions":[{"question":"Which one?"}]}`, "say fine")
	k.untilAsked(1)
	k.send(spoken)
	turn := k.untilEnded(time.Minute, id)
	require.Equal(t, spoken, lastCalls(k)[0].Result)
	small(t, "a question", k.capture("askuser", turn), 40, 8<<10)

	id = k.send(askWhich, "say never")
	k.untilAsked(2)
	k.send("/stop")
	k.untilEnded(time.Minute, id)
	require.Equal(t, i18n.Say(i18n.English, i18n.InquiryStopped), lastCalls(k)[0].Result)
}
