package tui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/client/apiclient/apitest"
	"xbot/internal/client/cli/location"
)

func TestMention_OffersTheFilesOfTheFolderOfTheConversation(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	for _, file := range []string{"/proj/cmd/main.go", "/proj/cmd/main_test.go", "/proj/README.md", "/other/main.c"} {
		s.server.Put(file, "x")
	}
	s.typed("hello", tea.KeyEnter)
	s.shows("you said hello.")
	s.typed("explain @MAIN")
	s.offers("cmd/main.go", "cmd/main_test.go")
	s.shows("› cmd/main.go")
	s.typed("", tea.KeyDown, tea.KeyEnter)
	require.Equal(t, "explain [file: /proj/cmd/main_test.go] ", s.m.input.Value())
	s.typed("and @read")
	s.offers("README.md")
	s.typed("", tea.KeyTab, tea.KeyEnter)
	// What stands at the end is named by the server alone.
	s.shows("you said explain [file: /proj/cmd/main_test.go] and", "[file: /proj/README.md]")
}

func TestMention_NeedsAnAtThatBeginsAWord(t *testing.T) {
	t.Parallel()
	s := setup(t, hello)
	s.server.Put("/proj/a.go", "x")
	s.typed("hello", tea.KeyEnter)
	s.shows("you said hello.")
	for _, typed := range []string{"mail me@a", "!cat @a", "/model @a", "@a and more", "@nothing"} {
		s.typed(typed)
		require.Empty(t, s.offered(), typed)
		s.clears()
	}
	s.typed("@a")
	s.offers("a.go")
	s.take(tea.KeyPressMsg{Code: tea.KeyEscape})
	s.offers()
	s.typed("", tea.KeyEnter)
	s.shows("you said @a.")
}

func TestMention_OffersTheTerminalsOwnFolderBeforeThereIsAConversation(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for i, name := range []string{"old.txt", "sub/New.txt", ".git/new.txt", "node_modules/new.txt"} {
		at := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(t, os.WriteFile(at, nil, 0o600))
		require.NoError(t, os.Chtimes(at, time.Time{}, time.Unix(int64(1000+i), 0)))
	}
	server := apitest.New(t, hello)
	server.Knows(nil, []chat.Runner{{Name: "local", Kind: chat.RunnerLocal, Active: true}})
	s := openIn(t, server, chat.Session{}, location.Finder{Own: true, Cwd: folder})
	s.shows("Commands run on this machine")
	s.typed("@")
	s.offers("sub/New.txt", "old.txt")
	s.typed("new")
	s.offers("sub/New.txt")

	// Elsewhere, the files of this machine are none that commands could read.
	server.Knows(nil, []chat.Runner{{Name: "laptop", Kind: chat.RunnerNative, Workspace: "/home/a", Active: true}})
	s = openIn(t, server, chat.Session{}, location.Finder{Own: true, Cwd: folder})
	s.shows("Commands run on laptop, in /home/a.")
	s.typed("@")
	s.until("the search", func() bool { return len(s.msgs) == 0 })
	require.Empty(t, s.offered())
}

func TestMention_UploadsAFileOfThisMachineThatTheRunnerDoesNotHave(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "notes.txt")
	require.NoError(t, os.WriteFile(file, []byte("remember"), 0o600))
	s := setup(t, hello)
	s.typed("read @"+file, tea.KeyEnter)
	s.shows("[file: uploads/notes.txt]")
	require.Equal(t, "remember", s.server.File("uploads/notes.txt"))

	s.server.Shares()
	s.typed("again @"+file, tea.KeyEnter)
	s.until("the answer", func() bool { return len(s.m.story.Entries) == 4 && !s.m.running() })
	require.Contains(t, s.m.story.Entries[2].Content, "again @"+file+"\n[file: "+file+"]")
}

func TestPlace_FollowsTheRunnerThatCommandsGoTo(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, hello)
	server.Knows(nil, []chat.Runner{{Name: "laptop", Kind: chat.RunnerNative, Workspace: "/home/a", Active: true}})
	s := open(t, server, chat.Session{})
	s.shows("demo/demo · laptop:/home/a", "Commands run on laptop, in /home/a")
	s.typed("hello", tea.KeyEnter)
	s.shows("you said hello.")
	require.Empty(t, server.Session(server.Keys()[0]).Cwd, "the folder of the terminal means nothing there")

	server.Carries(func(text string) (string, bool) {
		if text != "/runner use __docker__" {
			return "", false
		}
		server.Knows(nil, []chat.Runner{{Name: "__docker__", Kind: "docker", Workspace: "/workspace", Active: true}})
		return "Done.", true
	})
	s.typed("/new", tea.KeyEnter)
	s.shows("A new session begins")
	s.typed("again", tea.KeyEnter)
	s.shows("you said again.")
	s.typed("/runner use __docker__", tea.KeyEnter)
	s.shows("Done.")
	s.typed("/new", tea.KeyEnter)
	s.shows("demo/demo · container:/workspace", "Commands run in your container on the server, in /workspace")
	s.typed("third", tea.KeyEnter)
	s.shows("you said third.")
	require.Empty(t, server.Session(server.Keys()[2]).Cwd)

	server.Knows(nil, []chat.Runner{{Name: "local", Kind: chat.RunnerLocal, Workspace: "/srv", Active: true}})
	s.typed("/new", tea.KeyEnter)
	s.shows("Commands run on this machine, in /work")
	s.typed("fourth", tea.KeyEnter)
	s.shows("you said fourth.")
	require.Equal(t, "/work", server.Session(server.Keys()[3]).Cwd)
}
