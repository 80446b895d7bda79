package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/turn/policy"
)

func faults(t *testing.T, text string) []string {
	t.Helper()
	p, _, err := policy.Parse([]byte(text))
	require.Error(t, err, text)
	require.Nil(t, p)
	require.True(t, fault.Is(err, fault.Invalid))
	return policy.FaultsOf(err)
}

func TestParse_NamesEveryFaultAtOnce(t *testing.T) {
	require.Equal(t, []string{
		`agents.list[0].memmory: is not known; did you mean memory?`,
		`channels.feishu.allowFrom[0]: a text is expected: put the number between quotes, as it may be longer than numbers are exact`,
		`channels.feishu.dmpolicy: is not known; did you mean dmPolicy?`,
		`gateway: is not known; known here: agents, bindings, channels, cron, defaultModel, disabledSkills, language, limits, memory, messages, models, permissions, runners, session, tiers`,
		`messages.queue: an object { … } is expected, not a text`,
		`session.identityLinks.alice: a list [ … ] is expected, not a text`,
		`session.reset.atHour: a whole number up to 2147483647 is expected`,
		`session.reset.idleMinutes: a number is expected, not a text`,
	}, faults(t, `{
		gateway: {port: 1}, session: {reset: {atHour: 4.5, idleMinutes: "30"}, identityLinks: {alice: "telegram:1"}},
		agents: {list: [{id: "ops", memmory: "own"}]}, messages: {queue: "steer"}, channels: {feishu: {dmpolicy: "open", allowFrom: [123456789012345678]}},
	}`))
	require.Equal(t, []string{
		`session.dmScope: "per-channel" is not known; did you mean "per-channel-peer"?`,
		`session.identityLinks.bob[0]: telegram:1 belongs to alice already`,
		`session.identityLinks.bob[1]: "ou_b" is not of the form channel:id, such as telegram:123456789`,
		`session.reset.idleMinutes: mode idle needs it`,
		`session.resetByType.thred: "thred" is not known; did you mean "thread"?`,
		`session.resetByType.thred.timezone: "Europe/Berln" is not known; write a name such as Europe/Berlin or Asia/Shanghai`,
		`messages.queue.mode: "ster" is not known; did you mean "steer"?`,
		`messages.queue.cap: -1 is not between 1 and 1000`,
		`agents.list[1].id: there are two agents "ops"`,
		`bindings[0].agentId: "opps" is not known; did you mean "ops"?`,
		`models[0].apiKeyEnv: this is no name of a variable; write one such as MY_LLM_KEY, and put the key into that variable of the worker. A key that was written here should be changed`,
		`channels.feishu.allowFrom: "*" lets everybody in: say dmPolicy: "open" as well, or name the people`,
		`channels.feishu.triggerPrefix: trigger mode prefix needs it`,
		`channels.feishu.accounts.two.mentionPatterns[0]: "(" is not a regular expression (RE2): error parsing regexp: missing closing ): ` + "`(?i)(`",
	}, faults(t, `{
		session: {
			dmScope: "per-channel", identityLinks: {alice: ["telegram:1"], bob: ["telegram:1", "ou_b"]},
			reset: {mode: "idle"}, resetByType: {thred: {timezone: "Europe/Berln"}},
		},
		messages: {queue: {mode: "ster", cap: -1}}, agents: {list: [{id: "ops"}, {id: "ops"}]}, bindings: [{agentId: "opps", match: {channel: "qq"}}],
		models: [{id: "openai/gpt-5", apiKeyEnv: "0b8a2f64c1d94f7f9f2f"}],
		channels: {feishu: {allowFrom: ["*"], triggerMode: "prefix", accounts: {two: {allowFrom: [], triggerMode: "at", mentionPatterns: ["("]}}}},
	}`))
}

func TestParse_SaysWhereATextIsNoJSON5(t *testing.T) {
	require.Equal(t, []string{`line 3, column 11: this is not JSON5: invalid character ']' after object key:value pair`}, faults(t, "{\n  session: {\n    a: 'x']\n}"))
	require.Contains(t, faults(t, "[]")[0], "the document: an object { … } is expected, not a list")
	require.Contains(t, faults(t, "{session: null}")[0], "session: an object { … } is expected, not null")
	_, _, err := policy.Parse([]byte(strings.Repeat(" ", policy.MaxBytes+1)))
	require.True(t, fault.Is(err, fault.TooLarge))
}

func TestParse_RefusesSecretsWithoutRepeatingThem(t *testing.T) {
	for _, secret := range []string{
		"sk-proj-abcdefghijklmnop1234", "ghp_abcdefghijklmnopqrst1234", "AKIAABCDEFGHIJKLMNOP", "https://me:hunter2hunter2@api.example.org/v1",
		"https://api.example.org/v1?api_key=hunter2hunter2", "Bearer hunter2hunter2hunter2",
	} {
		for _, text := range []string{
			`{models: [{id: "a/b", baseUrl: "` + secret + `"}]}`, `{models: [{id: "a/b", apiKeyEnv: "` + secret + `"}]}`,
			`{agents: {list: [{id: "a", prompt: "use ` + secret + `"}]}}`,
		} {
			if strings.Contains(text, "use http") {
				continue // an address inside a sentence is read by nobody
			}
			got := strings.Join(faults(t, text), "\n")
			require.Contains(t, got, "secrets do not stand in the policy")
			require.NotContains(t, got, secret)
			require.NotContains(t, got, "hunter2")
		}
	}
	for _, text := range []string{`{models: [{id: "a/b", apiKey: "hunter2"}]}`, `{channels: {feishu: {app_secret: "hunter2"}}}`} {
		got := strings.Join(faults(t, text), "\n")
		require.Contains(t, got, "keys do not stand in the policy")
		require.NotContains(t, got, "hunter2")
	}
	for _, key := range []string{"0b8a2f64c1d94f7f9f2f3a8e", "QUFBQUFBQUFBQUFBQUFBQUFBQUFB", "mykey", "MY KEY", "$MY_KEY"} {
		got := strings.Join(faults(t, `{models: [{id: "a/b", apiKeyEnv: "`+key+`"}]}`), "\n")
		require.Contains(t, got, "this is no name of a variable")
		require.NotContains(t, got, `"`+key)
	}
	p := parse(t, `{models: [{id: "a/b", apiKeyEnv: "SECOND_PROVIDER_API_KEY_FOR_TESTS"}, {id: "a/c", apiKeyEnv: "OPENAIKEY"}]}`)
	require.Len(t, p.Models, 2)
}

func TestParse_NotesWhatIsWorthASecondThought(t *testing.T) {
	for text, want := range map[string]string{
		`{session: {idleMinutes: 30}}`:                                   `session.idleMinutes: alone is the older form of reset: { mode: "idle", idleMinutes: 30 }`,
		`{session: {idleMinutes: 30, reset: {mode: "daily"}}}`:           `session.idleMinutes: has no effect beside reset and resetByType: write idleMinutes into them`,
		`{session: {reset: {mode: "idle", idleMinutes: 1, atHour: 4}}}`:  `session.reset.atHour: has no effect with mode idle; mode daily with idleMinutes has both`,
		`{session: {dmScope: "per-peer"}}`:                               `session.dmScope: per-peer: the same id on two channels is taken for the same person; per-channel-peer keeps them apart`,
		`{session: {scope: "global"}}`:                                   `session.scope: global: everybody, and every group, shares one conversation and reads what others wrote in it`,
		`{channels: {qq: {dmPolicy: "open"}}}`:                           `channels.qq.dmPolicy: open: everybody who finds the bot can use it`,
		`{channels: {qq: {groupAllowFrom: ["1"]}}}`:                      `channels.qq.groupAllowFrom: has no effect without groups: list them, or write groups: { "*": {} }`,
		`{channels: {qq: {groupScenes: {chat: {triggerTag: "#x"}}}}}`:    `channels.qq.groupScenes.chat.triggerTag: has no effect: only work is begun by a tag`,
		`{bindings: [{agentId: "main", match: {}}]}`:                     `bindings[0].match: is empty: it meets every message that no other binding meets`,
		`{channels: {qq: {accounts: {two: {dmPolicy: "allowlist"}}}}}`:   `channels.qq.accounts.two.allowFrom: is empty: nobody can write to the bot directly`,
		`{channels: {qq: {groupPolicy: "open", groups: {"*": {}}}}}`:     `channels.qq.groupPolicy: open: whoever adds the bot to a group can use it there`,
		`{session: {resetByType: {dm: {mode: "idle", idleMinutes: 9}}}}`: `session.resetByType.dm: is the older name of direct`,
		`{session: {reset: {mode: "none", idleMinutes: 9}}}`:             `session.reset: mode none: the hour and the idle minutes have no effect`,
	} {
		_, notes, err := policy.Parse([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, []string{want}, notes, text)
	}
}

func TestJSON_IsReadAsWhatWasWritten(t *testing.T) {
	for _, file := range []string{"testdata/session.json5", "testdata/sendpolicy.json5"} {
		p, notes := load(t, file)
		again, notesAgain, err := policy.Parse(p.JSON())
		require.NoError(t, err)
		require.Equal(t, p, again)
		require.Equal(t, notes, notesAgain)
		require.Equal(t, string(p.JSON()), string(again.JSON()))
	}
	require.Equal(t, "{}\n", string((&policy.Policy{}).JSON()))
	p := parse(t, `{channels: {qq: {allowFrom: ["a"], accounts: {two: {allowFrom: []}}}}}`)
	require.Contains(t, string(p.JSON()), `"allowFrom": []`, "an empty list takes the list of the channel away")
}

func TestParse_AnEmptyTextIsTheDefault(t *testing.T) {
	for _, text := range []string{"", " \n", "{}", "// nothing yet\n{}", "\ufeff{}"} {
		p, notes, err := policy.Parse([]byte(text))
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Equal(t, &policy.Policy{}, p)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{session: {reset: {mode: "daily", atHour: 4}}}`, `{channels: {qq: {groups: {"*": {}}}}} // end`, `{models: [{id: 'a/b', maxContext: 0x10}]}`,
		`{session: {resetTriggers: ['\x41', "\u4f60", 'a\
b']}}`, `{limits: {turns: +1.e1, llm: {global: Infinity}}}`, `[[[[`, `{a: -0x, b: .}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, _, err := policy.Parse(text)
		if err != nil {
			if len(policy.FaultsOf(err)) == 0 {
				t.Fatal("an error without a sentence")
			}
			return
		}
		again, _, err := policy.Parse(p.JSON())
		if err != nil || string(again.JSON()) != string(p.JSON()) {
			t.Fatalf("%s\nis read as\n%s\n%v", text, p.JSON(), err)
		}
	})
}

func TestParse_TakesNamesInSnakeCase(t *testing.T) {
	snake, notes, err := policy.Parse([]byte(`{channels: {feishu: {trigger_mode: "at", trigger_prefix: "x", immediate_feedback_mode: "reply", dm_policy: "allowlist", allow_from: ["ou_1"],
		groups: {oc_a_b: {require_mention: false}}, group_scenes: {
			chat: {enabled: true, llm_profile: "small", no_reply_token: "[[q]]", create_feishu_thread: false, disable_identity_hints: true},
			work: {enabled: true, trigger_tag: "#do", create_feishu_thread: true}}}}}`))
	require.NoError(t, err)
	require.Empty(t, notes)
	camel, _, err := policy.Parse([]byte(`{channels: {feishu: {triggerMode: "at", triggerPrefix: "x", immediateFeedbackMode: "reply", dmPolicy: "allowlist", allowFrom: ["ou_1"],
		groups: {oc_a_b: {requireMention: false}}, groupScenes: {
			chat: {enabled: true, model: "small", noReplyToken: "[[q]]", createThread: false, disableIdentityHints: true},
			work: {enabled: true, triggerTag: "#do", createThread: true}}}}}`))
	require.NoError(t, err)
	require.Equal(t, camel.JSON(), snake.JSON())
	_, _, err = policy.Parse([]byte(`{channels: {feishu: {trigger_mode: "at", triggerMode: "all"}}}`))
	require.ErrorContains(t, err, "channels.feishu.trigger_mode: is the same as triggerMode")
	_, _, err = policy.Parse([]byte(`{channels: {feishu: {triger_mode: "at"}}}`))
	require.ErrorContains(t, err, "channels.feishu.triger_mode: is not known")
}
