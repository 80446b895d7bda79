package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"xbot/internal/fault"
)

// checkFolder has the objects of Check.
const checkFolder = "check/"

// Check stores an object, reads it, lists it and deletes it. Its error names the operation that failed.
func Check(ctx context.Context, s Store) error {
	text := rand.Text()
	key := checkFolder + text
	if _, err := s.Put(ctx, key, Bytes([]byte(text)), Condition{Absent: true}); err != nil {
		return fault.Errorf(fault.KindOf(err), "a file cannot be stored: %w", err)
	}
	err := checkRead(ctx, s, key, text)
	if deleted := s.Delete(ctx, key); deleted != nil {
		err = errors.Join(err, fault.Errorf(fault.KindOf(deleted), "a file cannot be deleted: %w", deleted))
	}
	return err
}

func checkRead(ctx context.Context, s Store, key, text string) error {
	data, _, err := Read(ctx, s, key, "", int64(len(text)))
	if err != nil {
		return fault.Errorf(fault.KindOf(err), "a stored file cannot be read: %w", err)
	}
	body, _, err := s.Get(ctx, key, 1, 2)
	if err != nil {
		return fault.Errorf(fault.KindOf(err), "a part of a stored file cannot be read: %w", err)
	}
	part, err := io.ReadAll(body)
	if err = errors.Join(err, body.Close()); err != nil || string(data) != text || string(part) != text[1:3] {
		return fault.Errorf(fault.Internal, "a stored file came back with other content")
	}
	found, err := s.List(ctx, key, "", 1)
	switch {
	case err != nil:
		return fault.Errorf(fault.KindOf(err), "stored files cannot be listed: %w", err)
	case len(found) != 1:
		return fault.Errorf(fault.Internal, "a stored file is missing from the list of files")
	}
	return nil
}
