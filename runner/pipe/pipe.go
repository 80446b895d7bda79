// Package pipe carries frames of package wire over two streams, such as the standard streams of a process: each frame is
// its length as four bytes, the highest first, and then its JSON. It knows nothing of what the frames mean.
package pipe

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"xbot/runner/wire"
)

// lengthBytes come ahead of each frame.
const lengthBytes = 4

// Pipe is one connection. Send is safe for use by many goroutines; Receive by one.
type Pipe struct {
	in      *bufio.Reader
	out     io.Writer
	streams io.Closer

	write sync.Mutex
	once  sync.Once
}

// New makes a pipe of two streams. What closes them, which may be nil, is closed once and must end a Receive that waits, and
// a Send as well.
func New(in io.Reader, out io.Writer, streams io.Closer) *Pipe {
	return &Pipe{in: bufio.NewReaderSize(in, wire.MaxPiece), out: out, streams: streams}
}

// Send writes one frame. After an error other than TooLarge the pipe is of no further use.
func (p *Pipe) Send(f wire.Frame) error {
	data, err := f.Encode()
	if err != nil {
		return err
	}
	message := binary.BigEndian.AppendUint32(make([]byte, 0, lengthBytes+len(data)), uint32(len(data)))
	p.write.Lock()
	defer p.write.Unlock()
	if _, err := p.out.Write(append(message, data...)); err != nil {
		return fmt.Errorf("send %s: %w", f.Type, err)
	}
	return nil
}

// Receive waits for the next frame; it returns io.EOF if the other end closed between two frames. After an error the pipe is of no further use.
func (p *Pipe) Receive() (wire.Frame, error) {
	var head [lengthBytes]byte
	if _, err := io.ReadFull(p.in, head[:]); err != nil {
		return wire.Frame{}, err
	}
	length := binary.BigEndian.Uint32(head[:])
	if length > wire.MaxFrame {
		return wire.Frame{}, wire.Errorf(wire.TooLarge, "a frame of %d bytes is over the limit of %d", length, wire.MaxFrame)
	}
	data := make([]byte, length)
	if _, err := io.ReadFull(p.in, data); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return wire.Frame{}, fmt.Errorf("read a frame of %d bytes: %w", length, err)
	}
	return wire.DecodeFrame(data)
}

// Close closes the streams. The other end sees nothing but their end: code and reason are for transports that can send them.
func (p *Pipe) Close(int, string) {
	p.once.Do(func() {
		if p.streams != nil {
			_ = p.streams.Close() // it is being given up
		}
	})
}
