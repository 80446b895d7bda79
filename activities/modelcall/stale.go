package modelcall

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"xbot/activities"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/turn/window"
)

// Time limits of a look at files. A file that cannot be looked at in time counts as unchanged: the warning helps the model,
// but no user should wait for it.
const (
	statWait = time.Second     // for the first answer of a runner
	hashWait = 5 * time.Second // for everything on one runner
	awayFor  = time.Minute     // how long a runner that did not answer is left alone
)

// Reads returns the state of files when the model read them, and records which have changed since.
type Reads interface {
	OffloadedFiles(ctx context.Context, key chat.SessionKey, ids []string) ([]chat.OffloadedFile, error)
	AddControl(ctx context.Context, key chat.SessionKey, c chat.Control) (stored chat.Control, added bool, err error)
}

// Stale finds files that have changed since an offloaded result showed them, so that the model does not rely on what it
// recalls of them. Safe for concurrent use; it must not be copied.
type Stale struct {
	Reads     Reads
	Sandboxes activities.RunnerSandboxes

	away sync.Map // user and runner -> when it did not answer
}

// Check looks at the files behind the offloaded results that a step would still see, and appends a record for each that
// has changed or is gone. It returns the new records, oldest first: they are stored, and belong to the window that the
// step sees. It looks only where something may have changed them: at the first step of a turn, and after calls that do
// more than read. It never waits long for a runner.
func (s *Stale) Check(ctx context.Context, step chat.Step, w chat.Window) ([]chat.Control, error) {
	if !mayHaveChanged(step, w) {
		return nil, nil
	}
	shown := offloadsShown(w)
	if len(shown) == 0 {
		return nil, nil
	}
	ids := make([]string, 0, len(shown))
	for id := range shown {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	files, err := s.Reads.OffloadedFiles(ctx, w.Session, ids)
	if err != nil {
		return nil, err
	}
	var out []chat.Control
	for _, f := range s.changed(ctx, files) {
		at := shown[f.ID]
		c, _, err := s.Reads.AddControl(ctx, w.Session, chat.Control{
			Kind: chat.ControlStale, Message: at.message, Turn: step.Turn, Key: "stale/" + f.ID, // a result is stale once
			Stale: &chat.Stale{Offload: f.ID, Call: at.call, Path: f.File.Path, Missing: f.missing},
		})
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b chat.Control) int { return cmp.Compare(a.ID, b.ID) })
	return out, ctx.Err()
}

// mayHaveChanged reports whether files may be other than before the step before this one: time has passed, or a call did
// more than read. Waiting for a background task lets that change files.
func mayHaveChanged(step chat.Step, w chat.Window) bool {
	if step.N == 0 {
		return true
	}
	for _, line := range slices.Backward(w.Lines) {
		if line.Message.Role != chat.RoleAssistant {
			continue
		}
		return slices.ContainsFunc(line.Message.ToolCalls, func(c chat.ToolCall) bool {
			return c.Class != chat.ClassRead || strings.HasPrefix(c.Name, "task_")
		})
	}
	return true
}

// shownAt is the position of an offloaded result.
type shownAt struct {
	message chat.MessageID
	call    chat.CallID
}

// offloadsShown finds the offloaded results that the model still sees as such: neither masked, edited away nor known to be
// stale.
func offloadsShown(w chat.Window) map[string]shownAt {
	if !slices.ContainsFunc(w.Lines, func(l chat.Line) bool { return slices.ContainsFunc(l.Message.ToolCalls, isOffloaded) }) {
		return nil // as in most conversations: nothing to fold
	}
	shown := map[string]shownAt{}
	for _, line := range window.View(w) {
		for _, c := range line.Message.ToolCalls {
			if isOffloaded(c) {
				shown[c.Offload] = shownAt{line.Message.ID, c.ID}
			}
		}
	}
	return shown
}

func isOffloaded(c chat.ToolCall) bool {
	return c.Offload != "" && strings.HasPrefix(c.Result, window.OffloadMark(c.Offload))
}

// changedFile is a file that is not what it was.
type changedFile struct {
	chat.OffloadedFile

	missing bool
}

// changed looks at files, runner by runner.
func (s *Stale) changed(ctx context.Context, files []chat.OffloadedFile) []changedFile {
	byRunner := map[string][]chat.OffloadedFile{}
	for _, f := range files {
		byRunner[f.File.Runner] = append(byRunner[f.File.Runner], f)
	}
	var (
		mu  sync.Mutex
		out []changedFile
		wg  sync.WaitGroup
	)
	for _, group := range byRunner {
		wg.Go(func() {
			found := s.changedOn(ctx, group)
			mu.Lock()
			defer mu.Unlock()
			out = append(out, found...)
		})
	}
	wg.Wait()
	slices.SortFunc(out, func(a, b changedFile) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// changedOn looks at files of one runner, and gives up on it as soon as it does not answer.
func (s *Stale) changedOn(ctx context.Context, files []chat.OffloadedFile) (out []changedFile) {
	who := runnerOf{files[0].User, files[0].File.Runner}
	if since, ok := s.away.Load(who); ok && time.Since(since.(time.Time)) < awayFor { //nolint:forcetypeassert // nothing else is stored
		return nil
	}
	box, err := s.Sandboxes.Box(ctx, who.user, who.runner)
	if err != nil {
		return nil // the runner is not theirs any more, or cannot be found now: whether the file changed is unknown
	}
	limited, cancel := context.WithTimeout(ctx, hashWait)
	defer cancel()
	for _, f := range files {
		now, err := stat(limited, box, f.File.Path)
		switch kind := fault.KindOf(err); {
		case err == nil && differs(limited, box, f.File, now):
			out = append(out, changedFile{f, false})
		case kind == fault.NotFound:
			out = append(out, changedFile{f, true})
		case ctx.Err() != nil:
			return out
		case kind == fault.Unavailable || limited.Err() != nil || errors.Is(err, context.DeadlineExceeded):
			s.away.Store(who, time.Now())
			return out
		}
	}
	s.away.Delete(who)
	return out
}

type runnerOf struct {
	user   chat.UserID
	runner string
}

func stat(ctx context.Context, box sandbox.Sandbox, path string) (sandbox.FileInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, statWait)
	defer cancel()
	return box.Stat(ctx, path)
}

// differs reports whether a file has another content than it had. The content is read only if size and time do not decide; a
// file that cannot be read counts as unchanged.
func differs(ctx context.Context, box sandbox.Sandbox, was chat.FileState, now sandbox.FileInfo) bool {
	if now.Dir || now.Size != was.Size {
		return true
	}
	if now.ModTime.Truncate(time.Microsecond).Equal(was.Time.Truncate(time.Microsecond)) { // what Postgres keeps of a time
		return false
	}
	sum := sha256.New()
	if _, err := box.Download(ctx, was.Path, sum); err != nil {
		return false
	}
	return !bytes.Equal(sum.Sum(nil), was.Hash)
}
