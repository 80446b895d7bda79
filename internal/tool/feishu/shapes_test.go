package feishu_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	larkbitable "github.com/larksuite/oapi-sdk-go/v3/service/bitable/v1"
	larkdocx "github.com/larksuite/oapi-sdk-go/v3/service/docx/v1"
	larkdrive "github.com/larksuite/oapi-sdk-go/v3/service/drive/v1"
	larksearch "github.com/larksuite/oapi-sdk-go/v3/service/wiki/v1"
	larkwiki "github.com/larksuite/oapi-sdk-go/v3/service/wiki/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/tool/feishu/larktest"
)

// The emulator is independent of the library, so that the tools are not tried with themselves; its shapes are held to the library's models.
func TestLarktest_AnswersWithNothingThatTheVendorsModelsDoNotHave(t *testing.T) {
	t.Parallel()
	s := larktest.New(t, "token")
	const table = "/bitable/v1/apps/b/tables/t"
	for _, c := range []struct {
		call string
		into any
	}{
		{"GET /bitable/v1/apps/b/tables", &larkbitable.ListAppTableRespData{}},
		{"GET " + table + "/fields", &larkbitable.ListAppTableFieldRespData{}},
		{"POST " + table + "/records", &larkbitable.CreateAppTableRecordRespData{}},
		{"POST " + table + "/records/search", &larkbitable.SearchAppTableRecordRespData{}},
		{"POST " + table + "/records/batch_create", &larkbitable.BatchCreateAppTableRecordRespData{}},
		{"PUT " + table + "/records/r", &larkbitable.UpdateAppTableRecordRespData{}},
		{"DELETE " + table + "/records/r", &larkbitable.DeleteAppTableRecordRespData{}},
		{"POST /docx/v1/documents", &larkdocx.CreateDocumentRespData{}},
		{"POST /docx/v1/documents/blocks/convert", &larkdocx.ConvertDocumentRespData{}},
		{"GET /docx/v1/documents/d/blocks", &larkdocx.ListDocumentBlockRespData{}},
		{"GET /docx/v1/documents/d/blocks/b", &larkdocx.GetDocumentBlockRespData{}},
		{"DELETE /docx/v1/documents/d/blocks/d/children/batch_delete", &larkdocx.BatchDeleteDocumentBlockChildrenRespData{}},
		{"GET /wiki/v2/spaces", &larkwiki.ListSpaceRespData{}},
		{"GET /wiki/v2/spaces/get_node?token=n", &larkwiki.GetNodeSpaceRespData{}},
		{"GET /wiki/v2/spaces/7/nodes", &larkwiki.ListSpaceNodeRespData{}},
		{"POST /wiki/v2/spaces/7/nodes", &larkwiki.CreateSpaceNodeRespData{}},
		{"POST /wiki/v2/spaces/7/nodes/n/move", &larkwiki.MoveSpaceNodeRespData{}},
		{"POST /wiki/v1/nodes/search", &larksearch.SearchNodeRespData{}},
		{"GET /drive/v1/files", &larkdrive.ListFileRespData{}},
		{"POST /drive/v1/files/upload_prepare", &larkdrive.UploadPrepareFileRespData{}},
		{"POST /drive/v1/files/upload_finish", &larkdrive.UploadFinishFileRespData{}},
		{"POST /drive/v1/permissions/d/members?type=docx", &larkdrive.CreatePermissionMemberRespData{}},
	} {
		method, path, _ := strings.Cut(c.call, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/open-apis"+path, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer token")
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		var answer struct {
			Code int             `json:"code"`
			Data json.RawMessage `json:"data"`
		}
		require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer), c.call)
		require.NoError(t, resp.Body.Close())
		require.Zero(t, answer.Code)
		strict := json.NewDecoder(bytes.NewReader(answer.Data))
		strict.DisallowUnknownFields()
		require.NoError(t, strict.Decode(c.into), c.call)
		back, err := json.Marshal(c.into)
		require.NoError(t, err)
		require.NotEqual(t, "{}", string(back), c.call)
	}
}
