package apiclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const maxFrame = 16 << 20 // bytes of one event: a message with the results of its tool calls

var errFrameSize = fmt.Errorf("an event of the server is larger than %d bytes", maxFrame)

// frame is one event of a text/event-stream (WHATWG HTML, "Server-sent events").
type frame struct {
	id    int64 // 0 when the frame has none, or none that is a number
	event string
	data  []byte
}

// frames reads a stream frame by frame. alive is called for every line that arrives, comments included.
type frames struct {
	lines *bufio.Reader
	alive func()
}

func newFrames(stream io.Reader, alive func()) *frames {
	return &frames{lines: bufio.NewReader(stream), alive: alive}
}

// next returns the next frame that has data. It returns io.EOF at the end of the stream; a frame that was not ended
// by an empty line is dropped, since it may be cut.
func (f *frames) next() (frame, error) {
	var current frame
	hasData := false
	for {
		line, err := f.line()
		if err != nil {
			return frame{}, err
		}
		if len(line) == 0 {
			if hasData {
				return current, nil
			}
			current = frame{}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			// An id that is not a number does not come from xbot and cannot be resumed from.
			if id, err := strconv.ParseInt(string(value), 10, 64); err == nil && id > 0 {
				current.id = id
			}
		case "event":
			current.event = string(value)
		case "data":
			if hasData {
				current.data = append(current.data, '\n')
			}
			if current.data = append(current.data, value...); len(current.data) > maxFrame {
				return frame{}, errFrameSize
			}
			hasData = true
		}
	}
}

// line returns a line without its end, valid until the next call.
func (f *frames) line() ([]byte, error) {
	line, err := f.lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = f.lines.ReadSlice('\n')
			if long = append(long, line...); len(long) > maxFrame {
				return nil, errFrameSize
			}
		}
		line = long
	}
	if err != nil {
		return nil, err
	}
	f.alive()
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
}
