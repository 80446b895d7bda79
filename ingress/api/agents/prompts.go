package agents

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/turn/prompt"
)

// maxPromptBody bounds a request with a prompt, in bytes.
const maxPromptBody = 256 << 10

// Prompt is a section of the system prompt as a user has it.
type Prompt struct {
	Section   string     `json:"section" doc:"system: its beginning; else a capability whose section it begins."`
	Value     string     `json:"value" doc:"The effective text: yours, or the default. The text of system is a template with variables and conditions."`
	Default   string     `json:"default" doc:"The text of the installation."`
	Custom    bool       `json:"is_custom"`
	Beside    bool       `json:"beside" doc:"Your text is appended to the default instead of replacing it. Only for system."`
	Version   int        `json:"version" doc:"Your newest version; 0: you never changed it."`
	ChangedAt *time.Time `json:"changed_at,omitempty"`
	ChangedBy string     `json:"changed_by,omitempty"`
}

// PromptsBody lists sections.
type PromptsBody struct {
	Prompts []Prompt `json:"prompts" doc:"In the order of the prompt; system is the first."`
}

// PromptPath names the section of a request.
type PromptPath struct {
	Section string `path:"section" maxLength:"64" doc:"system, or the key of a capability."`
}

// PromptEdit is the new text of a section.
type PromptEdit struct {
	Content string `json:"content" minLength:"1" maxLength:"20000" doc:"At most 20000 characters for system, 4000 for a capability."`
	Beside  bool   `json:"beside,omitempty" doc:"Appends the text to the default instead of replacing it. Only for system."`
	Label   string `json:"label,omitempty" maxLength:"60" doc:"Empty: v and the version."`
	Note    string `json:"note,omitempty" maxLength:"500"`
	Version int    `json:"version" minimum:"0" doc:"The version on which the change is based; 0: there was none."`
}

type promptBody struct{ Body Prompt }

func (a *Endpoints) registerPrompts(h huma.API) {
	const root, what = "/api/prompts", "Takes effect with the next turn of your conversations, in every process; conversations of groups and subagents use the installation's system prompt."
	huma.Register(h, huma.Operation{
		OperationID: "list-prompts", Method: http.MethodGet, Path: root, Summary: "List your system prompt and the sections for capabilities", Security: endpoint.Secured,
	}, func(ctx context.Context, _ *struct{}) (*struct{ Body PromptsBody }, error) {
		now, err := a.Prompts.PromptsNow(ctx, auth.User(ctx).ID)
		body := PromptsBody{}
		for _, c := range a.sections() {
			body.Prompts = append(body.Prompts, shownPrompt(c, now[c.Key]))
		}
		return &struct{ Body PromptsBody }{body}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "get-prompt", Method: http.MethodGet, Path: root + "/{section}", Summary: "Get a section of your system prompt", Security: endpoint.Secured},
		func(ctx context.Context, in *struct{ PromptPath }) (*promptBody, error) {
			return a.promptOf(ctx, in.Section)
		})
	huma.Register(h, huma.Operation{
		OperationID: "set-prompt", Method: http.MethodPut, Path: root + "/{section}", Summary: "Update a section of your system prompt",
		Description: "Each change creates a version. 409: the section was changed in the meantime. " + what, Security: endpoint.Secured, MaxBodyBytes: maxPromptBody,
	}, func(ctx context.Context, in *struct {
		PromptPath

		Body PromptEdit
	}) (*promptBody, error) {
		d := chat.PromptDraft{Content: in.Body.Content, Beside: in.Body.Beside && in.Section == chat.PromptSystem, Label: in.Body.Label, Note: in.Body.Note, From: in.Body.Version}
		return a.setPrompt(ctx, in.Section, d)
	})
	huma.Register(h, huma.Operation{
		OperationID: "reset-prompt", Method: http.MethodDelete, Path: root + "/{section}", Summary: "Restore the installation's text",
		Description: "The reset is a version, too: earlier versions can be restored. " + what, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		PromptPath

		Version int `query:"version" minimum:"0" doc:"The version that is in force now; default: whichever it is."`
	}) (*promptBody, error) {
		if in.Version == 0 {
			now, err := a.Prompts.PromptsNow(ctx, auth.User(ctx).ID)
			if err != nil {
				return nil, a.Problem(err)
			}
			in.Version = now[in.Section].Version
		}
		return a.setPrompt(ctx, in.Section, chat.PromptDraft{From: in.Version})
	})
}

// sections returns the sections that users can change.
func (a *Endpoints) sections() []prompt.Capability {
	return append([]prompt.Capability{a.Template.SystemDefault()}, prompt.Capabilities...)
}

// section returns the one of a key. It returns NotFound if there is none.
func (a *Endpoints) section(key string) (prompt.Capability, error) {
	if key == chat.PromptSystem {
		return a.Template.SystemDefault(), nil
	}
	if c, ok := prompt.FindCapability(key); ok {
		return c, nil
	}
	return prompt.Capability{}, fault.Errorf(fault.NotFound, "there is no section %.60q", key)
}

func shownPrompt(c prompt.Capability, v chat.PromptVersion) Prompt {
	p := Prompt{Section: c.Key, Value: cmp.Or(v.Content, c.Default), Default: c.Default, Custom: v.Content != "", Beside: v.Beside, Version: v.Version, ChangedBy: v.ChangedBy}
	if v.Version > 0 {
		p.ChangedAt = &v.ChangedAt
	}
	return p
}

func (a *Endpoints) promptOf(ctx context.Context, key string) (*promptBody, error) {
	c, err := a.section(key)
	if err != nil {
		return nil, a.Problem(err)
	}
	now, err := a.Prompts.PromptsNow(ctx, auth.User(ctx).ID)
	return &promptBody{shownPrompt(c, now[key])}, a.Problem(err)
}

// setPrompt checks a draft and stores it.
func (a *Endpoints) setPrompt(ctx context.Context, key string, d chat.PromptDraft) (*promptBody, error) {
	if _, err := a.section(key); err != nil {
		return nil, a.Problem(err)
	}
	wanted := d.Content != ""
	d.Content = strings.TrimSpace(strings.ReplaceAll(chat.Clean(d.Content), "\r\n", "\n"))
	d.Label, d.Note = oneLine(d.Label), strings.TrimSpace(chat.Clean(d.Note))
	check := prompt.CheckSection
	if key == chat.PromptSystem {
		check = prompt.CheckSystem
	}
	err := check(d.Content)
	if wanted && d.Content == "" {
		err = fault.Errorf(fault.Invalid, "the text is empty: reset it to have the default")
	}
	if err != nil {
		return nil, a.Problem(err)
	}
	user := auth.User(ctx).ID
	if err := a.Prompts.SetPrompt(ctx, user, key, d, user); err != nil {
		return nil, a.Problem(err)
	}
	return a.promptOf(ctx, key)
}

func oneLine(text string) string { return strings.Join(strings.Fields(chat.Clean(text)), " ") }
