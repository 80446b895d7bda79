package consumer

import (
	"encoding/json"
	"strings"
	"testing"

	"xbot/internal/document/webpicture"
	"xbot/internal/secret"
)

func FuzzContent_IsReadOrRefused(f *testing.F) {
	for _, seed := range []string{`"hi"`, `[{"type":"text","text":"a"}]`, `[{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]`, `[{"type":"image_url","image_url":{"url":"https://u:p@example.com/?a=b"}}]`, `{"a":1}`, `[[]]`, `null`, `[{"type":"x"}]`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var c Content
		if json.Unmarshal([]byte(text), &c) != nil {
			return // it is no JSON
		}
		if c.check(0) == nil && strings.TrimSpace(c.Text) == "" && len(c.Pictures) == 0 {
			t.Fatalf("%q says nothing, and was taken", text)
		}
		for _, p := range c.Pictures {
			if p.Address != "" && webpicture.Check(p.Address) != nil && c.check(0) == nil {
				t.Fatalf("%q has an address that nothing is fetched from, and was taken", text)
			}
		}
	})
}

func FuzzInFolder_LeadsNowhereElse(f *testing.F) {
	for _, seed := range []string{"a", "a/b.txt", "../a", "/a", "a//b", "a/../../b", "a\x00b", `a\b`, ".", "a/./b", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		at, err := inFolder(generatedFolder, file)
		if err == nil && (!strings.HasPrefix(at, generatedFolder+"/") || strings.Contains(at+"/", "/../") || strings.ContainsAny(at, "\x00\\")) {
			t.Fatalf("%q leads to %q", file, at)
		}
	})
}

func FuzzVerify_OnlyWhatWasSignedIsGood(f *testing.F) {
	a := &API{Config: Config{Key: secret.Key{1}}}
	good, err := a.sign(pass{"svc_00000000", "key_000000", 1, "0123456789", 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(".")
	f.Add(good + "A")
	f.Fuzz(func(t *testing.T, token string) {
		if _, ok := a.verify(token); ok && token != good {
			t.Fatalf("%q was not signed", token)
		}
	})
}
