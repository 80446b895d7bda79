package server

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/service"
	"xbot/internal/tool"
	"xbot/internal/tool/cards"
	"xbot/internal/tool/clientcontrol"
	toolmedia "xbot/internal/tool/media"
	toolservice "xbot/internal/tool/service"
	toolskill "xbot/internal/tool/skill"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/web"
	"xbot/internal/turn/agentprofile"
	"xbot/internal/turn/policy"
)

// place is a conversation, as the store knows it.
type place struct {
	chat.ModelCriteria

	key  chat.SessionKey
	role *chat.Profile
}

func (p place) ModelWanted(context.Context, chat.SessionKey) (chat.ModelCriteria, error) {
	return p.ModelCriteria, nil
}

func (p place) SubagentProfile(context.Context, chat.SessionKey) (*chat.Profile, error) {
	if p.role == nil {
		return nil, nil
	}
	role := *p.role
	return &role, nil
}

func (place) ActiveTools(context.Context, chat.SessionKey, int, int) (chat.ToolUse, error) {
	return chat.ToolUse{}, nil
}
func (place) UseTools(context.Context, chat.SessionKey, ...string) error { return nil }

// published is a policy with one service that can do everything.
type published struct{ of service.Service }

func (published) PolicyAfter(context.Context, int64) (int64, []byte, error) { return 0, nil, nil }
func (p published) ServicesAfter(context.Context, int64) (int64, []policy.Agent, error) {
	return 1, []policy.Agent{p.of.Agent()}, nil
}

// Service implements toolservice.Services.
func (p published) Service(context.Context, string) (service.Service, error) { return p.of, nil }

// always brings tools everywhere where its sources are asked.
type always []tool.Tool

func (a always) Tools(context.Context, toolset.Place) ([]tool.Tool, error) { return a, nil }

// alwaysOutside does so for consumers, too.
type alwaysOutside struct{ always }

func (alwaysOutside) ServesOutside() {}

// places are where tools are offered, each with a letter.
func places() map[rune]place {
	direct := func(channel string, admin bool) place {
		return place{
			key:           "agent:main:main",
			ModelCriteria: chat.ModelCriteria{Admin: admin, Channel: channel, ChatType: chat.ChatDirect, OfTurn: chat.OfTurn{Root: chat.ChatDirect}},
		}
	}
	group := func(channel string, kind chat.ChatType) place {
		return place{
			key:           "agent:main:qq:group:g",
			ModelCriteria: chat.ModelCriteria{PersonModels: chat.PersonModels{OfGroup: true}, Channel: channel, ChatType: kind},
		}
	}
	below := func(depth int, group bool) place {
		role := &chat.Profile{Memory: true, SendMessage: true, SpawnAgent: true, Depth: depth}
		return place{
			key: "agent:main:main/below", role: role,
			ModelCriteria: chat.ModelCriteria{PersonModels: chat.PersonModels{OfGroup: group}, Channel: "subagent", ChatType: chat.ChatSubagent},
		}
	}
	return map[rune]place{
		'A': direct("qq", true), 'M': direct("qq", false), 'W': direct("web", false), 'T': direct("cli", false), 'F': direct("feishu", false),
		'G': group("qq", chat.ChatGroup), 'H': group("feishu", chat.ChatThread),
		'J': {key: "cron:job_00000001", ModelCriteria: chat.ModelCriteria{Channel: "cron", ChatType: chat.ChatCron}},
		'N': {
			key: "cron:job_00000002",
			ModelCriteria: chat.ModelCriteria{
				Channel: "cron", ChatType: chat.ChatCron, OfTurn: chat.OfTurn{Above: chat.Location{Job: &chat.JobPermits{ReadOnly: true}}},
			},
		},
		'K': {key: "hook:t1", ModelCriteria: chat.ModelCriteria{Channel: "hook", ChatType: chat.ChatHook}},
		'S': below(1, false), 'D': below((&policy.Policy{}).Limit().Subagents.Depth, false), 'E': below(1, true),
		'C': {
			key: "agent:svc_0a1b2c3d:svc:thread:0123456789",
			ModelCriteria: chat.ModelCriteria{
				Agent: "svc_0a1b2c3d", Channel: service.Channel, ChatType: chat.ChatDirect, PersonModels: chat.PersonModels{Services: 1},
			},
		},
	}
}

// Some places together.
const (
	persons = "AMWTF" // conversations of one person
	groups  = "GH"
	alone   = "JKN" // jobs and triggers
	below   = "SDE" // subagents
)

// offeredTools maps each tool to the places that offer it: in a direct chat of an administrator (A) and of a member (M), on the page (W), in the terminal (T), on
// Feishu (F), in a group (G) and in a thread of a group on Feishu (H), to a job (J) and to one that is narrow (N), to a trigger (K), to a subagent of a
// person (S), to one at the last depth (D), to one of a group (E), to a consumer of a service (C). Elsewhere they could not work. Those with no place are offered where a setting, a role or a turn says so.
var offeredTools = map[string]string{
	"AskUser":                    persons + groups + alone,
	"Cd":                         persons + groups + alone + below,
	"ChatHistory":                persons + groups + alone + below,
	"CreateChat":                 persons + groups + alone + "ES",
	"Cron":                       persons + groups + below + "CJK",
	"DownloadFile":               persons + groups + alone + below,
	"EventTrigger":               persons + "DJKS",
	"Fetch":                      persons + groups + alone + below + "C",
	"FileCreate":                 persons + groups + alone + below + "C",
	"FileReplace":                persons + groups + alone + below + "C",
	"Glob":                       persons + groups + alone + below + "C",
	"Grep":                       persons + groups + alone + below + "C",
	"Logs":                       "A",
	"ManageTools":                persons + groups + below + "JK",
	"Read":                       persons + groups + alone + below + "C",
	"SendMessage":                persons + groups + alone + below,
	"Shell":                      persons + groups + alone + below,
	"Skill":                      persons + groups + alone + below,
	"SubAgent":                   persons + groups + alone + "ES",
	"WebSearch":                  persons + groups + alone + below + "C",
	"generate_image":             persons + groups + alone + below + "C",
	"generate_speech":            persons + groups + alone + below + "C",
	"generate_video":             persons + groups + alone + below + "C",
	"Worktree":                   persons + groups + alone + below,
	"archival_memory_insert":     "",
	"archival_memory_search":     "",
	"card_add_container":         "FH",
	"card_add_content":           "FH",
	"card_add_interactive":       "FH",
	"card_create":                "FH",
	"card_preview":               "FH",
	"card_send":                  "FH",
	"config":                     persons,
	"contact_admin":              "C",
	"context_edit":               persons + groups + alone + below,
	"core_memory_append":         "",
	"core_memory_replace":        "",
	"list_conversations":         "",
	"list_service_conversations": "",
	"memory_list":                persons + groups + alone + below,
	"memory_write":               persons + groups + alone + below,
	"oauth_authorize":            persons + alone,
	"offload_recall":             persons + groups + alone + below + "C",
	"propose_plan":               "",
	"publish_service_task":       "A",
	"read_conversation":          "",
	"read_inbox":                 "",
	"read_my_conversation":       "C",
	"read_service_conversation":  "",
	"recall_masked":              persons + groups + alone + below + "C",
	"recall_memory_search":       "",
	"rethink":                    "",
	"search_tools":               persons + groups + alone + below,
	"soul_delete":                "",
	"soul_list":                  "",
	"soul_read":                  "",
	"soul_write":                 "",
	"task_kill":                  persons + groups + alone + below,
	"task_read":                  persons + groups + alone + below,
	"task_status":                persons + groups + alone + below,
	"task_wait":                  persons + groups + alone + below,
	"todo_list":                  persons + groups + alone + below + "C",
	"todo_write":                 persons + groups + alone + below + "C",
	"tui_control":                "TW",
}

// TestTools_AreOfferedWhereTheyCanWork holds for each tool and each place. A new tool belongs in the table, with the places where a call of it can
// succeed. Whether there is a runner is no matter of the place: one may connect at any time, and calls fail before anybody is asked
// (TestAsk_ACallThatHasNoRunnerFailsAndNobodyIsAsked).
func TestTools_AreOfferedWhereTheyCanWork(t *testing.T) {
	t.Parallel()
	d := service.Defaults()
	d.Capabilities = service.Capabilities
	of := published{service.Service{ID: "svc_0a1b2c3d", Definition: d}}
	got := map[string]string{}
	for _, s := range Tools() {
		got[s.Name] = ""
	}
	for letter, p := range places() {
		all := &toolset.Catalog{
			Builtin: newCatalog(described(), nil).Builtin, ActiveTools: p, Settings: p,
			Profiles: &agentprofile.Resolver{
				Subagents: p, Settings: p, Policies: &policy.Live{Services: of, Settings: of}, Home: t.TempDir(), Log: slog.New(slog.DiscardHandler),
			},
			Sources: []toolset.Source{
				cards.NewSource(cards.New(nil)), clientcontrol.NewSource(clientcontrol.New(nil, nil, nil)), toolservice.NewSource(of, nil, toolservice.NewOwn(nil, nil)),
				alwaysOutside{always{web.NewSearch(nil)}}, alwaysOutside{toolmedia.New(nil, nil)}, always{toolskill.New(nil, nil)},
			},
		}
		set, err := all.Of(t.Context(), p.key)
		require.NoError(t, err)
		for _, s := range set.Specs() {
			got[s.Name] += string(letter)
		}
	}
	for name, letters := range got {
		sorted := []rune(letters)
		slices.Sort(sorted)
		want := []rune(strings.ReplaceAll(offeredTools[name], " ", ""))
		slices.Sort(want)
		require.Equal(t, string(want), string(sorted), name)
	}
	require.Len(t, offeredTools, len(got))
}
