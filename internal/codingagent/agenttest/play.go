package agenttest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// player plays the turns of one conversation.
type player struct {
	*stage
	voice voice
	count int // of messages, works and requests
	early int // steers that came before the script waited for them
	done  bool
	seen  []string // the pictures of the newest message
}

func play(s *stage, v voice) {
	p := &player{stage: s, voice: v}
	for sig := range s.signals {
		if sig.kind == "prompt" {
			p.turn(sig)
		}
	}
}

func (p *player) turn(sig signal) {
	p.done, p.early, p.seen = false, 0, sig.seen
	script := sig.text
	given(p.session, sig)
	turns, _ := earlier(p.session)
	keep(p.session, append(turns, script))
	if loggedOut() {
		p.end("failed", "login")
		return
	}
	known := false
	for line := range strings.SplitSeq(script, "\n") {
		p.drain()
		if p.done {
			return
		}
		known = p.directive(strings.TrimSpace(line), turns) || known
	}
	if !known && !p.done {
		lines := strings.Split(strings.TrimSpace(script), "\n")
		p.say("You said: " + lines[len(lines)-1])
	}
	p.drain()
	p.end("completed", "")
}

func (p *player) end(outcome, why string) {
	if p.done {
		return
	}
	p.done = true
	p.rest()
	p.voice.end(outcome, why)
}

func (p *player) drain() {
	for {
		select {
		case sig, ok := <-p.signals:
			if !ok {
				os.Exit(0)
			}
			p.heed(sig)
		default:
			return
		}
	}
}

func (p *player) heed(sig signal) {
	switch sig.kind {
	case "steer":
		p.early++
		given(p.session, sig)
		p.seen = sig.seen
		p.say("steered: " + sig.text)
	case "interrupt":
		p.end("interrupted", "")
	}
}

// await waits for a signal of a kind; an interruption ends the turn.
func (p *player) await(kind, id string) (signal, bool) {
	for sig := range p.signals {
		if sig.kind == kind && sig.id == id {
			return sig, true
		}
		p.heed(sig)
		if p.done {
			return signal{}, false
		}
	}
	os.Exit(0)
	return signal{}, false
}

func (p *player) next(what string) string {
	p.count++
	return fmt.Sprintf("%s_%d_%d", what, os.Getpid(), p.count)
}

func (p *player) directive(line string, turns []string) bool {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "say":
		p.say(rest)
	case "think":
		p.voice.thought(rest)
	case "run":
		p.run(p.command(rest))
	case "edit":
		p.write(p.file(rest))
	case "ask":
		return p.ask(rest)
	case "recall":
		last := ""
		if len(turns) > 0 {
			last = turns[len(turns)-1]
		}
		p.say(fmt.Sprintf("turns: %d; last: %s", len(turns), last))
	case "see":
		p.say(fmt.Sprintf("pictures: %d; %s", len(p.seen), strings.Join(p.seen, ", ")))
	case "wait":
		p.wait()
	case "junk":
		id := p.next("junk")
		p.voice.junk(id)
		p.await("answer", id)
	case "fail":
		p.end("failed", rest)
	case "die":
		os.Exit(9)
	default:
		return false
	}
	return true
}

// wait waits for a steer, unless one came already.
func (p *player) wait() {
	if p.early == 0 {
		if sig, ok := p.await("steer", ""); ok {
			p.heed(sig)
		}
	}
	p.early = max(0, p.early-1)
}

func (p *player) say(text string) { p.voice.text(p.next("msg"), strings.SplitAfter(text, " "), text) }

func (p *player) command(line string) work {
	return work{id: p.next("call"), kind: "command", title: line}
}

func (p *player) file(rest string) work {
	name, text, _ := strings.Cut(rest, " ")
	return work{id: p.next("call"), kind: "file", title: name, output: text}
}

func (p *player) run(w work) {
	p.voice.work(w)
	out, err := exec.Command("sh", "-c", w.title).CombinedOutput()
	w.done, w.failed, w.output = true, err != nil, string(out)
	p.voice.work(w)
}

func (p *player) write(w work) {
	text := w.output
	w.output = ""
	p.voice.work(w)
	w.done, w.failed = true, os.WriteFile(w.title, []byte(text), 0o600) != nil
	p.voice.work(w)
}

func (p *player) ask(rest string) bool {
	what, rest, _ := strings.Cut(rest, " ")
	switch what {
	case "approval":
		p.approval(p.command(rest), p.run, "declined")
	case "quietly":
		p.approval(p.command(rest), p.run, "")
	case "edit":
		p.approval(p.file(rest), p.write, "declined")
	case "question":
		p.question(rest)
	default:
		return false
	}
	return true
}

func (p *player) approval(w work, do func(work), declined string) {
	id := p.next("req")
	p.voice.askApproval(id, w)
	switch sig, ok := p.await("answer", id); {
	case ok && sig.yes:
		do(w)
	case ok && declined != "":
		p.say(declined)
	}
}

func (p *player) question(rest string) {
	parts := strings.Split(rest, "|")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	id := p.next("req")
	p.voice.askQuestion(id, parts[0], parts[1:])
	sig, ok := p.await("answer", id)
	switch {
	case ok && len(sig.replies) > 0:
		p.say("chosen: " + strings.Join(sig.replies, ", "))
	case ok:
		p.say("no answer")
	}
}
