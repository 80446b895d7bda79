package feishu

import (
	"context"
	_ "embed"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed sendfile.md
var sendFileDoc string

// Limits of a file that is sent into a conversation.
const (
	maxSent = 30 << 20 // bytes, which Feishu takes of a bot
	maxPath = 900      // bytes of a path that fits into a mark
)

// platform is the channel on which files can be sent so.
const platform = "feishu"

// NewSendFile returns the tool feishu_send_file. It sends nothing itself: a file that an answer marks is sent with it by the delivery of answers,
// once or reported. The tool checks before what the delivery would refuse, and needs no account.
func NewSendFile() tool.Tool {
	return tool.Define("feishu_send_file", chat.ClassRead, sendFileDoc, sendFile{}, tool.Optional(Group), tool.OnRunner)
}

type sendFileParams struct {
	Path string `json:"path"`
}

type sendFile struct{}

func (sendFile) Summary(p sendFileParams) string { return p.Path }

// Run answers with the mark of the file. The path in it is absolute: it leads to the same file if the working folder changes before the answer.
func (sendFile) Run(ctx context.Context, call tool.Call, p sendFileParams) (chat.ToolResult, error) {
	file, err := call.Path(p.Path)
	if err != nil {
		return tool.FromError(err)
	}
	if err := sendable(ctx, call, file); err != nil {
		return tool.FromError(err)
	}
	return tool.Textf("%s can be sent. Nothing was sent yet: write <<FILE:%s>> into your answer, outside of code; the file goes with it.", call.Short(file), file), nil
}

// sendable is nil for a file that the delivery of an answer takes as things are.
func sendable(ctx context.Context, call tool.Call, file string) error {
	if len(file) > maxPath || strings.ContainsAny(file, "<>\r\n") {
		return fault.Errorf(fault.Invalid, "this path cannot be marked in an answer: copy the file to a short path without < and > first")
	}
	if !within(file, call.Dir()) && !within(file, call.Box.Workspace()) {
		return fault.Errorf(fault.Denied, "%s is outside of the workspace: copy it there first", file)
	}
	info, err := call.Box.Stat(ctx, file)
	switch {
	case err != nil:
		return err
	case info.Dir || info.Size == 0:
		return fault.Errorf(fault.Invalid, "%s is a folder or empty, which cannot be sent", call.Short(file))
	case info.Size > maxSent:
		return fault.Errorf(fault.TooLarge, "%s has %d bytes; Feishu takes at most %d: make it smaller, or upload it with feishu_upload_file and send its link", call.Short(file), info.Size, maxSent)
	}
	return nil
}

func within(file, dir string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}
