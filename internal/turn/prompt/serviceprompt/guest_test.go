package serviceprompt_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/service"
	"xbot/internal/turn/prompt"
	"xbot/internal/turn/prompt/serviceprompt"
)

// canary stands in all that the house knows.
const canary = "canary-7b1f"

// desk is a service.
type desk struct {
	service.Prompt

	err error
}

func (d *desk) ServicePrompt(context.Context, chat.UserID) (service.Prompt, error) {
	return d.Prompt, d.err
}

func (*desk) Zones() []string { return []string{"Europe/Berlin"} }

// house is a middleware of the house's own prompts.
type house struct{ t *testing.T }

func (house) Order() int   { return 0 }
func (house) Name() string { return "house" }
func (h house) Process(context.Context, *prompt.Assembly) error {
	h.t.Error("what the house knows was asked for")
	return nil
}

// scene is a conversation with a consumer in which everything that a scene can hold is of the house.
func scene() chat.Scene {
	return chat.Scene{
		Session: "agent:svc_0a1b2c3d:svc:thread:0123456789", Channel: service.Channel, Outside: true, User: 7, UserName: canary, Subject: canary, Language: canary,
		UserPrompt: chat.UserPrompt{Profile: canary, Timezone: "Asia/Tokyo"}, Cwd: canary, CwdRunner: canary, Runner: canary, Held: map[string]chat.Part{"04_global_context": {Key: "04_global_context", Body: canary}},
	}
}

func render(t *testing.T, d *desk, template string) (string, *prompt.Assembly) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prompt.md")
	if template != "" {
		require.NoError(t, os.WriteFile(file, []byte(template), 0o600))
	}
	p := prompt.NewPipeline(house{t}).WithOutside(prompt.NewPipeline(serviceprompt.Prompt{
		Quota: d, Services: d, Template: prompt.NewTemplate(file, slog.New(slog.DiscardHandler)),
	}))
	a := &prompt.Assembly{Scene: scene()}
	synctest.Test(t, func(t *testing.T) {
		<-time.After(23*time.Hour + 30*time.Minute) // of 2000-01-01
		require.NoError(t, p.Assemble(t.Context(), a))
	})
	require.NotContains(t, a.System(), canary)
	require.Empty(t, a.Fresh)
	return a.System(), a
}

func newDesk() *desk {
	d := service.Defaults()
	d.Name, d.Description = "Help\ndesk", "Answers what people ask."
	return &desk{Prompt: service.Prompt{Definition: d}}
}

func TestPrompt_IsOfTheServiceAndOfNothingElse(t *testing.T) {
	t.Parallel()
	d := newDesk()
	text, _ := render(t, d, "")
	require.Contains(t, text, `in the service "Help desk"`)
	require.Contains(t, text, "Answers what people ask.")
	require.Contains(t, text, "<<FILE:/generated/name>>")
	require.Contains(t, text, "below /docs: all.")
	require.Contains(t, text, "# Documents\n\nLook into")
	require.NotContains(t, text, "# The web")
	require.NotContains(t, text, "xbot")
	require.NotContains(t, text, "Shell")

	d.AllowedDocs = []string{"faq/**", "a.md"}
	text, _ = render(t, d, "")
	require.Contains(t, text, "below /docs: faq/**, a.md. There are no others.")
	d.AllowedDocs = nil
	text, _ = render(t, d, "")
	require.Contains(t, text, "no documents that you may read")
	require.NotContains(t, text, "# Documents")
}

func TestPrompt_BeginsWithWhatTheAdministratorWrote(t *testing.T) {
	t.Parallel()
	d := newDesk()
	text, _ := render(t, d, "Installed{{if .User}} for {{.User}}{{end}}{{if .Runner}} on {{.Runner}}{{end}}{{if .Admin}} admin{{end}}.")
	require.Contains(t, text, "Installed.\n\n# Where", "the variables of the house are empty")

	d.System = "You are the clerk{{if .User}} of {{.User}}{{end}}. Today is {today}. About us: {user_profile_context}"
	d.Profile = "a shop {{.User}} {today}"
	text, _ = render(t, d, "Installed.")
	require.Contains(t, text, "You are the clerk. Today is 2000-01-02. About us: a shop {{.User}} {today}\n", "what stands in a profile is text")
	require.NotContains(t, text, "Installed.")
	d.Beside = true
	text, _ = render(t, d, "Installed.")
	require.Contains(t, text, "Installed.\n\nYou are the clerk.")
	d.Timezone = "America/New_York"
	text, _ = render(t, d, "")
	require.Contains(t, text, "Today is 2000-01-01.", "the day of the administrator")

	d.System = "{{range .Tools}}{{end}}"
	text, a := render(t, d, "Installed.")
	require.Contains(t, text, "Installed.")
	require.NotEmpty(t, a.Notes)
}

func TestPrompt_HasTheWordsOfTheAdministratorForCapabilitiesThatAreOn(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.Sections = map[string]string{"web": "# Web\n\nOnly our own site. It is {today}.", "documents": "# Papers", "skills": canary, "memory": canary}
	text, _ := render(t, d, "")
	require.Contains(t, text, "# Papers")
	require.NotContains(t, text, "Only our own site")
	d.Capabilities = []service.Capability{service.Web}
	text, _ = render(t, d, "")
	require.Contains(t, text, "Only our own site. It is 2000-01-02.")
	d.Sections = nil
	text, _ = render(t, d, "")
	require.Contains(t, text, "# The web\n\nSearch")
	require.NotContains(t, text, "# Reminders")
	require.NotContains(t, text, "# A person")
	d.Sections = map[string]string{"humanchat": "# Our team\n\nAsk Ms Liu."}
	d.Capabilities = []service.Capability{service.Scheduler, service.HumanChat}
	text, _ = render(t, d, "")
	require.Contains(t, text, "# Reminders\n\nWith Cron")
	require.Contains(t, text, "# Our team\n\nAsk Ms Liu.")
	require.NotContains(t, text, "# A person")
}

func TestPrompt_WithoutAServiceThereIsNone(t *testing.T) {
	t.Parallel()
	gone := prompt.NewPipeline(house{t}).WithOutside(prompt.NewPipeline(serviceprompt.Prompt{Quota: &desk{err: fault.Errorf(fault.Denied, "gone")}, Services: &desk{err: fault.Errorf(fault.Denied, "gone")}}))
	require.Equal(t, fault.Denied, fault.KindOf(gone.Assemble(t.Context(), &prompt.Assembly{Scene: scene()})))
	require.Error(t, prompt.NewPipeline(house{t}).Assemble(t.Context(), &prompt.Assembly{Scene: scene()}), "never the house's instead")
}
