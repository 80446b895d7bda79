package compress

import (
	"context"
	"errors"
	"strings"
	"time"

	"xbot/activities"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/llm"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/window"
)

// Bounds of what a compression asks of the model.
const (
	maxRounds = 10 // answers in all
	maxTries  = 3  // of one summary: the first and two corrections
	maxChunks = 4  // of a conversation that does not fit into one call
	maxShrink = 3  // times that the provider finds a chunk too long
)

// errUnusable is returned if the model wrote no usable summary.
var errUnusable = errors.New("the model wrote no usable summary")

// summarize makes the model write the summary, in chunks if the part does not fit into one call: each call gets the summary of the chunks before.
func (j *compression) summarize(ctx context.Context) (string, error) {
	room := j.inputBudget()
	for range maxShrink {
		summary, err := j.roll(ctx, room)
		if !fault.Is(err, fault.TooLarge) {
			return summary, err
		}
		room = min(room, j.count(strings.Join(window.Transcript(j.part, window.MaxResult), "\n"))) / 2 // the window is not what we believe
	}
	return "", errUnusable
}

// inputBudget returns how many tokens of transcript fit into a call together with an earlier summary or one to correct, by an estimate that may be wrong by
// a tenth. The provider refuses requests for which it is wrong by more.
func (j *compression) inputBudget() int {
	room := j.limits.Context - j.longest() - j.count(prompt.Compact()) - 5*j.target/2
	return max(room*9/10, j.limits.Context/4)
}

// longest returns the limit of an answer: much more than a summary, since thoughts count as well.
func (j *compression) longest() int {
	return min(j.limits.Output, max(2*j.target, j.limits.Context/8))
}

func (j *compression) roll(ctx context.Context, room int) (string, error) {
	chunks := j.chunks(room)
	earlier := ""
	if n := len(chunks) - maxChunks; n > 0 { // the model reads no more chunks than that: the earlier ones are summarized by rule
		earlier = window.Extract(j.part, j.facts, j.target/2, j.count)
		chunks = chunks[n:]
	}
	for i, chunk := range chunks {
		var facts window.Facts // only the last summary, which covers everything, is checked against them
		if i == len(chunks)-1 {
			facts = j.facts
		}
		request := prompt.Summarize(chunk, earlier, j.focus, j.chars(chunk))
		request.MaxTokens = j.longest()
		summary, err := j.write(ctx, request, facts)
		if err != nil {
			return "", err
		}
		earlier = summary
	}
	return earlier, nil
}

// chunks renders the part, with shorter results where it would take too many calls otherwise.
func (j *compression) chunks(room int) (chunks []string) {
	for _, result := range []int{window.MaxResult, window.MaxResult / 4, window.MaxResult / 20} {
		chunks = window.Chunks(window.Transcript(j.part, result), room, j.count)
		if len(chunks) <= maxChunks {
			break
		}
	}
	return chunks
}

// write makes the model write one summary and correct it. A summary that still lacks only names is accepted in the end: they are added.
func (j *compression) write(ctx context.Context, request llm.Request, facts window.Facts) (string, error) {
	best, lost := "", 0
	for range maxTries {
		answer, err := j.ask(ctx, request)
		if errors.Is(err, errUnusable) {
			break
		}
		if err != nil {
			return "", err
		}
		summary := strings.TrimSpace(activities.Clean(answer.Text))
		flaws := window.Review(summary, facts, j.target, j.count)
		if answer.Finish == llm.FinishLength {
			flaws.Tokens = max(flaws.Tokens, 2*j.target) // its end is missing
		}
		if flaws.Complete() {
			return summary, nil
		}
		if n := len(flaws.Recall) + len(flaws.Lost); flaws.Usable() && (best == "" || n < lost) {
			best, lost = summary, n
		}
		request = prompt.Correct(request, shown(summary, max(j.chars(summary), minSummary)), flaws.Complaint())
	}
	if best == "" {
		return "", errUnusable
	}
	return best, nil
}

// shown returns a summary as its writer sees it again.
func shown(summary string, chars int) string {
	if summary == "" {
		return "(nothing)"
	}
	return window.Abridge(summary, chars)
}

// ask makes one call. It counts failures of the provider over the whole compression, reports them to the user and retries.
func (j *compression) ask(ctx context.Context, request llm.Request) (llm.Answer, error) {
	if j.rounds >= maxRounds {
		return llm.Answer{}, errUnusable
	}
	for {
		answer, err := j.client.Generate(ctx, request, nil)
		if spent := answer.Usage; spent != (chat.Usage{}) {
			j.usage = j.usage.Add(spent)
			if err := j.spend(ctx, spent); err != nil {
				return answer, err
			}
		}
		if err == nil {
			j.rounds++
			return answer, nil
		}
		if ctx.Err() != nil {
			return answer, err
		}
		if err := j.again(ctx, err); err != nil {
			return answer, err
		}
	}
}

// spend records the usage of a call, even if the activity ends at this moment: the call was paid for.
func (j *compression) spend(ctx context.Context, u chat.Usage) error {
	ctx, cancel := activities.Settling(ctx)
	defer cancel()
	return j.Conversations.Spend(ctx, j.step, j.client.Model(), u)
}

// again waits until the call may be repeated. It returns an error if it may not.
func (j *compression) again(ctx context.Context, cause error) error {
	if fault.PartOf(cause) != "" {
		return cause // the provider has not failed: a part of xbot is away, and another attempt begins when it is back
	}
	reason := llm.Reason(cause)
	failures := int(j.failures.Add(1))
	if reason == "" || failures >= j.Retry.Attempts {
		return &modelcall.ProviderError{Cause: cause}
	}
	delay := j.Retry.Pause(failures, cause)
	lang := i18n.Lang(j.asked.Lang)
	err := j.Conversations.NotifyRetry(ctx, j.in.Session, chat.Retry{
		Turn: j.step.Turn, Step: j.step.N, Attempt: failures + 1, Max: j.Retry.Attempts, DelayMS: delay.Milliseconds(), Reason: reason,
		Text: i18n.Say(lang, i18n.Retrying, i18n.Reason(lang, reason), failures+1, j.Retry.Attempts),
	})
	if err != nil {
		return err
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
