package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"xbot/internal/fault"
	"xbot/internal/host/jsonlimit"
)

// Limits of the messages of a plugin.
const (
	MaxMessage    = 1 << 20 // bytes of one message, in either direction
	bytesASecond  = 8 << 20 // beyond it the plugin has to wait, as on a full pipe
	bytesAtOnce   = 2 * MaxMessage
	lineCost      = 1 << 10 // bytes that each line counts in addition
	ownRequests   = 8       // of the plugin, at work at once
	storedASecond = 50      // requests to the database
	storedAtOnce  = 50
	wordsASecond  = 1 << 20 // bytes of its standard error
	wordsAtOnce   = 64 << 10
	logsASecond   = 10 // beyond it lines of its log are left out
	logsAtOnce    = 50
)

// message is a message of JSON-RPC 2.0.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    *delay `json:"data,omitempty"`
}

// delay is the time until a retry.
type delay struct {
	RetryAfter float64 `json:"retry_after"` // seconds
}

// received is a message of the plugin.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

// reply is the answer to a request of the bridge.
type reply struct {
	result json.RawMessage
	err    *rpcError
}

// Codes of errors of JSON-RPC.
const (
	CodeNoMethod = -32601
	codeParams   = -32602
	codeFailed   = -32000
)

// call sends a request to the process and waits for its answer. lostError: it ended; errUnanswered: the time was up; RefusedError: it refused.
func (p *process) call(ctx context.Context, method string, params, into any) error {
	id, answer := p.expect()
	defer p.unexpect(id)
	name, _ := json.Marshal(id) // a number
	if sent, err := p.send(ctx, message{ID: name, Method: method, Params: params}, true); err != nil || !sent {
		return err
	}
	select {
	case r := <-answer:
		return p.read1(r, into)
	case <-p.ended:
		select {
		case r := <-answer: // it answered before it ended
			return p.read1(r, into)
		default:
			return &lostError{p.why}
		}
	case <-ctx.Done():
		type canceled struct {
			ID int64 `json:"id"`
		}
		_, _ = p.send(ctx, message{Method: "cancel", Params: canceled{id}}, false) // it may not read any more
		return errUnanswered
	}
}

func (p *process) read1(r reply, into any) error {
	if r.err != nil {
		said := p.clean(short(r.err.Message))
		if said == "" {
			said = "an error without a word"
		}
		return &RefusedError{Plugin: p.plugin.Plugin.ID, Said: said, Code: r.err.Code, After: r.err.after()}
	}
	if len(r.result) == 0 || json.Unmarshal(r.result, into) != nil {
		return &RefusedError{Plugin: p.plugin.Plugin.ID, Said: "something that is no answer to what it was asked"}
	}
	return nil
}

func (p *process) expect() (int64, chan reply) {
	s := &p.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	answer := make(chan reply, 1)
	s.waiting[s.next] = answer
	return s.next, answer
}

func (p *process) unexpect(id int64) {
	s := &p.stream
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.waiting, id)
}

// send passes a message to the writer. If the process does not read it waits for space until ctx ends, or not at all; sent reports whether
// there was space.
func (p *process) send(ctx context.Context, m message, wait bool) (sent bool, err error) {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return false, fault.Errorf(fault.Invalid, "a message to the plugin %s is no JSON: %w", p.plugin.Plugin.ID, err)
	}
	if len(line) > MaxMessage {
		return false, fault.Errorf(fault.TooLarge, "the plugin %s takes at most %d kB at once", p.plugin.Plugin.ID, MaxMessage>>10)
	}
	line = append(line, '\n')
	if !wait {
		select {
		case p.stream.out <- line:
			return true, nil
		default:
			return false, nil
		}
	}
	select {
	case p.stream.out <- line:
		return true, nil
	case <-p.ended:
		return false, fault.Errorf(fault.Unavailable, "the plugin %s has just ended", p.plugin.Plugin.ID)
	case <-ctx.Done():
		return false, fault.Errorf(fault.Unavailable, "the plugin %s does not read what it is asked", p.plugin.Plugin.ID)
	}
}

// write writes messages until the process ends. A process that does not read delays only this one.
func (p *process) write(to io.WriteCloser) {
	defer to.Close() // it may have ended
	for {
		select {
		case <-p.life.Done():
			return
		case line := <-p.stream.out:
			if _, err := to.Write(line); err != nil {
				return // Wait returns how it ended
			}
		}
	}
}

// read reads messages until the process ends, no faster than their pace. Lines that are no message are skipped: programs print other things, too.
func (p *process) read(from io.Reader) error {
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := readLine(in)
		if err := p.stream.pace.WaitN(p.life, len(line)+lineCost); err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := p.take(line); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line of at most MaxMessage bytes, with its end. It returns TooLarge if it is longer.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > MaxMessage {
			return nil, fault.Errorf(fault.TooLarge, "it wrote a line of more than %d kB", MaxMessage>>10)
		}
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take takes a message: an answer, a request, or a notification.
func (p *process) take(line []byte) error {
	var m received
	if line[0] != '{' || jsonlimit.Default.Unmarshal(line, &m) != nil {
		return nil
	}
	switch {
	case m.Method == "" && len(m.ID) > 0:
		p.answer(m)
	case m.Method == "log":
		p.log(m.Params)
	case m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null":
		select {
		case p.stream.own <- struct{}{}:
		case <-p.life.Done():
			return nil
		}
		p.bridge.work.Go(func() {
			defer func() { <-p.stream.own }()
			p.serve(m)
		})
	}
	return nil
}

func (p *process) answer(m received) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	s := &p.stream
	s.mu.Lock()
	answer := s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if answer != nil {
		s.doubt.answered.Add(1)
		answer <- reply{m.Result, m.Error}
	}
}
