package registry_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/document/decode/decodetest"
	"xbot/internal/extension/registry"
)

func TestAttack_AnArchiveHarmsNobodyElse(t *testing.T) {
	front := func(yaml string) entry {
		return entry{name: "SKILL.md", data: "---\nname: a\ndescription: b\n" + yaml + "\n---\nx"}
	}
	many := make([]entry, 30_000)
	for i := range many {
		many[i] = entry{name: fmt.Sprint("f", i)}
	}
	lying := pack(t, mainFile("SKILL.md"), entry{name: "zeros", data: strings.Repeat("\x00", 100<<20)})
	at := bytes.LastIndex(lying, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(lying[at+24:], 1)
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c,*%[3]c]\n", c, c, c-1)
	}
	for name, data := range map[string][]byte{
		"a file of 100 MB":                  pack(t, mainFile("SKILL.md"), entry{name: "zeros", data: strings.Repeat("\x00", 100<<20)}),
		"a file that says it has one byte":  lying,
		"30,000 files":                      pack(t, many...),
		"front matter of names of names":    pack(t, front(laughs)),
		"front matter nested deeply":        pack(t, front("tags: "+strings.Repeat("[", 60_000))),
		"front matter that names itself":    pack(t, front("tags: &a [*a]")),
		"a role of 4 MB":                    []byte("---\nname: a\ndescription: b\n---\n" + strings.Repeat("x\n", 2<<20-100)),
		"an archive with 2 MB of a comment": append(pack(t, mainFile("SKILL.md")), make([]byte, 2<<20)...),
		"no archive":                        []byte("PK\x03\x04 nothing"),
	} {
		t.Run(name, func(t *testing.T) {
			_ = decodetest.Attack(t, func(ctx context.Context) error {
				_, err := registry.Open(ctx, data, "upload")
				return err
			}, func(ctx context.Context) error {
				got, err := registry.Open(ctx, pack(t, mainFile("SKILL.md")), "upload")
				if err == nil {
					require.Equal(t, "release-notes", got.Name)
				}
				return err
			}) // files that are no attack are read
		})
	}
}

func TestOpen_IsReadInAProcessOfItsOwn(t *testing.T) {
	data := pack(t, mainFile("SKILL.md"), entry{name: "scripts/run.sh", data: "echo hi", mode: 0o755})
	want, err := registry.Read(data, "x")
	require.NoError(t, err)
	got, err := registry.Open(t.Context(), data, "x")
	require.NoError(t, err)
	require.Equal(t, want, got)
}
