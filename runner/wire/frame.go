package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Limits of the protocol, for both ends.
const (
	Version          = 1                // of the protocol; ends with different versions refuse each other
	MaxFrame         = 8 << 20          // bytes of one frame
	MaxHandshake     = 64 << 10         // bytes of the register frame, whose sender is unknown
	MaxChunk         = 1 << 20          // bytes of file content in one frame
	MaxPiece         = 64 << 10         // bytes of command output in one push
	MaxResultOutput  = 4 << 20          // bytes of output in the result of a command
	MaxCommand       = 120 << 10        // bytes of a command: Linux passes at most 128 KiB in one argument
	MaxID            = 200              // bytes of a command's id
	Window           = 16               // pushes of one request that may be under way without an ack
	HandshakeTimeout = 10 * time.Second // from the upgrade to the register frame
	PingEvery        = 30 * time.Second
	PongWait         = 60 * time.Second // silence after which an end gives the other up
)

// Type is the type of a frame. A request carries its Op as type.
type Type string

// The types that are not requests.
const (
	TypeRegister   Type = "register"   // runner: who it is
	TypeRegistered Type = "registered" // server: welcome
	TypePush       Type = "push"       // runner: a part of the answer, ahead of the result
	TypeAck        Type = "ack"        // server: pushes were taken in
	TypeCancel     Type = "cancel"     // server: the caller of this request waits no more
	TypeResult     Type = "result"     // runner: the end of a request
	TypeError      Type = "error"      // the end of a request or of the handshake; the body is an Error
)

// Frame is one message. ID is zero in the handshake only.
type Frame struct {
	ID   uint64          `json:"id,omitempty"`
	Type Type            `json:"type"`
	Body json.RawMessage `json:"body,omitempty"`
}

// NewFrame builds a frame with a body; a nil body stays out.
func NewFrame(id uint64, typ Type, body any) (Frame, error) {
	f := Frame{ID: id, Type: typ}
	if body == nil {
		return f, nil
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return Frame{}, fmt.Errorf("encode the body of %s: %w", typ, err)
	}
	f.Body = raw
	return f, nil
}

// Encode returns the frame as bytes. A frame over MaxFrame is refused with TooLarge.
func (f Frame) Encode() ([]byte, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", f.Type, err)
	}
	if len(data) > MaxFrame {
		return nil, Errorf(TooLarge, "a %s of %d bytes is over the limit of %d bytes a frame", f.Type, len(data), MaxFrame)
	}
	return data, nil
}

// DecodeFrame reads one frame. Data over MaxFrame, anything that is not exactly one JSON object, and a frame without a
// type are Invalid or TooLarge.
func DecodeFrame(data []byte) (Frame, error) {
	if len(data) > MaxFrame {
		return Frame{}, Errorf(TooLarge, "a frame of %d bytes is over the limit of %d", len(data), MaxFrame)
	}
	var f Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return Frame{}, Errorf(Invalid, "this is not a frame: %v", err)
	}
	if f.Type == "" {
		return Frame{}, Errorf(Invalid, "a frame has no type")
	}
	if bytes.Equal(f.Body, []byte("null")) {
		f.Body = nil
	}
	return f, nil
}

// Decode reads the body into v. A missing body is Invalid.
func (f Frame) Decode(v any) error {
	return decodeBody(string(f.Type), f.Body, v)
}

func decodeBody(what string, body json.RawMessage, v any) error {
	if len(body) == 0 {
		return Errorf(Invalid, "%s has no body", what)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return Errorf(Invalid, "the body of %s cannot be read: %v", what, err)
	}
	return nil
}

// Ack is how many pushes of a request were taken in since the last ack.
type Ack struct {
	N int `json:"n"`
}
