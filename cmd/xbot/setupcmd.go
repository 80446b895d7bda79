package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
	"xbot/internal/llm/preset"
)

type setupCmd struct {
	connection
}

// Run asks the few questions that make a fresh server useful. Nothing is stored before it was tried.
func (c setupCmd) Run(ctx context.Context) error {
	return c.ask(func(client *apiclient.Client) error {
		s := setup{client: client, dialog: newDialog(os.Stdin, os.Stdout)}
		for _, step := range []func(context.Context) error{s.model, s.channel, s.sandbox, s.permissions} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		s.say("")
		s.say("That is all. Talk to xbot with xbot-cli, or open the page: xbot login-link prints a link that signs you in.")
		return nil
	})
}

// setup is the questions, and the server that the answers are for.
type setup struct {
	*dialog
	client *apiclient.Client
}

// service is where models can be had.
type service struct {
	title, name, provider, address string
	needsKey                       bool
}

// services are the well-known ones, as on the page (web/src/models/services.ts), and any other one.
var services = knownServices()

func knownServices() (all []service) {
	for _, p := range preset.All {
		all = append(all, service{p.Title, p.Name, string(p.Dialect), p.Setting(), !p.Local})
	}
	return append(all, service{"another one that is compatible with OpenAI", "models", string(preset.OpenAI), "", false})
}

// model connects a model for all users.
func (s *setup) model(ctx context.Context) error {
	s.say("Which service answers?")
	titles := []string{}
	for _, one := range services {
		titles = append(titles, one.title)
	}
	n, err := s.choose(append(titles, "none: leave it as it is"), len(titles))
	if err != nil || n == len(titles) {
		return err
	}
	for {
		done, err := s.connect(ctx, services[n])
		if err != nil || done {
			return err
		}
		again, err := s.agrees("Try again?")
		if err != nil || !again {
			return err
		}
	}
}

// connect asks for the key and the model of a service, tries it, and stores it if it answers.
func (s *setup) connect(ctx context.Context, one service) (done bool, err error) {
	draft := apiclient.TrialBody{Name: one.name, Provider: one.provider, BaseURL: one.address, Shared: true}
	if one.provider == "openai" && one.address == "" && one.name != "openai" {
		if draft.BaseURL, err = s.need("Address, such as http://127.0.0.1:8000/v1"); err != nil {
			return false, err
		}
	}
	ask := s.secret
	if one.needsKey {
		ask = s.needSecret
	}
	if draft.Key, err = ask("Key"); err != nil {
		return false, err
	}
	model, err := s.offered(ctx, draft)
	if err != nil {
		return s.refused(err)
	}
	draft.Model, draft.Models = model.ID, []chat.SubscribedModel{model}
	s.say("Trying %s ...", model.ID)
	tried, err := s.client.TrySubscription(ctx, draft)
	switch {
	case err != nil:
		return s.refused(err)
	case !tried.Passed:
		s.say("✗ %s", tried.Problem)
		return false, nil
	}
	s.say("✓ it answered in %d ms: %s", tried.Ms, strings.Join(strings.Fields(tried.Text), " "))
	_, err = s.client.CreateSubscription(ctx, apiclient.SubscriptionDraft{
		Name: draft.Name, Provider: draft.Provider, BaseURL: draft.BaseURL, Key: draft.Key, Models: draft.Models, Shared: true,
	})
	if err != nil {
		return s.refused(err)
	}
	s.say("✓ %s answers from the next message on. The page connects more models: Settings, Models and keys.", model.ID)
	return true, nil
}

// maxOffered is how many models of a service are listed.
const maxOffered = 40

// offered asks which model is meant: one that the service lists, or another one by its name.
func (s *setup) offered(ctx context.Context, draft apiclient.TrialBody) (chat.SubscribedModel, error) {
	offered, err := s.client.ListOfferedModels(ctx, draft)
	if err != nil {
		return chat.SubscribedModel{}, err
	}
	if offered.Problem != "" {
		s.say("Its models are not known: %s", offered.Problem)
	}
	for n, model := range offered.Models {
		if n == maxOffered {
			s.say("      and %d more", len(offered.Models)-n)
			break
		}
		s.say("  %2d  %s", n+1, model.ID)
	}
	said, err := s.need("Model, by its number or name")
	if err != nil {
		return chat.SubscribedModel{}, err
	}
	if n, ok := numberOf(said, min(len(offered.Models), maxOffered)); ok {
		return offered.Models[n], nil
	}
	for _, model := range offered.Models {
		if model.ID == said {
			return model, nil
		}
	}
	return chat.SubscribedModel{ID: said}, nil
}

// refused prints the problem of an answer; other errors end the setup.
func (s *setup) refused(err error) (bool, error) {
	if kind := fault.KindOf(err); kind != fault.Invalid && kind != fault.Conflict {
		return false, err
	}
	s.say("✗ %s", err)
	return false, nil
}

// channel sets up the first bot.
func (s *setup) channel(ctx context.Context) error {
	list, err := s.client.ListChannels(ctx)
	if err != nil {
		return err
	}
	s.say("")
	s.say("Where do people talk to it, beside the page and the terminal?")
	names := []string{}
	for _, kind := range list.Kinds {
		names = append(names, kind.Name)
	}
	n, err := s.choose(append(slices.Clone(names), "nowhere else"), len(names))
	if err != nil || n == len(names) {
		return err
	}
	kind := list.Kinds[n]
	now := chat.ChannelAccount{Enabled: true}
	for _, a := range list.Accounts {
		if a.Channel == kind.Name && a.Account == "" {
			now = a
		}
	}
	for {
		done, err := s.bot(ctx, kind, now)
		if err != nil || done {
			return err
		}
		if again, err := s.agrees("Try again?"); err != nil || !again {
			return err
		}
	}
}

// bot asks for the options of a bot, stores them, and shows whether it works.
func (s *setup) bot(ctx context.Context, kind chat.ChannelKind, now chat.ChannelAccount) (done bool, err error) {
	given := map[string]string{}
	for _, o := range optionsToPrompt(kind.Options) {
		if given[o.Name], err = s.option(o); err != nil {
			return false, err
		}
	}
	made, err := s.client.SetChannel(ctx, kind.Name, apiclient.SetChannelParams{}, changeOf(kind, now, given))
	if err != nil {
		return s.refused(err)
	}
	if made.Address != "" {
		s.say("The platform connects to %s", made.Address)
	}
	tested, err := s.client.TestChannel(ctx, kind.Name, apiclient.TestChannelParams{}, "")
	if err != nil {
		return false, err
	}
	sayFindings(s.out, tested.Findings)
	s.say("To change it: xbot channels options %s, xbot channels set %s", kind.Name, kind.Name)
	return true, nil
}

// optionsToPrompt returns the options without which a bot does not work; where none is required, those without a default.
func optionsToPrompt(options []chat.ChannelOption) []chat.ChannelOption {
	var required, open []chat.ChannelOption
	for _, o := range options {
		if o.Required {
			required = append(required, o)
		}
		if o.Default == "" {
			open = append(open, o)
		}
	}
	if len(required) > 0 {
		return required
	}
	return open
}

func (s *setup) option(o chat.ChannelOption) (string, error) {
	if o.Help != "" {
		s.say("(%s)", o.Help)
	}
	switch {
	case o.Secret && o.Required:
		return s.needSecret(o.Label)
	case o.Secret:
		return s.secret(o.Label)
	case o.Required:
		return s.need(o.Label)
	}
	return s.line(o.Label)
}

// sandbox asks whether commands run without a sandbox, where the server's own machine cannot confine them or that was chosen before.
func (s *setup) sandbox(ctx context.Context) error {
	list, err := s.client.ListRunners(ctx)
	if err != nil {
		return err
	}
	n := slices.IndexFunc(list.Runners, func(r chat.Runner) bool { return r.Sandbox != nil })
	if n < 0 {
		return nil
	}
	local, off := list.Runners[n], list.Runners[n].Sandbox.Confine == chat.ConfineOff
	if !local.Refused && !off {
		return nil
	}
	s.say("")
	if off {
		s.say("Commands on the server's own machine run without a sandbox%s.", sandboxOrigin(*local.Sandbox))
	} else {
		s.say("Commands on the server's own machine are refused, since it cannot confine them (%s).", strings.TrimPrefix(local.Confinement, "none: "))
	}
	if local.Sandbox.Setting {
		s.say("The setting XBOT_CONFINE=%s decides that.", local.Sandbox.Confine)
		return nil
	}
	s.say("Without a sandbox a command has all rights of the user who runs xbot: it reads, changes and deletes every file of that user, xbot's own")
	s.say("key and data included, and can stop xbot.")
	options, confine := []string{"leave commands refused", "run commands without a sandbox"}, chat.ConfineOff
	if off {
		options, confine = []string{"leave it as it is", "run commands in a sandbox again, and refuse them where the machine cannot confine them"}, chat.ConfineAuto
	}
	chosen, err := s.choose(options, 0)
	if err != nil || chosen == 0 {
		return err
	}
	if _, err = s.client.SetRunnerSandbox(ctx, confine); err != nil {
		return err
	}
	s.say("✓ it holds for the commands that begin from now on. To change it: xbot setup, or the page: Settings, Runners.")
	return nil
}

// permissions asks what tools may do unasked.
func (s *setup) permissions(ctx context.Context) error {
	s.say("")
	s.say("In the sandbox a command changes its workspace (usually ~/xbot) and temporary files, reads what the server's user may read except xbot's")
	s.say("own data, and reaches the network. What may tools do in your conversations?")
	n, err := s.choose([]string{
		"auto: they run without a question, within the sandbox",
		"ask: you are asked before a command runs, and before anything is changed or sent",
		"read_only: they read and search; nothing is changed, and no command runs",
		"leave it as it is",
	}, 3)
	if err != nil || n == 3 {
		return err
	}
	_, err = s.client.ChoosePreset(ctx, string([]chat.Preset{chat.PresetAuto, chat.PresetAsk, chat.PresetReadOnly}[n]))
	return err
}
