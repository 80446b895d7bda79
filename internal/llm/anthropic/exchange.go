package anthropic

import (
	"net/http"

	"xbot/internal/llm/wire"
)

// exchange is the SDK's HTTP client for one call. It keeps the stream, which the SDK's own reader would take for less than it is.
type exchange struct {
	*wire.Call
	events *wire.Events
}

// Do sends the request.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	response, err := x.Call.Do(request)
	if err == nil {
		x.events = x.Events(response.Body)
	}
	return response, err
}
