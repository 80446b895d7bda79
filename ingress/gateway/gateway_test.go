package gateway_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"xbot/ingress/gateway"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/i18n"
	"xbot/internal/turn/conversation"
	"xbot/internal/user/links"
	"xbot/internal/user/users"
)

func TestReceive_NothingIsStoredOfWhoIsNotLetIn(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "allowlist", allowFrom: ["ou_1"], groups: {}}}}`)
	require.Equal(t, gateway.ResultRefused, b.Receive(ingresstest.DM("m1", "ou_9", "let me in")).Result)
	require.NotEmpty(t, b.Receive(ingresstest.DM("m2", "ou_8", "let me in")).Reply)
	require.Empty(t, b.Receive(ingresstest.DM("m3", "ou_8", "let me in")).Reply, "they were told")
	e := ingresstest.InGroup("m3", "ou_1", "@bot hi")
	e.Mentioned = true
	out := b.Receive(e)
	require.Equal(t, gateway.Outcome{Result: gateway.ResultRefused}, out, "a group that is not listed is not answered at all")
	for _, table := range []string{"inbox", "identities", "pairings", "overheard"} {
		require.Zero(t, b.Rows(table), table)
	}
	require.Equal(t, 1, b.Rows("sessions"), "the one in which an administrator is told of the group")
}

func TestReceive_AnUnknownPersonWaitsForAnAdministrator(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groupPolicy: "allowlist"}}}`)
	first := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	require.Equal(t, gateway.ResultRefused, first.Result)
	require.Zero(t, b.Rows("inbox"))
	all, err := b.Store.Users.Pairings(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Contains(t, first.Reply, all[0].Code)

	_, err = b.Store.Users.EndPairing(t.Context(), all[0].Code, true, b.Admin.ID)
	require.NoError(t, err)
	second := b.Receive(ingresstest.DM("m2", "ou_1", "hello again"))
	require.Equal(t, gateway.ResultAccepted, second.Result)
	require.Equal(t, chat.SessionKey("agent:main:feishu:dm:ou_1"), second.Session)
	require.Equal(t, "An administrator has given you access.", second.Reply)
	require.Empty(t, b.Receive(ingresstest.DM("m3", "ou_1", "and again")).Reply)

	e := ingresstest.InGroup("m4", "ou_1", "hi")
	e.Mentioned = true
	require.Equal(t, gateway.ResultRefused, b.Receive(e).Result, "the approval opens no group")
	s, owner, err := b.Store.Conversations.Session(t.Context(), second.Session)
	require.NoError(t, err)
	require.Equal(t, chat.Origin{Label: "Name of ou_1", Provider: "feishu", From: "ou_1", To: "ou_1", Name: "Name of ou_1"}, s.Origin)
	user, err := b.Store.Users.UserByID(t.Context(), owner)
	require.NoError(t, err)
	require.Equal(t, "Name of ou_1", user.Name)
	require.False(t, user.Admin)
}

func TestReceive_AStrangerIsAnsweredOnceThenAtMostDaily(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "pairing"}}}`)
	first := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Reply
	require.NotEmpty(t, first)
	for i := range 8 {
		out := b.Receive(ingresstest.DM(fmt.Sprint("again", i), "ou_1", "hello?"))
		require.Equal(t, gateway.Outcome{Result: gateway.ResultRefused}, out)
	}
	all, err := b.Store.Users.Pairings(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Contains(t, first, all[0].Code)

	_, err = b.Pool.Exec(t.Context(), "UPDATE told_once SET told_at = told_at - interval '1 day'")
	require.NoError(t, err)
	_, err = b.Pool.Exec(t.Context(), "UPDATE pairings SET expires_at = now()")
	require.NoError(t, err)
	later := b.Receive(ingresstest.DM("m10", "ou_1", "hello")).Reply
	require.NotEmpty(t, later)
	require.NotEqual(t, first, later, "the code of yesterday is of no use")

	all, err = b.Store.Users.Pairings(t.Context())
	require.NoError(t, err)
	_, err = b.Store.Users.EndPairing(t.Context(), all[0].Code, false, b.Admin.ID)
	require.NoError(t, err)
	require.NotEmpty(t, b.Receive(ingresstest.DM("m11", "ou_1", "hello")).Reply, "who was refused may ask again")
}

func TestReceive_TwoReplicasMakeOneUserAndOneCode(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "pairing"}, open: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	var replies sync.Map
	var results sync.Map
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			out, err := b.Gateways[i%2].Receive(t.Context(), ingresstest.DM("m1", "ou_1", "hello"))
			replies.Store(out.Reply, err)
			e := ingresstest.DM("m1", "ou_2", "hello")
			e.Channel = "open"
			out, err = b.Gateways[i%2].Receive(t.Context(), e)
			results.Store(fmt.Sprint(out.Result, " ", out.Session, " ", out.Inbox, " ", out.Reply), err)
		})
	}
	group.Wait()
	n := 0
	replies.Range(func(reply, err any) bool { n++; require.Nil(t, err); return true })
	require.Equal(t, 1, n, "one code")
	var told []string
	results.Range(func(result, err any) bool {
		told = append(told, result.(string))
		require.Nil(t, err, result)
		return true
	})
	require.Len(t, told, 2, "accepted once, a duplicate otherwise")
	require.Equal(t, 1, b.Rows("inbox"))
	require.Equal(t, 1, b.Rows("sessions"))
	require.Equal(t, 2, b.Rows("users"), "the administrator and the new person")
}

func TestReceive_AGroupBelongsToTheGroup(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	boss, err := b.Store.Users.Person(t.Context(), "feishu", "", "ou_boss", "")
	require.NoError(t, err)
	hash := []byte("code")
	require.NoError(t, b.Store.Links.NewLinkCode(t.Context(), b.Admin.ID, "", hash))
	_, err = b.Store.Links.UseLinkCode(t.Context(), links.Link{Hash: hash, User: boss.ID, Channel: "feishu", Peer: "ou_boss"})
	require.NoError(t, err)

	e := ingresstest.InGroup("m1", "ou_boss", "run ls")
	e.Mentioned = true
	out := b.Receive(e)
	require.Equal(t, gateway.ResultAccepted, out.Result)
	require.Equal(t, chat.SessionKey("agent:main:feishu:group:oc_1"), out.Session)
	owner, err := b.Store.Users.SessionOwner(t.Context(), out.Session)
	require.NoError(t, err)
	require.True(t, owner.Group)
	require.False(t, owner.Admin, "the rights of an administrator who writes are not the group's")
	require.Equal(t, "feishu:group:oc_1", owner.Name)
	scene, err := b.Store.Turns.Scene(t.Context(), out.Session, "")
	require.NoError(t, err)
	require.False(t, scene.Admin)
	require.Equal(t, owner.ID, scene.User, "memory and runner are chosen by this user")

	bang := ingresstest.InGroup("m2", "ou_boss", "!id")
	bang.Mentioned = true
	out = b.Receive(bang)
	cmd, err := b.Store.Turns.Bang(t.Context(), out.Inbox)
	require.NoError(t, err)
	require.Equal(t, owner.ID, cmd.User, "a command in a group runs with the rights of the group")
	s, _, err := b.Store.Conversations.Session(t.Context(), out.Session)
	require.NoError(t, err)
	require.Equal(t, chat.Origin{Label: "The Team", Provider: "feishu", From: "ou_boss", To: "oc_1", Name: "Name of ou_boss", Subject: "The Team"}, s.Origin)
	require.Equal(t, chat.ChatGroup, s.ChatType)
}

func TestReceive_WhatIsNotForTheBotIsContext(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	require.Equal(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m1", "ou_1", "lunch?")).Result)
	require.Equal(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m2", "ou_2", "pizza")).Result)
	require.Zero(t, b.Rows("inbox"))
	require.Equal(t, 1, b.Rows("users")-1, "of those who speak nobody is noted, only the group")
	e := ingresstest.InGroup("m3", "ou_1", "what do they want?")
	e.Mentioned = true
	out := b.Receive(e)
	_, ok, err := b.Store.Turns.Claim(t.Context(), out.Session, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	page, err := b.Store.Conversations.Messages(t.Context(), out.Session, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Len(t, page.Messages, 2)
	require.Equal(t, "[Chat messages since your last reply, for context]\nName of ou_1: lunch?\nName of ou_2: pizza", page.Messages[0].Content)
	require.Equal(t, "Name of ou_1", page.Messages[1].Sender)
	require.Equal(t, gateway.ResultDuplicate, b.Receive(ingresstest.InGroup("m1", "ou_1", "lunch?")).Result, "known after it came into the transcript")
}

func TestReceive_TwoBotsInAGroupAnswerTheirOwn(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	to := func(id, account, text string, mentioned bool) gateway.Outcome {
		e := ingresstest.InGroup(id, "ou_1", text)
		e.Account, e.Mentioned = account, mentioned
		return b.Receive(e)
	}
	one := to("m1", "", "hello one", true)
	require.Equal(t, gateway.ResultAccepted, one.Result)
	require.Equal(t, gateway.ResultOverheard, to("m1", "two2", "hello one", false).Result)
	two := to("m2", "two", "hey two", false)
	require.Equal(t, gateway.ResultAccepted, two.Result, "by its pattern")
	require.Equal(t, gateway.ResultOverheard, to("m2", "", "hey two", false).Result)
	require.Equal(t, chat.SessionKey("agent:main:feishu:group:oc_1"), one.Session)
	require.Equal(t, chat.SessionKey("agent:main:feishu:two:group:oc_1"), two.Session)
}

func TestReceive_ActivationOfAGroupIsForAdministrators(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	e := ingresstest.InGroup("m1", "ou_1", "/activation always")
	require.Equal(t, gateway.ResultIgnored, b.Receive(e).Result)
	require.Equal(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m2", "ou_1", "hello")).Result)
	require.NoError(t, b.Store.Routing.SetSessionActivation(t.Context(), "agent:main:feishu:group:oc_1", "always"))
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.InGroup("m3", "ou_1", "hello")).Result)
	require.Equal(t, gateway.ResultDuplicate, b.Receive(ingresstest.InGroup("m2", "ou_1", "hello")).Result, "overheard before, so not answered now")
}

func TestReceive_RefusalsAreSaidInTheLanguageOfTheSender(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	first := b.Receive(ingresstest.DM("m1", "ou_1", "你好"))
	require.Equal(t, gateway.ResultAccepted, first.Result)
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/session use nope")).Reply, "你没有对话 `nope`")
	require.Equal(t, "此处回答按策略发送。", b.Receive(ingresstest.DM("m3", "ou_1", "/send")).Reply)
	require.NoError(t, b.Store.Turns.SetQueue(t.Context(), first.Session, chat.Queue{Cap: 1}))
	full := b.Receive(ingresstest.DM("m4", "ou_1", "还在吗"))
	require.Equal(t, gateway.ResultRefused, full.Result)
	require.Contains(t, full.Reply, "已有 1 条消息在等待")
}

func TestReceive_MessagesAreEditedAndRecalledWhileTheyWait(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	out := b.Receive(ingresstest.DM("m1", "ou_1", "frist"))
	b.Receive(ingresstest.DM("m2", "ou_1", "a secret"))
	b.Receive(ingresstest.InGroup("m1", "ou_1", "overheard"))
	g := b.Gateways[1]
	change := func(do func() (bool, error)) bool {
		changed, err := do()
		require.NoError(t, err)
		return changed
	}
	require.True(t, change(func() (bool, error) { return g.Edit(t.Context(), ingresstest.DM("m1", "ou_1", "first")) }))
	require.True(t, change(func() (bool, error) { return g.Recall(t.Context(), ingresstest.DM("m2", "ou_1", "")) }))
	require.True(t, change(func() (bool, error) { return g.Recall(t.Context(), ingresstest.InGroup("m1", "ou_1", "")) }))
	require.False(t, change(func() (bool, error) { return g.Edit(t.Context(), ingresstest.DM("m9", "ou_1", "unknown")) }))
	got, ok, err := b.Store.Turns.Claim(t.Context(), out.Session, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "first", got.Text)
	require.False(t, change(func() (bool, error) { return g.Edit(t.Context(), ingresstest.DM("m1", "ou_1", "first")) }), "it has this text")
	page, err := b.Store.Conversations.Messages(t.Context(), out.Session, conversation.Page{Limit: 10})
	require.NoError(t, err)
	require.Empty(t, page.Queued)
	require.Equal(t, gateway.ResultDuplicate, b.Receive(ingresstest.DM("m2", "ou_1", "a secret")).Result, "what was taken back does not come again")
}

func TestReceive_ScopesDoNotShareTheRightsOfAnAdministrator(t *testing.T) {
	b := bridged(t, `{session: {dmScope: "main", identityLinks: {admin: ["feishu:ou_boss"]}}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	boss := b.Receive(ingresstest.DM("m1", "ou_boss", "hello"))
	require.Equal(t, chat.SessionKey("agent:main:main"), boss.Session)
	owner, err := b.Store.Users.SessionOwner(t.Context(), boss.Session)
	require.NoError(t, err)
	require.Equal(t, b.Admin.ID, owner.ID)
	other := b.Receive(ingresstest.DM("m2", "ou_2", "run id"))
	require.Equal(t, chat.SessionKey("agent:main:feishu:dm:ou_2"), other.Session)

	m := bridged2(b, `{session: {dmScope: "main"}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}}}`, "DELETE FROM sessions")
	first := m.Receive(ingresstest.DM("m3", "ou_2", "hello"))
	require.Equal(t, chat.SessionKey("agent:main:main"), first.Session)
	e := ingresstest.DM("m4", "u3", "hello")
	e.Channel = "qq"
	require.Equal(t, first.Session, m.Receive(e).Session, "of those without rights everybody shares it, as was asked for")
}

func bridged2(b *platform, document, statement string) *platform {
	b.T.Helper()
	_, err := b.Pool.Exec(b.T.Context(), statement)
	require.NoError(b.T, err)
	b.SetPolicy(document)
	return b
}

func TestReceive_LinkedPeersShareOneConversation(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	one := b.Receive(ingresstest.DM("m1", "ou_1", "hello"))
	two := b.Receive(onQQ("m1", "hello"))
	require.NotEqual(t, one.Session, two.Session)

	asked := b.Receive(ingresstest.DM("m2", "ou_1", "/link"))
	require.Equal(t, gateway.ResultAnswered, asked.Result)
	require.Regexp(t, "/link [A-HJ-NP-Z2-9]{8}", asked.Reply)
	code := codeIn(asked.Reply)
	done := b.Receive(onQQ("m2", "/link "+code))
	require.Equal(t, gateway.ResultAnswered, done.Result)
	require.Contains(t, done.Reply, "Name of ou_1")
	owner, err := b.Store.Users.SessionOwner(t.Context(), two.Session)
	require.NoError(t, err)
	require.Equal(t, "Name of ou_1", owner.Name)
	require.Contains(t, b.Receive(onQQ("m3", "/link "+code)).Reply, "unknown", "a code is used once")

	b.SetPolicy(`{session: {identityLinks: {robert: ["feishu:ou_1", "qq:u2"]}}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}, qq: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	one, two = b.Receive(ingresstest.DM("m4", "ou_1", "hello")), b.Receive(onQQ("m4", "hello"))
	require.Equal(t, chat.SessionKey("agent:main:dm:robert"), one.Session)
	require.Equal(t, one.Session, two.Session)
	linked, err := b.Store.Users.SessionOwner(t.Context(), one.Session)
	require.NoError(t, err)
	require.Equal(t, owner.ID, linked.ID, "the user that the peers had")
}

func codeIn(reply string) string {
	const marker = "`/link "
	for i := range reply {
		if len(reply) >= i+len(marker)+8 && reply[i:i+len(marker)] == marker {
			return reply[i+len(marker) : i+len(marker)+8]
		}
	}
	return ""
}

func TestReceive_AChatContinuesAnotherConversation(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	home := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session
	require.Contains(t, b.Receive(ingresstest.DM("m2", "ou_1", "/session")).Reply, string(home))
	require.Contains(t, b.Receive(ingresstest.DM("m3", "ou_1", "/session new trip")).Reply, string(home)+":thread:trip")
	trip := b.Receive(ingresstest.DM("m4", "ou_1", "pack what?")).Session
	require.Equal(t, home+":thread:trip", trip)
	list := b.Receive(ingresstest.DM("m5", "ou_1", "/session list")).Reply
	require.Contains(t, list, "`"+string(home)+"`")
	require.Contains(t, list, "`"+string(trip)+"`")
	b.Receive(ingresstest.DM("m6", "ou_1", "/session default"))
	require.Equal(t, home, b.Receive(ingresstest.DM("m7", "ou_1", "hello")).Session)
	b.Receive(ingresstest.DM("m8", "ou_1", "/session use "+string(trip)))
	require.Equal(t, trip, b.Receive(ingresstest.DM("m9", "ou_1", "hello")).Session)

	other := b.Receive(ingresstest.DM("n1", "ou_2", "hello")).Session
	require.Contains(t, b.Receive(ingresstest.DM("n2", "ou_2", "/session use "+string(trip))).Reply, "You have no conversation")
	require.Equal(t, other, b.Receive(ingresstest.DM("n3", "ou_2", "hello")).Session)
}

func TestReceive_WorkIsBoundToItsThread(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {oc_1: {}}, groupScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#work"}}}}}`)
	talk := b.Receive(ingresstest.InGroup("m1", "ou_1", "hello"))
	require.Equal(t, gateway.ResultAccepted, talk.Result, "with a chat scene every message is for the bot")
	start := ingresstest.InGroup("m2", "ou_1", "#work fix the build")
	start.Mentioned = true
	work := b.Receive(start)
	require.Equal(t, gateway.ResultAccepted, work.Result)
	require.NotEqual(t, talk.Session, work.Session)
	s, _, err := b.Store.Conversations.Session(t.Context(), work.Session)
	require.NoError(t, err)
	require.Equal(t, "work", s.Scene)
	require.Equal(t, chat.ChatThread, s.ChatType)

	reply := ingresstest.InGroup("m3", "ou_1", "and the tests")
	reply.Thread, reply.Root, reply.Mentioned = "omt_1", "m2", true
	require.Equal(t, work.Session, b.Receive(reply).Session, "found by the message that began it")
	later := ingresstest.InGroup("m4", "ou_1", "more")
	later.Thread, later.Mentioned = "omt_1", true
	require.Equal(t, work.Session, b.Receive(later).Session, "the thread is known from then on")
	silent := ingresstest.InGroup("m5", "ou_1", "among ourselves")
	silent.Thread = "omt_1"
	require.Equal(t, gateway.ResultOverheard, b.Receive(silent).Result)

	empty := ingresstest.InGroup("m6", "ou_1", "#work")
	empty.Mentioned = true
	made := b.Receive(empty)
	require.Equal(t, gateway.ResultAnswered, made.Result)
	require.Contains(t, made.Reply, string(made.Session))
}

func TestReceive_RefusesMalformedEnvelopes(t *testing.T) {
	b := bridged(t, `{}`)
	for name, spoil := range map[string]func(e *chat.Envelope){
		"own channel": func(e *chat.Envelope) { e.Channel = "web" },
		"bad channel": func(e *chat.Envelope) { e.Channel = "a:b" },
		"no id":       func(e *chat.Envelope) { e.ID = "" },
		"no sender":   func(e *chat.Envelope) { e.Sender.ID = "" },
		"no chat":     func(e *chat.Envelope) { e.ChatType = chat.ChatGroup },
		"thread":      func(e *chat.Envelope) { e.ChatType = chat.ChatThread },
		"NUL":         func(e *chat.Envelope) { e.Sender.ID = "a\x00" },
	} {
		t.Run(name, func(t *testing.T) {
			e := ingresstest.DM("m1", "ou_1", "hi")
			spoil(&e)
			_, err := b.Gateways[0].Receive(t.Context(), e)
			require.True(t, fault.Is(err, fault.Invalid), "%v", err)
		})
	}
}

func TestReceive_OldNamesOfGroupsAreUnderstood(t *testing.T) {
	b := bridged(t, ingresstest.GroupPolicy)
	e := ingresstest.DM("m1", "ou_1", "hi")
	e.Chat, e.Mentioned, e.SentAt = "group:oc_1", true, time.Now()
	require.Equal(t, chat.SessionKey("agent:main:feishu:group:oc_1"), b.Receive(e).Session)
}

func TestReceive_AConversationStartsInTheFolderOfItsAgent(t *testing.T) {
	b := bridged(t, `{
		channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}},
		agents: {list: [{id: "main", default: true}, {id: "ops", workspace: "/srv/ops"}]},
		bindings: [{agentId: "ops", match: {channel: "feishu", peer: {kind: "direct", id: "ou_2"}}}],
	}`)
	for peer, folder := range map[string]string{"ou_1": "", "ou_2": "/srv/ops"} {
		s, _, err := b.Store.Conversations.Session(t.Context(), b.Receive(ingresstest.DM("m1", peer, "hello")).Session)
		require.NoError(t, err)
		require.Equal(t, folder, s.Cwd, peer)
	}
}

func TestReceive_TriggerModesSayWhatIsForTheBot(t *testing.T) {
	type sent struct {
		text      string
		mentioned bool
		want      string // what is accepted; empty: it is context
	}
	for mode, list := range map[string][]sent{
		"at":             {{"hello", true, "hello"}, {"hello", false, ""}, {"!hello", false, ""}},
		"prefix":         {{"!hello", false, "hello"}, {"hello", false, ""}, {"hello", true, ""}},
		"without_prefix": {{"hello", false, "hello"}, {"!hello", false, ""}, {"!hello", true, ""}},
		"all":            {{"hello", false, "hello"}, {"!hello", false, "!hello"}},
	} {
		t.Run(mode, func(t *testing.T) {
			b := bridged(t, fmt.Sprintf(`{channels: {feishu: {groupPolicy: "open", triggerMode: %q, triggerPrefix: "!", groups: {"*": {}}}}}`, mode))
			var context []string
			for i, s := range list {
				e := ingresstest.InGroup(fmt.Sprint("m", i), "ou_1", s.text)
				e.Mentioned = s.mentioned
				out := b.Receive(e)
				if s.want == "" {
					require.Equal(t, gateway.ResultOverheard, out.Result, "%q", s.text)
					context = append(context, s.text)
					continue
				}
				require.Equal(t, gateway.ResultAccepted, out.Result, "%q", s.text)
				var body string
				require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT body FROM inbox WHERE id = $1", out.Inbox).Scan(&body))
				require.Equal(t, s.want, body)
			}
			rows, err := b.Pool.Query(t.Context(), "SELECT body FROM overheard ORDER BY id")
			require.NoError(t, err)
			overheard, err := pgx.CollectRows(rows, pgx.RowTo[string])
			require.NoError(t, err)
			require.ElementsMatch(t, context, overheard, "what is not for the bot is context, and nothing else is")
		})
	}
}

func TestReceive_SaysWhatBecameOfAMessageThatGetsNoTurn(t *testing.T) {
	b := bridged(t, `{messages: {queue: {mode: "followup", cap: 1, drop: "new"}}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	for _, g := range b.Gateways {
		g.Dispatch.Policies = g.Policies
	}
	require.Equal(t, gateway.ResultAccepted, b.Receive(ingresstest.DM("m1", "ou_1", "one")).Result)
	out := b.Receive(ingresstest.DM("m2", "ou_1", "two"))
	require.Equal(t, gateway.ResultDropped, out.Result)
	require.Equal(t, i18n.Say(i18n.English, i18n.DroppedNew, 1), out.Reply)
	require.NotZero(t, out.Inbox)
	var outcome string
	require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT outcome FROM inbox WHERE id = $1", out.Inbox).Scan(&outcome))
	require.Equal(t, "dropped", outcome)

	b.SetPolicy(`{messages: {queue: {mode: "followup", cap: 1, drop: "old"}}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	for _, g := range b.Gateways {
		g.Dispatch.Policies = g.Policies
	}
	out = b.Receive(ingresstest.DM("m3", "ou_1", "three"))
	require.Equal(t, gateway.ResultAccepted, out.Result, "what it took the place of is another message")
	require.Empty(t, out.Reply)
}

func TestReceive_AConversationWorksOnTheRunnerOfItsSceneAsItsNewestMessageFoundIt(t *testing.T) {
	scenes := func(runner string) string {
		return `{channels: {feishu: {dmPolicy: "open", allowFrom: ["*"], privateScenes: {chat: {enabled: true}, work: {enabled: true, runner: "` + runner + `"}}}}}`
	}
	b := bridged(t, scenes("build"))
	runner := func(key chat.SessionKey) string {
		s, _, err := b.Store.Conversations.Session(t.Context(), key)
		require.NoError(t, err)
		return s.Runner
	}
	talk := b.Receive(ingresstest.DM("m1", "ou_1", "hello")).Session
	work := b.Receive(ingresstest.DM("m2", "ou_1", "#work fix the build")).Session
	require.Empty(t, runner(talk))
	require.Equal(t, "build", runner(work))
	for _, now := range []string{"other", ""} {
		b.SetPolicy(scenes(now))
		more := ingresstest.DM("m-"+now, "ou_1", "and the tests")
		more.Root = "m2"
		require.Equal(t, work, b.Receive(more).Session)
		require.Equal(t, now, runner(work))
	}
}

func TestReceive_AMessageOfOneDoesNotLandInTheWorkOfAnother(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {oc_1: {}}, groupScenes: {chat: {enabled: true}, work: {enabled: true, triggerTag: "#work"}}}}}`)
	start := ingresstest.InGroup("m1", "ou_1", "#work fix the build")
	start.Mentioned = true
	work := b.Receive(start).Session
	_, ok, err := b.Store.Turns.Claim(t.Context(), work, "t1", "r1", 0)
	require.NoError(t, err)
	require.True(t, ok, "the work runs")

	other := ingresstest.InGroup("m2", "ou_2", "what is for lunch?")
	other.Thread, other.Root, other.Mentioned = "omt_2", "om_lunch", true
	lunch := b.Receive(other).Session
	require.NotEqual(t, work, lunch, "another person's thread is not that of the work")
	again := ingresstest.InGroup("m3", "ou_2", "and tomorrow?")
	again.Thread, again.Root, again.Mentioned = "omt_2", "om_lunch", true
	require.Equal(t, lunch, b.Receive(again).Session)

	mine := ingresstest.InGroup("m4", "ou_1", "and the tests")
	mine.Thread, mine.Mentioned = "omt_1", true
	require.Equal(t, work, b.Receive(mine).Session, "who began it finds it while nobody knows the thread")
	elsewhere := ingresstest.InGroup("m5", "ou_1", "something else")
	elsewhere.Thread, elsewhere.Mentioned = "omt_3", true
	require.NotEqual(t, work, b.Receive(elsewhere).Session, "its thread is known now, and this is another one")
}

func TestReceive_CommandsThatThereAreNotAreNotAnsweredInGroups(t *testing.T) {
	for name, document := range map[string]string{
		"mentioned": ingresstest.GroupPolicy, "all": `{channels: {feishu: {triggerMode: "all", groups: {oc_1: {}}}}}`,
		"chat": `{channels: {feishu: {groups: {oc_1: {}}, groupScenes: {chat: {enabled: true}}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := bridged(t, document)
			require.Equal(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m1", "ou_1", "/roll 20")).Result, "it is for another bot")
			require.Equal(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m2", "ou_1", "／roll 20")).Result)
			e := ingresstest.InGroup("m3", "ou_1", "/roll 20")
			e.Mentioned = true
			out := b.Receive(e)
			require.Equal(t, gateway.ResultAnswered, out.Result)
			require.Contains(t, out.Reply, "/roll")
			require.NotEqual(t, gateway.ResultOverheard, b.Receive(ingresstest.InGroup("m4", "ou_1", "/session")).Result, "one that there is is for the bot")
			require.Equal(t, gateway.ResultAnswered, b.Receive(ingresstest.InGroup("m5", "ou_1", "／stop")).Result, "with the slash of Chinese input methods too")
		})
	}
}

func TestReceive_WhereEverythingIsHeardTheModelKnowsWhatNamesIt(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {groups: {oc_1: {}}, groupScenes: {chat: {enabled: true}}}}}`)
	one := ingresstest.InGroup("m1", "ou_1", "lunch?")
	two := ingresstest.InGroup("m2", "ou_2", "what time is it?")
	two.Mentioned = true
	for i, e := range []chat.Envelope{one, two} {
		out := b.Receive(e)
		_, ok, err := b.Store.Turns.Claim(t.Context(), out.Session, chat.TurnID(fmt.Sprint("t", i)), "r1", 0)
		require.NoError(t, err)
		require.True(t, ok)
		_, err = b.Store.Turns.FinishTurn(t.Context(), out.Session, chat.TurnID(fmt.Sprint("t", i)), chat.TurnDone, "")
		require.NoError(t, err)
	}
	var prefaces []string
	rows, err := b.Pool.Query(t.Context(), "SELECT preface FROM messages WHERE role = 'user' ORDER BY id")
	require.NoError(t, err)
	prefaces, err = pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Len(t, prefaces, 2)
	require.NotContains(t, prefaces[0], "to you")
	require.Contains(t, prefaces[1], "· to you · from Name of ou_2]")
}

// under is a direct message to one of several apps, by which somebody has an id of their own.
func under(account, id, peer, union, text string) chat.Envelope {
	e := ingresstest.DM(id, peer, text)
	e.Account, e.ChatType, e.Chat, e.Sender.Union = account, chat.ChatDirect, "oc_"+peer, union
	return e
}

func TestReceive_OnePersonUnderTwoAppsOfATenantIsOnePerson(t *testing.T) {
	b := bridged(t, `{session: {dmScope: "per-account-channel-peer"}, channels: {feishu: {dmPolicy: "open", allowFrom: ["*"]}}}`)
	owner := func(out gateway.Outcome) users.User {
		require.Equal(t, gateway.ResultAccepted, out.Result, out.Reply)
		u, err := b.Store.Users.SessionOwner(t.Context(), out.Session)
		require.NoError(t, err)
		return u
	}
	one, two := b.Receive(under("one", "m1", "ou_1", "on_bob", "hello")), b.Receive(under("two", "m2", "ou_2", "on_bob", "hello"))
	require.NotEqual(t, one.Session, two.Session, "each app has its conversation")
	require.Equal(t, owner(one), owner(two))
	require.Equal(t, owner(one), owner(b.Receive(under("two", "m3", "ou_2", "", "it is known by now"))))
	require.NotEqual(t, owner(one).ID, owner(b.Receive(under("two", "m4", "ou_3", "", "nobody says who this is"))).ID)
	require.NotEqual(t, owner(one).ID, owner(b.Receive(under("two", "m5", "ou_4", "on_eve", "somebody else"))).ID)
}

func TestReceive_NothingIsStoredOfWhoIsKnownToAnotherAppAndNotLetInAtThisOne(t *testing.T) {
	b := bridged(t, `{channels: {feishu: {dmPolicy: "allowlist", allowFrom: ["ou_1"]}}}`)
	require.Equal(t, gateway.ResultAccepted, b.Receive(under("one", "m1", "ou_1", "on_bob", "hello")).Result)
	require.Equal(t, gateway.ResultRefused, b.Receive(under("two", "m2", "ou_2", "on_bob", "hello")).Result)
	require.Equal(t, 1, b.Rows("identities"))
}
