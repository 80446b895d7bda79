package question_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/question"
)

func asked(t *testing.T, questions ...chat.Inquiry) []chat.Inquiry {
	t.Helper()
	out, err := question.Check(questions)
	require.NoError(t, err)
	return out
}

func labels(all ...string) (out []chat.InquiryOption) {
	for _, l := range all {
		out = append(out, chat.InquiryOption{Label: l})
	}
	return out
}

var (
	database = chat.Inquiry{Text: "Which database?", Options: labels("Postgres", "SQLite", "8080")}
	colours  = chat.Inquiry{Text: "Which colours?", Options: labels("red", "green", "深蓝"), Multi: true, Other: true}
	words    = chat.Inquiry{Text: "What is it called?"}
)

func TestCheck_NamesQuestionsAndTakesOutWhatCannotBeShown(t *testing.T) {
	t.Parallel()
	got := asked(t, chat.Inquiry{Name: "x", Text: " a\x00b\x1b[31m\nc ", Options: []chat.InquiryOption{{Label: " y \n z ", About: "why\tnot"}}}, chat.Inquiry{Text: "free", Multi: true})
	require.Equal(t, []chat.Inquiry{
		{Name: "q1", Text: "ab[31m\nc", Options: []chat.InquiryOption{{Label: "y z", About: "why not"}}},
		{Name: "q2", Text: "free", Other: true},
	}, got)
}

func TestCheck_RefusesWhatNobodyCouldAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked []chat.Inquiry
		says  string
	}{
		"none":            {nil, "1 to 4"},
		"too many":        {make([]chat.Inquiry, 5), "1 to 4"},
		"no text":         {[]chat.Inquiry{{Text: " \x00"}}, "no text"},
		"a long text":     {[]chat.Inquiry{{Text: strings.Repeat("问", chat.MaxInquiryText+1)}}, "longer than 1000"},
		"many options":    {[]chat.Inquiry{{Text: "x", Options: labels("1", "2", "3", "4", "5", "6", "7", "8", "9")}}, "at most 8"},
		"an empty label":  {[]chat.Inquiry{{Text: "x", Options: labels("a", " ")}}, "without a label"},
		"a long label":    {[]chat.Inquiry{{Text: "x", Options: labels(strings.Repeat("a", chat.MaxOptionLabel+1))}}, "more than 100"},
		"a long about":    {[]chat.Inquiry{{Text: "x", Options: []chat.InquiryOption{{Label: "a", About: strings.Repeat("a", chat.MaxOptionAbout+1)}}}}, "longer than 300"},
		"a label twice":   {[]chat.Inquiry{{Text: "x", Options: labels("Yes", "yes ")}}, "twice"},
		"a second faulty": {[]chat.Inquiry{words, {}}, "question 2"},
	} {
		_, err := question.Check(c.asked)
		require.ErrorContains(t, err, c.says, name)
		require.True(t, fault.Is(err, fault.Invalid), name)
	}
}

func TestRead_UnderstandsWhatPeopleType(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked []chat.Inquiry
		typed string
		want  chat.Answers
	}{
		"a number":                        {[]chat.Inquiry{database}, "2", chat.Answers{"q1": {"SQLite"}}},
		"a number with a mark":            {[]chat.Inquiry{database}, " 2) ", chat.Answers{"q1": {"SQLite"}}},
		"a digit of an input method":      {[]chat.Inquiry{database}, "\uFF12\u3002", chat.Answers{"q1": {"SQLite"}}},
		"a label, whatever its case":      {[]chat.Inquiry{database}, "postgres", chat.Answers{"q1": {"Postgres"}}},
		"a label that is a number":        {[]chat.Inquiry{database}, "8080", chat.Answers{"q1": {"8080"}}},
		"several numbers":                 {[]chat.Inquiry{colours}, "3, 1", chat.Answers{"q1": {"深蓝", "red"}}},
		"several in Chinese":              {[]chat.Inquiry{colours}, "1\u30012\uFF0C深蓝", chat.Answers{"q1": {"red", "green", "深蓝"}}},
		"the same twice":                  {[]chat.Inquiry{colours}, "1,red", chat.Answers{"q1": {"red"}}},
		"a sentence with a comma":         {[]chat.Inquiry{colours}, "red, but not too much", chat.Answers{"q1": {"red, but not too much"}}},
		"words":                           {[]chat.Inquiry{words}, "  Bob\nthe second ", chat.Answers{"q1": {"Bob\nthe second"}}},
		"a line each":                     {[]chat.Inquiry{database, colours, words}, "1\n\n1,2\n Bob", chat.Answers{"q1": {"Postgres"}, "q2": {"red", "green"}, "q3": {"Bob"}}},
		"numbered lines":                  {[]chat.Inquiry{database, words}, "1. sqlite\n2) Bob", chat.Answers{"q1": {"SQLite"}, "q2": {"Bob"}}},
		"a time is no number":             {[]chat.Inquiry{words, words}, "1:30 pm\n2", chat.Answers{"q1": {"1:30 pm"}, "q2": {"2"}}},
		"one text for all":                {[]chat.Inquiry{colours, words}, "do as you like", chat.Answers{"q1": {"do as you like"}, "q2": {"do as you like"}}},
		"a number that no option has":     {[]chat.Inquiry{colours}, "9", chat.Answers{"q1": {"9"}}},
		"a number where there is nothing": {[]chat.Inquiry{words}, "1", chat.Answers{"q1": {"1"}}},
	} {
		got, err := question.Read(asked(t, c.asked...), c.typed)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

func TestRead_SaysWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	_, err := question.Read(asked(t, database), "MySQL")
	require.EqualError(t, err, `"MySQL" is no answer to "Which database?", which can be answered with: Postgres, SQLite, 8080.`)
	require.Contains(t, i18n.Explain(i18n.Chinese, err), "可选：Postgres, SQLite, 8080")
	_, err = question.Read(asked(t, database, words), "whatever")
	require.ErrorContains(t, err, "each on a line of its own")
	_, err = question.Read(asked(t, database, words), "1\n2\n3")
	require.ErrorContains(t, err, "There are 2 questions")
}

func TestFit_RefusesWhatWasNotAsked(t *testing.T) {
	t.Parallel()
	questions := asked(t, database, colours)
	for name, c := range map[string]struct {
		given chat.Answers
		says  string
		kind  fault.Kind
	}{
		"an unknown name":       {chat.Answers{"q1": {"SQLite"}, "q2": {"red"}, "q9": {"x"}}, `no question "q9"; there are: q1, q2`, fault.Invalid},
		"a question left out":   {chat.Answers{"q1": {"SQLite"}}, `"Which colours?" has no answer`, fault.Invalid},
		"nothing but blanks":    {chat.Answers{"q1": {"SQLite"}, "q2": {" ", ""}}, "has no answer", fault.Invalid},
		"no such option":        {chat.Answers{"q1": {"MySQL"}, "q2": {"red"}}, "is no answer", fault.Invalid},
		"more than one":         {chat.Answers{"q1": {"SQLite", "Postgres"}, "q2": {"red"}}, "takes one answer", fault.Invalid},
		"more than can be kept": {chat.Answers{"q1": {"SQLite"}, "q2": {strings.Repeat("x", chat.MaxAnswers)}}, "20000 bytes", fault.TooLarge},
	} {
		_, err := question.Fit(questions, c.given)
		require.ErrorContains(t, err, c.says, name)
		require.True(t, fault.Is(err, c.kind), name)
	}
	got, err := question.Fit(questions, chat.Answers{"q1": {"sqlite"}, "q2": {"RED", "mauve\x00", "red"}})
	require.NoError(t, err)
	require.Equal(t, chat.Answers{"q1": {"SQLite"}, "q2": {"red", "mauve"}}, got)
}

func TestResult_TellsTheModelWhichAnswerIsWhose(t *testing.T) {
	t.Parallel()
	one, two := asked(t, colours), asked(t, colours, words)
	require.Equal(t, "red\ngreen", question.Result(one, chat.Answers{"q1": {"red", "green"}}))
	require.Equal(t, "Which colours?\n→ red\n→ green\nWhat is it called?\n→ Bob", question.Result(two, chat.Answers{"q1": {"red", "green"}, "q2": {"Bob"}}))
	require.Equal(t, "The user answered all of them together:\nas you like", question.Result(two, chat.Answers{"q1": {"as you like"}, "q2": {"as you like"}}))
	require.Equal(t, "red, green · Bob", question.Summary(two, chat.Answers{"q1": {"red", "green"}, "q2": {"Bob"}}))
	require.Equal(t, "as you like", question.Summary(two, chat.Answers{"q1": {"as you like"}, "q2": {"as you like"}}))
}

func TestShow_NumbersOptionsAndSaysHowToAnswer(t *testing.T) {
	t.Parallel()
	pick := database
	pick.Options = []chat.InquiryOption{{Label: "Postgres", About: "runs already"}, {Label: "SQLite"}}
	require.Equal(t, "Which database?\n   1) Postgres - runs already\n   2) SQLite\nAnswer with a number.", question.Show(i18n.English, asked(t, pick)))
	require.Equal(t, "1. Which database?\n   1) Postgres - runs already\n   2) SQLite\n2. What is it called?\n请逐行作答，每题一行。", question.Show(i18n.Chinese, asked(t, pick, words)))
	pick.Other = true
	require.Contains(t, question.Show(i18n.English, asked(t, pick)), "or in your own words")
	require.Contains(t, question.Show(i18n.English, asked(t, words)), "in your own words")
}

// FuzzRead: whatever is typed, an answer that is taken fits the questions, is valid text without NUL, and stays what it is.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"1", "2, 3", "postgres\nred\nBob", "\uFF11\u3001\uFF12", "1. x\n2) y\n3: z", "\x00", "\xff,", "", "\n\n"} {
		f.Add(seed, 1)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, typed string, n int) {
		questions, err := question.Check([]chat.Inquiry{database, colours, words}[:1+(n&3)%3])
		require.NoError(t, err)
		answers, err := question.Read(questions, typed)
		if err != nil {
			require.Contains(t, []fault.Kind{fault.Invalid, fault.TooLarge}, fault.KindOf(err))
			return
		}
		again, err := question.Fit(questions, answers)
		require.NoError(t, err)
		require.Equal(t, answers, again)
		require.Len(t, answers, len(questions))
		for _, q := range questions {
			for _, a := range answers[q.Name] {
				require.True(t, utf8.ValidString(a))
				require.NotContains(t, a, "\x00")
			}
		}
		require.NotEmpty(t, question.Result(questions, answers))
	})
}
