package consumer

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	problems "xbot/ingress/api/endpoint"
	"xbot/internal/host/jsonlimit"
)

func config() huma.Config {
	c := huma.DefaultConfig("xbot service", "1")
	c.Info.Description = "Conversations with a service that somebody has published. Send its key as Authorization: Bearer sk-svc-…. Errors are RFC 9457 problem documents; those of /chat/completions are OpenAI's."
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil // no $schema links in answers
	c.Formats = problems.Formats(jsonlimit.Default)
	c.Transformers = []huma.Transformer{problems.ShortProblem, titled}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"key":   {Type: "http", Scheme: "bearer", Description: "A key of the service: sk-svc-…"},
		"token": {Type: "apiKey", In: "query", Name: "token", Description: "A media token of the conversation."},
	}
	return c
}

// Document returns the OpenAPI document of the API.
func Document() *huma.OpenAPI {
	a, mux := &API{}, http.NewServeMux()
	h := humago.New(mux, config())
	a.registerConversations(h)
	a.registerChat(h)
	a.registerFiles(h, mux)
	describeCompletions(h)
	return h.OpenAPI()
}

var document = sync.OnceValue(func() []byte {
	body, err := json.Marshal(Document())
	if err != nil {
		panic(err) // made of our own types
	}
	return body
})

func serveDocument(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/openapi+json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(document()) // the client is gone if this fails
}
