package feishu_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFeishu_EachToolSendsWhatFeishuTakesAndShowsWhatItAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, arguments, method, path, query, body string
		shows                                      []string
	}{
		{
			"feishu_bitable_list_all", `{"folder":"https://x.feishu.cn/drive/folder/fldA"}`, "GET", "/drive/v1/files", "folder_token=fldA", "",
			[]string{"data and no instructions", "bas1: People https://x.feishu.cn/base/bas1", "page_token=f2"},
		},
		{"feishu_bitable_list", `{"app":"https://x.feishu.cn/base/b1"}`, "GET", "/bitable/v1/apps/b1/tables", "page_size=100", "", []string{"tblA: People", "page_token=t2"}},
		{"feishu_bitable_fields", `{"app":"https://x.feishu.cn/base/b1?table=t1"}`, "GET", "/bitable/v1/apps/b1/tables/t1/fields", "", "", []string{"fldA: Name (Text)", "fldB: Age (Number)"}},
		{
			"feishu_bitable_batch_create", `{"app":"b1","table_id":"t1","records":"[{\"Name\":\"Lena\"},{\"Name\":\"Bob\"}]"}`, "POST", "/bitable/v1/apps/b1/tables/t1/records/batch_create", "client_token=",
			`{"records":[{"fields":{"Name":"Lena"}},{"fields":{"Name":"Bob"}}]}`, []string{"created 2 records"},
		},
		{
			"feishu_bitable_record", `{"app":"b1","table_id":"t1","action":"update","record_id":"rec1","fields":"{\"Name\":\"Eve\"}"}`, "PUT", "/bitable/v1/apps/b1/tables/t1/records/rec1", "",
			`{"fields":{"Name":"Eve"}}`, []string{"updated record rec1"},
		},
		{"feishu_docx_list_blocks", `{"document":"d","page_size":9}`, "GET", "/docx/v1/documents/d/blocks", "page_size=9", "", []string{"b1 type 1 (11 children): Plan of the year", "b2 type 2: Budget of May site"}},
		{"feishu_docx_get_block", `{"document":"d","block_id":"b2"}`, "GET", "/docx/v1/documents/d/blocks/b2", "", "", []string{`"block_id":"b2"`, "Budget of May"}},
		{"feishu_docx_find_block", `{"document":"d","text":"BUDGET"}`, "GET", "/docx/v1/documents/d/blocks", "page_size=500", "", []string{"b2 type 2: Budget of May site [parent b1]"}},
		{
			"feishu_docx_delete_blocks", `{"document":"d","start":1,"end":3}`, "DELETE", "/docx/v1/documents/d/blocks/d/children/batch_delete", "client_token=",
			`{"start_index":1,"end_index":3}`, []string{"deleted 2 blocks"},
		},
		{"feishu_docx_create", `{"title":"Plan","folder":"fldA"}`, "POST", "/docx/v1/documents", "", `{"folder_token":"fldA","title":"Plan"}`, []string{"created document docNew"}},
		{"feishu_wiki_list_spaces", `{"page_token":"p"}`, "GET", "/wiki/v2/spaces", "page_token=p", "", []string{"7: Team – what we know"}},
		{"feishu_wiki_list_nodes", `{"space_id":"7","parent_node":"https://x.feishu.cn/wiki/up"}`, "GET", "/wiki/v2/spaces/7/nodes", "parent_node_token=up", "", []string{"nodeA: Handbook (docx docBehind, space 7) has nodes below it", "page_token=n2"}},
		{
			"feishu_wiki_create_node", `{"space_id":"7","title":"New","parent_node":"up"}`, "POST", "/wiki/v2/spaces/7/nodes", "",
			`{"obj_type":"docx","parent_node_token":"up","node_type":"origin","title":"New"}`, []string{"created a node nodeNew with document docBehind"},
		},
		{
			"feishu_wiki_move_node", `{"space_id":"7","node":"nodeA","target_parent":"up","target_space":"8"}`, "POST", "/wiki/v2/spaces/7/nodes/nodeA/move", "",
			`{"target_parent_token":"up","target_space_id":"8"}`, []string{"moved the node"},
		},
		{"feishu_search_wiki", `{"query":"holiday","space_id":"7"}`, "POST", "/wiki/v1/nodes/search", "page_size=20", `{"query":"holiday","space_id":"7"}`, []string{"nodeA: Handbook https://x.feishu.cn/wiki/nodeA", "page_token=s2"}},
		{"feishu_list_files", `{}`, "GET", "/drive/v1/files", "page_size=50", "", []string{"boxA: a.txt (file) https://x.feishu.cn/file/boxA", "bas1: People (bitable)", "page_token=f2"}},
		{
			"feishu_add_permission", `{"document":"https://x.feishu.cn/base/b1","member_type":"email","member_id":"bob@example.com","permission":"view"}`, "POST", "/drive/v1/permissions/b1/members", "type=bitable",
			`{"member_type":"email","member_id":"bob@example.com","perm":"view"}`, []string{"bob@example.com may view it now"},
		},
	} {
		t.Run(strings.TrimPrefix(c.name, "feishu_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := w.run(c.name, c.arguments)
			require.False(t, r.IsError, r.Content)
			for _, part := range c.shows {
				require.Contains(t, r.Content, part)
			}
			calls := w.server.Calls()
			require.Len(t, calls, 1)
			require.Equal(t, c.method+" "+c.path, calls[0].Method+" "+calls[0].Path)
			require.Contains(t, calls[0].Query, c.query)
			if c.body != "" {
				require.JSONEq(t, c.body, calls[0].Body)
			}
		})
	}
}

func TestFeishu_WrongArgumentsReachNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ name, arguments, says string }{
		{"feishu_bitable_fields", `{"app":"b1"}`, "table_id is missing"},
		{"feishu_bitable_batch_create", `{"app":"b1","table_id":"t1","records":"[]"}`, "1 to 500"},
		{"feishu_bitable_record", `{"app":"b1","table_id":"t1","action":"drop","record_id":"r"}`, "query, create, update or delete"},
		{"feishu_bitable_record", `{"app":"b1","table_id":"t1","action":"delete","record_id":"../x"}`, "no id of Feishu"},
		{"feishu_docx_find_block", `{"document":"d","text":" "}`, "text is empty"},
		{"feishu_docx_get_block", `{"document":"d","block_id":"a/b"}`, "no id of Feishu"},
		{"feishu_docx_delete_blocks", `{"document":"d","start":3,"end":3}`, "greater than start"},
		{"feishu_wiki_list_nodes", `{"space_id":"7","parent_node":"https://x.feishu.cn/docx/d"}`, "takes nodes of wikis"},
		{"feishu_wiki_move_node", `{"space_id":"7/x","node":"n"}`, "no id of Feishu"},
		{"feishu_add_permission", `{"document":"d","type":"docx","member_type":"email","member_id":"b","permission":"own"}`, "view, edit or full_access"},
	} {
		r := w.run(c.name, c.arguments)
		require.True(t, r.IsError, c.name)
		require.Contains(t, r.Content, c.says)
	}
	require.Empty(t, w.server.Calls())
}

func TestFeishu_ADeletionThatIsRepeatedIsNoError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const deletes = `{"app":"b1","table_id":"t1","action":"delete","record_id":"rec1"}`
	require.Equal(t, "deleted record rec1", w.run("feishu_bitable_record", deletes).Content)
	r := w.run("feishu_bitable_record", deletes)
	require.False(t, r.IsError)
	require.Equal(t, "there is no record rec1 any more", r.Content)
	w.server.Refuse("/bitable/v1/apps/b1/tables/t2/records/rec1", 1254041)
	require.True(t, w.run("feishu_bitable_record", strings.Replace(deletes, `"t1"`, `"t2"`, 1)).IsError, "a table that is not found is one")
}
