package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

const root = "../.."

// finished returns the document that the generator reads.
func finished(t *testing.T) *huma.OpenAPI {
	t.Helper()
	doc := document()
	require.NoError(t, finish(doc))
	return doc
}

func TestDocument_NamesTheTypesThatClientsShare(t *testing.T) {
	t.Parallel()
	doc := finished(t)
	turns := doc.Paths["/api/sessions/{key}/turns"].Get
	require.Equal(t, "chat.SessionKey", turns.Parameters[0].Schema.Extensions[typeExt])
	list := turns.Responses["200"].Content["application/json"].Schema
	require.Equal(t, "chat.Turn", list.Properties["turns"].Items.Extensions[typeExt], "the only member of its body")

	job := doc.Components.Schemas.Map()["NewJob"]
	require.Len(t, job.Properties, 2, "once, and the plan with all that is in it")
	require.Equal(t, "chat.JobPlan", job.Properties["_JobPlan"].Extensions[typeExt])
	require.Equal(t, true, job.Properties["_JobPlan"].Extensions[embedExt])

	token := doc.Components.Schemas.Map()["Token"]
	require.NotEmpty(t, token.Properties)
	require.Empty(t, token.Extensions, "it is a type of the store, which a client does not pull in")
}

func TestDocument_RefusesAParameterWhoseZeroCannotBeSent(t *testing.T) {
	t.Parallel()
	doc := document()
	list := doc.Paths["/api/sessions"].Get
	list.Parameters = append(list.Parameters, &huma.Param{Name: "newest", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean, Default: true}})
	require.ErrorContains(t, finish(doc), "list-sessions: the client could not send newest=false")
}

func TestCheckClient_FailsWithAnEndpointThatWasNotGenerated(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(filepath.Join(root, ".bin/oapi-codegen")); err != nil {
		t.Skip("make check-gen installs oapi-codegen")
	}
	doc := finished(t)
	said, err := checkClient(t, doc)
	require.NoError(t, err, said)

	doc.Paths["/api/weather"] = &huma.PathItem{Get: &huma.Operation{
		OperationID: "get-weather", Summary: "Whether it rains", Responses: map[string]*huma.Response{"204": {Description: "It does."}},
	}}
	said, err = checkClient(t, doc)
	require.Error(t, err)
	require.Contains(t, said, "+func (c *Client) GetWeather(ctx context.Context) error {")
	require.Contains(t, said, `internal/client/apiclient/generated.go is stale: run "make gen"`)
}

// checkClient runs the part of "make check-gen" that is about the client, with a document.
func checkClient(t *testing.T, doc *huma.OpenAPI) (said string, err error) {
	t.Helper()
	text, err := json.Marshal(doc)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "api.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	command := exec.CommandContext(t.Context(), "make", "--no-print-directory", "-C", root, "check-client", "CLIENT_DOCUMENT=cat "+file)
	for _, v := range os.Environ() { // this may run below another make
		if !strings.HasPrefix(v, "MAKE") && !strings.HasPrefix(v, "MFLAGS") {
			command.Env = append(command.Env, v)
		}
	}
	out, err := command.CombinedOutput()
	return string(out), err
}
