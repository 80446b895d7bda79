package turn

import (
	"context"
	"slices"
	"strings"
	"time"

	"xbot/activities"
	"xbot/activities/coding"
	"xbot/activities/hooks"
	"xbot/activities/modelcall"
	"xbot/internal/chat"
	"xbot/internal/codingagent"
	"xbot/internal/fault"
	"xbot/internal/i18n"
)

// shellTool is the tool whose rules hold for coding agents: they run commands.
const shellTool = "Shell"

// prepareAgent finds what an attempt has to know where a coding agent answers.
func (m *Model) prepareAgent(ctx context.Context, a *attempt) (err error) {
	if a.who, err = modelcall.ProfileOf(ctx, m.Profiles, a.step.Session); err != nil {
		return err
	}
	if a.who.Role != nil && m.Trees != nil {
		if a.spent, err = m.Trees.SubagentOver(ctx, a.step); err != nil {
			return err
		}
	}
	a.tools, err = m.Tools.Of(ctx, a.step.Session)
	return err
}

// ask has a coding agent answer a step.
func (m *Model) ask(ctx context.Context, a *attempt) (chat.Decision, error) {
	may, err := m.narrow(ctx, a)
	if err != nil {
		return chat.Decision{}, err
	}
	if !may {
		return m.Turns.FailStep(ctx, a.step, a.record(), fault.Denied, func(l i18n.Lang) string { return i18n.Say(l, i18n.AgentForbidden, a.coding.Agent) })
	}
	_, inquires := a.tools.Get(coding.Inquiring)
	stream := m.shownStream(ctx, a)
	a.asked, a.stream = time.Now(), stream
	out, err := m.Agents.Answer(ctx, coding.Ask{
		Step: a.step, Settings: *a.coding, Inquires: inquires, Sink: stream,
		Steers: !slices.Contains(hooks.PointsOf(ctx, m.Hooks, a.step.Session), hooks.PointOpening),
	})
	stream.Close()
	switch {
	case err != nil && activities.Stopped(ctx):
		return m.keepPartial(ctx, a, stream)
	case err != nil:
		return chat.Decision{}, err
	}
	settling, cancel := activities.Settling(ctx)
	defer cancel()
	d, err := m.keepAgent(settling, a, out)
	if err == nil {
		out.Forget(settling)
	}
	return d, err
}

// keepAgent commits the answer of a coding agent, also when the activity ends at this moment.
func (m *Model) keepAgent(ctx context.Context, a *attempt, out coding.Outcome) (chat.Decision, error) {
	switch {
	case out.Say != "":
		if out.Answer.Usage != (chat.Usage{}) {
			if err := m.Usage.BookUsage(ctx, a.step.Session, a.model, 1, out.Answer.Usage); err != nil {
				return chat.Decision{}, err
			}
		}
		return m.Turns.FailStep(ctx, a.step, a.record(), out.Kind, func(l i18n.Lang) string {
			return strings.TrimSpace(out.Answer.Text + "\n\n" + i18n.Say(l, out.Say, out.Args...)) // with what it answered before to another message
		})
	case out.Stopped && out.Answer.Text == "":
		return chat.Decision{Finish: chat.FinishStopped}, nil
	}
	said, err := m.commit(ctx, a, out.Answer)
	if err != nil {
		return chat.Decision{}, err
	}
	if out.Stopped {
		said.Finish = chat.FinishStopped
	}
	said.Model, said.Call = a.model, a.record()
	return m.Turns.CommitStep(ctx, a.step, asShown(said, a.who.Contract))
}

// narrow applies the limits of commands in the conversation to the agent, too: even if the policy permits the agent more, it may do no more than its
// user permits a model. False: it may run no commands, and does not answer.
func (m *Model) narrow(ctx context.Context, a *attempt) (may bool, err error) {
	if _, ok := a.tools.Get(shellTool); !ok {
		return false, nil
	}
	authorizer, err := m.Authorizers.Of(ctx, a.step.Session, a.tools)
	if err != nil {
		return false, err
	}
	rule := authorizer.Tool(shellTool)
	switch {
	case authorizer.Preset() == chat.PresetReadOnly, a.who.Plan == chat.PlanWanted:
		a.coding.Sandbox, a.coding.Approvals = codingagent.ReadOnly, codingagent.ApproveNever
	case rule == chat.RuleDeny:
		return false, nil
	case rule == chat.RuleAsk:
		a.coding.Approvals = codingagent.ApproveUntrusted
		if a.coding.Sandbox == codingagent.FullAccess {
			a.coding.Sandbox = codingagent.WorkspaceWrite
		}
	}
	return true, nil
}
