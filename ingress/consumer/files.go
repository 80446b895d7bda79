package consumer

import (
	"bytes"
	"context"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/download"
	"xbot/internal/fault"
	"xbot/internal/sandbox"
)

const (
	// The folders of a conversation's file system that its consumer sees.
	generatedFolder, attachmentsFolder = "/generated", "/attachments"
	// pictureFolder is the folder of pictures that came in a message, and lie on no runner.
	pictureFolder = "pictures/"

	filesPath      = "/api/v1/conversations/{id}/files/"
	sentFilesPath  = "/api/v1/conversations/{id}/attachments/"
	maxPath        = 1024 // bytes
	maxListed      = 1000 // files
	maxListedDepth = 8    // folders
)

// File is one that the conversation made.
type File struct {
	Path     string    `json:"path" doc:"Below generated/; for /conversations/{id}/files/{path}."`
	Size     int64     `json:"size" doc:"Bytes."`
	Type     string    `json:"type" doc:"Media type by its name; what is sent to browsers follows from what it holds."`
	Modified time.Time `json:"modified_at"`
}

func (a *API) registerFiles(h huma.API, mux *http.ServeMux) {
	a.registerTokens(h)
	handle(a, h, huma.Operation{
		OperationID: "list-files", Method: http.MethodGet, Path: "/api/v1/conversations/{id}/files", Summary: "List generated files, at most 1000",
	}, func(ctx context.Context, v *visit, in *ByID) (*struct{ Body []File }, error) {
		c, err := a.conversation(ctx, v, in.ID)
		if err != nil {
			return nil, err
		}
		box, err := a.files(ctx, c)
		if err != nil {
			return nil, err
		}
		files, err := list(ctx, box)
		return &struct{ Body []File }{files}, err
	})
	mux.HandleFunc("GET "+filesPath+"{path...}", func(w http.ResponseWriter, r *http.Request) { a.answerFile(w, r, generatedFolder) })
	mux.HandleFunc("GET "+sentFilesPath+"{path...}", func(w http.ResponseWriter, r *http.Request) { a.answerFile(w, r, attachmentsFolder) })
	mux.HandleFunc("POST "+strings.TrimSuffix(sentFilesPath, "/"), a.upload)
	describeFiles(h)
}

// ofFiles reports whether a request asks for a file, whose address may hold a media token.
func ofFiles(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && fileAddress.MatchString(r.URL.Path)
}

var fileAddress = regexp.MustCompile(`^/api/v1/conversations/[^/]+/(files|attachments)/.`)

func (a *API) answerFile(w http.ResponseWriter, r *http.Request, folder string) {
	if err := a.serveFile(w, r, folder); err != nil && r.Context().Err() == nil {
		a.refuse(w, r, err)
	}
}

// downloadsOfOne bounds the open downloads of one address with a key. Each holds up to a megabyte, for as long as its client takes to read it.
const downloadsOfOne = 128

// downloader identifies a client for the limit of downloads. All visitors of a site share its key, so the address counts, too.
type downloader struct{ key, address string }

func (a *API) serveFile(w http.ResponseWriter, r *http.Request, folder string) error {
	v := visitOf(r.Context())
	c, err := a.conversation(r.Context(), v, r.PathValue("id"))
	if err != nil {
		return err
	}
	leave, err := a.downloads.Enter(downloader{v.Key, a.Addresses.Address(r)}, downloadsOfOne, "downloads")
	if err != nil {
		return err
	}
	defer leave()
	file := r.PathValue("path")
	if hash, ok := strings.CutPrefix(file, pictureFolder); ok && folder == attachmentsFolder {
		found, err := a.Attachments.Pictures(r.Context(), c.Session, []string{hash})
		if err != nil {
			return err
		}
		p, ok := found[hash]
		if !ok {
			return errNoFile
		}
		h := w.Header()
		download.SetHeader(w, pictureName(p.MediaType), p.MediaType)
		download.ShowAnywhere(w)
		if !r.URL.Query().Has("download") {
			h.Set("Content-Disposition", "inline") // the server made it, from any upload
		}
		http.ServeContent(w, r, "", c.CreatedAt, bytes.NewReader(p.Data))
		return nil
	}
	at, err := inFolder(folder, file)
	if err != nil {
		return err
	}
	box, err := a.files(r.Context(), c)
	if err != nil {
		return err
	}
	found, err := download.File(r.Context(), box, at)
	found.Anywhere = true // sites show it to the users of their key
	if err == nil && !r.URL.Query().Has("download") {
		found, err = found.Shown(r.Context())
	}
	redirected := false
	if err == nil {
		redirected, err = found.Redirect(w, r)
	}
	if err == nil && !redirected {
		err = found.Serve(w, r)
	}
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Invalid) || fault.Is(err, fault.Denied) {
		return errNoFile
	}
	return err
}

var errNoFile = fault.Errorf(fault.NotFound, "the conversation has no such file")

// inFolder is the path in the file system of a file that a consumer names below one of its folders. A path to elsewhere is not found.
func inFolder(folder, file string) (string, error) {
	clean := path.Clean("/" + file)
	if clean == "/" || len(file) > maxPath || clean[1:] != strings.TrimPrefix(file, "/") || !utf8.ValidString(file) || strings.ContainsFunc(file, func(r rune) bool { return unicode.IsControl(r) || r == '\\' }) {
		return "", errNoFile
	}
	return folder + clean, nil
}

// list walks the files that a conversation made, breadth first.
func list(ctx context.Context, box sandbox.Sandbox) ([]File, error) {
	out, folders := []File{}, []string{generatedFolder}
	for depth := 0; depth < maxListedDepth && len(folders) > 0; depth++ {
		var below []string
		for _, folder := range folders {
			entries, err := box.ReadDir(ctx, folder)
			if fault.Is(err, fault.NotFound) {
				continue // nothing was made, or it is gone
			}
			if err != nil {
				return nil, err
			}
			for _, e := range entries {
				at := path.Join(folder, path.Base(e.Path))
				switch {
				case e.Link != "":
				case e.Dir:
					below = append(below, at)
				case len(out) < maxListed:
					inside := strings.TrimPrefix(at, generatedFolder+"/")
					out = append(out, File{Path: inside, Size: e.Size, Type: typeOf(inside), Modified: e.ModTime})
				}
			}
		}
		folders = below
	}
	slices.SortFunc(out, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	return out, nil
}

func typeOf(name string) string {
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func describeFiles(h huma.API) {
	id := &huma.Param{Name: "id", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
	file := &huma.Param{Name: "path", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString}}
	token := &huma.Param{Name: "token", In: "query", Schema: &huma.Schema{Type: huma.TypeString}, Description: "A media token, instead of the key."}
	save := &huma.Param{Name: "download", In: "query", Schema: &huma.Schema{Type: huma.TypeString}, Description: "1: the browser saves the file. By default the browser shows pictures, audio, video and PDF."}
	bytes := map[string]*huma.Response{"302": {Description: "The installation stores files in a bucket: Location has the address of the bytes, which is valid for an hour."}, "200": {Description: "The bytes, or the part requested by Range.", Content: map[string]*huma.MediaType{
		"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
	}}}
	doc := h.OpenAPI()
	for _, o := range []*huma.Operation{
		{OperationID: "read-file", Path: filesPath + "{path}", Summary: "Get a generated file"},
		{OperationID: "read-attachment", Path: sentFilesPath + "{path}", Summary: "Get a file sent by the consumer"},
	} {
		o.Method, o.Parameters, o.Responses, o.Security = http.MethodGet, []*huma.Param{id, file, token, save}, bytes, []map[string][]string{{"key": {}}, {"token": {}}}
		doc.AddOperation(o)
	}
	doc.AddOperation(&huma.Operation{
		OperationID: "send-attachments", Method: http.MethodPost, Path: strings.TrimSuffix(sentFilesPath, "/"), Summary: "Upload files for a message, at most 20 of 20 MB each",
		Parameters: []*huma.Param{id}, Security: []map[string][]string{{"key": {}}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{"multipart/form-data": {Schema: &huma.Schema{
			Type: huma.TypeObject, Required: []string{"file"}, Properties: map[string]*huma.Schema{
				"file": {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
			},
		}}}},
		Responses: map[string]*huma.Response{"200": {Description: "URL of the created resource.", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			Type: huma.TypeArray, Items: h.OpenAPI().Components.Schemas.Schema(reflectType[AttachmentBody](), true, ""),
		}}}}},
	})
}
