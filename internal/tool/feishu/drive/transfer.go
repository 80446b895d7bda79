package drive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"path"
	"time"

	larkdrive "github.com/larksuite/oapi-sdk-go/v3/service/drive/v1"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
	"xbot/internal/tool/feishu"
)

// Limits of one file.
const (
	maxFile      = 500 << 20 // bytes
	maxBlock     = 16 << 20  // bytes of a part, which is held in memory; Feishu asks for 4 MiB
	transferTime = 10 * time.Minute
)

type downloadParams struct {
	File string `json:"file" jsonschema:"link or token"`
	Path string `json:"output_path"`
}

func (downloadParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.ReadDrive} }
func (p downloadParams) Summary() string     { return p.Path + " " + p.File }

// download streams the file: the library would read it whole into memory. A call that is run again after it wrote the file leaves it alone.
func download(ctx context.Context, as *feishu.Person, call tool.Call, p downloadParams) (r chat.ToolResult, err error) {
	ref, err := feishu.Resolve(ctx, as, p.File, "file", "file")
	if err != nil {
		return r, err
	}
	file, err := call.Path(p.Path)
	if err != nil {
		return r, err
	}
	limited, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, http.MethodGet, as.Address("/open-apis/drive/v1/files/"+ref.Token+"/download"), nil)
	if err != nil {
		return r, err
	}
	resp, err := as.Send(req)
	if err != nil {
		return r, err
	}
	defer resp.Body.Close()
	if resp.ContentLength > maxFile {
		return r, errTooLarge
	}
	if err := call.Box.MkdirAll(ctx, path.Dir(file)); err != nil {
		return r, err
	}
	body := &boundedReader{from: resp.Body}
	size, err := call.Box.Edit(limited, sandbox.Edit{ID: call.ID, Path: file, From: body, Mode: sandbox.WriteReplace})
	switch {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case body.err != nil:
		return r, body.err
	case err != nil:
		return r, err
	}
	return tool.Textf("Wrote %s (%s).", call.Short(file), tool.Count(int(size), "byte")), nil
}

var errTooLarge = fault.Errorf(fault.TooLarge, "the file has more than %d bytes, which is the limit", maxFile)

// boundedReader reads an answer up to the limit, and remembers why it ended.
type boundedReader struct {
	from io.Reader
	size int64
	err  error
}

func (b *boundedReader) Read(buf []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.from.Read(buf)
	switch b.size += int64(n); {
	case b.size > maxFile:
		b.err = errTooLarge
		return 0, b.err
	case err != nil && !errors.Is(err, io.EOF):
		b.err = fault.Errorf(fault.Invalid, "the connection to Feishu broke after %d bytes; nothing was written: try again", b.size)
		return n, b.err
	}
	return n, err
}

type uploadParams struct {
	Path   string `json:"path"`
	Folder string `json:"folder" jsonschema:"link or token of the folder"`
	Name   string `json:"name,omitempty" jsonschema:"left out: the name of the file"`
}

func (uploadParams) Needs() []feishu.Scope { return []feishu.Scope{feishu.WriteDrive} }
func (p uploadParams) Summary() string     { return p.Path }

// upload is tried once: Feishu knows no key for it.
func upload(ctx context.Context, as *feishu.Person, call tool.Call, p uploadParams) (r chat.ToolResult, err error) {
	file, err := call.Path(p.Path)
	if err != nil {
		return r, err
	}
	ref, err := feishu.Resolve(ctx, as, p.Folder, "", "folder")
	if err != nil {
		return r, err
	}
	info, err := call.Box.Stat(ctx, file)
	switch {
	case err != nil:
		return r, err
	case info.Dir || info.Size == 0:
		return r, fault.Errorf(fault.Invalid, "%s is a folder or empty, which Feishu does not take", call.Short(file))
	case info.Size > maxFile:
		return r, errTooLarge
	}
	name := p.Name
	if name == "" {
		name = path.Base(file)
	}
	ctx, cancel := context.WithTimeout(ctx, transferTime)
	defer cancel()
	files := larkdrive.New(as.Config()).File
	began, err := feishu.Call(ctx, as, files.UploadPrepare, larkdrive.NewUploadPrepareFileReqBuilder().FileUploadInfo(
		larkdrive.NewFileUploadInfoBuilder().FileName(name).ParentType("explorer").ParentNode(ref.Token).Size(int(info.Size)).Build()).Build())
	if err != nil {
		return r, err
	}
	if began.Data == nil || began.Data.BlockSize == nil || *began.Data.BlockSize <= 0 || *began.Data.BlockSize > maxBlock {
		return r, fault.Errorf(fault.Invalid, "Feishu asks for parts of a size that cannot be sent")
	}
	id, n := feishu.Text(began.Data.UploadId), 0
	for at := int64(0); at < info.Size; n++ {
		part, err := read(ctx, call.Box, file, at, min(int64(*began.Data.BlockSize), info.Size-at))
		if err != nil {
			return r, err
		}
		if _, err := feishu.Call(ctx, as, files.UploadPart, larkdrive.NewUploadPartFileReqBuilder().Body(larkdrive.NewUploadPartFileReqBodyBuilder().
			UploadId(id).Seq(n).Size(len(part)).File(bytes.NewReader(part)).Build()).Build()); err != nil {
			return r, err
		}
		at += int64(len(part))
	}
	done, err := feishu.Call(ctx, as, files.UploadFinish, larkdrive.NewUploadFinishFileReqBuilder().Body(
		larkdrive.NewUploadFinishFileReqBodyBuilder().UploadId(id).BlockNum(n).Build()).Build())
	if err != nil {
		return r, err
	}
	token := ""
	if done.Data != nil {
		token = feishu.Text(done.Data.FileToken)
	}
	return tool.Textf("uploaded %s (%s) as file %s", call.Short(file), tool.Count(int(info.Size), "byte"), tool.OneLine(token, 80)), nil
}

// read returns so many bytes of a file. It returns Conflict if it became shorter during the read.
func read(ctx context.Context, box sandbox.Sandbox, file string, at, size int64) ([]byte, error) {
	part := make([]byte, 0, size)
	for int64(len(part)) < size {
		got, err := box.ReadFile(ctx, file, at+int64(len(part)), size-int64(len(part)))
		if err != nil {
			return nil, err
		}
		if len(got.Data) == 0 {
			return nil, fault.Errorf(fault.Conflict, "the file changed while it was uploaded: upload it again")
		}
		part = append(part, got.Data...)
	}
	return part, nil
}
