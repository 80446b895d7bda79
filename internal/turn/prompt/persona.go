package prompt

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/turn/agentprofile"
)

// Profiles returns the agent profile of a session.
type Profiles interface {
	Of(ctx context.Context, key chat.SessionKey) (agentprofile.Profile, error)
}

// Persona describes the model's identity: the agent, as the policy describes it, and in chats the soul of the channel.
type Persona struct{ Profiles Profiles }

var _ Middleware = Persona{}

// Order puts it after the base and before the project.
func (Persona) Order() int { return 3 }

// Name is used in errors.
func (Persona) Name() string { return "persona" }

// Process adds both parts, and when to give no answer if not every message is for the agent. The agent's part stays until the next
// compression. The soul is that of the conversation's beginning: a conversation that began without one gets none.
func (p Persona) Process(ctx context.Context, a *Assembly) error {
	if p.Profiles == nil {
		return nil
	}
	who, err := a.agentProfile(ctx, p.Profiles)
	if err != nil {
		return err
	}
	if who.Silence.Token != "" {
		a.Parts["06_silence"] = silenceText(who, a.Scene)
	}
	began := len(a.Scene.Held) > 0
	a.hold("02_agent", everywhere(a.Scene), func() (string, error) {
		if who.Role != nil {
			return roleText(*who.Role), nil
		}
		return agentText(who), nil
	})
	a.hold("03_soul", source{}, func() (string, error) {
		if who.Soul == "" || began {
			return "", nil
		}
		return "# Who you are\n\nFollow this unless what the person asks for says otherwise.\n\n<SOUL.md>\n" + who.Soul + "\n</SOUL.md>", nil
	})
	return nil
}

// silenceText returns how and when to give no answer. On the page, in programs and for the parent of a subagent each answer is expected.
func silenceText(who agentprofile.Profile, scene chat.Scene) string {
	if !who.Silence.Overhears && (who.Role != nil || waits[scene.Channel]) {
		return "If you are asked not to answer, answer `" + who.Silence.Token + "` alone."
	}
	text := "# When to be silent\n\nAn answer of `" + who.Silence.Token + "` alone, with nothing before or behind it, is silence: nobody sees anything. "
	if !who.Silence.Overhears || !scene.Group {
		return text + "Choose it where a message needs no answer, such as a thank-you that ends a talk."
	}
	return text + "You read everything that is written here, and most of it is not for you. What has \"to you\" in the bracket before it names you or answers to you: answer it. " +
		"Answer anything else only where it asks for what you know or can do and no person is asked for it, or where you have something to add that helps. " +
		"Be silent while people talk with each other, where a word of yours would only agree or repeat, and where you were asked to be."
}

// waits are the channels on which a user or a program waits for the answer to each message.
var waits = map[string]bool{"": true, "web": true, "cli": true, "api": true, "openai": true, "openai-user": true}

// roleText returns the role description for a subagent.
func roleText(r chat.Profile) string {
	text := "# Your part\n\nAnother agent has handed you a task. Your last message is your answer to it, and all that it sees of your work: " +
		"make it complete and to the point. Nobody can answer questions; where something is open, decide, and say what you assumed."
	if prompt := strings.TrimSpace(r.Prompt); prompt != "" {
		text += "\n\n" + prompt
	}
	return capped(text, maxFile, int64(len(text)))
}

// confinementText describes for the model which actions commands cannot perform, so that it does not try.
func confinementText(w chat.Confinement) string {
	switch {
	case w.ReadOnly && w.Offline:
		return "Here no file can be changed, and commands reach no network."
	case w.ReadOnly:
		return "Here no file can be changed."
	case w.Offline:
		return "Here commands reach no network."
	}
	return ""
}

func agentText(who agentprofile.Profile) string {
	var parts []string
	if name := short(strings.ReplaceAll(who.Agent.Name, `"`, "'"), 80); name != "" {
		parts = append(parts, fmt.Sprintf("You are called %q here.", name))
	}
	for _, prompt := range []string{who.Agent.Prompt, who.Scene.Prompt} {
		if text := strings.TrimSpace(prompt); text != "" {
			parts = append(parts, text)
		}
	}
	if manner := strings.TrimSpace(cmp.Or(who.Scene.Personality, who.Agent.Personality)); manner != "" {
		parts = append(parts, "The manner in which you answer: "+manner)
	}
	if line := confinementText(who.Scene.Sandbox.Narrow()); line != "" {
		parts = append(parts, line)
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, "\n\n")
	return "# Your part\n\n" + capped(text, maxFile, int64(len(text)))
}
