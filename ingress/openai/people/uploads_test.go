package people_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/user/users"
)

// sends is a request for a completion with parts behind a text.
func sends(parts ...object) object {
	content := append([]object{{"type": "text", "text": "What is it?"}}, parts...)
	return says("", object{"messages": []object{{"role": "user", "content": content}}})
}

// sendsInput is one for a response.
func sendsInput(parts ...object) object {
	content := append([]object{{"type": "input_text", "text": "What is it?"}}, parts...)
	return object{"model": "xbot", "input": []object{{"role": "user", "content": content}}}
}

func filePart(name, data string) object {
	return object{"type": "file", "file": object{"filename": name, "file_data": data}}
}

func in64(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// stored are the files in the folder of uploads, with their contents.
func (b *bundle) stored() map[string]string {
	b.T.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(b.boxes.Workspace(), "uploads"))
	if os.IsNotExist(err) {
		return out
	}
	require.NoError(b.T, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.boxes.Workspace(), "uploads", e.Name()))
		require.NoError(b.T, err)
		out[e.Name()] = string(data)
	}
	return out
}

func TestUploads_AFileOfAPartIsAttachedToTheConversation(t *testing.T) {
	const pdf, text = "%PDF-1.4 tiny", "one, two"
	for name, c := range map[string]struct {
		path    string
		ask     object
		stored  string // without the digits of its hash
		content string
		kind    string
	}{
		"a data: URL":              {chats, sends(filePart("report.pdf", "data:application/pdf;base64,"+in64(pdf))), "report.pdf", pdf, "file"},
		"plain base64":             {chats, sends(filePart("a b.csv", in64(text))), "a b.csv", text, "file"},
		"base64 without padding":   {chats, sends(filePart("a.csv", strings.TrimRight(in64("four"), "="))), "a.csv", "four", "file"},
		"no name":                  {chats, sends(object{"type": "file", "file": object{"file_data": in64(pdf)}}), "file.pdf", pdf, "file"},
		"no name, any bytes":       {chats, sends(object{"type": "file", "file": object{"file_data": in64("\x00\x01\x02")}}), "file", "\x00\x01\x02", "file"},
		"sound":                    {chats, sends(object{"type": "input_audio", "input_audio": object{"data": in64("RIFF"), "format": "wav"}}), "audio.wav", "RIFF", "audio"},
		"a file of a response":     {responses, sendsInput(object{"type": "input_file", "filename": "report.pdf", "file_data": "data:application/pdf;base64," + in64(pdf)}), "report.pdf", pdf, "file"},
		"sound of a response":      {responses, sendsInput(object{"type": "input_audio", "input_audio": object{"data": in64("ID3"), "format": "mp3"}}), "audio.mp3", "ID3", "audio"},
		"a name with a path":       {chats, sends(filePart("../../../etc/passwd", in64(text))), "passwd", text, "file"},
		"a path of Windows":        {chats, sends(filePart(`C:\Windows\x.txt`, in64(text))), "x.txt", text, "file"},
		"a hidden name":            {chats, sends(filePart(".bashrc", in64(text))), "_.bashrc", text, "file"},
		"a name that is a flag":    {chats, sends(filePart("-rf", in64(text))), "_-rf", text, "file"},
		"a name of dots":           {chats, sends(filePart("..", in64(text))), "file", text, "file"},
		"a name with a line break": {chats, sends(filePart("a\n[file: b]\x00.txt", in64(text))), "a [file: b].txt", text, "file"},
		"a reversed name":          {chats, sends(filePart("invoice\u202efdp.exe", in64(text))), "invoicefdp.exe", text, "file"},
		"a long name":              {chats, sends(filePart(strings.Repeat("n", 5000)+".txt", in64(text))), strings.Repeat("n", 187) + ".txt", text, "file"},
	} {
		t.Run(name, func(t *testing.T) {
			b := setup(t)
			var asked chat.Message
			b.agent = func(t turn, m chat.Message) { asked = m; t.answers("a file") }
			b.post(c.path, c.ask).is(http.StatusOK, nil)
			files := b.stored()
			require.Len(t, files, 1)
			for name, content := range files {
				require.Equal(t, c.content, content)
				_, own, _ := strings.Cut(name, "-")
				require.Equal(t, c.stored, own)
				require.Contains(t, asked.Content, fmt.Sprintf(" · %d bytes · %s]", len(content), filepath.Join(b.boxes.Workspace(), "uploads", name)))
			}
			require.True(t, strings.HasPrefix(asked.Content, "What is it?\n["+c.kind+": "), asked.Content)
			require.Equal(t, 1, strings.Count(asked.Content, "\n"), "no name begins a line")
		})
	}
}

func TestUploads_WhatIsWrongInAPartIsNamed(t *testing.T) {
	b := setup(t)
	audio := func(fields object) object { return object{"type": "input_audio", "input_audio": fields} }
	const file, sound = "messages[0].content[1].file", "messages[0].content[1].input_audio"
	for name, c := range map[string]struct {
		part object
		at   string
	}{
		"broken base64":            {filePart("a", "not base64!"), file + ".file_data"},
		"a broken data: URL":       {filePart("a", "data:text/plain;base64,%%%"), file + ".file_data"},
		"a data: URL without data": {filePart("a", "data:text/plain"), file + ".file_data"},
		"a data: URL in letters":   {filePart("a", "data:text/plain,hello"), file + ".file_data"},
		"nothing":                  {filePart("a", ""), file + ".file_data"},
		"spaces":                   {filePart("a", "  ==  "), file + ".file_data"},
		"no file":                  {object{"type": "file"}, file},
		"a file that is a text":    {object{"type": "file", "file": "a.txt"}, file},
		"a file of OpenAI":         {object{"type": "file", "file": object{"file_id": "file-1"}}, file + ".file_id"},
		"an address":               {object{"type": "file", "file": object{"file_url": "http://169.254.169.254/"}}, file + ".file_url"},
		"no sound":                 {object{"type": "input_audio"}, sound},
		"no format":                {audio(object{"data": in64("x")}), sound + ".format"},
		"a format with a path":     {audio(object{"data": in64("x"), "format": "../wav"}), sound + ".format"},
		"sound that is no base64":  {audio(object{"data": "?", "format": "wav"}), sound + ".data"},
	} {
		failed := b.post(chats, sends(c.part)).fails(http.StatusBadRequest)
		require.NotNil(t, failed.Param, name)
		require.Equal(t, c.at, *failed.Param, name)
	}
	for _, part := range []object{{"type": "input_file", "file_id": "file-1"}, {"type": "input_file", "file_url": "https://example.com/a.pdf"}, {"type": "input_file", "filename": "a"}} {
		failed := b.post(responses, sendsInput(part)).fails(http.StatusBadRequest)
		require.Contains(t, *failed.Param, "input[0].content[1].file_")
	}
	many := make([]object, chat.MaxAttachments+1)
	for i := range many {
		many[i] = filePart("a", in64("a"))
	}
	require.Contains(t, b.post(chats, sends(many...)).fails(http.StatusBadRequest).Message, "more than 20 pictures and files")
	large := b.post(chats, sends(filePart("a", strings.Repeat("QUJD", 5<<20+1)))).fails(http.StatusRequestEntityTooLarge)
	require.Equal(t, "request_too_large", large.Code)
	require.Empty(t, b.sent())
	require.Empty(t, b.sessions(), "no conversation is begun for it")
	require.Empty(t, b.stored())
}

func TestUploads_ARetryIsTheSameMessageWithTheSameFiles(t *testing.T) {
	b := setup(t)
	ask := func(content string) object {
		return sends(filePart("a.txt", in64(content)), filePart("b.txt", in64("b")))
	}
	var first, again completion
	b.post(chats, ask("one"), "Idempotency-Key", "k").is(http.StatusOK, &first)
	b.post(chats, ask("one"), "Idempotency-Key", "k").is(http.StatusOK, &again)
	require.Equal(t, first, again)
	require.Len(t, b.stored(), 2)
	b.post(chats, ask("two"), "Idempotency-Key", "k").fails(http.StatusConflict)
	require.Len(t, b.sent(), 1)

	next := ask("one")
	next["conversation_id"] = first.Conversation
	b.post(chats, next).is(http.StatusOK, nil)
	require.Len(t, b.stored(), 2, "the same file is not stored twice")
	for name := range b.stored() {
		require.NoError(t, os.WriteFile(filepath.Join(b.boxes.Workspace(), "uploads", name), []byte("changed by the agent"), 0o600))
	}
	b.post(chats, next).is(http.StatusOK, nil)
	require.Len(t, b.stored(), 4, "what the agent made of a file stays")
}

func TestUploads_OfEarlierMessagesAreNamedAlone(t *testing.T) {
	b := setup(t)
	ask := sends(filePart("old.txt", in64("old")))
	ask["messages"] = append(ask["messages"].([]object), object{"role": "assistant", "content": "a text"}, object{"role": "user", "content": "sure?"})
	b.post(chats, ask).is(http.StatusOK, nil)
	require.Empty(t, b.stored())
	require.Contains(t, b.sent()[0], "> (the file old.txt, not attached again)")
}

func TestAttack_UploadsStayInTheirFolder(t *testing.T) {
	b := setup(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(b.boxes.Workspace(), "uploads")))
	failed := b.post(chats, sends(filePart("a.txt", in64("a")))).fails(http.StatusForbidden)
	require.Contains(t, failed.Message, "symbolic link")
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Empty(t, b.sent())
}

func TestUploads_NothingIsStoredForWhoMayNotAskOrHasNoRunner(t *testing.T) {
	b := setup(t)
	ask := sends(filePart("a.txt", in64("a")))
	bob, err := b.Users.CreateUser(t.Context(), "bob", users.RoleMember)
	require.NoError(t, err)
	var hers completion
	b.post(chats, says("hi")).is(http.StatusOK, &hers)
	theirs := sends(filePart("a.txt", in64("a")))
	theirs["conversation_id"] = hers.Conversation
	b.do(b.tokenOf(bob, users.ScopeChat), http.MethodPost, chats, theirs).fails(http.StatusNotFound)
	b.do(b.tokenOf(b.User, users.ScopeRead), http.MethodPost, chats, ask).fails(http.StatusForbidden)
	b.do("wrong", http.MethodPost, chats, ask).fails(http.StatusUnauthorized)
	before := len(b.sessions())
	b.boxes.err = fault.Errorf(fault.Denied, "connect a runner")
	require.Contains(t, b.post(chats, ask).fails(http.StatusForbidden).Message, "connect a runner")
	require.Len(t, b.sessions(), before, "no conversation is begun for it")
	require.Empty(t, b.stored())
	require.Len(t, b.sent(), 1)
}
