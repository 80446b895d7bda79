package apiclient_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"xbot/internal/client/apiclient"
	"xbot/internal/fault"
)

// fileServer is a client of a server that behaves as the handler says.
func fileServer(t *testing.T, h http.HandlerFunc) *apiclient.Client {
	t.Helper()
	server := httptest.NewServer(h)
	client := apiclient.New(apiclient.Endpoint{URL: server.URL, Token: "secret"})
	t.Cleanup(func() { client.Close(); server.Close() })
	return client
}

func TestClient_UploadsWithoutHoldingTheFile(t *testing.T) {
	t.Parallel()
	type form struct {
		path, token string
		fields      []string
	}
	got := make(chan form, 1)
	client := fileServer(t, func(w http.ResponseWriter, r *http.Request) {
		f := form{path: r.URL.EscapedPath(), token: r.Header.Get("Authorization")}
		parts, err := r.MultipartReader()
		for err == nil {
			part, partErr := parts.NextPart()
			if err = partErr; err == nil {
				data, _ := io.ReadAll(part) // a short part shows in the fields
				f.fields = append(f.fields, part.FormName()+" "+part.FileName()+" "+string(data))
			}
		}
		got <- f
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"files":[{"name":"a-1.txt","path":"/w/in/a-1.txt","size":5}]}`)
	})
	stored, err := client.Upload(t.Context(), "agent:main:web:thread:a/b", "in", "a.txt", strings.NewReader("hello"))
	require.NoError(t, err)
	require.Equal(t, apiclient.UploadedFile{Name: "a-1.txt", Path: "/w/in/a-1.txt", Size: 5}, stored)
	require.Equal(t, form{
		path: "/api/sessions/agent:main:web:thread:a%2Fb/files", token: "Bearer secret", fields: []string{"dir  in", "file a.txt hello"},
	}, <-got)
}

func TestClient_AnUploadThatIsRefusedEndsAtOnce(t *testing.T) {
	t.Parallel()
	client := fileServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		_, _ = io.WriteString(w, `{"detail":"a.txt has more than 100 MB"}`)
	})
	_, err := client.Upload(t.Context(), "k", "", "a.txt", io.LimitReader(endless{}, 1<<20))
	require.Equal(t, fault.TooLarge, fault.KindOf(err), "%v", err)
}

type endless struct{}

func (endless) Read(buf []byte) (int, error) { return len(buf), nil }

func TestClient_AFileThatCannotBeReadIsNotUploadedHalf(t *testing.T) {
	t.Parallel()
	whole := make(chan bool, 1)
	client := fileServer(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		whole <- err == nil
		w.WriteHeader(http.StatusCreated)
	})
	_, err := client.Upload(t.Context(), "k", "", "a.txt", io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("disk gone"))))
	require.ErrorContains(t, err, "disk gone")
	require.False(t, <-whole)
}

func TestClient_DownloadsAndNoticesWhatBreaksOff(t *testing.T) {
	t.Parallel()
	client := fileServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("path") {
		case "whole 字":
			_, _ = io.WriteString(w, "content")
		case "half":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"detail":"no such file"}`)
		}
	})
	var got bytes.Buffer
	n, err := client.DownloadFile(t.Context(), "k", apiclient.DownloadFileParams{Path: "whole 字"}, &got)
	require.NoError(t, err)
	require.EqualValues(t, 7, n)
	require.Equal(t, "content", got.String())
	_, err = client.DownloadFile(t.Context(), "k", apiclient.DownloadFileParams{Path: "half"}, &got)
	require.Equal(t, fault.Unavailable, fault.KindOf(err))
	_, err = client.DownloadFile(t.Context(), "k", apiclient.DownloadFileParams{Path: "none"}, &got)
	require.Equal(t, fault.NotFound, fault.KindOf(err))
	require.EqualError(t, err, "no such file")
}

func TestClient_ListsAndLinks(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 4)
	client := fileServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a short body shows in what is compared
		asked <- r.Method + " " + r.URL.RequestURI() + " " + string(body)
		if r.Method == http.MethodPost {
			_, _ = io.WriteString(w, `{"url":"/files/x.y","expires_at":"2030-01-02T03:04:05Z"}`)
			return
		}
		_, _ = io.WriteString(w, `{"path":"/w","parent":"/","entries":[{"name":"a","path":"/w/a","size":1,"dir":true,"mod_time":"2030-01-02T03:04:05Z"}]}`)
	})
	folder, err := client.ListFiles(t.Context(), "k", apiclient.ListFilesParams{Path: "a b"})
	require.NoError(t, err)
	require.Equal(t, "GET /api/sessions/k/files?path=a+b ", <-asked)
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, apiclient.Folder{Path: "/w", Parent: "/", Entries: []apiclient.FileEntry{{Name: "a", Path: "/w/a", Size: 1, Dir: true, ModTime: at}}}, folder)
	link, err := client.CreateLink(t.Context(), "k", apiclient.NewFileLink{Path: "a", TTLS: 3600})
	require.NoError(t, err)
	require.Equal(t, `POST /api/sessions/k/links {"path":"a","ttl_s":3600}`, <-asked)
	require.Equal(t, apiclient.FileLink{URL: "/files/x.y", ExpiresAt: at}, link)
}
