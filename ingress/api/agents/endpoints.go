// Package agents has the endpoints of instructions for agents: the roles of subagents and the parts of the system prompt that users have changed.
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

// Endpoints has the endpoints of this package and their dependencies.
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
