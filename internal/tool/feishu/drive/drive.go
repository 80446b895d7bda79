// Package drive holds the tools for Feishu's drive. Files go to and from the machine of the conversation's commands, a part at a time.
package drive

import (
	"context"
	"fmt"

	larkdrive "github.com/larksuite/oapi-sdk-go/v3/service/drive/v1"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

// Tools returns the tools for files.
func Tools(s *feishu.Service) []tool.Tool {
	return []tool.Tool{
		feishu.Define(s, "feishu_list_files", chat.ClassRead, "Lists a folder of the user's Feishu drive, or its root.", list),
		feishu.Define(s, "feishu_download_file", chat.ClassIdempotent, "Downloads a file of the user's Feishu drive to a path.", download, tool.OnRunner),
		feishu.Define(s, "feishu_upload_file", chat.ClassOnce, "Uploads a file to a folder of the user's Feishu drive.", upload, tool.OnRunner),
		feishu.Define(s, "feishu_add_permission", chat.ClassIdempotent, "Lets somebody view or edit a document, file or folder of the user in Feishu. Call it only when the user has asked for it.", addPermission),
	}
}

type listParams struct {
	Folder    string `json:"folder,omitempty" jsonschema:"link or token; left out: the root"`
	PageToken string `json:"page_token,omitempty"`
}

func (listParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadDrive} }
func (p listParams) Summary() string     { return p.Folder }

func list(ctx context.Context, as *feishu.Person, _ tool.Call, p listParams) (r chat.ToolResult, err error) {
	files, next, err := feishu.Files(ctx, as, p.Folder, 50, p.PageToken)
	if err != nil {
		return r, err
	}
	var items []string
	for _, f := range files {
		items = append(items, fmt.Sprintf("%s: %s (%s) %s", feishu.Text(f.Token), feishu.Text(f.Name), feishu.Text(f.Type), feishu.Text(f.Url)))
	}
	return feishu.List("files", items, next), nil
}

type permissionParams struct {
	Document   string `json:"document" jsonschema:"link, or token with type"`
	Type       string `json:"type,omitempty" jsonschema:"docx, bitable, sheet, file, folder or wiki; a link says it"`
	MemberType string `json:"member_type" jsonschema:"email, openid, openchat or opendepartmentid"`
	Member     string `json:"member_id"`
	Permission string `json:"permission" jsonschema:"view, edit or full_access"`
}

// kinds maps the name of a kind in links to its name in permissions.
var kinds = map[string]string{"docx": "docx", "base": "bitable", "sheets": "sheet", "file": "file", "folder": "folder", "wiki": "wiki"}

func (permissionParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.WriteDrive} }
func (p permissionParams) Summary() string {
	return p.Member + " " + p.Permission + " " + p.Document
}

func addPermission(ctx context.Context, as *feishu.Person, _ tool.Call, p permissionParams) (r chat.ToolResult, err error) {
	ref, err := feishu.ParseRef(p.Document)
	if err != nil {
		return r, err
	}
	kind := kinds[ref.Kind]
	if ref.Kind == "" {
		kind = p.Type
	}
	if _, err := feishu.ID("type", kind); err != nil {
		return r, err
	}
	switch p.Permission {
	case "view", "edit", "full_access":
	default:
		return r, fault.Errorf(fault.Invalid, "permission is view, edit or full_access")
	}
	_, err = feishu.Call(ctx, as, larkdrive.New(as.Config()).PermissionMember.Create, larkdrive.NewCreatePermissionMemberReqBuilder().Token(ref.Token).Type(kind).NeedNotification(false).
		BaseMember(larkdrive.NewBaseMemberBuilder().MemberType(p.MemberType).MemberId(p.Member).Perm(p.Permission).Build()).Build())
	return tool.Textf("%s may %s it now", tool.OneLine(p.Member, 100), p.Permission), err
}
