package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/llm/llmtest"
	"xbot/internal/service"
	"xbot/internal/store"
)

// houseWord stands in everything that nobody outside may see.
const houseWord = "quagmire"

// visitor is somebody outside who writes to a service of a house that is full of secrets.
type visitor struct {
	*server
	store *store.Store
	of    service.Service
	key   string
	work  string // workspace of the administrator's runner
}

func (s *server) visited(work string, change service.Patch) *visitor {
	s.t.Helper()
	ctx := s.t.Context()
	v := &visitor{server: s, store: store.New(s.database(), store.Options{}), work: work}
	var admin chat.UserID
	require.NoError(s.t, s.database().QueryRow(ctx, "SELECT min(id) FROM users WHERE role = 'admin'").Scan(&admin))
	change.Name = new("Help desk")
	d, err := service.Defaults().Apply(change)
	require.NoError(s.t, err)
	v.of, err = v.store.Services.AddService(ctx, admin, d, true)
	require.NoError(s.t, err)
	_, v.key, err = v.store.Services.AddServiceKey(ctx, v.of.ID, "program")
	require.NoError(s.t, err)
	return v
}

// put writes a file into the workspace of the administrator's runner.
func (v *visitor) put(name, text string) {
	v.t.Helper()
	file := filepath.Join(v.work, name)
	require.NoError(v.t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(v.t, os.WriteFile(file, []byte(text), 0o644))
}

// call sends a request, and returns its status and its answer.
func (v *visitor) call(method, path string, body any) (int, string) {
	v.t.Helper()
	var from io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(v.t, err)
		from = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, from)
	require.NoError(v.t, err)
	r.Header.Set("Authorization", "Bearer "+v.key)
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	require.NoError(v.t, err)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	require.NoError(v.t, err)
	return got.StatusCode, string(read)
}

func (v *visitor) begin() string {
	v.t.Helper()
	status, body := v.call(http.MethodPost, "/api/v1/conversations", map[string]any{})
	require.Equal(v.t, http.StatusCreated, status, body)
	var made struct{ ID string }
	require.NoError(v.t, json.Unmarshal([]byte(body), &made))
	return made.ID
}

// says sends lines for the scripted model, and returns the whole stream.
func (v *visitor) says(conversation string, lines ...string) string {
	v.t.Helper()
	status, body := v.call(http.MethodPost, "/api/v1/chat", map[string]any{"conversation_id": conversation, "message": strings.Join(lines, "\n")})
	require.Equal(v.t, http.StatusOK, status, body)
	require.Contains(v.t, body, `"type":"done"`, body)
	return body
}

// asked are the requests that the model got for services, as JSON.
func (v *visitor) asked() string {
	v.t.Helper()
	var out strings.Builder
	for _, r := range v.model.Requests() {
		text, err := json.Marshal(r)
		require.NoError(v.t, err)
		out.Write(text)
	}
	return out.String()
}

// furnished is a house with a secret in everything that its own prompts and tools show.
func furnished(t *testing.T, env ...string) (*server, string) {
	t.Helper()
	work := t.TempDir()
	s := prepareServer(t, append([]string{"XBOT_WORKSPACE=" + work}, env...)...)
	for name, text := range map[string]string{
		"AGENTS.md":              "Rules of the house: " + houseWord,
		"skills/secret/SKILL.md": "---\nname: secret\ndescription: " + houseWord + "\n---\n" + houseWord,
		"agents/clerk.md":        "---\ndescription: " + houseWord + "\n---\n" + houseWord,
	} {
		file := filepath.Join(s.home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	s.boot()
	return s, work
}

func (v *visitor) furnish() {
	v.t.Helper()
	for _, name := range []string{
		"secret.txt", "AGENTS.md", ".xbot/AGENTS.md", ".env", "docs/private.md", "docs/private/more.md", "scripts/run.py", "generated/house.txt",
		"services/" + v.of.ID + "/notes.txt", "services/svc_ffffffff/conversations/0123456789/generated/a.txt",
	} {
		v.put(name, "---\nname: own\ndescription: "+houseWord+"\n---\n"+houseWord)
	}
	v.put("docs/faq/open.md", "We open at nine.")
	require.NoError(v.t, os.Symlink(filepath.Join(v.work, "secret.txt"), filepath.Join(v.work, "docs/faq/link.md")))
	ctx := v.t.Context()
	_, err := v.store.Memory.SetProfile(ctx, v.of.Admin, chat.UserProfile{Content: "I am " + houseWord, Timezone: "Asia/Tokyo"})
	require.NoError(v.t, err)
}

func TestWalls_AnInjectedPromptReachesNothingOfTheHouse(t *testing.T) {
	t.Parallel()
	s, work := furnished(t)
	v := s.visited(work, service.Patch{AllowedDocs: &[]string{"faq/**"}, AllowedScripts: &[]string{"run.py"}})
	v.furnish()
	house := s.newTalk()
	house.untilEnded(time.Minute, house.send("call Read {\"path\":\""+filepath.Join(work, "secret.txt")+"\"}", "say done"))
	other := v.begin()
	v.says(other, `call FileCreate {"path":"/generated/mine.txt","content":"`+houseWord+`"}`, "say kept")
	require.FileExists(t, filepath.Join(work, "services", v.of.ID, "conversations", other, "generated", "mine.txt"))
	before := len(s.model.Requests())

	mine := v.begin()
	v.put("services/"+v.of.ID+"/conversations/"+mine+"/other.txt", houseWord)
	reach := []string{
		`call Read {"path":"/etc/passwd"}`, `call Read {"path":"../../../../../../etc/passwd"}`, `call Read {"path":"/proc/self/environ"}`, `call Read {"path":"/secret.txt"}`,
		`call Read {"path":"` + filepath.Join(work, "secret.txt") + `"}`, `call Read {"path":"/docs/private.md"}`, `call Read {"path":"/docs/faq/../private.md"}`,
		`call Read {"path":"/docs/faq/link.md"}`, `call Read {"path":"/scripts/run.py"}`, `call Read {"path":"/.env"}`, `call Read {"path":"/generated/../other.txt"}`,
		`call Read {"path":"/services/` + v.of.ID + `/conversations/` + other + `/generated/mine.txt"}`, `call Read {"path":"../` + other + `/generated/mine.txt"}`,
		`call Grep {"pattern":"quag.ire"}`, `call Grep {"pattern":"quag.ire","path":"/"}`, `call Grep {"pattern":"quag.ire","path":"` + work + `"}`, `call Grep {"pattern":"quag.ire","path":"/scripts"}`,
		`call Glob {"pattern":"**/*"}`, `call Glob {"pattern":"` + work + `/**"}`, `call Glob {"pattern":"../**"}`,
		`call FileCreate {"path":"/docs/faq/new.md","content":"x"}`, `call FileCreate {"path":"/secret2.txt","content":"x"}`, `call FileCreate {"path":"../../../x.txt","content":"x"}`,
		`call FileReplace {"path":"/docs/faq/open.md","old_string":"nine","new_string":"ten"}`,
		`call Shell {"command":"cat /etc/passwd; env"}`, `call config {"action":"list"}`, `call Cron {"action":"list"}`, `call logs {}`, `call SubAgent {"role":"clerk","task":"x"}`,
		`call AskUser {"questions":[]}`, `call Skill {"name":"secret"}`, `call DownloadFile {"url":"http://127.0.0.1/","output_path":"/generated/x"}`, `call WebSearch {"query":"x"}`,
		`call Fetch {"url":"http://127.0.0.1/"}`, `call SendMessage {"text":"x"}`, `call memory_search {"query":"x"}`, `call list_conversations {}`, `call search_tools {"query":"shell"}`,
		`call offload_recall {"id":"ol_00000001"}`, `call recall_masked {"id":"` + string(house.key) + `"}`, `call feishu_docs {}`, `call mcp_github_x {}`,
	}
	seen := ""
	for _, line := range reach {
		said := v.says(mine, line, "say done")
		if !strings.Contains(line, work) {
			require.NotContains(t, said, work, line)
		}
		seen += said
	}
	require.NotContains(t, seen, houseWord)
	require.NotContains(t, seen, "root:")
	require.NotContains(t, seen, "sk-test-secret")

	// What is its own works.
	ours := v.says(mine, `call Read {"path":"/docs/faq/open.md"}`, `call Glob {"pattern":"/docs/**"}`, `call FileCreate {"path":"generated/answer.md","content":"nine"}`, "say <<FILE:/generated/answer.md>>")
	require.Contains(t, ours, "We open at nine.")
	require.NotContains(t, ours, "link.md\\n")
	require.FileExists(t, filepath.Join(work, "services", v.of.ID, "conversations", mine, "generated", "answer.md"))
	for name, want := range map[string]string{"docs/faq/open.md": "We open at nine."} {
		text, err := os.ReadFile(filepath.Join(work, name))
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
	for _, name := range []string{"secret2.txt", "x.txt", "docs/faq/new.md"} {
		require.NoFileExists(t, filepath.Join(work, name))
	}

	for _, r := range s.model.Requests()[before:] {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		require.NotContains(t, string(text), houseWord)
		require.NotContains(t, string(text), "root:x:")
		v.onlyItsTools(r)
	}
	for _, part := range []string{"scripts", "private"} {
		require.NotContains(t, s.model.Requests()[before].System, part)
	}
	require.NotContains(t, s.everything(), houseWord)
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), houseWord)
}

// onlyItsTools checks that a request offers the tools of the service and nothing of the house.
func (v *visitor) onlyItsTools(r llmtest.Request) {
	v.t.Helper()
	allowed := strings.Join(v.of.Tools(), " ")
	for _, tool := range r.Tools {
		require.Contains(v.t, allowed, tool.Name, "%s is no tool of the service", tool.Name)
	}
	require.NotEmpty(v.t, r.Tools)
	for _, word := range []string{v.work, v.home, "alice", "local", "You talk with", "# Skills", "# Agents", "# Memory", v.of.ID} {
		require.NotContains(v.t, r.System, word)
	}
}

func TestWalls_ThePromptIsTheAdministratorsForTheServiceWithTheDayOfTheAdministrator(t *testing.T) {
	t.Parallel()
	s, work := furnished(t)
	v := s.visited(work, service.Patch{AllowedDocs: &[]string{}})
	v.furnish()
	ctx := t.Context()
	require.NoError(t, v.store.Prompts.SetPrompt(ctx, v.of.Admin, chat.PromptSystem, chat.PromptDraft{Content: "You are the clerk of the shop. Today is {today}."}, v.of.Admin))
	v.says(v.begin(), "say hello")
	requests := s.model.Requests()
	last := requests[len(requests)-1]
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	require.NoError(t, err)
	require.Contains(t, last.System, "You are the clerk of the shop. Today is "+time.Now().In(tokyo).Format("2006-01"))
	require.Contains(t, last.System, "There are no documents that you may read.")
	require.NotContains(t, last.System, houseWord)
	text, err := json.Marshal(last)
	require.NoError(t, err)
	require.Contains(t, string(text), "Asia/Tokyo]", "messages are stamped in the administrator's timezone")
	require.NotContains(t, last.System+last.User, "folder")
	require.NotContains(t, string(text), houseWord)
}

func TestWalls_WhatAConsumerWritesIsText(t *testing.T) {
	t.Parallel()
	s, work := furnished(t)
	v := s.visited(work, service.Patch{})
	c := v.begin()
	for _, text := range []string{"/stop", "/new", "/config", "/model x", "/cd /", "!cat /etc/passwd", "/clear", "/approve always", "/runner use local", "/folder agree 3fa9c1d2e5b8"} {
		require.Contains(t, v.says(c, text), `]\n`+text, "the model read it, behind its stamp")
	}
	require.NotContains(t, v.asked(), "root:x:")
}

func TestWalls_TheHouseDoesNotReachARunnerThroughAConsumer(t *testing.T) {
	t.Parallel()
	s, work := furnished(t)
	v := s.visited(work, service.Patch{})
	v.furnish()
	c := v.begin()
	v.says(c, `call FileCreate {"path":"/generated/a.txt","content":"x"}`, "say done")
	key := service.SessionKey(v.of.ID, c)
	ctx := t.Context()
	_, err := s.client.ListFiles(ctx, key, apiclient.ListFilesParams{})
	require.Error(t, err, "an administrator's file panel is that of their own conversations")
	for _, path := range []string{"/files", "/files/content?path=secret.txt", "/files/search?q=s"} {
		status, body := v.call(http.MethodGet, fmt.Sprintf("/api/sessions/%s%s", key, path), nil)
		require.Equal(t, http.StatusUnauthorized, status, "a service's key opens nothing of the house: %s", body)
	}
}

func TestWalls_TheFolderOfAConversationGoesWithIt(t *testing.T) {
	t.Parallel()
	s, work := furnished(t)
	v := s.visited(work, service.Patch{})
	one, two := v.begin(), v.begin()
	for _, c := range []string{one, two} {
		v.says(c, `call FileCreate {"path":"/generated/a.txt","content":"x"}`, "say done")
	}
	folder := func(c string) string { return filepath.Join(work, "services", v.of.ID, "conversations", c) }
	require.DirExists(t, folder(one))
	status, body := v.call(http.MethodDelete, "/api/v1/conversations/"+one, nil)
	require.Equal(t, http.StatusNoContent, status, body)
	gone := func(dir string) func() bool {
		return func() bool { _, err := os.Stat(dir); return os.IsNotExist(err) }
	}
	require.Eventually(t, gone(folder(one)), 2*time.Minute, 50*time.Millisecond)
	require.FileExists(t, filepath.Join(folder(two), "generated", "a.txt"))

	require.NoError(t, v.store.Services.DeleteService(t.Context(), v.of.ID, v.of.Admin))
	require.Eventually(t, gone(filepath.Join(work, "services", v.of.ID)), 4*time.Minute, 50*time.Millisecond, "the last takes the service's folder with it")
}

func TestWalls_FetchOpensNothingInsideForAConsumer(t *testing.T) {
	t.Parallel()
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<p>" + houseWord + "</p>")) // the client is gone if this fails
	}))
	t.Cleanup(inside.Close)
	s, work := furnished(t, "XBOT_HTTP_ALLOW=127.0.0.1")
	v := s.visited(work, service.Patch{Capabilities: &[]service.Capability{service.Web}})
	line := `call Fetch {"url":"` + inside.URL + `/wiki"}`
	house := s.newTalk()
	house.untilEnded(time.Minute, house.send(line, "say done"))
	require.Contains(t, lastCalls(house)[0].Result, houseWord, "the operator lets the house in")
	said := v.says(v.begin(), line, "say done")
	require.NotContains(t, said, houseWord)
	require.Contains(t, said, "its host is nowhere on the public internet")
}
