package question_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/turn/question"
)

func optionsOf(labels ...string) (out []chat.InquiryOption) {
	for _, l := range labels {
		out = append(out, chat.InquiryOption{Label: l})
	}
	return out
}

func TestRead_TakesTheFormsInWhichPeopleChoose(t *testing.T) {
	t.Parallel()
	both := optionsOf("Yes · 是", "No · 否")
	sentence := optionsOf("Yes, delete it", "No, keep it")
	chinese := optionsOf("同意", "拒绝")
	letters := optionsOf("A. Paris", "B. Rome", "C) Berlin")
	for _, c := range []struct {
		options []chat.InquiryOption
		typed   string
		want    int // place, from 1; 0: none
	}{
		{both, "Yes · 是", 1}, {both, "1", 1}, {both, "１。", 1}, {both, "Yes", 1}, {both, "yes", 1}, {both, "YES!", 1}, {both, "y", 1}, {both, "Y", 1},
		{both, "是", 1}, {both, "是的", 1}, {both, "好的。", 1}, {both, "可以", 1}, {both, "ok", 1}, {both, "OK 👍", 1}, {both, "approve", 1}, {both, "确认", 1}, {both, "sure", 1},
		{both, "no", 2}, {both, "N", 2}, {both, "否", 2}, {both, "不", 2}, {both, "不要！", 2}, {both, "取消", 2}, {both, "2", 2}, {both, "don’t", 2}, {both, "第二个", 2}, {both, "选2", 2}, {both, "option 2", 2},
		{both, "maybe", 0}, {both, "3", 0}, {both, "0", 0}, {both, "-1", 0}, {both, "yes and no", 0}, {both, "我不知道", 0},
		{sentence, "yes", 1}, {sentence, "是", 1}, {sentence, "no", 2}, {sentence, "yes, delete it", 1},
		{chinese, "yes", 1}, {chinese, "不同意", 2}, {chinese, "拒绝", 2}, {chinese, "选项一", 1},
		{letters, "a", 1}, {letters, "B", 2}, {letters, "rome", 2}, {letters, "c)", 3}, {letters, "the second one", 2}, {letters, "yes", 0}, {letters, "②", 2}, {letters, "第三个", 3},
		{optionsOf("Yes", "Yes, always", "No"), "yes", 1}, {optionsOf("Yes, once", "Yes, always", "No"), "yes", 0}, {optionsOf("red/blue", "red/green"), "red", 0}, {optionsOf("2 files", "1 file"), "1", 1},
	} {
		asked := []chat.Inquiry{{Name: "q1", Text: "May I?", Options: c.options}}
		got, err := question.Read(asked, c.typed)
		if c.want == 0 {
			require.Error(t, err, "%q of %v", c.typed, c.options)
			continue
		}
		require.NoError(t, err, "%q of %v", c.typed, c.options)
		require.Equal(t, chat.Answers{"q1": {c.options[c.want-1].Label}}, got, "%q", c.typed)
	}
}

func TestApprove_IsYesToAQuestionThatHasIt(t *testing.T) {
	t.Parallel()
	for want, q := range map[string]chat.Inquiry{
		"Yes · 是":        {Options: optionsOf("Yes · 是", "No · 否")},
		"Approve":        {Options: optionsOf("Reject", "Approve")},
		"Yes, delete it": {Options: optionsOf("Yes, delete it", "No"), Other: true},
	} {
		q.Name = "q1"
		got, ok := question.Approve([]chat.Inquiry{q})
		require.True(t, ok, want)
		require.Equal(t, chat.Answers{"q1": {want}}, got)
	}
	for name, q := range map[string][]chat.Inquiry{
		"no yes":    {{Options: optionsOf("red", "blue")}},
		"two yes":   {{Options: optionsOf("Yes, once", "Yes, always")}},
		"words":     {{Other: true}},
		"two":       {{Options: optionsOf("Yes", "No")}, {Options: optionsOf("Yes", "No")}},
		"a connect": {{Options: optionsOf("Yes", "No"), Connect: &chat.AccountAsk{}}},
	} {
		_, ok := question.Approve(q)
		require.False(t, ok, name)
	}
}

func FuzzRead_AnOptionIsOneThatWasOffered(f *testing.F) {
	f.Add("Yes · 是", "No · 否", "y", true)
	f.Add("A. x", "B) y", "the second one", false)
	f.Fuzz(func(t *testing.T, first, second, typed string, other bool) {
		asked, err := question.Check([]chat.Inquiry{{Text: "x", Options: optionsOf(first, second), Other: other}})
		if err != nil {
			return
		}
		answers, err := question.Read(asked, typed)
		if err != nil || other {
			return
		}
		require.Contains(t, []string{asked[0].Options[0].Label, asked[0].Options[1].Label}, answers["q1"][0])
	})
}
