package apiclient

import (
	"fmt"
	"net/url"
	"reflect"
	"time"
)

// path puts values, escaped, into the path of an endpoint.
func path(format string, values ...any) string {
	escaped := make([]any, len(values))
	for i, v := range values {
		escaped[i] = url.PathEscape(fmt.Sprint(v))
	}
	return fmt.Sprintf(format, escaped...)
}

// query is the parameters of a request. Zero values are not sent: everywhere in the API they are the same as nothing.
type query map[string]any

// String returns the query with its question mark, or nothing.
func (q query) String() string {
	values := url.Values{}
	for name, v := range q {
		if reflect.ValueOf(v).IsZero() {
			continue
		}
		if at, ok := v.(time.Time); ok {
			v = at.Format(time.RFC3339Nano)
		}
		values.Set(name, fmt.Sprint(v))
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}
