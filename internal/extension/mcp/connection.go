package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"xbot/internal/chat"
	"xbot/internal/extension/mcp/elicit"
	"xbot/internal/extension/mcp/mcpstore"
	"xbot/internal/extension/oauth"
	"xbot/internal/fault"
	"xbot/internal/host/safehttp"
	"xbot/internal/sandbox"
	"xbot/internal/tool"
)

const (
	// goodbye is how long the end of a connection may take before it is cut off.
	goodbye = 5 * time.Second
	// settle is the delay before the lists of a server are read again after a change: more changes may follow.
	settle = 2 * time.Second
	// epilogue is the time in which a command may end after its messages have, before it counts as running.
	epilogue = 300 * time.Millisecond
	// legacy is the newest version of the protocol that begins with a handshake.
	legacy = "2025-11-25"
)

// connection is a connection to a server. Its goroutine, run, owns it from connecting to its end.
type connection struct {
	pool   *Connections
	key    key
	server mcpstore.Server // as it was when it was connected to
	box    sandbox.Sandbox // nil: the server has an address
	counts bool            // its lists are stored when the server reports a change
	connectionSecrets

	life  context.Context //nolint:containedctx // of the connection, which outlives the call that needed it first
	end   context.CancelCauseFunc
	ready chan struct{} // closed when it works, or err is set
	err   error
	calls *calls
	made  time.Time

	session *sdk.ClientSession // nil until ready
	command *command           // nil: the server has an address

	usage
}

// connectionSecrets holds the secrets of a connection.
type connectionSecrets struct {
	values values  // set before ready is closed
	bearer *bearer // nil: no account authorizes requests
}

// usage is the state of a connection in the pool, guarded by its mu.
type usage struct {
	users   int
	used    time.Time   // when the last user left
	timer   *time.Timer // ends it when it was idle; nil while it has users
	retired bool        // new calls do not use it
	over    chan struct{}
}

// begin counts one more user.
func (u *usage) begin() {
	u.users++
	if u.timer != nil {
		u.timer.Stop()
		u.timer = nil
	}
}

// leave asks run to end the connection in order.
func (u *usage) leave() {
	select {
	case <-u.over:
	default:
		close(u.over)
	}
}

func newConnection(pool *Connections, k key, s mcpstore.Server, at At) *connection {
	n := &connection{pool: pool, key: k, server: s, box: at.Box, counts: counts(s, at), ready: make(chan struct{}), calls: newCalls(at.Dir), made: time.Now(), connectionSecrets: connectionSecrets{bearer: pool.authorization(s, at.Person)}, usage: usage{over: make(chan struct{})}}
	n.life, n.end = context.WithCancelCause(context.Background())
	return n
}

// counts reports whether the lists of a server are stored from here, for all its users. Lists for the account of one user, or from the
// runner of one, do not hold for other users.
func counts(s mcpstore.Server, at At) bool {
	return at.Vouched || s.User != 0 || s.Transport != chat.MCPStdio && s.Account == ""
}

// run connects, follows the notifications of the server, and ends the connection when it is unused or the server is gone.
func (n *connection) run() {
	defer n.pool.gone(n)
	defer n.end(nil)
	if n.err = n.connect(); n.err != nil {
		n.err = n.explain(n.err)
		n.note(n.err, n.counts)
	}
	if n.err != nil {
		n.pool.withdraw(n)
	}
	close(n.ready)
	if n.err != nil {
		n.end(n.err)
		n.part()
		return
	}
	lost := make(chan struct{})
	n.pool.work.Go(func() {
		_ = n.session.Wait() // calls get the reason
		close(lost)
	})
	n.follow(lost)
	n.part()
	<-lost
}

// works reports whether it has been connected.
func (n *connection) works() bool {
	select {
	case <-n.ready:
		return true
	default:
		return false
	}
}

// follow lists the offers of the server again after each notification of a change, until the connection ends.
func (n *connection) follow(lost <-chan struct{}) {
	var settled <-chan time.Time
	for {
		select {
		case <-lost:
			return
		case <-n.life.Done():
			return
		case <-n.over:
			return
		case <-n.calls.changed:
			if settled == nil {
				settled = time.After(settle)
			}
		case <-settled:
			settled = nil
			if err := n.list(n.counts); err != nil {
				n.note(n.explain(err), n.counts)
			}
		}
	}
}

// part closes the connection, within a time limit.
func (n *connection) part() {
	cut := time.AfterFunc(goodbye, func() { n.end(nil) })
	defer cut.Stop()
	if n.session != nil {
		_ = n.session.Close() // it is over either way
	}
	if n.command == nil {
		return
	}
	_ = n.command.process.Stdin().Close() // a server ends on it
	select {
	case <-n.command.ended:
	case <-n.life.Done():
		n.command.process.Kill()
		<-n.command.ended
	}
}

// connect makes the session, and lists the offers of the server.
func (n *connection) connect() error {
	var err error
	if n.values, err = stored(n.pool.cfg.Key, n.server); err == nil {
		err = n.values.whole(n.server)
	}
	if err != nil {
		return err
	}
	slow := time.AfterFunc(n.pool.cfg.Connect, func() {
		n.end(fault.Errorf(fault.Unavailable, "it did not answer within %s", n.pool.cfg.Connect))
	})
	defer slow.Stop()
	if n.session, err = n.greet(); err != nil {
		return err
	}
	return n.list(n.counts)
}

// greet initializes a session in the newest version of the protocol. Commands that end at the first unknown message are started
// again with the version before.
func (n *connection) greet() (*sdk.ClientSession, error) {
	session, err := n.handshake("")
	if err == nil || n.command == nil || n.life.Err() != nil {
		return session, err
	}
	if n.command.ending(epilogue) == "" {
		return nil, err // it runs, and has sent a useless answer
	}
	return n.handshake(legacy)
}

// handshake connects in a version of the protocol; empty: the newest.
func (n *connection) handshake(version string) (*sdk.ClientSession, error) {
	transport, err := n.transport()
	if err != nil {
		return nil, err
	}
	can := &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}}
	if n.command != nil {
		can.RootsV2 = &sdk.RootCapabilities{ListChanged: true}
	}
	options := &sdk.ClientOptions{
		Capabilities:                can,
		ElicitationHandler:          n.elicit,
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { n.calls.change() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { n.calls.change() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { n.calls.change() },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { n.calls.progress(r.Params) },
		LoggingMessageHandler:       func(_ context.Context, r *sdk.LoggingMessageRequest) { n.calls.log(r.Params) }, //nolint:staticcheck // servers of older versions of the protocol log
	}
	if n.key.person != 0 { // hooks of the administrator have no model
		can.Sampling = &sdk.SamplingCapabilities{}         //nolint:staticcheck // servers of older versions of the protocol ask the model
		options.CreateMessageWithToolsHandler = n.sampling //nolint:staticcheck // as above
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "xbot", Version: n.pool.cfg.Version}, options)
	n.calls.folders.announce(client, n.server.MCPConfig, n.box)
	return client.Connect(n.life, transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
}

func (n *connection) transport() (sdk.Transport, error) {
	if n.server.Transport != chat.MCPStdio {
		base := n.pool.cfg.Own
		if n.server.User == 0 {
			base = n.pool.cfg.Shared
		}
		return overHTTP(n.life, n.end, n.server.MCPConfig, n.values.Headers, n.bearer, base, n.pool.pace), nil
	}
	command, err := begin(n.life, n.box, n.server.MCPConfig, n.server.Project.Folder, n.values.variables())
	if err != nil {
		return nil, err
	}
	n.command = command
	n.pool.work.Go(command.attend)
	return command.transport(n.life, n.pool.pace), nil
}

// maxProblem limits the text of a failure, in characters.
const maxProblem = 1000

// explain turns an error of a connection into a sentence about the server. Errors of the runner stay unchanged.
func (n *connection) explain(err error) error {
	if away(err) {
		return err
	}
	said := words(err)
	if cause := context.Cause(n.life); cause != nil && !errors.Is(cause, context.Canceled) {
		err, said = cause, words(cause) // we ended it
	} else if n.command != nil {
		if ending := n.command.ending(epilogue); ending != "" {
			said = ending
		}
	}
	said = tool.OneLine(n.hide(strings.ToValidUTF8(said, "\uFFFD")), maxProblem)
	kind := fault.KindOf(err)
	if kind == fault.Internal {
		kind = fault.Unavailable // a failure of the server is no internal error
	}
	if missing, ok := errors.AsType[*oauth.NotConnectedError](err); ok {
		return fault.Errorf(fault.Denied, "the MCP server %s cannot be used: %w", n.server.Name, missing)
	}
	if wants, ok := errors.AsType[*WantsAccountError](err); ok {
		return fault.Errorf(fault.Denied, "the MCP server %s cannot be used: %w", n.server.Name, wants)
	}
	return fault.Errorf(kind, "the MCP server %s cannot be used: %s", n.server.Name, said)
}

// words returns the text of an error about a server, without the address of a request and without the details of the network.
func words(err error) string {
	_, network := errors.AsType[*net.OpError](err)
	_, lookup := errors.AsType[*net.DNSError](err)
	if network || lookup {
		return safehttp.Reason(err)
	}
	if asked, ok := errors.AsType[*url.Error](err); ok {
		return asked.Err.Error()
	}
	return err.Error()
}

// hide removes secrets from a text that the server or the transport wrote.
func (k *connectionSecrets) hide(text string) string { return k.bearer.hide(k.values.hide(text)) }

// away reports whether the runner is the reason, not the server.
func away(err error) bool {
	_, offline := errors.AsType[*sandbox.OfflineError](err)
	return offline || fault.PartOf(err) != ""
}

// note stores why the server could not be used, if counts is set.
func (n *connection) note(problem error, counts bool) {
	if !counts || away(problem) || theirs(problem) || errors.Is(problem, errClosing) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_, wants := errors.AsType[*WantsAccountError](problem)
	if err := n.pool.cfg.Rows.SetMCPProblem(ctx, n.server.ID, n.server.Revision, problem.Error(), wants); err != nil {
		n.pool.cfg.Log.Warn("the problem of an MCP server was not noted", "server", n.server.Name, "error", err)
	}
}

// list reads the offers of the server and stores them, if counts is set.
func (n *connection) list(counts bool) error {
	if !counts {
		return nil
	}
	offers, err := offersOf(n.life, n.session, n.server.Account != "")
	if err != nil {
		return fmt.Errorf("it does not list what it offers: %w", err)
	}
	return n.pool.cfg.Rows.SetMCPOffers(n.life, n.server.ID, n.server.Revision, offers)
}

// calls holds the calls that run over a connection, and routes notifications of the server to them.
type calls struct {
	changed chan struct{} // holds one word: some list has changed

	mu      sync.Mutex
	last    int
	running map[string]func(line string)
	askings map[string]*elicit.Asking

	folders folders
}

func newCalls(dir string) *calls {
	return &calls{changed: make(chan struct{}, 1), running: map[string]func(string){}, askings: map[string]*elicit.Asking{}, folders: folders{dir: dir}}
}

// asking returns the Asking of the only running call.
func (c *calls) asking() *elicit.Asking {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.askings) == 1 {
		for _, asking := range c.askings {
			return asking
		}
	}
	return nil
}

func (c *calls) change() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// begin registers a call. Messages of the server about it go to tell until end, and asking answers its questions.
func (c *calls) begin(tell func(line string), asking *elicit.Asking) (token string, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	token = fmt.Sprint("call-", c.last)
	c.running[token], c.askings[token] = tell, asking
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.running, token)
		delete(c.askings, token)
	}
}

// maxLine limits a line of a server about a call, in characters.
const maxLine = 500

// progress passes a progress notification of the server to its call.
func (c *calls) progress(p *sdk.ProgressNotificationParams) {
	if p == nil {
		return
	}
	line := fmt.Sprintf("%g", p.Progress)
	if p.Total > 0 {
		line += fmt.Sprintf("/%g", p.Total)
	}
	if said := tool.OneLine(strings.ToValidUTF8(p.Message, "\uFFFD"), maxLine); said != "" {
		line += " " + said
	}
	token, ok := p.ProgressToken.(string)
	c.mu.Lock()
	defer c.mu.Unlock()
	if tell := c.running[token]; ok && tell != nil {
		tell(line)
	}
}

// log passes a log message of the server to all calls: it does not name its call.
func (c *calls) log(p *sdk.LoggingMessageParams) { //nolint:staticcheck // as above
	if p == nil {
		return
	}
	said, isText := p.Data.(string)
	if !isText {
		said = compact(p.Data)
	}
	said = tool.OneLine(strings.ToValidUTF8(said, "\uFFFD"), maxLine)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, tell := range c.running {
		tell(tool.OneLine(string(p.Level), 20) + ": " + said)
	}
}
