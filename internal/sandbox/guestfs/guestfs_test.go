package guestfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/runner/wire"
)

func names(infos []sandbox.FileInfo) []string {
	out := []string{}
	for _, i := range infos {
		out = append(out, i.Path)
	}
	return out
}

func TestRoom_HasFourFoldersAndWhatItsServiceAllows(t *testing.T) {
	w := newWorld(t)
	box, ctx := w.agent(), t.Context()
	for folder, want := range map[string][]string{
		"/":               {"/generated", "/attachments", "/docs", "/scripts"},
		".":               {"/generated", "/attachments", "/docs", "/scripts"},
		"/generated":      {"/generated/images", "/generated/mine.txt"},
		"/attachments/":   {"/attachments/sent.txt"},
		"docs":            {"/docs/faq", "/docs/open.md"},
		"/docs/faq":       {"/docs/faq/a.md", "/docs/faq/deep"},
		"/scripts":        {"/scripts/run.py"},
		"/docs/../docs/.": {"/docs/faq", "/docs/open.md"},
	} {
		got, err := box.ReadDir(ctx, folder)
		require.NoError(t, err, folder)
		require.Equal(t, want, names(got), folder)
		for _, i := range got {
			require.Equal(t, i.Path, i.Real)
		}
	}
	for file, want := range map[string]string{"/docs/open.md": "hello", "docs/faq/deep/b.md": "question two", "/attachments/sent.txt": "sent", "generated/mine.txt": "mine"} {
		got, err := box.ReadFile(ctx, file, 0, 0)
		require.NoError(t, err, file)
		require.Equal(t, want, string(got.Data))
		var out bytes.Buffer
		_, err = box.Download(ctx, file, &out)
		require.NoError(t, err)
		require.Equal(t, want, out.String())
		info, err := box.Stat(ctx, file)
		require.NoError(t, err)
		require.Equal(t, "/"+strings.TrimPrefix(file, "/"), info.Real, "not the true path")
	}
	require.Equal(t, "/", box.Workspace())
	require.Equal(t, "room", box.Name(), "not the runner's")
}

func TestRoom_WritesBelowGeneratedAlone(t *testing.T) {
	w := newWorld(t)
	box, ctx := w.agent(), t.Context()
	require.NoError(t, box.WriteFile(ctx, "/generated/new/deep/a.txt", []byte("a"), sandbox.WriteCreate))
	require.Equal(t, "a", w.get(own+"/generated/new/deep/a.txt"))
	require.Equal(t, fault.Conflict, fault.KindOf(box.WriteFile(ctx, "generated/new/deep/a.txt", []byte("b"), sandbox.WriteCreate)))
	require.NoError(t, box.WriteFile(ctx, "generated/new/deep/a.txt", []byte("b"), sandbox.WriteReplace))
	require.NoError(t, box.Move(ctx, "/generated/new/deep/a.txt", "/generated/moved/b.txt"))
	require.Equal(t, "b", w.get(own+"/generated/moved/b.txt"))
	require.NoError(t, box.Remove(ctx, "/generated/moved/b.txt"))
	require.NoError(t, box.RemoveAll(ctx, "/generated/new"))
	require.NoError(t, box.MkdirAll(ctx, "/generated/audio"))

	for _, file := range []string{"/docs/open.md", "/docs/faq/new.md", "/attachments/a", "/scripts/run.py", "/generated", "/", "/docs"} {
		for what, err := range changes(ctx, box, file) {
			if what == "mkdir" && err == nil {
				continue // it is there
			}
			require.Equal(t, fault.Denied, fault.KindOf(err), "%s %s: %v", what, file, err)
		}
	}
	require.Equal(t, "hello", w.get("docs/open.md"))
}

// changes tries to change what is at a path in every way.
func changes(ctx context.Context, box sandbox.Sandbox, file string) map[string]error {
	_, upload := box.Upload(ctx, file, strings.NewReader("x"), sandbox.WriteReplace)
	_, edit := box.Edit(ctx, sandbox.Edit{ID: "turn.0.0", Path: file, From: strings.NewReader("x"), Mode: sandbox.WriteCreate})
	return map[string]error{
		"write": box.WriteFile(ctx, file, []byte("x"), sandbox.WriteReplace), "upload": upload, "edit": edit, "mkdir": box.MkdirAll(ctx, file),
		"remove": box.Remove(ctx, file), "remove all": box.RemoveAll(ctx, file),
		"move from": box.Move(ctx, file, "/generated/taken"), "move to": box.Move(ctx, "/generated/mine.txt", file),
	}
}

// reads tries to see what is at a path in every way, and returns what it saw.
func reads(ctx context.Context, box sandbox.Sandbox, file string) (saw string, errs map[string]error) {
	var out bytes.Buffer
	data, read := box.ReadFile(ctx, file, 0, 0)
	part, some := box.ReadFile(ctx, file, 0, 5)
	_, download := box.Download(ctx, file, &out)
	info, stat := box.Stat(ctx, file)
	dir, readDir := box.ReadDir(ctx, file)
	glob, _ := box.Glob(ctx, sandbox.GlobQuery{Pattern: "**", Root: file})
	at, _ := box.Glob(ctx, sandbox.GlobQuery{Pattern: file})
	below, _ := box.Glob(ctx, sandbox.GlobQuery{Pattern: file + "/**"})
	grep, _ := box.Grep(ctx, sandbox.GrepQuery{Pattern: ".", Root: file, Context: 3})
	saw = fmt.Sprint(string(data.Data), string(part.Data), out.String(), info, dir, glob, at, below, grep)
	return saw, map[string]error{"read": read, "part": some, "download": download, "stat": stat, "read dir": readDir}
}

// hostile are paths of places that are not for the conversation.
func (w *world) hostile() []string {
	out := []string{
		"/etc/passwd", "../../../../etc/passwd", "/../etc/passwd", "/generated/../../../../../../etc/passwd", "/secret.txt", "/.env", "/.xbot/hooks.json", "/srv/secret.txt",
		"/services/" + svc + "/conversations/ffffffffff/generated/other.txt", "/generated/../elsewhere.txt", "/generated/../../ffffffffff/generated/other.txt",
		"../ffffffffff/generated/other.txt", "/docs/private.md", "/docs/./private.md", "/docs//private.md", "/docs/faq/../private.md", "/docs/private/c.md", "/docs/private",
		"/docs/openly.md", "/docs/OPEN.MD", "/Docs/open.md", "/docs/open.md/..", "/docs/open.md/x", "/scripts/other.py", "/scripts", "/docs/../scripts/other.py",
		"/attachments/../../ffffffffff/generated/other.txt", "/docs/\x00/../private.md", "/docs/private.md\x00.md", "/docs/open.md\x00",
		"/docs/priv\u200date.md", "/docs\\private.md", "\\\\server\\docs", "C:\\docs", "/docs/private.md/", "/docs/%2e%2e/secret.txt", "file:///etc/passwd", "~/secret.txt",
		"/dev/stdin", "/proc/self/environ", "/generated/" + strings.Repeat("a/", 100) + "x", "/generated/" + strings.Repeat("x", 5000), "/docs/\xff\xfe", "\u202e/docs/private.md",
		w.path("secret.txt"), w.path(own), w.work, "/docs/open.md:stream", "/docs/fa\u0071/../private.md", "/ＤＯＣＳ/open.md",
	}
	return out
}

func TestRoom_NothingElseExists(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	before := w.snapshot()
	for who, box := range map[string]sandbox.Sandbox{"agent": w.agent(), "consumer": w.consumer()} {
		for _, file := range w.hostile() {
			saw, errs := reads(ctx, box, file)
			require.NotContains(t, saw, canary, "%s %q", who, file)
			w.says(nil, saw)
			for what, err := range errs {
				w.says(err, file)
				if err == nil {
					require.Contains(t, []string{"stat", "read dir"}, what, "%s reads %q", who, file)
				}
			}
			for _, err := range changes(ctx, box, file) {
				w.says(err, file)
			}
		}
	}
	after := w.snapshot()
	for name, text := range before {
		if !strings.HasPrefix(name, own+"/generated/") {
			require.Equal(t, text, after[name], name)
		}
	}
	for name := range after {
		if _, was := before[name]; !was {
			require.True(t, strings.HasPrefix(name, own+"/generated/") || strings.HasPrefix(name, own+"/attachments/"), name)
		}
	}
}

func TestRoom_WhatIsNotForItAndWhatIsNotThereAreOneSentence(t *testing.T) {
	w := newWorld(t)
	for _, box := range []sandbox.Sandbox{w.agent(), w.consumer()} {
		for _, pair := range [][2]string{
			{"/docs/private.md", "/docs/nothing.md"}, {"/secret.txt", "/nothing.txt"}, {"/docs/private/c.md", "/docs/nothing/c.md"}, {"/scripts/other.py", "/scripts/nothing.py"},
		} {
			_, there := reads(t.Context(), box, pair[0])
			_, nowhere := reads(t.Context(), box, pair[1])
			for what, err := range there {
				require.Equal(t, fault.NotFound, fault.KindOf(err), what)
				require.Equal(t, strings.ReplaceAll(nowhere[what].Error(), pair[1], pair[0]), err.Error(), what)
			}
		}
	}
}

func TestRoom_FollowsNoLink(t *testing.T) {
	w := newWorld(t)
	ctx := t.Context()
	for name, target := range map[string]string{
		"docs/faq/out.md": w.path("secret.txt"), "docs/faq/up.md": "../../secret.txt", "docs/faq/hidden.md": "../private.md", "docs/faq/house": w.work, "docs/faq/passwd": "/etc/passwd",
		"docs/faq/same.md": "a.md", "docs/faq/dangling": "/nowhere", own + "/generated/out": w.path("docs"), own + "/generated/out.txt": w.path("secret.txt"),
		own + "/generated/dangling": w.path("planted"), own + "/attachments/root": "/", "docs/faq/round": "round", own + "/generated/new": filepath.Dir(w.work),
	} {
		w.linkTo(target, name)
	}
	before := w.snapshot()
	for _, box := range []sandbox.Sandbox{w.agent(), w.consumer()} {
		for _, file := range []string{
			"/docs/faq/out.md", "/docs/faq/up.md", "/docs/faq/hidden.md", "/docs/faq/house", "/docs/faq/house/secret.txt", "/docs/faq/house/docs/private.md", "/docs/faq/passwd",
			"/docs/faq/same.md", "/docs/faq/dangling", "/generated/out", "/generated/out/private.md", "/generated/out.txt", "/generated/dangling", "/attachments/root/etc/passwd",
			"/docs/faq/round", "/generated/new/outside.txt", "/generated/new/planted.txt",
		} {
			saw, errs := reads(ctx, box, file)
			require.NotContains(t, saw, canary, file)
			require.NotContains(t, saw, "root:", file)
			for what, err := range errs {
				require.Error(t, err, "%s %s", what, file)
				w.says(err, file)
			}
			for what, err := range changes(ctx, box, file) {
				require.Error(t, err, "%s %s", what, file)
				w.says(err, file)
			}
		}
		found, err := box.Grep(ctx, sandbox.GrepQuery{Pattern: canary})
		require.NoError(t, err)
		require.Empty(t, found.Matches)
	}
	require.Equal(t, before, w.snapshot())
	found, err := w.agent().Glob(ctx, sandbox.GlobQuery{Pattern: "/docs/faq/**"})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"/docs/faq/a.md", "/docs/faq/deep/b.md"}, found.Paths, "not even their names")
	got, err := w.agent().ReadDir(ctx, "/docs/faq")
	require.NoError(t, err)
	require.Equal(t, []string{"/docs/faq/a.md", "/docs/faq/deep"}, names(got))
}

func TestRoom_IsEmptyWhereItsOwnFoldersAreLinks(t *testing.T) {
	for _, folder := range []string{"docs", "services", own, own + "/generated"} {
		w := newWorld(t)
		require.NoError(t, os.RemoveAll(w.path(folder)))
		w.linkTo(w.path("private"), folder)
		w.put("private/secret.txt", canary)
		w.put("private/faq/a.md", canary)
		w.put("private/"+svc+"/conversations/"+conv+"/generated/a", canary)
		for _, file := range []string{"/docs/faq/a.md", "/generated/secret.txt", "/generated/generated/a"} {
			saw, _ := reads(t.Context(), w.agent(), file)
			require.NotContains(t, saw, canary, folder)
		}
		if folder != "docs" {
			require.Equal(t, fault.Denied, fault.KindOf(w.agent().WriteFile(t.Context(), "/generated/x.txt", []byte("x"), sandbox.WriteCreate)), folder)
			require.NoFileExists(t, w.path("private/x.txt"))
		}
	}
}

func TestRoom_ALinkThatTakesThePlaceOfAFileWhileItIsReadShowsNothing(t *testing.T) {
	w := newWorld(t)
	text := strings.Repeat("x", len(canary))
	w.put("docs/faq/a.md", text)
	box := w.agent()
	at := time.Now()
	require.NoError(t, os.Chtimes(w.path("docs/faq/a.md"), at, at))
	var once sync.Once
	swap := func(op string) {
		if op == string(wire.OpRead) { // it was looked at, and is about to be read
			once.Do(func() {
				_ = os.Remove(w.path("docs/faq/a.md"))
				_ = os.Symlink(w.path("secret.txt"), w.path("docs/faq/a.md"))
			})
		}
	}
	for _, again := range []bool{true, false} {
		once = sync.Once{}
		w.link.before = swap
		var err error
		var saw string
		if again {
			var got sandbox.FileData
			got, err = box.ReadFile(t.Context(), "/docs/faq/a.md", 0, 0)
			saw = string(got.Data)
		} else {
			var out bytes.Buffer
			_, err = box.Download(t.Context(), "/docs/faq/a.md", &out)
			saw = out.String()
		}
		require.Error(t, err)
		require.NotContains(t, saw, canary)
		w.link.before = nil
		require.NoError(t, os.Remove(w.path("docs/faq/a.md")))
		w.put("docs/faq/a.md", text)
	}
}

func TestRoom_WhatCannotBeCheckedIsRefused(t *testing.T) {
	w := newWorld(t)
	w.link.old = true
	for _, file := range []string{"/docs/open.md", "/generated/mine.txt", "/generated/new.txt"} {
		_, errs := reads(t.Context(), w.agent(), file)
		for what, err := range errs {
			require.Equal(t, fault.Denied, fault.KindOf(err), "%s %v", what, err)
		}
		for what, err := range changes(t.Context(), w.agent(), file) {
			require.Equal(t, fault.Denied, fault.KindOf(err), "%s %v", what, err)
		}
	}
}

func TestRoom_ScriptsAreNamesAlone(t *testing.T) {
	w := newWorld(t)
	box, ctx := w.agent(), t.Context()
	found, err := box.Glob(ctx, sandbox.GlobQuery{Pattern: "scripts/*"})
	require.NoError(t, err)
	require.Equal(t, []string{"/scripts/run.py"}, found.Paths)
	_, err = box.ReadFile(ctx, "/scripts/run.py", 0, 0)
	require.Equal(t, fault.Denied, fault.KindOf(err))
	require.ErrorContains(t, err, "names alone")
	for _, q := range []sandbox.GrepQuery{{Pattern: canary}, {Pattern: canary, Root: "/scripts"}, {Pattern: canary, Root: "/scripts/run.py"}} {
		got, err := box.Grep(ctx, q)
		require.NoError(t, err)
		require.Empty(t, got.Matches)
	}
}

func TestRoom_SearchesWhatItSees(t *testing.T) {
	w := newWorld(t)
	box, ctx := w.agent(), t.Context()
	for pattern, want := range map[string][]string{
		"**/*.md":                 {"/docs/faq/a.md", "/docs/faq/deep/b.md", "/docs/open.md"},
		"/docs/*.md":              {"/docs/open.md"},
		"docs/faq/**":             {"/docs/faq/a.md", "/docs/faq/deep/b.md"},
		"/*/mine.txt":             {"/generated/mine.txt"},
		"{docs,attachments}/*":    {"/docs/open.md", "/attachments/sent.txt"},
		"/generated/images/*.png": {"/generated/images/x.png"},
		"/docs/private/**":        nil, "/services/**": nil, "/generated/house.txt": nil, "../**": nil, "docs/../../**": nil, "{..,docs}/*": nil, "/nothing/*": nil,
		w.work + "/**": nil,
	} {
		got, err := box.Glob(ctx, sandbox.GlobQuery{Pattern: pattern})
		if strings.Contains(pattern, "..") {
			require.Equal(t, fault.Invalid, fault.KindOf(err), pattern)
			continue
		}
		require.NoError(t, err, pattern)
		require.ElementsMatch(t, want, got.Paths, pattern)
	}
	got, err := box.Glob(ctx, sandbox.GlobQuery{Pattern: "**", Limit: 2})
	require.NoError(t, err)
	require.Len(t, got.Paths, 2)
	require.True(t, got.Truncated)
	all, err := box.Glob(ctx, sandbox.GlobQuery{Pattern: "*.md", Root: "/docs/faq"})
	require.NoError(t, err)
	require.Equal(t, []string{"/docs/faq/a.md"}, all.Paths)

	for _, q := range []sandbox.GrepQuery{{Pattern: "question"}, {Pattern: "question", Root: "/docs"}, {Pattern: "QUESTION", IgnoreCase: true, Include: "*.md"}} {
		found, err := box.Grep(ctx, q)
		require.NoError(t, err)
		require.Len(t, found.Matches, 2, "%+v", q)
		require.Equal(t, "/docs/faq/a.md", found.Matches[0].Path)
	}
	one, err := box.Grep(ctx, sandbox.GrepQuery{Pattern: "question", Root: "/docs/faq/a.md"})
	require.NoError(t, err)
	require.Len(t, one.Matches, 1)
	few, err := box.Grep(ctx, sandbox.GrepQuery{Pattern: ".", Limit: 1})
	require.NoError(t, err)
	require.Len(t, few.Matches, 1)
	require.True(t, few.Truncated)
	_, err = box.Grep(ctx, sandbox.GrepQuery{Pattern: "("})
	require.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestRoom_ASearchDoesNotTellWhatStandsInDocumentsThatItDoesNotSee(t *testing.T) {
	with, without := newWorld(t), newWorld(t)
	for range 3 { // what is hidden comes before and after what is seen, and would fill every bound
		with.put("docs/aaa.md", strings.Repeat("question\n", 30_000))
		with.put("docs/zzz.md", strings.Repeat("question\n", 30_000))
	}
	for _, q := range []sandbox.GrepQuery{{Pattern: "question"}, {Pattern: "question", Limit: 2}, {Pattern: "question", Root: "/docs", Limit: 1}} {
		a, err := with.agent().Grep(t.Context(), q)
		require.NoError(t, err)
		b, err := without.agent().Grep(t.Context(), q)
		require.NoError(t, err)
		require.Equal(t, b, a)
	}
}

func TestRoom_RunsNoCommand(t *testing.T) {
	w := newWorld(t)
	for _, box := range []sandbox.Sandbox{w.agent(), w.consumer()} {
		_, err := box.Exec(t.Context(), sandbox.ExecRequest{ID: "a.0.0", Command: "cat /etc/passwd"})
		require.Equal(t, fault.Denied, fault.KindOf(err))
		_, err = box.Start(t.Context(), sandbox.StdioRequest{Args: []string{"sh"}})
		require.Equal(t, fault.Denied, fault.KindOf(err))
		require.Error(t, box.(sandbox.Feeder).Feed(t.Context(), "a.0.0", sandbox.Input{Data: []byte("x")}))
		_, err = box.ReadOutput(t.Context(), "a.0.0", 0, 100)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
		require.NoError(t, box.Kill(t.Context(), "a.0.0"))
		require.NoError(t, box.Release(t.Context(), "a.0.0"))
		require.NoError(t, box.Close())
		require.Equal(t, fault.Denied, fault.KindOf(sandbox.Talks(box)), "no coding agent answers there")
		require.Equal(t, fault.Denied, fault.KindOf(sandbox.Talks(sandbox.Narrow(box, chat.Confinement{Offline: true}))))
	}
	require.Empty(t, w.link.asked, "the runner hears nothing of it")
}

func TestRoom_OfTheConsumerTakesAttachmentsAndShowsNoDocuments(t *testing.T) {
	w := newWorld(t)
	box, ctx := w.consumer(), t.Context()
	n, err := box.Upload(ctx, "/attachments/pictures/a.png", bytes.NewReader([]byte("png")), sandbox.WriteCreate)
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	require.Equal(t, "png", w.get(own+"/attachments/pictures/a.png"))
	got, err := box.ReadDir(ctx, "/")
	require.NoError(t, err)
	require.Equal(t, []string{"/generated", "/attachments"}, names(got))
	_, err = box.ReadFile(ctx, "/docs/open.md", 0, 0)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.Equal(t, fault.Denied, fault.KindOf(box.WriteFile(ctx, "/generated/a", nil, sandbox.WriteCreate)))
	var out bytes.Buffer
	_, err = box.Download(ctx, "/generated/mine.txt", &out)
	require.NoError(t, err)
	require.Equal(t, "mine", out.String())
}

func TestRoom_AConversationKeepsSoMuchAndNoMore(t *testing.T) {
	w := newWorld(t)
	big, err := os.Create(w.path(own + "/generated/big"))
	require.NoError(t, err)
	require.NoError(t, big.Truncate(guestfs.MaxBytes)) // without a block of the disk
	require.NoError(t, big.Close())
	err = w.agent().WriteFile(t.Context(), "/generated/more.txt", []byte("x"), sandbox.WriteCreate)
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
	require.NoError(t, w.consumer().WriteFile(t.Context(), "/attachments/more.txt", []byte("x"), sandbox.WriteCreate), "what is sent is counted for itself")
	require.NoError(t, w.agent().Remove(t.Context(), "/generated/big"))
	require.NoError(t, w.agent().WriteFile(t.Context(), "/generated/more.txt", []byte("x"), sandbox.WriteCreate))
	for i := range guestfs.MaxFiles {
		w.put(fmt.Sprintf("%s/attachments/%d", own, i), "")
	}
	err = w.consumer().WriteFile(t.Context(), "/attachments/another.txt", []byte("x"), sandbox.WriteCreate)
	require.Equal(t, fault.TooLarge, fault.KindOf(err))
}

func TestRoom_BeforeAnythingIsThereItIsEmpty(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, os.RemoveAll(w.path("services")))
	require.NoError(t, os.RemoveAll(w.path("docs")))
	box := w.agent()
	for _, folder := range []string{"/generated", "/attachments", "/docs"} {
		got, err := box.ReadDir(t.Context(), folder)
		require.NoError(t, err)
		require.Empty(t, got)
		info, err := box.Stat(t.Context(), folder)
		require.NoError(t, err)
		require.True(t, info.Dir)
	}
	found, err := box.Glob(t.Context(), sandbox.GlobQuery{Pattern: "**"})
	require.NoError(t, err)
	require.Equal(t, []string{"/scripts/run.py"}, found.Paths)
	require.NoError(t, box.WriteFile(t.Context(), "/generated/a.txt", []byte("a"), sandbox.WriteCreate))
}

// away is a runner that is not connected, and broken one that misbehaves.
type away struct{ err error }

func (a away) Ready(context.Context) (wire.Info, error) {
	if a.err != nil {
		return wire.Info{Workspace: "/home/alice"}, nil
	}
	return wire.Info{}, sandbox.ErrOffline
}

func (a away) Call(context.Context, wire.Request, func(wire.Push) error) (wire.Response, error) {
	return wire.Response{}, a.err
}

func TestRoom_NeitherNamesARunnerThatIsAwayNorRepeatsOneThatIsBroken(t *testing.T) {
	for _, link := range []away{{}, {wire.Errorf("strange", "/home/alice/secret broke on laptop")}, {wire.Errorf(wire.Denied, "/home/alice/secret broke on laptop")}, {wire.Errorf(wire.Unavailable, "/home/alice/secret broke on laptop")}} {
		box := guestfs.ForAgent(sandbox.NewRunner("laptop", link, sandbox.RunnerConfig{OfflineWait: 50 * time.Millisecond}), guestfs.Conversation{Service: svc, ID: conv, Docs: []string{"*"}})
		saw, errs := reads(t.Context(), box, "/docs/a.md")
		maps.Copy(errs, changes(t.Context(), box, "/generated/a.md"))
		_, errs["edited"] = box.Edited(t.Context(), "a.0.0")
		for what, err := range errs {
			if err == nil {
				require.Contains(t, []string{"mkdir", "edited"}, what)
				continue
			}
			for _, word := range []string{"laptop", "alice", "secret"} {
				require.NotContains(t, err.Error()+saw, word, what)
			}
			if link.err == nil {
				_, offline := errors.AsType[*sandbox.OfflineError](err)
				require.True(t, offline, "tools know that it is away")
			}
		}
	}
}

func TestRoom_TellsOfWaitsWithoutTheNameOfTheRunner(t *testing.T) {
	told := make(chan string, 10)
	ctx, cancel := context.WithCancel(sandbox.WithWaitObserver(t.Context(), func(runner string, _ bool) { told <- runner }))
	box := guestfs.ForAgent(sandbox.NewRunner("laptop", waits{}, sandbox.RunnerConfig{}), guestfs.Conversation{Service: svc, ID: conv})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = box.Stat(ctx, "/generated")
	}()
	require.NotContains(t, <-told, "laptop")
	cancel()
	<-done
}

// waits never connects.
type waits struct{}

func (waits) Ready(ctx context.Context) (wire.Info, error) {
	<-ctx.Done()
	return wire.Info{}, sandbox.ErrOffline
}

func (waits) Call(context.Context, wire.Request, func(wire.Push) error) (wire.Response, error) {
	return wire.Response{}, sandbox.ErrOffline
}

func FuzzRoom_APathLeadsNowhereElse(f *testing.F) {
	w := newWorld(f)
	w.linkTo(w.work, "docs/faq/house")
	for _, p := range w.hostile() {
		f.Add(p)
	}
	f.Add("/docs/faq/house/secret.txt")
	before := w.snapshot()
	agent := w.agent()
	f.Fuzz(func(t *testing.T, file string) {
		w.t = t
		saw, errs := reads(t.Context(), agent, file)
		require.NotContains(t, saw, canary)
		for _, err := range errs {
			w.says(err, file)
		}
		_ = agent.WriteFile(t.Context(), file, []byte("x"), sandbox.WriteReplace)
		_ = agent.Move(t.Context(), "/generated/mine.txt", file)
		_ = agent.RemoveAll(t.Context(), file)
		after := w.snapshot()
		for name, text := range before {
			if !strings.HasPrefix(name, own+"/generated/") {
				require.Equal(t, text, after[name], name)
			}
		}
		for name := range after {
			if _, was := before[name]; !was {
				require.True(t, strings.HasPrefix(name, own+"/generated/"), name)
			}
		}
		w.put(own+"/generated/mine.txt", "mine")
	})
}

// says checks that a sentence names nothing of the runner.
func (w *world) says(err error, text string) {
	w.t.Helper()
	said := text
	if err != nil {
		said = strings.ReplaceAll(err.Error(), text, "")
		if strings.Contains(text, w.work) {
			return // whoever asked knew it
		}
	} else if strings.Contains(text, canary) {
		w.t.Fatal("it holds what is secret")
	}
	if err != nil {
		for _, word := range []string{w.work, "laptop", svc, conv, canary} {
			require.NotContains(w.t, said, word)
		}
	}
}

func (w *world) get(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	require.NoError(w.t, err)
	return string(data)
}

// snapshot is every file around the workspace.
func (w *world) snapshot() map[string]string {
	out := map[string]string{}
	top := filepath.Dir(w.work)
	require.NoError(w.t, filepath.Walk(top, func(at string, info os.FileInfo, err error) error {
		if err != nil || !info.Mode().IsRegular() || strings.HasPrefix(at, filepath.Join(top, "state")) {
			return err
		}
		f, err := os.Open(at)
		if err != nil {
			return err
		}
		defer f.Close()
		data, err := io.ReadAll(f)
		rel, _ := filepath.Rel(w.work, at)
		out[rel] = string(data)
		return err
	}))
	return out
}
