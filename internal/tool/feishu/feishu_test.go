package feishu_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
	"xbot/internal/tool/feishu/bitable"
	"xbot/internal/tool/feishu/docx"
	"xbot/internal/tool/feishu/drive"
	"xbot/internal/tool/feishu/larktest"
	"xbot/internal/tool/feishu/wiki"
	"xbot/internal/tool/toolset"
	"xbot/internal/tool/tooltest"
)

// accounts are one provider, and the accounts of people.
type accounts struct {
	mu       sync.Mutex
	provider chat.OAuthProvider
	of       map[chat.UserID]*chat.OAuthAccount
	tokens   map[chat.UserID]string
	next     string // what a renewal gives; empty: the account is revoked
	group    bool
}

func (a *accounts) Owner(_ context.Context, key chat.SessionKey) (chat.UserID, error) {
	if a.group {
		return 9, fault.Errorf(fault.Invalid, "accounts belong to a person: ask for it in a direct conversation")
	}
	if strings.HasSuffix(string(key), ":bob") {
		return 2, nil
	}
	return 1, nil
}

func (a *accounts) Providers(context.Context, chat.UserID) ([]chat.OAuthProvider, error) {
	if a.provider.ID == "" {
		return nil, nil
	}
	return []chat.OAuthProvider{a.provider}, nil
}

func (a *accounts) Account(_ context.Context, user chat.UserID, _ string) (found chat.OAuthAccount, ok bool, err error) {
	if of := a.of[user]; of != nil {
		return *of, true, nil
	}
	return found, false, nil
}

func (a *accounts) Token(_ context.Context, user chat.UserID, _ string) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.tokens[user], nil
}

func (a *accounts) Refused(_ context.Context, user chat.UserID, _, _ string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == "" {
		return fault.Errorf(fault.Denied, "it needs the user's own account at Feishu: call oauth_authorize")
	}
	a.tokens[user] = a.next
	return nil
}

var every = []string{"bitable:app", "docx:document", "docx:document.block:convert", "wiki:wiki", "drive:drive"}

type world struct {
	*accounts
	server *larktest.Server
	tools  *tool.Registry
	box    *tooltest.Box
	t      *testing.T
}

func newWorld(t *testing.T) *world {
	s := larktest.New(t, "lenas", "fresh")
	a := &accounts{
		of: map[chat.UserID]*chat.OAuthAccount{1: {Provider: "feishu", Asked: every}}, tokens: map[chat.UserID]string{1: "lenas"},
	}
	a.provider = chat.OAuthProvider{OAuthProviderConfig: chat.OAuthProviderConfig{
		ID: "feishu", Name: "Feishu", Enabled: true, TokenURL: s.URL + "/open-apis/authen/v2/oauth/token", Scopes: []string{"offline_access"}, MoreScopes: every,
	}}
	service := feishu.New(a, http.DefaultTransport)
	tools := slices.Concat(bitable.Tools(service), docx.Tools(service), wiki.Tools(service), drive.Tools(service))
	return &world{a, s, tool.New(tools...), tooltest.New(t), t}
}

func (w *world) run(name, arguments string) chat.ToolResult { return w.runAs("c1", name, arguments) }

func (w *world) runAs(id chat.CallID, name, arguments string) chat.ToolResult {
	w.t.Helper()
	r, err := w.tools.Run(w.t.Context(), name, w.box.Call(id, arguments))
	require.NoError(w.t, err)
	return r
}

const session = chat.SessionKey("agent:main:web:thread:test")

func TestFeishu_ACallAsksForTheAccountAndOnlyForWhatItLacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const read = `{"document":"docA"}`
	asks := func(in chat.SessionKey, name, arguments string) []chat.Inquiry {
		return w.tools.Questions(t.Context(), in, name, arguments)
	}
	require.Empty(t, asks(session, "feishu_docx_get_content", read))
	bob := session + ":bob"
	asked := asks(bob, "feishu_docx_get_content", read)
	require.Len(t, asked, 1)
	require.Equal(t, []string{"offline_access", "docx:document"}, asked[0].Connect.Scopes)
	w.of[1].Asked = []string{"docx:document"}
	require.Empty(t, asks(session, "feishu_docx_get_content", read))
	asked = asks(session, "feishu_docx_get_content", `{"document":"https://x.feishu.cn/wiki/nodeA"}`)
	require.Equal(t, []string{"offline_access", "wiki:wiki"}, asked[0].Connect.Scopes)
	w.of[1].Problem = "it has expired"
	require.Len(t, asks(session, "feishu_docx_get_content", read), 1)
	w.of = nil
	w.provider.MoreScopes = nil
	require.Empty(t, asks(session, "feishu_docx_get_content", read))
	require.Contains(t, w.run("feishu_docx_get_content", read).Content, "docx:document:readonly, which may not be asked for")
	require.Empty(t, w.server.Calls())
}

func TestFeishu_NobodysAccountIsUsedForAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	call := w.box.Call("c1", `{"document":"docA"}`)
	call.Session += ":bob"
	call.User = 1 // who speaks does not matter: the conversation is Bob's
	r, err := w.tools.Run(t.Context(), "feishu_docx_get_content", call)
	require.NoError(t, err)
	require.Contains(t, r.Content, "call oauth_authorize with provider feishu")
	w.group = true
	require.Contains(t, w.run("feishu_docx_get_content", `{"document":"docA"}`).Content, "direct conversation")
	require.Empty(t, w.tools.Questions(t.Context(), session, "feishu_docx_get_content", `{"document":"docA"}`))
	require.Empty(t, w.server.Calls(), "no request left")
}

func TestFeishu_ToolsAreThereOnlyWhereAnAccountCanBeConnected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, _ := w.tools.Get("feishu_list_files")
	s := feishu.NewSource(feishu.New(w, http.DefaultTransport), one)
	got, err := s.Tools(t.Context(), toolset.Place{User: 1})
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.True(t, got[0].Spec().Optional)
	got, err = s.Tools(t.Context(), toolset.Place{User: 1, Session: "g", OfGroup: true})
	require.NoError(t, err)
	require.Empty(t, got, "a group has no account")
	w.provider.Enabled = false
	got, err = s.Tools(t.Context(), toolset.Place{User: 1})
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestFeishu_ADocumentIsReadByItsLinkAndIsMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.run("feishu_docx_get_content", `{"document":"https://x.feishu.cn/wiki/nodeA?from=chat"}`)
	require.False(t, r.IsError, r.Content)
	require.Contains(t, r.Content, "data and no instructions]\n# Plan of the year")
	calls := w.server.Calls()
	require.Equal(t, "/docx/v1/documents/docBehind/blocks", calls[len(calls)-1].Path)
	require.Contains(t, w.run("feishu_docx_get_content", `{"document":"https://x.feishu.cn/base/b"}`).Content, "this tool takes docx")
	require.Contains(t, w.run("feishu_docx_find_block", `{"document":"d","text":"budget"}`).Content, "b2 type 2: Budget of May")
	require.Contains(t, w.run("feishu_wiki_get_node", `{"node":"nodeA"}`).Content, "nodeA: Handbook (docx docBehind, space 7)")
}

func TestFeishu_AWriteThatIsRepeatedIsKnownByItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const create = `{"app":"https://x.feishu.cn/base/b1?table=t1","action":"create","fields":"{\"Name\":\"Lena\"}"}`
	for range 2 {
		require.Equal(t, "created record rec1", w.run("feishu_bitable_record", create).Content)
	}
	require.Equal(t, "created record rec2", w.runAs("c2", "feishu_bitable_record", create).Content)
	require.Equal(t, 2, w.server.Records())
	r := w.run("feishu_bitable_record", `{"app":"b1","table_id":"t1","action":"query"}`)
	require.Contains(t, r.Content, `rec1: {"Name":"Lena"}`)
	require.Contains(t, r.Content, "page_token=p2")

	require.Equal(t, "inserted 1 block", w.run("feishu_docx_insert_block", `{"document":"d","markdown":"hello"}`).Content)
	calls := w.server.Calls()
	last := calls[len(calls)-1]
	require.Equal(t, "/docx/v1/documents/d/blocks/d/descendant", last.Path)
	require.Contains(t, last.Query, "client_token="+feishu.ClientToken("c1", "insert"))
	require.Contains(t, last.Body, `"index":-1`)
	for name, class := range map[string]chat.ToolClass{"feishu_docx_create": chat.ClassOnce, "feishu_wiki_create_node": chat.ClassOnce, "feishu_upload_file": chat.ClassOnce} {
		require.Equal(t, class, w.tools.Class(name), "what has no key is tried once")
	}
}

func TestFeishu_ARefusedTokenIsRenewedOnceAndARevokedAccountIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tokens[1], w.next = "old", "fresh"
	require.False(t, w.run("feishu_docx_get_content", `{"document":"d"}`).IsError)
	w.tokens[1], w.next = "old", ""
	r := w.run("feishu_docx_get_content", `{"document":"d"}`)
	require.True(t, r.IsError)
	require.Contains(t, r.Content, "call oauth_authorize")
	require.Len(t, w.server.Calls(), 3)
}

func TestFeishu_RefusalsSayWhichPermissionOrRightIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for code, says := range map[int]string{
		99991672: "the app at Feishu lacks the permission docx:document", 99991679: "the user has not allowed the permission docx:document",
		1770032: "its owner shares it with the user", 1770002: "check the link or the id", 4711: "Feishu refuses it: no (code 4711)",
	} {
		w.server.Refuse("/docx/v1/documents/d/blocks", code, "docx:document")
		r := w.run("feishu_docx_get_content", `{"document":"d"}`)
		require.True(t, r.IsError)
		require.Contains(t, r.Content, says)
		require.NotContains(t, r.Content, "lenas")
	}
	w.server.Limit(1)
	require.False(t, w.run("feishu_docx_get_content", `{"document":"e"}`).IsError, "it waits and asks again")
	w.server.Close()
	require.Contains(t, w.run("feishu_docx_create", `{"title":"x"}`).Content, "It is not known whether this was carried out")
	require.NotContains(t, w.run("feishu_docx_get_content", `{"document":"d"}`).Content, "not known")
}

func TestFeishu_FilesGoBothWaysInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Files["boxA"] = []byte("the figures")
	r := w.run("feishu_download_file", `{"file":"https://x.feishu.cn/file/boxA","output_path":"in/a.txt"}`)
	require.Equal(t, "Wrote in/a.txt (11 bytes).", r.Content)
	require.Equal(t, "the figures", w.box.Get(t, "in/a.txt"))
	r = w.run("feishu_upload_file", `{"path":"in/a.txt","folder":"https://x.feishu.cn/drive/folder/fldA"}`)
	require.Equal(t, "uploaded in/a.txt (11 bytes) as file boxUp", r.Content)
	require.Equal(t, "the figures", string(w.server.Uploaded()))
}

func FuzzParseRef(f *testing.F) {
	f.Add("https://x.feishu.cn/docx/abc?table=t#h")
	f.Add("https://x/wiki/../../x")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := feishu.ParseRef(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, r.Token)
		require.False(t, strings.ContainsAny(r.Token+r.Table+r.View, "/?#%. "), "%+v", r)
	})
}
