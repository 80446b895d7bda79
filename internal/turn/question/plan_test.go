package question_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/question"
)

func TestCheckPlan_KeepsALineEachWithoutWhatCannotBeShown(t *testing.T) {
	t.Parallel()
	got, err := question.CheckPlan(chat.Plan{Title: " a\nb ", Steps: []string{"one\n two\x1b[31m", " ", "three"}, Questions: []string{"", "why?\u202e"}})
	require.NoError(t, err)
	require.Equal(t, chat.Plan{Title: "a b", Steps: []string{"one two[31m", "three"}, Questions: []string{"why?"}}, got)
}

func TestCheckPlan_RefusesWhatNobodyWouldRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plan chat.Plan
		says string
	}{
		"no steps":        {chat.Plan{Steps: []string{" ", "\x00"}}, "at least one step"},
		"too many":        {chat.Plan{Steps: strings.Split(strings.Repeat("x,", chat.MaxPlanSteps+1), ",")}, "at most 50"},
		"a long step":     {chat.Plan{Steps: []string{"a", strings.Repeat("问", chat.MaxPlanStep+1)}}, "step 2 is longer than 500"},
		"a long title":    {chat.Plan{Title: strings.Repeat("x", chat.MaxPlanTitle+1), Steps: []string{"a"}}, "title is longer"},
		"many questions":  {chat.Plan{Steps: []string{"a"}, Questions: strings.Split("1,2,3,4,5,6,7,8,9", ",")}, "at most 8"},
		"a long question": {chat.Plan{Steps: []string{"a"}, Questions: []string{strings.Repeat("x", chat.MaxPlanQuestion+1)}}, "question 1 is longer"},
	} {
		_, err := question.CheckPlan(c.plan)
		require.ErrorContains(t, err, c.says, name)
		require.True(t, fault.Is(err, fault.Invalid), name)
	}
}

func TestPlanChanges_SaysWhatWasAddedRemovedAndMoved(t *testing.T) {
	t.Parallel()
	before := chat.Plan{Title: "t", Steps: []string{"a", "b", "c"}}
	require.Empty(t, question.PlanChanges(before, before))
	require.Equal(t, []string{"- the order has changed"}, question.PlanChanges(before, chat.Plan{Title: "t", Steps: []string{"b", "a", "c"}}))
	require.Equal(t, []string{"- title: u", "- removed: b", "- added: d"}, question.PlanChanges(before, chat.Plan{Title: "u", Steps: []string{"a", "d", "c"}}))
}

func TestReadSteps_ReadsWhatStepsWritesAndWhatPeopleMakeOfIt(t *testing.T) {
	t.Parallel()
	steps := []string{"water 3. times", "3 cm deep", "rest"}
	require.Equal(t, steps, question.ReadSteps(question.Steps(chat.Plan{Steps: steps})))
	require.Equal(t, []string{"dig", "rest", "2", "go"}, question.ReadSteps("12) dig\r\n\n - rest \n2\ngo\n3. \x00"))
}
