package wire

// LLMRequest is an HTTP request to the model that the runner was configured with. Path is joined to the configured base
// address and cannot leave it; the runner adds its own key, which never travels.
type LLMRequest struct {
	Method string              `json:"method"`
	Path   string              `json:"path"`
	Header map[string][]string `json:"header,omitempty"`
	Body   []byte              `json:"body,omitempty"`
}

// LLMHead is the first push of an answer.
type LLMHead struct {
	Status int                 `json:"status"`
	Header map[string][]string `json:"header,omitempty"`
}

// LLMBody is a push: a part of the answer's body, at most MaxPiece bytes.
type LLMBody struct {
	Data []byte `json:"data"`
}
