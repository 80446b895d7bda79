package webpage

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"xbot/internal/document/decode"
)

// origin is the source and type of a body.
type origin struct {
	From string // address
	Said string // Content-Type
	Kind string // media type, a textual one
}

// content is the readable content of a body.
type content struct {
	Title, Text string
	Cut         bool // the content was cut
	Binary      bool // the body is not text
}

// decoder runs contentOf in a separate process.
var decoder = decode.Decoder[origin, content]{
	Name: "webpage", What: "the page", Limits: decode.Limits{Memory: 768 << 20, CPU: 15 * time.Second, Time: time.Minute, Answer: 6*maxText + 64<<10},
}

var _ = decode.Serve(decoder, decode.Ready(contentOf))

// contentOf parses a body in this process.
func contentOf(o origin, data []byte) (content, error) {
	from, err := url.Parse(o.From)
	if err != nil {
		return content{}, fmt.Errorf("read the address of the page: %w", err)
	}
	text := utf8Of(data, o.Said)
	if strings.ContainsRune(text[:min(len(text), 4096)], 0) {
		return content{Binary: true}, nil
	}
	if !isHTML(o.Kind) {
		return content{Text: clean(text)}, nil
	}
	html := markdown(text, from)
	return content{Title: html.title, Text: html.text, Cut: html.cut}, nil
}
