package agents

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/ingress/auth"
	"xbot/internal/chat"
)

// PromptVersionsBody lists versions.
type PromptVersionsBody struct {
	Versions []chat.PromptVersion `json:"versions" doc:"The newest first, which is in force; without their texts."`
}

// PromptVersionPath names the version of a request.
type PromptVersionPath struct {
	PromptPath

	Version int `path:"version" minimum:"1" maximum:"1000000000"`
}

// PromptRemark gives a version another label or note; omitted fields stay.
type PromptRemark struct {
	Label *string `json:"label,omitempty" minLength:"1" maxLength:"60"`
	Note  *string `json:"note,omitempty" maxLength:"500"`
}

// PromptRollback names the version that comes back.
type PromptRollback struct {
	To      int `json:"to" minimum:"1" maximum:"1000000000" doc:"The version to restore."`
	Version int `json:"version" minimum:"1" maximum:"1000000000" doc:"The version that is in force now."`
}

type versionBody struct{ Body chat.PromptVersion }

func (a *Endpoints) registerPromptVersions(h huma.API) {
	const root, one = "/api/prompts/{section}/versions", "/api/prompts/{section}/versions/{version}"
	huma.Register(h, huma.Operation{
		OperationID: "list-prompt-versions", Method: http.MethodGet, Path: root, Summary: "List the versions of a section of your system prompt",
		Description: "The last 200 versions.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ PromptPath }) (*struct{ Body PromptVersionsBody }, error) {
		if _, err := a.section(in.Section); err != nil {
			return nil, a.Problem(err)
		}
		versions, err := a.Prompts.PromptVersions(ctx, auth.User(ctx).ID, in.Section)
		return &struct{ Body PromptVersionsBody }{PromptVersionsBody{versions}}, a.Problem(err)
	})
	huma.Register(h, huma.Operation{OperationID: "get-prompt-version", Method: http.MethodGet, Path: one, Summary: "Get a version of a section of your system prompt", Security: endpoint.Secured},
		func(ctx context.Context, in *struct{ PromptVersionPath }) (*versionBody, error) {
			return a.version(ctx, in.PromptVersionPath)
		})
	huma.Register(h, huma.Operation{OperationID: "note-prompt-version", Method: http.MethodPatch, Path: one, Summary: "Set the label or note of a prompt version", Security: endpoint.Secured},
		func(ctx context.Context, in *struct {
			PromptVersionPath

			Body PromptRemark
		}) (*versionBody, error) {
			label, note := in.Body.Label, in.Body.Note
			if label != nil {
				label = new(oneLine(*label))
			}
			if note != nil {
				note = new(strings.TrimSpace(chat.Clean(*note)))
			}
			if err := a.Prompts.NotePrompt(ctx, auth.User(ctx).ID, in.Section, in.Version, label, note); err != nil {
				return nil, a.Problem(err)
			}
			return a.version(ctx, in.PromptVersionPath)
		})
	huma.Register(h, huma.Operation{
		OperationID: "delete-prompt-version", Method: http.MethodDelete, Path: one, Summary: "Delete a version of a prompt",
		Description: "409: this version is in force, or one of your services uses it.", DefaultStatus: http.StatusNoContent, Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct{ PromptVersionPath }) (*struct{}, error) {
		return nil, a.Problem(a.Prompts.DeletePromptVersion(ctx, auth.User(ctx).ID, in.Section, in.Version))
	})
	huma.Register(h, huma.Operation{
		OperationID: "roll-prompt-back", Method: http.MethodPost, Path: "/api/prompts/{section}/rollback", Summary: "Restore an earlier version of a prompt",
		Description: "Creates a new version. 409: the prompt was changed in the meantime.", Security: endpoint.Secured,
	}, func(ctx context.Context, in *struct {
		PromptPath

		Body PromptRollback
	}) (*promptBody, error) {
		was, err := a.Prompts.PromptVersion(ctx, auth.User(ctx).ID, in.Section, in.Body.To)
		if err != nil {
			return nil, a.Problem(err)
		}
		return a.setPrompt(ctx, in.Section, chat.PromptDraft{Content: was.Content, Beside: was.Beside, Note: strings.TrimSpace(was.Label + " " + was.Note), From: in.Body.Version})
	})
}

func (a *Endpoints) version(ctx context.Context, in PromptVersionPath) (*versionBody, error) {
	v, err := a.Prompts.PromptVersion(ctx, auth.User(ctx).ID, in.Section, in.Version)
	return &versionBody{v}, a.Problem(err)
}
