package api_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/simplifiedchinese"

	"xbot/ingress/api/files"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/host/filelink"
	"xbot/internal/sandbox"
	"xbot/internal/tool/tooltest"
)

// boxes gives each person a sandbox of their own.
type boxes struct {
	mu  sync.Mutex
	of  map[chat.UserID]sandbox.Sandbox
	err error
}

func (b *boxes) Box(_ context.Context, user chat.UserID, _ string) (sandbox.Sandbox, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return nil, b.err
	}
	if b.of[user] == nil {
		return nil, fault.Errorf(fault.Denied, "there is no runner for this user: connect one")
	}
	return b.of[user], nil
}

// offline is a sandbox whose runner is away.
type offline struct{ sandbox.Sandbox }

func (offline) Name() string { return "laptop" }
func (offline) Stat(context.Context, string) (sandbox.FileInfo, error) {
	return sandbox.FileInfo{}, fault.Errorf(fault.Unavailable, "%w", &sandbox.OfflineError{Runner: "laptop", Waited: time.Second})
}

// local is a sandbox of the server's own host, where an administrator's sessions begin.
type local struct{ sandbox.Sandbox }

func (local) Name() string { return "local" }

// drive is a session of alice on a sandbox.
type drive struct {
	*bundle
	box  *tooltest.Box
	key  chat.SessionKey
	root string
}

func setupDrive(t *testing.T) *drive { return driveOf(t, setup(t)) }

func driveOf(t *testing.T, b *bundle) *drive {
	d := &drive{bundle: b, box: tooltest.New(t), key: "agent:main:web:thread:files"}
	d.root = d.box.Workspace()
	b.boxes.of[b.alice.user.ID] = d.box
	b.alice.session(d.key)
	return d
}

// sent is a part of a form.
type sent struct{ field, file, content string }

func (d *drive) upload(p *person, parts ...sent) answer {
	d.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, part := range parts {
		open := func() (io.Writer, error) { return form.CreateFormFile(part.field, part.file) }
		if part.file == "" {
			open = func() (io.Writer, error) { return form.CreateFormField(part.field) }
		}
		w, err := open()
		require.NoError(d.t, err)
		_, err = io.WriteString(w, part.content)
		require.NoError(d.t, err)
	}
	require.NoError(d.t, form.Close())
	return d.send(&http.Client{}, d.uploadRequest(p, form.FormDataContentType(), &body))
}

func (d *drive) uploadRequest(p *person, contentType string, body io.Reader) *http.Request {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.url+path(d.key, "/files"), body)
	require.NoError(d.t, err)
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", contentType)
	return r
}

func (d *drive) content(p *person, file string) answer {
	d.t.Helper()
	return p.get(path(d.key, "/files/content?path="+url.QueryEscape(file)))
}

func TestFiles_AreUploadedListedAndDownloaded(t *testing.T) {
	d := setupDrive(t)
	data := strings.Repeat("\x00\xff binary", 300_000)
	var got files.Uploaded
	d.upload(d.alice, sent{"file", "报告 1.bin", data}, sent{"file", "empty", ""}).is(http.StatusCreated, &got)
	require.Equal(t, []files.UploadedFile{
		{Name: "报告 1.bin", Path: d.root + "/uploads/报告 1.bin", Size: int64(len(data))},
		{Name: "empty", Path: d.root + "/uploads/empty", Size: 0},
	}, got.Files)
	require.Equal(t, data, d.box.Get(t, "uploads/报告 1.bin"))

	var folder files.Folder
	d.box.Put(t, "b.txt", "x")
	d.alice.get(path(d.key, "/files")).is(http.StatusOK, &folder)
	require.Equal(t, d.root, folder.Path)
	require.Equal(t, filepath.Dir(d.root), folder.Parent)
	require.Equal(t, []string{"uploads", "b.txt"}, names(folder), "folders first")
	require.True(t, folder.Entries[0].Dir)
	require.EqualValues(t, 1, folder.Entries[1].Size)
	require.NotZero(t, folder.Entries[1].ModTime)
	for _, same := range []string{"uploads", d.root + "/uploads", "./x/../uploads/"} {
		d.alice.get(path(d.key, "/files?path="+url.QueryEscape(same))).is(http.StatusOK, &folder)
		require.Equal(t, []string{"empty", "报告 1.bin"}, names(folder), same)
	}

	a := d.content(d.alice, "uploads/报告 1.bin")
	a.is(http.StatusOK, nil)
	require.Equal(t, data, string(a.body))
	for name, want := range map[string]string{
		"Content-Disposition":          `attachment; filename="__ 1.bin"; filename*=UTF-8''%E6%8A%A5%E5%91%8A%201.bin`,
		"Content-Type":                 "application/octet-stream",
		"X-Content-Type-Options":       "nosniff",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Content-Security-Policy":      "sandbox; default-src 'none'",
		"Cache-Control":                "no-store",
	} {
		require.Equal(t, want, a.header.Get(name))
	}
	a = d.content(d.alice, "uploads/empty")
	a.is(http.StatusOK, nil)
	require.Empty(t, a.body)
}

func names(f files.Folder) (out []string) {
	for _, e := range f.Entries {
		out = append(out, e.Name)
	}
	return out
}

func TestFiles_AnUploadNeverOverwritesHoweverManyComeAtOnce(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "uploads/a.txt", "mine")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { d.upload(d.alice, sent{"file", "a.txt", "theirs"}).is(http.StatusCreated, nil) })
	}
	wg.Wait()
	require.Equal(t, "mine", d.box.Get(t, "uploads/a.txt"))
	for _, name := range []string{"a-1.txt", "a-8.txt"} {
		require.Equal(t, "theirs", d.box.Get(t, "uploads/"+name))
	}
	require.NoFileExists(t, d.root+"/uploads/a-9.txt")
}

func TestFiles_NamesAndFoldersCannotLeaveTheSessionsFolder(t *testing.T) {
	d := setupDrive(t)
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, d.root+"/door"))
	for _, name := range []string{"../../x", "/etc/x", `..\..\x`, "..", ".profile", "-rf", "\u202etxt.exe"} {
		d.upload(d.alice, sent{"file", name, "x"}).is(http.StatusCreated, nil)
	}
	entries, err := os.ReadDir(d.root)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the link and the folder of uploads")
	for _, dir := range []string{"..", "../x", "a/../../x", "/etc", "/", `..\x`, "a\x00b", strings.Repeat("d/", 3000)} {
		require.NotEmpty(t, d.upload(d.alice, sent{"dir", "", dir}, sent{"file", "x", "x"}).problem(http.StatusBadRequest), "%q", dir)
	}
	for _, dir := range []string{"door", "door/deeper"} {
		require.Contains(t, d.upload(d.alice, sent{"dir", "", dir}, sent{"file", "x", "x"}).problem(http.StatusForbidden), "symbolic link")
	}
	entries, err = os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
	var got files.Uploaded
	d.upload(d.alice, sent{"dir", "", "deep/er"}, sent{"file", "x", "x"}).is(http.StatusCreated, &got)
	require.Equal(t, d.root+"/deep/er/x", got.Files[0].Path)
	d.upload(d.alice, sent{"dir", "", "."}, sent{"file", "x", "x"}).is(http.StatusCreated, &got)
	require.Equal(t, d.root+"/x", got.Files[0].Path)
}

func TestFiles_AFailedUploadLeavesNothing(t *testing.T) {
	d := setupDrive(t)
	for want, parts := range map[string][]sent{
		"must come before":    {{"file", "a", "1"}, {"dir", "", "x"}},
		`has a field "other"`: {{"file", "a", "1"}, {"other", "b", "2"}},
		"there is no file":    {{"dir", "", "x"}},
		"without a file name": {{"file", "a", "1"}, {"file", "", "2"}},
	} {
		require.Contains(t, d.upload(d.alice, parts...).problem(http.StatusBadRequest), want)
	}
	require.Contains(t, d.upload(d.alice, slicesOf(11)...).problem(http.StatusRequestEntityTooLarge), "at most 10 files")
	torn := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"torn\"\r\n\r\nhalf of it"
	d.send(&http.Client{}, d.uploadRequest(d.alice, "multipart/form-data; boundary=b", strings.NewReader(torn))).problem(http.StatusBadRequest)
	d.send(&http.Client{}, d.uploadRequest(d.alice, "application/json", strings.NewReader("{}"))).problem(http.StatusBadRequest)
	entries, err := os.ReadDir(d.root + "/uploads")
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestFiles_AFileHasItsNameOnceItIsComplete(t *testing.T) {
	d := setupDrive(t)
	d.upload(d.alice, sent{"file", "there", "x"}).is(http.StatusCreated, &files.Uploaded{})
	at := d.root + "/uploads"
	for name, age := range map[string]time.Duration{".xbot-upload-old": 2 * time.Hour, ".xbot-upload-new": 0, ".other": 2 * time.Hour} {
		require.NoError(t, os.WriteFile(at+"/"+name, []byte("whole"), 0o600))
		require.NoError(t, os.Chtimes(at+"/"+name, time.Time{}, time.Now().Add(-age)))
	}
	names := func() (out []string) {
		entries, err := os.ReadDir(at)
		require.NoError(t, err)
		for _, e := range entries {
			out = append(out, e.Name())
		}
		return out
	}
	body, client := io.Pipe()
	req := d.uploadRequest(d.alice, "multipart/form-data; boundary=b", body)
	result := make(chan answer, 1)
	go func() { result <- d.send(&http.Client{}, req) }()
	_, err := io.WriteString(client, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"slow\"\r\n\r\n"+strings.Repeat("half of it", 10_000))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return !slices.Contains(names(), ".xbot-upload-old") }, time.Minute, time.Millisecond, "the upload is under way, and has removed what a killed server left")
	require.Equal(t, []string{".other", ".xbot-upload-new", "there"}, names(), "nothing of the file is there yet: a kill now would leave nothing")
	_, err = io.WriteString(client, "\r\n--b--\r\n")
	require.NoError(t, err)
	require.NoError(t, client.Close())
	var got files.Uploaded
	(<-result).is(http.StatusCreated, &got)
	require.Equal(t, []files.UploadedFile{{Name: "slow", Path: at + "/slow", Size: 100_000}}, got.Files)
	require.Equal(t, []string{".other", ".xbot-upload-new", "slow", "there"}, names())
}

func slicesOf(n int) (out []sent) {
	for range n {
		out = append(out, sent{"file", "a", "1"})
	}
	return out
}

// zeros is a file of a size that nobody has to hold.
type zeros struct{ left int64 }

func (z *zeros) Read(buf []byte) (int, error) {
	n := min(int64(len(buf)), z.left)
	if z.left -= n; n == 0 {
		return 0, io.EOF
	}
	clear(buf[:n])
	return int(n), nil
}

func (d *drive) uploadZeros(size int64) answer {
	d.t.Helper()
	head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"zeros\"\r\n\r\n"
	body := io.MultiReader(strings.NewReader(head), &zeros{size}, strings.NewReader("\r\n--b--\r\n"))
	return d.send(&http.Client{}, d.uploadRequest(d.alice, "multipart/form-data; boundary=b", body))
}

func TestFiles_100MegabytesAreTheLimitWhileTheyArrive(t *testing.T) {
	d := setupDrive(t)
	const limit = 100 << 20
	var got files.Uploaded
	d.uploadZeros(limit).is(http.StatusCreated, &got)
	require.EqualValues(t, limit, got.Files[0].Size)
	require.NoError(t, os.Remove(got.Files[0].Path))
	require.Contains(t, d.uploadZeros(limit+1).problem(http.StatusRequestEntityTooLarge), "zeros has more than 100 MB")
	require.NoFileExists(t, got.Files[0].Path)
}

// slow gives one byte for each tick.
type slow struct {
	ticks <-chan time.Time
	left  int
}

func (s *slow) Read(buf []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	<-s.ticks
	s.left--
	buf[0] = 'x'
	return 1, nil
}

func TestFiles_AnUploadMayTakeLongerThanOtherRequests(t *testing.T) {
	d := setupDrive(t)
	server := httptest.NewUnstartedServer(d.handler)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 200*time.Millisecond, 200*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	d.url = server.URL
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	head := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"slow\"\r\n\r\n"
	body := io.MultiReader(strings.NewReader(head), &slow{ticker.C, 50}, strings.NewReader("\r\n--b--\r\n"))
	var got files.Uploaded
	d.send(&http.Client{}, d.uploadRequest(d.alice, "multipart/form-data; boundary=b", body)).is(http.StatusCreated, &got)
	require.EqualValues(t, 50, got.Files[0].Size)
}

func TestFiles_SayWhatCannotBeDownloaded(t *testing.T) {
	d := setupDrive(t)
	require.Contains(t, d.content(d.alice, ".").problem(http.StatusBadRequest), "is a folder")
	d.content(d.alice, "nothing").problem(http.StatusNotFound)
	d.content(d.alice, "a\x00b").problem(http.StatusBadRequest)
	d.alice.get(path(d.key, "/files?path=nothing")).problem(http.StatusNotFound)
	d.alice.get(path(d.key, "/files/content")).problem(http.StatusUnprocessableEntity)
}

func TestFiles_AnOfflineRunnerIsSaid(t *testing.T) {
	d := setupDrive(t)
	d.boxes.of[d.alice.user.ID] = offline{}
	for _, a := range []answer{
		d.alice.get(path(d.key, "/files")), d.content(d.alice, "x"), d.upload(d.alice, sent{"file", "a", "1"}),
		d.alice.post(path(d.key, "/links"), map[string]any{"path": "x"}),
	} {
		require.Contains(t, a.problem(http.StatusServiceUnavailable), "runner laptop is offline")
	}
	key := d.bob.session("agent:main:web:thread:bob").Key
	require.Contains(t, d.bob.get(path(key, "/files")).problem(http.StatusForbidden), "connect one")
}

func TestFiles_AreReadInTheSessionsOwnFolder(t *testing.T) {
	d := setupDrive(t)
	d.boxes.of[d.alice.user.ID] = local{d.box}
	d.box.Put(t, "src/a.go", "package a")
	key := chat.SessionKey("agent:main:web:thread:src")
	d.alice.post("/api/sessions", map[string]any{"key": key, "cwd": d.root + "/src"}).is(http.StatusCreated, nil)
	var folder files.Folder
	d.alice.get(path(key, "/files")).is(http.StatusOK, &folder)
	require.Equal(t, []string{"a.go"}, names(folder))
	d.boxes.of[d.alice.user.ID] = d.box
	d.alice.get(path(key, "/files")).is(http.StatusOK, &folder)
	require.Equal(t, d.root, folder.Path, "a folder of one runner means nothing on another")
	d.boxes.of[d.alice.user.ID] = local{d.box}
	require.NoError(t, os.RemoveAll(d.root+"/src"))
	d.alice.get(path(key, "/files")).is(http.StatusOK, &folder)
	require.Equal(t, d.root, folder.Path, "a folder that is gone is no reason to show nothing")
}

func TestLinks_NameTheFileTheOwnerAndTheEnd(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "out/report.pdf", "%PDF")
	var made files.FileLink
	d.alice.post(path(d.key, "/links"), map[string]any{"path": "out/report.pdf", "ttl_s": 60}).is(http.StatusOK, &made)
	link, err := d.links.Verify(strings.TrimPrefix(made.URL, "/files/"), time.Now())
	require.NoError(t, err)
	require.Equal(t, filelink.Link{
		User: d.alice.user.ID, Runner: d.box.Name(), Path: d.root + "/out/report.pdf", Name: "report.pdf", Expires: made.ExpiresAt,
	}, link)
	require.WithinDuration(t, time.Now().Add(time.Minute), made.ExpiresAt, 30*time.Second)
	d.alice.post(path(d.key, "/links"), map[string]any{"path": "out"}).problem(http.StatusBadRequest)
	d.alice.post(path(d.key, "/links"), map[string]any{"path": "none"}).problem(http.StatusNotFound)
	for _, ttl := range []int{-1, 604801} {
		d.alice.post(path(d.key, "/links"), map[string]any{"path": "out/report.pdf", "ttl_s": ttl}).problem(http.StatusUnprocessableEntity)
	}
}

func TestFiles_AnotherSitesPageCannotUploadWithOurCookie(t *testing.T) {
	d := setupDrive(t)
	r := d.uploadRequest(d.alice, "multipart/form-data; boundary=b", strings.NewReader("--b--\r\n"))
	r.Header.Del("Authorization")
	r.Header.Set("Cookie", "xbot_session=anything")
	r.Header.Set("Origin", "https://evil.example")
	require.Contains(t, d.send(&http.Client{}, r).problem(http.StatusForbidden), "other sites")
}

func (d *drive) text(p *person, file string) files.FileText {
	d.t.Helper()
	var text files.FileText
	p.get(path(d.key, "/files/text?path="+url.QueryEscape(file))).is(http.StatusOK, &text)
	return text
}

func TestFiles_ATextIsReadWrittenAndEditedAndNobodysChangeIsLost(t *testing.T) {
	d := setupDrive(t)
	put := func(body files.NewText) answer {
		return d.alice.do(d.alice, http.MethodPut, path(d.key, "/files/text"), body)
	}
	put(files.NewText{Path: "notes/new/a.md", Text: "x"}).is(http.StatusOK, nil)
	require.Equal(t, "x", d.box.Get(t, "notes/new/a.md"))
	put(files.NewText{Path: "a.md", Text: "one\n一\n"}).is(http.StatusOK, nil)
	put(files.NewText{Path: "a.md", Text: "again"}).problem(http.StatusConflict)
	got := d.text(d.alice, "a.md")
	require.Equal(t, "one\n一\n", got.Text)
	require.Equal(t, d.root+"/a.md", got.Path)

	var saved files.SavedText
	put(files.NewText{Path: "a.md", Text: "two", Before: got.SHA256}).is(http.StatusOK, &saved)
	require.Equal(t, "two", d.box.Get(t, "a.md"))
	require.Contains(t, put(files.NewText{Path: "a.md", Text: "three", Before: got.SHA256}).problem(http.StatusConflict), "nothing was written")
	require.Equal(t, "two", d.box.Get(t, "a.md"))
	put(files.NewText{Path: "a.md", Text: "one one", Before: saved.SHA256}).is(http.StatusOK, nil)

	edit := func(body files.TextEdit) answer {
		return d.alice.do(d.alice, http.MethodPatch, path(d.key, "/files/text"), body)
	}
	require.Contains(t, edit(files.TextEdit{Path: "a.md", Old: "one", New: "1"}).problem(http.StatusBadRequest), "2 times")
	require.Contains(t, edit(files.TextEdit{Path: "a.md", Old: "two", New: "1"}).problem(http.StatusBadRequest), "does not occur")
	edit(files.TextEdit{Path: "a.md", Old: "one", New: "1", All: true}).is(http.StatusOK, nil)
	d.box.Put(t, "many.txt", strings.Repeat("x", 1<<20))
	edit(files.TextEdit{Path: "many.txt", Old: "x", New: strings.Repeat("y", 1000), All: true}).problem(http.StatusRequestEntityTooLarge)
	require.Equal(t, "1 1", d.box.Get(t, "a.md"))

	d.box.Put(t, "b.bin", "\x00\xff")
	d.box.Put(t, "big.txt", strings.Repeat("x", 2<<20+1))
	for file, status := range map[string]int{"b.bin": http.StatusBadRequest, "big.txt": http.StatusRequestEntityTooLarge, "none": http.StatusNotFound} {
		d.alice.get(path(d.key, "/files/text?path="+file)).problem(status)
	}
	put(files.NewText{Path: "c", Text: strings.Repeat("\"", 2<<20)}).is(http.StatusOK, nil)
	put(files.NewText{Path: "d", Text: strings.Repeat("x", 2<<20+1)}).problem(http.StatusRequestEntityTooLarge)
}

func TestFiles_ATextKeepsItsEncodingAndLineEnds(t *testing.T) {
	d := setupDrive(t)
	gbk := func(text string) string {
		out, err := simplifiedchinese.GBK.NewEncoder().String(text)
		require.NoError(t, err)
		return out
	}
	for _, c := range []struct{ before, encoding, shown, sent, after string }{
		{gbk("名称 = 测试服务器\r\n说明 = 配置文件\r\n"), "GBK", "名称 = 测试服务器\r\n说明 = 配置文件\r\n", "名称 = 正式服务器\n说明 = 配置文件\n", gbk("名称 = 正式服务器\r\n说明 = 配置文件\r\n")},
		{"\xef\xbb\xbfa\nb", "UTF-8 with a byte order mark", "a\nb", "a\nc", "\xef\xbb\xbfa\nc"},
		{"a\r\nb\nc", "UTF-8", "a\r\nb\nc", "a\nb\nd", "a\r\nb\nd"},
		{"\xff\xfea\x00", "UTF-16LE", "a", "b", "\xff\xfeb\x00"},
	} {
		d.box.Put(t, "f", c.before)
		got := d.text(d.alice, "f")
		require.Equal(t, c.encoding, got.Encoding)
		require.Equal(t, c.shown, got.Text)
		d.alice.do(d.alice, http.MethodPut, path(d.key, "/files/text"), files.NewText{Path: "f", Text: c.sent, Before: got.SHA256}).is(http.StatusOK, nil)
		require.Equal(t, c.after, d.box.Get(t, "f"))
	}
	d.box.Put(t, "f", gbk("名称 = 测试服务器\n"))
	refused := d.alice.do(d.alice, http.MethodPatch, path(d.key, "/files/text"), files.TextEdit{Path: "f", Old: "测试", New: "😀"})
	require.Contains(t, refused.problem(http.StatusBadRequest), "GBK has no character")
	d.box.Put(t, "f", "l\xb3ka\n")
	require.Contains(t, d.alice.get(path(d.key, "/files/text?path=f")).problem(http.StatusBadRequest), "download it")
}

func TestFiles_AreMovedCopiedZippedAndDeleted(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "src/a.txt", "a")
	d.box.Put(t, "src/deep/b.txt", strings.Repeat("b", 100_000))
	require.NoError(t, os.Symlink("/etc/passwd", d.root+"/src/link"))
	post := func(what string, from, to string) answer {
		return d.alice.do(d.alice, http.MethodPost, path(d.key, "/files/"+what), files.TwoPaths{From: from, To: to})
	}
	var entry files.FileEntry
	post("copy", "src", "out").is(http.StatusCreated, &entry)
	require.Equal(t, d.root+"/out", entry.Path)
	require.True(t, entry.Dir)
	require.Equal(t, "a", d.box.Get(t, "out/a.txt"))
	require.Len(t, d.box.Get(t, "out/deep/b.txt"), 100_000)
	require.NoFileExists(t, d.root+"/out/link", "links are left out")
	post("copy", "src", "out").problem(http.StatusConflict)
	post("copy", "src/a.txt", "out/a.txt").problem(http.StatusConflict)
	post("copy", "src", "src/deep/again").problem(http.StatusBadRequest)
	post("copy", "nothing", "x").problem(http.StatusNotFound)
	post("copy", "src/a.txt", "out/c.txt").is(http.StatusCreated, nil)

	require.NoError(t, os.Chmod(d.root+"/src/a.txt", 0o700))
	post("copy", "src/a.txt", "out/run").is(http.StatusCreated, nil)
	post("copy", "src", "run").is(http.StatusCreated, nil)
	for _, copied := range []string{"/out/run", "/run/a.txt"} {
		info, err := os.Stat(d.root + copied)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o700), info.Mode(), "what may be run may be run when it is copied")
	}

	require.NoError(t, os.Symlink("src", d.root+"/linked"))
	post("copy", "linked", "of-link").is(http.StatusCreated, nil)
	require.Equal(t, "a", d.box.Get(t, "of-link/a.txt"), "a folder may be named by a link to it")
	require.Len(t, d.box.Get(t, "of-link/deep/b.txt"), 100_000)

	post("move", "out/c.txt", "out/a.txt").problem(http.StatusConflict)
	post("move", "out/c.txt", "c.txt").is(http.StatusCreated, &entry)
	require.Equal(t, "c.txt", entry.Name)
	require.Equal(t, "a", d.box.Get(t, "c.txt"))

	d.alice.do(d.alice, http.MethodPost, path(d.key, "/files/folders"), files.NewFolder{Folder: "new/er"}).is(http.StatusCreated, &entry)
	require.True(t, entry.Dir)

	a := d.alice.get(path(d.key, "/files/zip?path=src"))
	a.is(http.StatusOK, nil)
	require.Contains(t, a.header.Get("Content-Disposition"), `filename="src.zip"`)
	archive, err := zip.NewReader(bytes.NewReader(a.body), int64(len(a.body)))
	require.NoError(t, err)
	packed := map[string]int{}
	for _, f := range archive.File {
		packed[f.Name] = int(f.UncompressedSize64)
	}
	require.Equal(t, map[string]int{"a.txt": 1, "deep/": 0, "deep/b.txt": 100_000}, packed)

	remove := func(query string) answer {
		return d.alice.do(d.alice, http.MethodDelete, path(d.key, "/files?"+query), nil)
	}
	remove("path=src").problem(http.StatusBadRequest)
	remove("path=c.txt").is(http.StatusNoContent, nil)
	remove("path=src&all=true").is(http.StatusNoContent, nil)
	remove("path=src&all=true").problem(http.StatusNotFound)
	require.Contains(t, remove("path=.&all=true").problem(http.StatusBadRequest), "works")
	require.NoDirExists(t, d.root+"/src")
	require.FileExists(t, "/etc/passwd")
	require.Equal(t, "a", d.box.Get(t, "out/a.txt"))
}

func TestFiles_OnlyWhatIsSafeIsShownByTheBrowser(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "a.png", "\x89PNG\r\n\x1a\n rest")
	d.box.Put(t, "b.svg", `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`)
	d.box.Put(t, "c.pdf", "%PDF-1.7\n")
	d.box.Put(t, "page.png", "<!doctype html><script>alert(1)</script>")
	d.box.Put(t, "d.wav", "RIFF\x24\x00\x00\x00WAVEfmt ")
	for file, want := range map[string]string{
		"a.png": "image/png", "b.svg": "image/svg+xml", "c.pdf": "application/pdf", "d.wav": "audio/wav", "page.png": "application/octet-stream",
	} {
		a := d.alice.get(path(d.key, "/files/content?inline=true&path="+file))
		a.is(http.StatusOK, nil)
		require.Equal(t, want, a.header.Get("Content-Type"), file)
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
		shown := want != "application/octet-stream"
		require.Equal(t, shown, strings.HasPrefix(a.header.Get("Content-Disposition"), "inline;"), file)
		policy := a.header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'")
		require.NotContains(t, policy, "script-src")
		require.Equal(t, file != "c.pdf", strings.HasPrefix(policy, "sandbox;"), file)
		require.True(t, strings.HasPrefix(d.content(d.alice, file).header.Get("Content-Disposition"), "attachment;"), "unless it is asked for")
	}
}

func TestFiles_APartOfAFileCanBeAskedFor(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "film", "0123456789")
	part := func(header string) answer {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+path(d.key, "/files/content?path=film"), nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+d.alice.token)
		r.Header.Set("Range", header)
		return d.send(&http.Client{}, r)
	}
	for header, want := range map[string]string{"bytes=2-4": "234", "bytes=7-": "789", "bytes=-2": "89"} {
		a := part(header)
		a.is(http.StatusPartialContent, nil)
		require.Equal(t, want, string(a.body), header)
	}
	require.Equal(t, "bytes 2-4/10", part("bytes=2-4").header.Get("Content-Range"))
	require.Equal(t, http.StatusRequestedRangeNotSatisfiable, part("bytes=20-").status)
	require.Equal(t, "bytes", d.content(d.alice, "film").header.Get("Accept-Ranges"))
}

func TestFiles_AreFoundByAPartOfTheirPath(t *testing.T) {
	d := setupDrive(t)
	for _, file := range []string{"src/Main.go", "src/main_test.go", "docs/[x].md", "notes.txt"} {
		d.box.Put(t, file, "x")
	}
	for query, want := range map[string][]string{
		"main": {"src/Main.go", "src/main_test.go"}, "SRC/MAIN.": {"src/Main.go"}, "[x]": {"docs/[x].md"}, "*": {}, "": {"docs/[x].md", "notes.txt", "src/Main.go", "src/main_test.go"},
	} {
		var found files.FoundFiles
		d.alice.get(path(d.key, "/files/search?q="+url.QueryEscape(query))).is(http.StatusOK, &found)
		require.ElementsMatch(t, want, found.Paths, query)
		require.Equal(t, d.root, found.Folder)
	}
}

func TestFiles_TheBeginningOfATableIsRead(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "a.csv", "name,n\n一,1\n")
	var got files.FileTable
	d.alice.get(path(d.key, "/files/table?path=a.csv")).is(http.StatusOK, &got)
	require.Equal(t, files.FileTable{Rows: [][]string{{"name", "n"}, {"一", "1"}}}, got)
	d.box.Put(t, "b.xlsx", "no workbook")
	d.alice.get(path(d.key, "/files/table?path=b.xlsx")).problem(http.StatusBadRequest)
}

func TestFiles_NobodyReachesThoseOfAnothersConversation(t *testing.T) {
	d := setupDrive(t)
	d.box.Put(t, "a.csv", "secret")
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{http.MethodGet, "/files/text?path=a.csv", nil},
		{http.MethodPut, "/files/text", files.NewText{Path: "b", Text: "x"}},
		{http.MethodPatch, "/files/text", files.TextEdit{Path: "a.csv", Old: "s", New: "x"}},
		{http.MethodDelete, "/files?path=a.csv", nil},
		{http.MethodPost, "/files/move", files.TwoPaths{From: "a.csv", To: "b"}},
		{http.MethodPost, "/files/copy", files.TwoPaths{From: "a.csv", To: "b"}},
		{http.MethodPost, "/files/folders", files.NewFolder{Folder: "b"}},
		{http.MethodGet, "/files/zip", nil},
		{http.MethodGet, "/files/search?q=a", nil},
		{http.MethodGet, "/files/table?path=a.csv", nil},
		{http.MethodGet, "/files/page?path=a.csv", nil},
		{http.MethodGet, "/files/content?path=a.csv&inline=true", nil},
	} {
		d.bob.do(d.bob, call.method, path(d.key, call.path), call.body).problem(http.StatusNotFound)
	}
	require.Equal(t, "secret", d.box.Get(t, "a.csv"))
	require.NoFileExists(t, d.root+"/b")
}
