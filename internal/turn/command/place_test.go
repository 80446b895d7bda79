package command_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/fault"
	"xbot/internal/turn/command"
)

func TestPlace_ReadsNamesBetweenDots(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, "session": {"session"}, "session.reset.mode": {"session", "reset", "mode"},
		`channels.feishu.groups."oc.1 x".requireMention`: {"channels", "feishu", "groups", "oc.1 x", "requireMention"}, "agents.list.0.id": {"agents", "list", "0", "id"},
	} {
		place, rest, ok := command.Place(text)
		require.True(t, ok, text)
		require.Equal(t, want, place, text)
		require.Empty(t, rest)
	}
	place, rest, ok := command.Place(`session.reset  {"mode": "daily"} `)
	require.True(t, ok)
	require.Equal(t, []string{"session", "reset"}, place)
	require.Equal(t, `{"mode": "daily"}`, rest)
	for _, text := range []string{".", "a.", ".a", "a..b", `"a`, `a."`, `""`} {
		_, _, ok := command.Place(text)
		require.False(t, ok, text)
	}
}

func TestPut_ChangesOnePlaceAndTakeUndoesIt(t *testing.T) {
	read := func(text string) (tree any) {
		require.NoError(t, json.Unmarshal([]byte(text), &tree))
		return tree
	}
	for _, c := range []struct{ before, place, value, after string }{
		{`{}`, "a.b", "1", `{"a":{"b":1}}`},
		{`{"a":{"b":1,"c":2}}`, "a.b", `"x"`, `{"a":{"b":"x","c":2}}`},
		{`{"a":[1,2]}`, "a.1", "word", `{"a":[1,"word"]}`},
		{`{"a":[1,2]}`, "a.2", "true", `{"a":[1,2,true]}`},
	} {
		place, _, _ := command.Place(c.place)
		tree := read(c.before)
		got, err := command.Put(tree, place, command.Value(c.value))
		require.NoError(t, err)
		require.Equal(t, read(c.after), got)
		require.Equal(t, read(c.before), tree, "the old document is left as it was")
		found, ok := command.At(got, place)
		require.True(t, ok)
		require.Equal(t, command.Value(c.value), found)
		gone, err := command.Take(got, place)
		require.NoError(t, err)
		_, ok = command.At(gone, place)
		require.False(t, ok)
	}
	for _, place := range [][]string{{"a", "3"}, {"a", "x"}, {"a", "0", "b"}} {
		_, err := command.Put(read(`{"a":[1,2]}`), place, 1)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		_, err = command.Take(read(`{"a":[1,2]}`), place)
		require.Equal(t, fault.NotFound, fault.KindOf(err))
	}
}

func FuzzPlace(f *testing.F) {
	f.Add(`a."b c".0 {"x":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		place, _, ok := command.Place(text)
		if !ok || len(place) == 0 {
			return
		}
		tree, err := command.Put(nil, place, "v")
		if err != nil {
			t.Fatal(err)
		}
		if found, ok := command.At(tree, place); !ok || found != "v" {
			t.Fatalf("%q was put at %q and is not there", text, place)
		}
	})
}
