package toolset_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
	"xbot/internal/turn/agentprofile"
)

// engine is a source of the tool of a search engine.
type engine struct{ brings }

func (engine) ServesOutside() {}

// house is everything that the conversations of an administrator have.
func house(t *testing.T) *toolset.Catalog {
	t.Helper()
	builtin := []tool.Tool{optional("config", "config", "shows settings"), optional("cron", "Cron", "makes jobs")}
	for _, name := range []string{
		"Read", "FileCreate", "FileReplace", "Glob", "Grep", "todo_write", "todo_list", "offload_recall", "recall_masked", "search_tools", "Fetch", "Shell", "Cd", "logs", "DownloadFile",
		"SubAgent", "AskUser", "Skill", "SendMessage", "memory_write", "memory_search", "soul_read", "soul_write", "task_status", "task_kill", "exit_plan", chat.PlanTool,
	} {
		builtin = append(builtin, core(name))
	}
	return &toolset.Catalog{Builtin: tool.New(builtin...), ActiveTools: &rows{active: []string{"config", "Cron"}}, Settings: &rows{active: []string{"config", "Cron"}}, Sources: []toolset.Source{
		brings{user: 7, tools: []tool.Tool{core("mcp_github_create_issue"), core("WebSearch"), core("feishu_read"), core("plugin_tool"), core("client_open")}},
		engine{brings{user: 7, tools: []tool.Tool{core("WebSearch")}}},
	}}
}

// published is a service with capabilities, as who answers in its conversations.
func published(capabilities ...service.Capability) (service.Service, answeredBy) {
	d := service.Defaults()
	d.Capabilities = capabilities
	s := service.Service{ID: "svc_0a1b2c3d", Definition: d}
	return s, answeredBy(agentprofile.Profile{Agent: s.Agent(), External: agentprofile.External{Outside: true}})
}

func TestCatalog_AConsumerHasTheToolsOfTheServiceAndNoOther(t *testing.T) {
	t.Parallel()
	for _, capabilities := range [][]service.Capability{nil, {service.Web}, service.Capabilities} {
		s, who := published(capabilities...)
		all := house(t)
		all.Profiles = who
		set, err := all.Of(t.Context(), session)
		require.NoError(t, err)
		want := slices.DeleteFunc(s.Tools(), func(name string) bool {
			return name == toolset.Search || !slices.Contains(built(all), name) && name != "WebSearch"
		})
		slices.Sort(want)
		require.Equal(t, want, set.Names(), "%v", capabilities)
		for _, found := range set.Optional() {
			require.Contains(t, s.Tools(), found.Name, "nothing else is to be found")
		}
		for _, name := range append(built(all), "mcp_github_create_issue", "plugin_tool", "feishu_read", "client_open", "webSearch", "Re*d", "*", "") {
			_, ok := set.Get(name)
			require.Equal(t, slices.Contains(want, set.Name(name)), ok, "%q can be called", name)
		}
	}
}

func built(c *toolset.Catalog) (names []string) {
	for _, s := range c.Builtin.Specs() {
		names = append(names, s.Name)
	}
	return names
}

func TestCatalog_WhatAnAdministratorHasConnectedIsNotAskedForAConsumer(t *testing.T) {
	t.Parallel()
	asked := &counting{}
	_, who := published(service.Web)
	all := &toolset.Catalog{Builtin: tool.New(core("Read")), ActiveTools: &rows{}, Settings: &rows{}, Profiles: who, Sources: []toolset.Source{asked}}
	_, err := all.Of(t.Context(), session)
	require.NoError(t, err)
	require.Zero(t, asked.n)
}

// counting counts how often it is asked.
type counting struct{ n int }

func (c *counting) Tools(context.Context, toolset.Place) ([]tool.Tool, error) {
	c.n++
	return []tool.Tool{core("WebSearch")}, nil
}
