package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/service"
	"xbot/internal/storage"
	"xbot/internal/storage/s3"
	"xbot/internal/storage/storagetest"
)

// bucketServer is a server whose files of consumers are in a bucket, with its workspace.
func bucketServer(t *testing.T, prepare func(*testing.T, ...string) *server) (*server, *storagetest.Server, *s3.Store, string) {
	t.Helper()
	bucket, work := storagetest.NewServer(t), t.TempDir()
	s := prepare(t, append(bucketSettings(bucket), "XBOT_WORKSPACE="+work)...)
	files, err := s3.New(bucket.Config())
	require.NoError(t, err)
	return s, bucket, files, work
}

func bucketSettings(bucket *storagetest.Server) []string {
	return []string{"STORAGE_BACKEND=s3", "S3_ENDPOINT=" + bucket.URL(), "S3_BUCKET=" + storagetest.Bucket, "S3_ACCESS_KEY=" + storagetest.AccessKey, "S3_SECRET=" + storagetest.SecretKey}
}

// sends uploads a file, and returns its path.
func (v *visitor) sends(conversation, name, text string) string {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	require.NoError(v.t, err)
	_, err = io.WriteString(part, text)
	require.NoError(v.t, err)
	require.NoError(v.t, form.Close())
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.url+"/api/v1/conversations/"+conversation+"/attachments", &body)
	require.NoError(v.t, err)
	r.Header.Set("Authorization", "Bearer "+v.key)
	r.Header.Set("Content-Type", form.FormDataContentType())
	got, err := http.DefaultClient.Do(r)
	require.NoError(v.t, err)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	require.NoError(v.t, err)
	require.Equal(v.t, http.StatusOK, got.StatusCode, "%s", read)
	var files []struct{ Path string }
	require.NoError(v.t, json.Unmarshal(read, &files))
	return files[0].Path
}

// redirected asks for a file with a media token, and returns where the response leads and what is there.
func (v *visitor) redirected(conversation, path string) (address, text string) {
	v.t.Helper()
	status, body := v.call(http.MethodGet, "/api/v1/conversations/"+conversation+"/media-token", nil)
	require.Equal(v.t, http.StatusOK, status, body)
	var token struct{ Token string }
	require.NoError(v.t, json.Unmarshal([]byte(body), &token))
	client := http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error { address = r.URL.String(); return nil }}
	got, err := client.Get(v.url + "/api/v1/conversations/" + conversation + path + "?token=" + token.Token)
	require.NoError(v.t, err)
	defer got.Body.Close()
	read, err := io.ReadAll(got.Body)
	require.NoError(v.t, err)
	require.Equal(v.t, http.StatusOK, got.StatusCode, "%s", read)
	return address, string(read)
}

func TestObjectStorage_AConsumerAndTheAgentShareFilesInABucket(t *testing.T) {
	t.Parallel()
	s, bucket, files, work := bucketServer(t, newServer)
	v := s.visited(work, service.Patch{AllowedDocs: &[]string{"faq/**"}})
	v.put("docs/faq/open.md", "We open at nine.")
	c := v.begin()
	sent := v.sends(c, "order.txt", "four lamps")
	reply := v.says(c, `call Read {"path":"/attachments/`+sent+`"}`, `call Read {"path":"/docs/faq/open.md"}`, `call FileCreate {"path":"/generated/out/answer.md","content":"four lamps at nine"}`,
		`call FileReplace {"path":"/generated/out/answer.md","old_string":"four","new_string":"five"}`, `call Grep {"pattern":"lamps","path":"/"}`, "say <<FILE:/generated/out/answer.md>>")
	require.Contains(t, reply, "four lamps")
	require.Contains(t, reply, "We open at nine.")
	require.Contains(t, reply, "/generated/out/answer.md")
	require.NoDirExists(t, filepath.Join(work, "services"), "no file of the conversation is on the runner")
	ctx := t.Context()
	all, err := storage.All(ctx, files, "", 10)
	require.NoError(t, err)
	require.Len(t, all, 2)
	address, text := v.redirected(c, "/files/out/answer.md")
	require.True(t, strings.HasPrefix(address, bucket.URL()+"/"+storagetest.Bucket+"/xbot/"), address)
	require.Equal(t, "five lamps at nine", text)
	_, text = v.redirected(c, "/attachments/"+sent)
	require.Equal(t, "four lamps", text)
	page, err := http.Get(v.url + "/s/" + v.of.ID)
	require.NoError(t, err)
	require.NoError(t, page.Body.Close())
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "img-src 'self' blob: "+bucket.URL()+";")
	require.Contains(t, page.Header.Get("Content-Security-Policy"), "media-src 'self' "+bucket.URL()+";")
	require.NoError(t, os.WriteFile(filepath.Join(s.home, ".env"), []byte(strings.Join(bucketSettings(bucket), "\n")), 0o600)) // for commands of the operator
	require.Contains(t, s.operated("storage", "check"), "a file could be stored, read, listed and deleted in: s3")
	require.Regexp(t, `s3 +1 +`, s.operated("storage", "status"))

	status, body := v.call(http.MethodDelete, "/api/v1/conversations/"+c, nil)
	require.Equal(t, http.StatusNoContent, status, body)
	require.Eventually(t, func() bool {
		all, err := storage.All(ctx, files, "", 10)
		return err == nil && len(all) == 0
	}, 2*time.Minute, 100*time.Millisecond, "they are deleted with the conversation")
	log, err := os.ReadFile(filepath.Join(s.home, "logs", "xbot.log"))
	require.NoError(t, err)
	require.NotContains(t, string(log), storagetest.SecretKey)
	require.NotContains(t, s.everything(), storagetest.SecretKey)
}

func TestObjectStorage_AKillWhileTheBucketHangsWritesTheFileOnce(t *testing.T) {
	t.Parallel()
	s, bucket, files, work := bucketServer(t, newServer)
	v := s.visited(work, service.Patch{})
	c := v.begin()
	v.says(c, `call FileCreate {"path":"/generated/a.txt","content":"one"}`, "say done")
	bucket.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		body, _ := json.Marshal(map[string]any{"conversation_id": c, "message": "call FileReplace {\"path\":\"/generated/a.txt\",\"old_string\":\"one\",\"new_string\":\"one two\"}\nsay replaced"}) // of strings
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url+"/api/v1/chat", bytes.NewReader(body))
		if err != nil {
			return
		}
		r.Header.Set("Authorization", "Bearer "+v.key)
		r.Header.Set("Content-Type", "application/json")
		if got, err := http.DefaultClient.Do(r); err == nil {
			_, _ = io.Copy(io.Discard, got.Body) // the server is killed meanwhile
			_ = got.Body.Close()
		}
	}()
	require.Eventually(t, func() bool {
		var n int
		err := s.database().QueryRow(ctx, "SELECT count(*) FROM tool_calls WHERE name = 'FileReplace' AND state <> 'open'").Scan(&n)
		return err == nil && n == 1
	}, time.Minute, 20*time.Millisecond, "the call does not begin")
	s.kill()
	<-ended
	bucket.Thaw()
	s.boot()
	require.Eventually(t, func() bool {
		data, _, err := storage.Read(t.Context(), files, v.keyOf(c)+"/gen/a.txt", "", 100)
		return err == nil && string(data) == "one two"
	}, 2*time.Minute, 100*time.Millisecond, "the file is not changed, or twice")
	require.Eventually(t, func() bool {
		_, body := v.call(http.MethodGet, "/api/v1/conversations/"+c, nil)
		return strings.Contains(body, "replaced")
	}, 2*time.Minute, 100*time.Millisecond, "the turn does not go on")
	data, _, err := storage.Read(t.Context(), files, v.keyOf(c)+"/gen/a.txt", "", 100)
	require.NoError(t, err)
	require.Equal(t, "one two", string(data))
}

// keyOf is what the keys of a conversation begin with.
func (v *visitor) keyOf(conversation string) string {
	var admin string
	require.NoError(v.t, v.database().QueryRow(v.t.Context(), "SELECT admin_id::text FROM services WHERE id = $1", v.of.ID).Scan(&admin))
	return admin + "/svc/" + v.of.ID + "/" + conversation
}

func TestObjectStorage_AMigrationGoesOnAfterKillsAndBack(t *testing.T) {
	t.Parallel()
	bucket, work := storagetest.NewServer(t), t.TempDir()
	settings := bucketSettings(bucket)
	settings[0] = "STORAGE_BACKEND=local"
	s := newServer(t, append(settings, "XBOT_WORKSPACE="+work)...)
	require.NoError(t, os.WriteFile(filepath.Join(s.home, ".env"), []byte(strings.Join(settings, "\n")), 0o600)) // for commands of the operator
	files, err := s3.New(bucket.Config())
	require.NoError(t, err)
	v := s.visited(work, service.Patch{})
	var all []string
	for range 3 {
		c := v.begin()
		v.says(c, `call FileCreate {"path":"/generated/a.txt","content":"made"}`, "say done")
		v.sends(c, "b.txt", "sent")
		all = append(all, c)
	}
	folder := filepath.Join(work, "services", v.of.ID)
	require.DirExists(t, folder)

	require.Contains(t, s.operated("storage", "migrate", "--to", "s3"), "Migration 1 to s3 started")
	_, err = s.operate("storage", "migrate", "--to", "local")
	require.Error(t, err, "one is running")
	frozen := func() bool {
		return one[int](t, s.database(), "SELECT count(*)::int FROM service_rooms WHERE move_to = 's3'") == 3
	}
	require.Eventually(t, frozen, time.Minute, 50*time.Millisecond, "the relay does not start it")
	bucket.Freeze()
	v.later()
	s.crash()
	bucket.Thaw()
	s.boot()
	done := func(n int) func() bool {
		return func() bool {
			v.later()
			return one[int](t, s.database(), "SELECT count(*)::int FROM storage_migrations WHERE state = 'done'") == n
		}
	}
	require.Eventually(t, done(1), 4*time.Minute, time.Second, "the migration does not end")
	require.NoDirExists(t, folder, "the runner keeps no copy")
	stored, err := storage.All(t.Context(), files, "", 100)
	require.NoError(t, err)
	require.Len(t, stored, 6)
	for _, c := range all {
		_, text := v.redirected(c, "/files/a.txt")
		require.Equal(t, "made", text)
	}
	require.Regexp(t, `Migration 1 to s3: done; 0 of 3 `, s.operated("storage"))
	small(t, "storage migration", s.captureRun("storage-migration", "storage-migration/1", ""), 400, 100<<10)

	s.operated("storage", "migrate", "--to", "local")
	require.Eventually(t, done(2), 4*time.Minute, time.Second, "the migration back does not end")
	require.DirExists(t, folder)
	for _, c := range all {
		require.Contains(t, v.says(c, `call Read {"path":"/generated/a.txt"}`, "say read"), "made")
	}
	require.Eventually(t, func() bool {
		v.later()
		stored, err := storage.All(t.Context(), files, "", 100)
		return err == nil && len(stored) == 0
	}, time.Minute, time.Second, "the bucket keeps no copy")
}

// later lets the time pass that moves and deletions wait for.
func (v *visitor) later() {
	for _, change := range []string{"UPDATE service_rooms SET move_at = move_at - interval '1 hour' WHERE move_at > now() - interval '30 minutes'", "UPDATE storage_deletions SET due_at = now() WHERE due_at > now() + interval '5 minutes'"} {
		_, err := v.database().Exec(v.t.Context(), change)
		require.NoError(v.t, err)
	}
}
