package anthropic

import (
	"errors"
	"io"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"xbot/internal/llm/wire"
)

// maxErrorBytes bounds an error that came with a good status.
const maxErrorBytes = 64 << 10

// streamError makes a refusal of an error event; statuses were made one before the SDK saw them.
func streamError(call *wire.Call, err error) error {
	if api, ok := errors.AsType[*sdk.Error](err); ok {
		return call.Refuse([]byte(api.RawJSON()))
	}
	return err
}

// exchange is the SDK's HTTP client for one call.
type exchange struct{ *wire.Call }

// Do sends the request. A JSON body where a stream was asked for is an error that came with a good status.
func (x exchange) Do(request *http.Request) (*http.Response, error) {
	response, err := x.Call.Do(request)
	if err != nil || !strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		return response, err
	}
	defer func() { _ = response.Body.Close() }() // read as far as it is wanted
	body, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes))
	if err != nil {
		return nil, err
	}
	if !strings.Contains(string(body), `"error"`) {
		return nil, x.Garbled("an answer that is no stream")
	}
	return nil, x.Refuse(body)
}
