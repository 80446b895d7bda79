package server

import (
	"cmp"
	"context"
	"path/filepath"

	"xbot/internal/host/config"
	"xbot/internal/storage"
	"xbot/internal/storage/disk"
	"xbot/internal/storage/s3"
)

// objectStorage is the object storage of the settings.
type objectStorage struct {
	backends storage.Backends
	current  string   // back end that has the files of new conversations; empty: runners have them
	origins  []string // of presigned addresses
}

func newObjectStorage(ctx context.Context, c config.Storage, home string, closer *Server) (*objectStorage, error) {
	backends, closeAll, err := OpenStorage(c, home)
	if err != nil {
		return nil, err
	}
	closer.onClose(closeAll)
	out := &objectStorage{backends: backends}
	if c.StorageBackend != storage.Local {
		out.current = c.StorageBackend
	}
	if bucket, ok := backends[storage.S3].(*s3.Store); ok {
		origin, err := bucket.Origin(ctx)
		if err != nil {
			return nil, err
		}
		if origin != "" {
			out.origins = append(out.origins, origin)
		}
	}
	return out, nil
}

// OpenStorage opens each back end that the settings configure: files stay reachable after another one was chosen for new conversations. It sends no
// request.
func OpenStorage(c config.Storage, home string) (storage.Backends, func(), error) {
	out, closeAll := storage.Backends{}, func() {}
	if c.StorageBackend == storage.Disk || c.StorageDir != "" {
		s, err := disk.Open(cmp.Or(c.StorageDir, filepath.Join(home, "storage")))
		if err != nil {
			return nil, nil, err
		}
		closeAll = func() { _ = s.Close() } // nothing is written any more
		out[storage.Disk] = s
	}
	if c.StorageBackend == storage.S3 || c.S3Bucket != "" {
		s, err := s3.New(s3.Config{
			Endpoint: c.S3Endpoint, Public: c.S3Public, Bucket: c.S3Bucket, Region: c.S3Region, AccessKey: c.S3AccessKey, SecretKey: c.S3Secret, Prefix: c.S3Prefix,
		})
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		out[storage.S3] = s
	}
	return out, closeAll, nil
}
