package download

import (
	"archive/zip"
	"context"
	"io"
	"path"
	"strings"

	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

// Bounds of a folder that is sent as one file.
const (
	maxZipped      = 10_000  // files and folders
	maxZippedBytes = 2 << 30 // of their content
)

// Folder looks for a folder, to be sent as a ZIP archive. Links in it are left out.
func Folder(ctx context.Context, box sandbox.Sandbox, folder string) (Attachment, error) {
	entries, err := sandbox.Below(ctx, box, folder, maxZipped)
	if err != nil {
		return Attachment{}, err
	}
	var size int64
	for _, entry := range entries {
		size += entry.Size
	}
	if size > maxZippedBytes {
		return Attachment{}, fault.Errorf(fault.TooLarge, "%s holds more than %d GB: choose a folder in it", folder, maxZippedBytes>>30)
	}
	return Attachment{Name: path.Base(folder) + ".zip", Type: "application/zip", Size: -1, from: zipSource{box, folder, entries}}, nil
}

type zipSource struct {
	box     sandbox.Sandbox
	folder  string
	entries []sandbox.FileInfo
}

func (s zipSource) copy(ctx context.Context, to io.Writer) error {
	archive := zip.NewWriter(to)
	for _, entry := range s.entries {
		header := &zip.FileHeader{Name: strings.TrimPrefix(strings.TrimPrefix(entry.Path, s.folder), "/"), Method: zip.Deflate, Modified: entry.ModTime}
		header.SetMode(entry.Mode)
		if entry.Dir {
			header.Name, header.Method = header.Name+"/", zip.Store
		}
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if entry.Dir {
			continue
		}
		if _, err := s.box.Download(ctx, entry.Path, file); err != nil {
			return err
		}
	}
	return archive.Close()
}
