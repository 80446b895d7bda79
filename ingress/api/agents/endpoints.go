// Package agents has the endpoints of what agents are told: the roles of subagents and the parts of the system prompt that people have of their own.
package agents

import (
	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api/endpoint"
	"xbot/internal/extension/prompts"
	"xbot/internal/extension/role/rolestore"
	"xbot/internal/llm/catalogue"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/policy"
	"xbot/internal/turn/prompt"
)

// Endpoints are those of this package, with what they need.
type Endpoints struct {
	*endpoint.Base

	RoleStore *rolestore.Store
	Prompts   *prompts.Store
	Roles     prompt.Roles
	Policies  *policy.Live
	Tools     *toolset.Catalog
	Models    *catalogue.Live
	Template  *prompt.Template
}

// Register has the endpoints that need a user.
func (a *Endpoints) Register(h huma.API) {
	a.registerRoles(h)
	a.registerRoleChanges(h)
	a.registerRoleVersions(h)
	a.registerPrompts(h)
	a.registerPromptVersions(h)
}
