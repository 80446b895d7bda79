package toolset_test

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/tool"
	"xbot/internal/tool/toolset"
)

// served are tools as well-known servers describe them, in the words of their own documentation shortened.
var served = map[string]map[string]string{
	"github": {
		"create_issue": "Create a new issue in a repository", "list_issues": "List the issues of a repository with filters", "create_pull_request": "Open a pull request from a branch",
		"merge_pull_request": "Merge a pull request", "search_code": "Search for code across repositories", "get_file_contents": "Get the contents of a file or directory from a repository",
		"fork_repository": "Fork a repository to your account", "add_comment": "Add a comment to an issue or pull request", "list_commits": "Get the list of commits of a branch", "create_branch": "Create a new branch",
	},
	"calendar": {
		"create_event": "Create a calendar event with a time, a place and guests", "list_events": "List events between two dates", "delete_event": "Remove an event from the calendar", "find_free_time": "Find a time when all guests are free",
	},
	"mail": {
		"send": "Send an e-mail to one or more recipients", "search": "Search messages in the mailbox by sender, subject or text", "draft": "Save a draft without sending it", "mark_read": "Mark messages as read", "attach": "Add an attachment to a draft",
	},
	"database": {
		"query": "Run a read-only SQL query", "list_tables": "List the tables of the schema", "describe_table": "Show the columns and types of a table", "explain": "Show the plan of a query",
	},
	"browser": {
		"navigate": "Open a page at a URL", "click": "Click an element of the page", "screenshot": "Take a picture of the page", "fill": "Type text into a form field", "evaluate": "Run JavaScript in the page",
	},
	"feishu": {
		"bitable_create_record": "在多维表格中新增一条记录", "bitable_query_records": "查询多维表格的记录", "docx_create": "创建一篇飞书文档", "docx_get_content": "读取飞书文档的内容", "wiki_search": "搜索知识库", "drive_upload_file": "上传文件到云盘",
	},
	"maps":    {"geocode": "Turn an address into coordinates", "directions": "Get driving directions between places", "places_nearby": "Find restaurants and shops near a place"},
	"weather": {"forecast": "Get the weather forecast for a city", "alerts": "Get storm warnings for a region"},
	"memory":  {"create_entities": "Create entities in the knowledge graph", "search_nodes": "Search the knowledge graph for nodes", "delete_relations": "Delete relations from the graph"},
	"stocks":  {"quote": "Get the current price of a stock", "history": "Get historical prices of a security"},
}

// asked is what a model would look for, and what it means.
var asked = map[string]string{
	"open a new issue on github": "github_create_issue", "list issues": "github_list_issues", "merge the pull request": "github_merge_pull_request", "search code": "github_search_code",
	"comment on a pull request": "github_add_comment", "commits of a branch": "github_list_commits", "fork a repo": "github_fork_repository", "schedule a meeting in the calendar": "calendar_create_event",
	"when is everybody free": "calendar_find_free_time", "send email": "mail_send", "search the mailbox": "mail_search", "attachment": "mail_attach", "run SQL": "database_query",
	"columns of a table": "database_describe_table", "take a screenshot of a page": "browser_screenshot", "type into a form": "browser_fill", "click a button on the page": "browser_click",
	"多维表格 新增 记录": "feishu_bitable_create_record", "查询多维表格": "feishu_bitable_query_records", "创建飞书文档": "feishu_docx_create", "上传文件": "feishu_drive_upload_file", "搜索知识库": "feishu_wiki_search",
	"driving directions": "maps_directions", "restaurants nearby": "maps_places_nearby", "weather tomorrow": "weather_forecast", "storm warning": "weather_alerts",
	"knowledge graph search": "memory_search_nodes", "stock price": "stocks_quote", "historical stock prices": "stocks_history", "mcp_mail_draft": "mail_draft",
}

// TestFinder_FindsAmong300Tools prints how often the tool that is meant is among the first five, by words alone.
func TestFinder_FindsAmong300Tools(t *testing.T) {
	t.Parallel()
	var all []tool.Spec
	for server, tools := range served {
		for name, does := range tools {
			all = append(all, tool.Spec{Name: "mcp_" + server + "_" + name, Group: server, Description: does, Optional: true})
		}
	}
	for n := len(all); n < 300; n++ { // and what other servers have
		all = append(all, tool.Spec{Name: fmt.Sprintf("mcp_erp_get_object_%03d", n), Group: "erp", Description: fmt.Sprintf("Get the list of business objects of type %d by filters.", n), Optional: true})
	}
	f := &toolset.Finder{Log: slog.New(slog.DiscardHandler)}
	found, first := 0, 0
	for query, want := range asked {
		got := names(f.Find(t.Context(), query, all, 5))
		switch at := slices.Index(got, "mcp_"+want); {
		case at < 0:
			t.Logf("%q: %s is not among %v", query, want, got)
		case at == 0:
			first++
			fallthrough
		default:
			found++
		}
	}
	t.Logf("recall among %d tools, %d questions: %.0f %% among the first five, %.0f %% first", len(all), len(asked), 100*float64(found)/float64(len(asked)), 100*float64(first)/float64(len(asked)))
	require.GreaterOrEqual(t, found*100, 90*len(asked))
}
