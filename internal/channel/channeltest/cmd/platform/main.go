// Command platform is an emulated platform to try a server against: it prints the variables to export, takes every line as
// a message of Carol, and prints the messages she sees.
//
//	go run ./internal/channel/channeltest/cmd/platform feishu
//
// The other platforms are qq and napcat. A line that begins with @ is written in a group, and mentions the bot. "cut" breaks the
// connections, "again" delivers the last message once more.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "platform:", err)
		os.Exit(1)
	}
}

// platform is an emulator that is used in a terminal.
type platform struct {
	env   []string
	say   func(group bool, text string) (id string)
	again func(id string)
	cut   func()
	shown func() []shown // oldest first
	close func()
}

// shown is a message of the bot as Carol sees it now.
type shown struct {
	id, where, text string
	buttons         []string
}

func run(args []string, in io.Reader, out io.Writer) error {
	known := map[string]func() (platform, error){"feishu": feishu, "qq": qq, "napcat": napcat}
	if len(args) != 1 || known[args[0]] == nil {
		return fmt.Errorf("which one? feishu, qq or napcat")
	}
	p, err := known[args[0]]()
	if err != nil {
		return err
	}
	defer p.close()
	for _, variable := range p.env {
		fmt.Fprintln(out, "export", variable)
	}
	fmt.Fprintf(out, "# a policy that lets her in: {channels: {%s: {dmPolicy: \"open\", allowFrom: [\"*\"], groups: {\"*\": {}}, groupAllowFrom: [\"*\"]}}}\n", args[0])
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			lines <- s.Text()
		}
	}()
	p.serve(ctx, lines, out)
	return nil
}

// lookEvery is how often the output checks for changes of what she sees.
const lookEvery = 100 * time.Millisecond

// serve sends lines and prints visible messages, until ctx or the lines end.
func (p platform) serve(ctx context.Context, lines <-chan string, out io.Writer) {
	seen, last := map[string]string{}, ""
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			p.look(seen, out)
		case line, more := <-lines:
			if !more {
				p.look(seen, out)
				return
			}
			last = p.do(strings.TrimSpace(line), last)
		}
	}
}

// do executes a line, and returns the id of the last message.
func (p platform) do(line, last string) string {
	switch line {
	case "":
	case "cut":
		p.cut()
	case "again":
		p.again(last)
	default:
		text, group := strings.CutPrefix(line, "@")
		return p.say(group, strings.TrimSpace(text))
	}
	return last
}

// look prints new and changed messages.
func (p platform) look(seen map[string]string, out io.Writer) {
	for _, m := range p.shown() {
		text := m.text
		if len(m.buttons) > 0 {
			text += " [" + strings.Join(m.buttons, "] [") + "]"
		}
		was, known := seen[m.id]
		if known && was == text {
			continue
		}
		seen[m.id] = text
		mark := ">"
		if known {
			mark = "~" // it was changed
		}
		fmt.Fprintf(out, "%s %s %s\n", m.where, mark, strings.ReplaceAll(text, "\n", "\n    "))
	}
}
