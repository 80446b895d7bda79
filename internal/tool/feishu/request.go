package feishu

import (
	"context"

	larkdrive "github.com/larksuite/oapi-sdk-go/v3/service/drive/v1"
)

// Set sets an optional field of a request of the library, unless the value is empty.
func Set[B any](set func(string) B, value string) {
	if value != "" {
		set(value)
	}
}

// SetFolder sets the folder of a request to the one that a link or token leads to, unless the text is empty.
func SetFolder[B any](ctx context.Context, p *Person, set func(string) B, folder string) error {
	if folder == "" {
		return nil
	}
	ref, err := Resolve(ctx, p, folder, "", "folder")
	if err == nil {
		set(ref.Token)
	}
	return err
}

// Files lists a page of a folder, or of the root if folder is empty.
func Files(ctx context.Context, p *Person, folder string, size int, page string) (files []*larkdrive.File, next string, err error) {
	q := larkdrive.NewListFileReqBuilder().PageSize(size)
	if err := SetFolder(ctx, p, q.FolderToken, folder); err != nil {
		return nil, "", err
	}
	Set(q.PageToken, page)
	got, err := Call(ctx, p, larkdrive.New(p.Config()).File.List, q.Build())
	if err != nil || got.Data == nil {
		return nil, "", err
	}
	return got.Data.Files, Text(got.Data.NextPageToken), nil
}
