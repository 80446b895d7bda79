package feishutest

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Frame is a message of the long connection, as the platform encodes it (protocol buffers, version 2). It is implemented here
// again, and not taken from the library, so that the library is tested against another reading of the protocol.
type Frame struct {
	SeqID, LogID    uint64
	Service         int32
	Method          int32 // FrameControl or FrameData
	Headers         []Header
	PayloadEncoding string
	PayloadType     string
	Payload         []byte
	LogIDNew        string
}

// Header is a header of a frame.
type Header struct{ Key, Value string }

// The methods of frames.
const (
	FrameControl = 0
	FrameData    = 1
)

// maxHeaders bounds the headers of a frame.
const maxHeaders = 64

// Get returns the value of a header, empty if there is none.
func (f *Frame) Get(key string) string {
	for _, h := range f.Headers {
		if h.Key == key {
			return h.Value
		}
	}
	return ""
}

// Marshal encodes a frame.
func (f *Frame) Marshal() []byte {
	var b []byte
	number := func(n protowire.Number, v uint64) {
		b = protowire.AppendVarint(protowire.AppendTag(b, n, protowire.VarintType), v)
	}
	text := func(n protowire.Number, v []byte) {
		b = protowire.AppendBytes(protowire.AppendTag(b, n, protowire.BytesType), v)
	}
	number(1, f.SeqID)
	number(2, f.LogID)
	number(3, uint64(int64(f.Service)))
	number(4, uint64(int64(f.Method)))
	for _, h := range f.Headers {
		var one []byte
		one = protowire.AppendString(protowire.AppendTag(one, 1, protowire.BytesType), h.Key)
		one = protowire.AppendString(protowire.AppendTag(one, 2, protowire.BytesType), h.Value)
		text(5, one)
	}
	if f.PayloadEncoding != "" {
		text(6, []byte(f.PayloadEncoding))
	}
	if f.PayloadType != "" {
		text(7, []byte(f.PayloadType))
	}
	if f.Payload != nil {
		text(8, f.Payload)
	}
	if f.LogIDNew != "" {
		text(9, []byte(f.LogIDNew))
	}
	return b
}

// UnmarshalFrame decodes a frame; members that it does not know are passed over.
func UnmarshalFrame(raw []byte) (*Frame, error) {
	f := &Frame{}
	err := members(raw, func(n protowire.Number, v uint64, text []byte) error {
		switch n {
		case 1:
			f.SeqID = v
		case 2:
			f.LogID = v
		case 3:
			f.Service = int32(v)
		case 4:
			f.Method = int32(v)
		case 5:
			return f.header(text)
		case 6:
			f.PayloadEncoding = string(text)
		case 7:
			f.PayloadType = string(text)
		case 8:
			f.Payload = append([]byte{}, text...)
		case 9:
			f.LogIDNew = string(text)
		}
		return nil
	})
	return f, err
}

func (f *Frame) header(raw []byte) error {
	if len(f.Headers) >= maxHeaders {
		return fmt.Errorf("a frame has more than %d headers", maxHeaders)
	}
	var h Header
	err := members(raw, func(n protowire.Number, _ uint64, text []byte) error {
		switch n {
		case 1:
			h.Key = string(text)
		case 2:
			h.Value = string(text)
		}
		return nil
	})
	f.Headers = append(f.Headers, h)
	return err
}

// members calls f with every member of a message: a number, or bytes.
func members(raw []byte, f func(n protowire.Number, v uint64, text []byte) error) error {
	for len(raw) > 0 {
		n, kind, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return fmt.Errorf("a frame is malformed: %w", protowire.ParseError(size))
		}
		raw = raw[size:]
		var v uint64
		var text []byte
		switch kind {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(raw)
		case protowire.BytesType:
			text, size = protowire.ConsumeBytes(raw)
		default:
			size = protowire.ConsumeFieldValue(n, kind, raw)
		}
		if size < 0 {
			return fmt.Errorf("a frame is malformed: %w", protowire.ParseError(size))
		}
		raw = raw[size:]
		if err := f(n, v, text); err != nil {
			return err
		}
	}
	return nil
}
