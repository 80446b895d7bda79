// Package transfer moves files between the user's machine and the place where a session's commands run.
package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// Upload sends a file of this machine and returns where it was stored. The name is args, quoted if it has spaces.
func Upload(ctx context.Context, client *apiclient.Client, key chat.SessionKey, args string) (apiclient.UploadedFile, error) {
	names := Words(args)
	if len(names) != 1 {
		return apiclient.UploadedFile{}, fault.Errorf(fault.Invalid, "say which file: /upload notes.txt; quote a name with spaces")
	}
	name := Home(names[0])
	file, err := os.Open(name)
	if err != nil {
		return apiclient.UploadedFile{}, fault.Errorf(fault.NotFound, "%s cannot be read: %w", name, Reason(err))
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return apiclient.UploadedFile{}, fault.Errorf(fault.Invalid, "%s is no file; only files can be sent", name)
	}
	return client.Upload(ctx, key, "", filepath.Base(name), file)
}

// Download fetches a file and returns where it is on this machine now: under its own name in the current folder, or under the second name of args. It
// never overwrites a file.
func Download(ctx context.Context, client *apiclient.Client, key chat.SessionKey, args string) (string, error) {
	names := Words(args)
	if len(names) == 0 || len(names) > 2 {
		return "", fault.Errorf(fault.Invalid, "say which file: /download out/report.pdf [to]; quote a name with spaces")
	}
	to := path.Base(strings.ReplaceAll(names[0], `\`, "/"))
	if len(names) == 2 {
		to = within(Home(names[1]), to)
	}
	file, err := create(to)
	if err != nil {
		return "", err
	}
	_, err = client.DownloadFile(ctx, key, apiclient.DownloadFileParams{Path: names[0]}, file)
	return to, finish(file, err)
}

// within puts a name into a folder, if that is what the user named.
func within(to, name string) string {
	if info, err := os.Stat(to); err == nil && info.IsDir() {
		return filepath.Join(to, name)
	}
	return to
}

// create makes a new file.
func create(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return nil, fault.Errorf(fault.Conflict, "%s is there already; say where to put it: /download PATH TO", name)
	}
	if err != nil {
		return nil, fault.Errorf(fault.Denied, "%s cannot be written: %w", name, Reason(err))
	}
	return file, nil
}

// finish closes a file. Of one that did not come whole nothing is left.
func finish(file *os.File, err error) error {
	closed := file.Close()
	if err == nil && closed != nil {
		err = fault.Errorf(fault.Unavailable, "%s could not be written to its end: %w", file.Name(), closed)
	}
	if err == nil {
		return nil
	}
	if left := os.Remove(file.Name()); left != nil {
		return fmt.Errorf("%w; a part of it is left: %w", err, left)
	}
	return err
}

// Reason takes the name off an error of package os, since the sentence around it has it.
func Reason(err error) error {
	if inner, ok := errors.AsType[*os.PathError](err); ok {
		return inner.Err
	}
	return err
}

// Home resolves a leading ~.
func Home(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if folder, err := os.UserHomeDir(); err == nil {
			return filepath.Join(folder, rest)
		}
	}
	return name
}
