package consumer_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/ingress/consumer"
	"xbot/ingress/ingresstest"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
	"xbot/internal/sandbox/guestfs"
	"xbot/internal/service"
	"xbot/internal/tool/tooltest"
)

// only is the runner of the administrator.
type only struct {
	sandbox.Sandbox
	of chat.UserID
}

func (o only) Box(_ context.Context, user chat.UserID, _ string) (sandbox.Sandbox, error) {
	if user != o.of {
		return nil, fault.Errorf(fault.Denied, "there is no runner for this user: connect one")
	}
	return o.Sandbox, nil
}

// onRunner gives the administrator a runner, and returns its workspace.
func (b *bundle) onRunner() string {
	b.T.Helper()
	box := tooltest.New(b.T)
	b.api.Files = guestfs.Finder{Store: b.Store.Services, Sandboxes: only{box, b.User.ID}}
	return box.Workspace()
}

// made puts a file where the conversation makes its files.
func (b *bundle) made(workspace string, c service.Conversation, name, content string) {
	b.T.Helper()
	at := filepath.Join(workspace, "services", c.Service, "conversations", c.ID, name)
	require.NoError(b.T, os.MkdirAll(filepath.Dir(at), 0o755))
	require.NoError(b.T, os.WriteFile(at, []byte(content), 0o600))
}

// upload sends files, in the order of the names.
func (b *bundle) upload(key string, c service.Conversation, files ...[2]string) answered {
	b.T.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, f := range files {
		part, err := form.CreateFormFile("file", f[0])
		require.NoError(b.T, err)
		_, err = io.WriteString(part, f[1])
		require.NoError(b.T, err)
	}
	require.NoError(b.T, form.Close())
	return b.do(key, http.MethodPost, at(c, "/attachments"), body.Bytes(), "Content-Type", form.FormDataContentType())
}

func TestFiles_WhatAConversationMadeIsReadByItsConsumerAlone(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	c, other := b.conversation(), b.conversation()
	var files []consumer.File
	b.do(b.key, http.MethodGet, at(c, "/files"), nil).is(http.StatusOK, &files)
	require.Empty(t, files)
	b.made(workspace, c, "generated/a b.txt", "hello")
	b.made(workspace, c, "generated/pages/x.html", "<script>alert(1)</script>")
	b.made(workspace, other, "generated/theirs.txt", "theirs")
	require.NoError(t, os.WriteFile(filepath.Join(workspace, "house.txt"), []byte("house"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(workspace, "house.txt"), filepath.Join(workspace, "services", c.Service, "conversations", c.ID, "generated", "link.txt")))
	b.do(b.key, http.MethodGet, at(c, "/files"), nil).is(http.StatusOK, &files)
	require.Len(t, files, 2)
	require.Equal(t, []any{"a b.txt", int64(5), "pages/x.html"}, []any{files[0].Path, files[0].Size, files[1].Path})

	got := b.do(b.key, http.MethodGet, at(c, "/files/a%20b.txt"), nil).is(http.StatusOK, nil)
	require.Equal(t, "hello", string(got.body))
	got = b.do(b.key, http.MethodGet, at(c, "/files/a%20b.txt"), nil, "Range", "bytes=1-2").is(http.StatusPartialContent, nil)
	require.Equal(t, "el", string(got.body))
	got = b.do(b.key, http.MethodGet, at(c, "/files/pages/x.html"), nil).is(http.StatusOK, nil)
	require.Equal(t, "application/octet-stream", got.header.Get("Content-Type"), "it is saved, and no page of this server")
	require.Contains(t, got.header.Get("Content-Disposition"), "attachment")
	require.Contains(t, got.header.Get("Content-Security-Policy"), "sandbox")
	require.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"))

	nothing := string(b.do(b.key, http.MethodGet, at(c, "/files/none"), nil).is(http.StatusNotFound, nil).body)
	for _, path := range []string{
		"link.txt", "../../" + other.ID + "/generated/theirs.txt", "%2e%2e/%2e%2e/" + other.ID + "/generated/theirs.txt", "/etc/passwd", "..%2f..%2fhouse.txt", "a\\b", "%00", "pages", "pages/",
		"%ff", strings.Repeat("a", 2000), "../attachments/x",
	} {
		for _, folder := range []string{"/files/", "/attachments/"} {
			got := b.do(b.key, http.MethodGet, at(c, folder+path), nil)
			require.NotEqual(t, http.StatusOK, got.status, path)
			require.NotContains(t, string(got.body), "house", path)
			require.NotContains(t, string(got.body), "theirs", path)
			require.NotContains(t, string(got.body), workspace, path)
			if got.status == http.StatusNotFound && !strings.Contains(string(got.body), "no such conversation") && !strings.Contains(string(got.body), "openapi") {
				require.Equal(t, nothing, string(got.body), path)
			}
		}
	}
}

func TestFiles_APictureIsShownInAPageWithATokenOfItsConversation(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	c, other := b.conversation(), b.conversation()
	b.made(workspace, c, "generated/dot.gif", "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")
	b.made(workspace, other, "generated/dot.gif", "GIF89a")
	var token consumer.MediaToken
	b.do(b.key, http.MethodGet, at(c, "/media-token"), nil).is(http.StatusOK, &token)
	require.Equal(t, 21600, token.Expires)
	with := "?token=" + token.Token
	got := b.do("", http.MethodGet, at(c, "/files/dot.gif"+with), nil).is(http.StatusOK, nil)
	require.Equal(t, "image/gif", got.header.Get("Content-Type"))
	require.Contains(t, got.header.Get("Content-Disposition"), "inline")
	got = b.do("", http.MethodGet, at(c, "/files/dot.gif"+with+"&download=1"), nil).is(http.StatusOK, nil)
	require.Contains(t, got.header.Get("Content-Disposition"), "attachment")

	require.Equal(t, "not_found", b.do("", http.MethodGet, at(other, "/files/dot.gif"+with), nil).problem(http.StatusNotFound), "of another conversation")
	for _, path := range []string{at(c, ""), at(c, "/files"), at(c, "/events"), at(c, "/media-token"), "/api/v1/service"} {
		require.Equal(t, "unauthorized", b.do("", http.MethodGet, path+with, nil).problem(http.StatusUnauthorized), path)
	}
	require.Equal(t, "unauthorized", b.do("", http.MethodPost, at(c, "/attachments")+with, nil).problem(http.StatusUnauthorized))
	require.Equal(t, "unauthorized", b.do(token.Token, http.MethodGet, at(c, "/files/dot.gif"), nil).problem(http.StatusUnauthorized), "it is no key")
	for i := range len(token.Token) {
		if bad := token.Token[:i] + "A" + token.Token[i+1:]; bad != token.Token {
			require.Equal(t, http.StatusUnauthorized, b.do("", http.MethodGet, at(c, "/files/dot.gif?token="+bad), nil).status)
		}
	}
	_, again, err := b.Services.RotateServiceKey(t.Context(), b.service.ID, b.caller(b.key).Key)
	require.NoError(t, err)
	require.Equal(t, "unauthorized", b.do("", http.MethodGet, at(c, "/files/dot.gif"+with), nil).problem(http.StatusUnauthorized), "it is good as long as the secret that it was made with")
	b.do(again, http.MethodGet, at(c, "/files/dot.gif"), nil).is(http.StatusOK, nil)
}

func TestFiles_PagesOfOtherSitesShowThem(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	c := b.conversation()
	b.made(workspace, c, "generated/dot.gif", "GIF89a")
	b.made(workspace, c, "attachments/dot.gif", "GIF89a")
	picture := []object{{"type": "image_url", "image_url": object{"url": "data:image/png;base64," + redDot}}}
	b.stream(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": picture}).until("accepted")
	var token consumer.MediaToken
	b.do(b.key, http.MethodGet, at(c, "/media-token"), nil).is(http.StatusOK, &token)
	for _, path := range []string{"/files/dot.gif", "/attachments/dot.gif", "/attachments/" + b.read(c).Transcript[0].Attachments[0].Path} {
		for _, headers := range [][]string{nil, {"Range", "bytes=0-2"}} {
			got := b.do("", http.MethodGet, at(c, path)+"?token="+token.Token, nil, headers...)
			require.Less(t, got.status, http.StatusMultipleChoices, path)
			require.Equal(t, "cross-origin", got.header.Get("Cross-Origin-Resource-Policy"), path)
			require.Contains(t, got.header.Get("Content-Security-Policy"), "sandbox", path)
		}
	}
}

func TestUpload_FilesAreKeptForTheMessageThatNamesThem(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	c := b.conversation()
	var sent []consumer.AttachmentBody
	b.upload(b.key, c, [2]string{"../../notes.txt", "one"}, [2]string{"notes.txt", "two"}).is(http.StatusOK, &sent)
	require.Len(t, sent, 2)
	require.NotEqual(t, sent[0].Path, sent[1].Path, "no name is taken")
	for i, want := range []string{"one", "two"} {
		require.Equal(t, "notes.txt", sent[i].Name)
		require.Equal(t, want, string(b.do(b.key, http.MethodGet, at(c, "/attachments/"+sent[i].Path), nil).is(http.StatusOK, nil).body))
		lies, err := os.ReadFile(filepath.Join(workspace, "services", c.Service, "conversations", c.ID, "attachments", sent[i].Path))
		require.NoError(t, err)
		require.Equal(t, want, string(lies))
	}
	r := b.stream(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": "read this", "attachments": []string{sent[0].Path}})
	r.until("accepted")
	var read consumer.ConversationWithMessages
	b.do(b.key, http.MethodGet, at(c, ""), nil).is(http.StatusOK, &read)
	require.Equal(t, "read this", read.Transcript[0].Content)
	require.Equal(t, sent[0].Path, read.Transcript[0].Attachments[0].Path)
	for _, bad := range []string{"../generated/x", "/etc/passwd/../x", "", ".", "a//b"} {
		require.NotEqual(t, http.StatusOK, b.do(b.key, http.MethodPost, "/api/v1/chat", object{"conversation_id": c.ID, "message": "read this", "attachments": []string{bad}}).status, bad)
	}

	require.Equal(t, "too_large", b.upload(b.key, c, [2]string{"big.bin", strings.Repeat("x", 20<<20+1)}).problem(http.StatusRequestEntityTooLarge))
	var many [][2]string
	for i := range 21 {
		many = append(many, [2]string{fmt.Sprint(i), "x"})
	}
	require.Equal(t, "too_large", b.upload(b.key, c, many...).problem(http.StatusRequestEntityTooLarge))
	require.Equal(t, "invalid", b.upload(b.key, c).problem(http.StatusBadRequest))
	left, err := os.ReadDir(filepath.Join(workspace, "services", c.Service, "conversations", c.ID, "attachments"))
	require.NoError(t, err)
	require.Len(t, left, 2, "an upload is stored as a whole or not at all")
}

func TestFiles_WithoutARunnerTextAndPicturesWorkAndFilesAreRefusedInASentence(t *testing.T) {
	b := setup(t)
	c := b.conversation()
	require.Equal(t, "conflict", b.do(b.key, http.MethodGet, at(c, "/files"), nil).problem(http.StatusConflict))
	require.Equal(t, "conflict", b.upload(b.key, c, [2]string{"a", "b"}).problem(http.StatusConflict))
	b.chats(c, "hello").until("accepted")
}

// uploading is an upload of which the client has sent the beginning.
type uploading struct {
	body *io.PipeWriter
	form *multipart.Writer
	file io.Writer
	got  chan int // its status
}

// begins begins an upload and sends a byte of it. It returns once the server has read that, or has refused it.
func (b *bundle) begins(c service.Conversation) uploading {
	b.T.Helper()
	from, to := io.Pipe()
	u := uploading{body: to, form: multipart.NewWriter(to), got: make(chan int, 1)}
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodPost, b.url+at(c, "/attachments"), from)
	require.NoError(b.T, err)
	r.Header.Set("Authorization", "Bearer "+b.key)
	r.Header.Set("Content-Type", u.form.FormDataContentType())
	go func() {
		status := 0
		if got, err := http.DefaultClient.Do(r); err == nil {
			status = got.StatusCode
			_ = got.Body.Close()
		}
		_ = from.CloseWithError(io.ErrClosedPipe)
		u.got <- status
	}()
	if u.file, err = u.form.CreateFormFile("file", "a.txt"); err == nil {
		_, _ = io.WriteString(u.file, "x")
	}
	b.T.Cleanup(func() { _ = to.CloseWithError(io.ErrUnexpectedEOF) })
	return u
}

func (u uploading) ends() {
	_ = u.form.Close()
	_ = u.body.Close()
}

func TestUpload_AKeyHasFourUnderWayAtOnce(t *testing.T) {
	b := setup(t)
	b.onRunner()
	c := b.conversation()
	var all []uploading
	for range 4 {
		all = append(all, b.begins(c))
	}
	key := b.caller(b.key).Key
	require.Eventually(t, func() bool { return b.api.Uploads(key) == 4 }, ingresstest.Limit, time.Millisecond)
	got := b.upload(b.key, b.conversation(), [2]string{"a", "b"})
	require.Equal(t, "rate_limited", got.problem(http.StatusTooManyRequests))
	require.NotEmpty(t, got.header.Get("Retry-After"))
	for _, u := range all {
		u.ends()
	}
	for _, u := range all {
		require.Equal(t, http.StatusOK, <-u.got)
	}
	b.upload(b.key, c, [2]string{"a", "b"}).is(http.StatusOK, nil)
	require.Zero(t, b.api.Uploads(key))
}

func TestUpload_OneThatComesByteByByteEndsAndLeavesNothing(t *testing.T) {
	b := setup(t)
	workspace := b.onRunner()
	const uploadTime = time.Second
	b.api.UploadTime(uploadTime)
	c := b.conversation()
	u, began := b.begins(c), time.Now()
	for byBytes := time.Tick(20 * time.Millisecond); time.Since(began) < uploadTime/2; <-byBytes {
		_, _ = io.WriteString(u.file, "x") // a byte that arrives after the server closed has a reset replace the response
	}
	require.Equal(t, http.StatusBadRequest, <-u.got)
	left, err := os.ReadDir(filepath.Join(workspace, "services", c.Service, "conversations", c.ID, "attachments"))
	require.NoError(t, err)
	require.Empty(t, left)
}
