package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"xbot/ingress/relay"
	"xbot/internal/chat"
	"xbot/internal/document/websearch"
	"xbot/internal/extension/toolkey"
	"xbot/internal/fault"
	"xbot/internal/host/config"
	"xbot/internal/host/crash"
	"xbot/internal/host/crash/crashstore"
	"xbot/internal/host/localstack"
	"xbot/internal/host/temporalclient"
	"xbot/internal/llm"
	"xbot/internal/pg"
	"xbot/internal/sandbox/resolver"
	"xbot/internal/sandbox/runners"
	"xbot/internal/secret"
	"xbot/internal/store"
	"xbot/internal/tracing"
	"xbot/internal/turn/prompt"
	"xbot/runner/confine"
	"xbot/runner/container"
	"xbot/server"
	"xbot/server/hostrunner"
	"xbot/workflows"
)

type doctorCmd struct{}

// check is one check of the doctor: it returns its finding, or an error that names the problem.
type check struct {
	name string
	look func(ctx context.Context, d *installation) (string, error)
}

// installation is the subject of the checks.
type installation struct {
	cfg      config.Serve
	dsn      string
	temporal temporalclient.Config
}

// doctorTimeout bounds one check.
const doctorTimeout = 15 * time.Second

// Run makes all checks, prints a line for each, and fails if one failed.
func (doctorCmd) Run(ctx context.Context) error {
	cfg, err := load[config.Serve]()
	if err != nil {
		return err
	}
	d := &installation{cfg: cfg, dsn: cfg.Database.URL, temporal: temporalclient.Config{Address: cfg.Address, Namespace: cfg.Namespace}}
	if cfg.Database.URL == "" && cfg.Address == "" {
		if err := d.useLocal(); err != nil {
			return err
		}
	}
	failed := 0
	for _, c := range []check{
		{"Postgres", lookPostgres}, {"schema", lookSchema}, {"secrets", lookSecrets}, {"Temporal", lookTemporal}, {"held turns", lookHeld}, {"paused runs", lookPaused}, {"crashes", lookCrashes},
		{"server", lookServer}, {"copy", lookCopy}, {"runner", lookRunner}, {"storage", lookStorage}, {"containers", lookContainers}, {"decoders", lookDecoders}, {"prompt", lookPrompt}, {"hooks", lookHooks}, {"plugins", lookPlugins}, {"web search", lookSearch}, {"traces", lookTraces}, {"model", lookModel}, {"agents", lookAgents},
	} {
		ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
		found, err := c.look(ctx, d)
		cancel()
		if err != nil {
			failed++
			fmt.Printf("✗ %-11s %s\n", c.name, err)
			continue
		}
		fmt.Printf("✓ %-11s %s\n", c.name, found)
	}
	if failed > 0 {
		return fault.Errorf(fault.Unavailable, "checks that failed: %d", failed)
	}
	return nil
}

func (d *installation) useLocal() error {
	e, err := localstack.Read(d.cfg.Dir)
	if err != nil {
		return fault.Errorf(fault.Unavailable, "nothing is set up in %s yet: start \"xbot serve\" first", d.cfg.Dir)
	}
	d.dsn = e.DatabaseURL
	d.cfg.Namespace = e.Temporal.Namespace
	d.temporal = server.LocalTemporal(e)
	return nil
}

func lookCopy(_ context.Context, d *installation) (string, error) {
	if d.cfg.IsCopy() {
		return server.CopyNote, nil
	}
	return "no: bots, jobs and deliveries are on", nil
}

// lookSearch reports whether models can search the web. Without a search the check succeeds.
func lookSearch(ctx context.Context, _ *installation) (string, error) {
	return fromStore(ctx, func(rows *store.Store, _ config.Serve) (string, error) {
		env, err := config.Variables(os.Environ())
		if err != nil {
			return "", err
		}
		offered, err := websearch.New(&toolkey.Store{Rows: rows.ToolKeys, Env: env}).Offers(ctx, 0)
		if err != nil {
			return "", err
		}
		if !offered {
			return "not for everybody: the installation has no key of Tavily or CloudsWay and no SearXNG server (Settings, Models and keys)", nil
		}
		return "there is a search engine, so models have WebSearch", nil
	})
}

// lookTraces exports a span to each target of traces. Without a target the check succeeds.
func lookTraces(ctx context.Context, _ *installation) (string, error) {
	return fromStore(ctx, func(rows *store.Store, cfg config.Serve) (string, error) {
		ring, err := secret.OpenKeyring(cfg.Dir, cfg.Key)
		if err != nil {
			return "", err
		}
		env, err := config.Variables(os.Environ())
		if err != nil {
			return "", err
		}
		settings := server.NewTraceSettings(rows, server.TraceTargets(cfg.Telemetry, env), ring)
		tested, err := settings.TestInForce(ctx, tracing.Resource{Service: "xbot", Version: version})
		if err != nil || len(tested) == 0 {
			return "no target is configured (Settings, Tracing)", err
		}
		var passed []string
		for _, name := range slices.Sorted(maps.Keys(tested)) {
			if !tested[name].Passed {
				return "", fmt.Errorf("%s does not accept traces: %s", name, tested[name].Problem)
			}
			passed = append(passed, name)
		}
		return "accepted by " + strings.Join(passed, ", "), nil
	})
}

func lookPostgres(ctx context.Context, _ *installation) (string, error) {
	return fromStore(ctx, func(*store.Store, config.Serve) (string, error) { return "answers", nil })
}

func lookSchema(ctx context.Context, d *installation) (string, error) {
	has, wants, err := pg.SchemaVersions(ctx, d.dsn)
	switch {
	case err != nil:
		return "", fmt.Errorf("the version cannot be read: %w", err)
	case has < wants:
		return "", fmt.Errorf("version %d, this binary wants %d: start the server once to migrate", has, wants)
	case has > wants:
		return "", fmt.Errorf("version %d was made by a newer xbot, this binary knows %d: install the newer one", has, wants)
	}
	return fmt.Sprintf("version %d", has), nil
}

// dial connects to Temporal, whose client logs nothing.
func (d *installation) dial() (client.Client, error) {
	d.temporal.Log = slog.New(slog.DiscardHandler)
	return temporalclient.New(d.temporal)
}

func lookTemporal(ctx context.Context, d *installation) (string, error) {
	c, err := d.dial()
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := c.CheckHealth(ctx, nil); err != nil {
		return "", fmt.Errorf("does not answer at %s: %w", d.temporal.Address, err)
	}
	if _, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: d.cfg.Namespace}); err != nil {
		return "", fmt.Errorf("answers at %s, but not for the namespace %s: %w", d.temporal.Address, d.cfg.Namespace, err)
	}
	have, err := temporalclient.HasAttributes(ctx, c, d.cfg.Namespace, []string{workflows.AttrSession.GetName(), workflows.AttrOutcome.GetName()})
	if err != nil || !have {
		return "answers; the search attributes are missing, so its list shows no sessions", nil //nolint:nilerr // tolerated
	}
	return "answers at " + d.temporal.Address + ", namespace " + d.cfg.Namespace, nil
}

// lookHeld finds turns whose workflow tasks fail: a fault in workflow code blocks them until a mended binary runs.
func lookHeld(ctx context.Context, d *installation) (string, error) {
	c, err := d.dial()
	if err != nil {
		return "", err
	}
	defer c.Close()
	open, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus IN ('Running', 'Paused') AND WorkflowType IN ('" + workflows.NameTurn + "', '" + workflows.NameSubagent + "')", PageSize: 100})
	if err != nil {
		return "", fmt.Errorf("open turns cannot be listed: %w", err)
	}
	held, paused := 0, 0
	for _, e := range open.GetExecutions() {
		got, err := c.DescribeWorkflowExecution(ctx, e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId())
		if err == nil && got.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_PAUSED {
			paused++
		}
		if err == nil && got.GetPendingWorkflowTask().GetAttempt() >= 3 {
			held++
		}
	}
	if held > 0 {
		return "", fmt.Errorf("%d of %d open turns are blocked by a fault in workflow code; see their pending workflow task in the Temporal UI, and deploy a mended binary", held, len(open.GetExecutions()))
	}
	if paused > 0 {
		return "", fmt.Errorf("%d of %d open turns is paused in the Temporal UI, and nobody is answered there; unpause or stop them", paused, len(open.GetExecutions()))
	}
	return fmt.Sprintf("none of %d open turns", len(open.GetExecutions())), nil
}

// lookPaused finds deliveries, jobs and other runs outside turns that are paused in the Temporal UI.
func lookPaused(ctx context.Context, d *installation) (string, error) {
	c, err := d.dial()
	if err != nil {
		return "", err
	}
	defer c.Close()
	list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: relay.PausedQuery, PageSize: 100})
	if err != nil {
		return "", fmt.Errorf("paused runs cannot be listed: %w", err)
	}
	if len(list.GetExecutions()) == 0 {
		return "none beside turns", nil
	}
	var ids []string
	for _, e := range list.GetExecutions() {
		ids = append(ids, e.GetExecution().GetWorkflowId())
	}
	return "", fmt.Errorf("paused in the Temporal UI, and nothing is sent, run or told there until they go on: %s", strings.Join(ids, ", "))
}

// lookCrashes reports calls that were abandoned because worker processes crashed in them.
func lookCrashes(ctx context.Context, d *installation) (string, error) {
	pool, err := pgxpool.New(ctx, d.dsn)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	calls, err := crashstore.New(pool).CallsGivenUp(ctx)
	switch {
	case err != nil:
		return "", err
	case len(calls) == 0:
		return "no call was given up in the last day", nil
	}
	return "", fmt.Errorf("%d calls were given up in the last day because they crashed the server, the newest: %w; the output of crashes is in %s", len(calls), &calls[0], crash.Folder(d.cfg.Dir))
}

// lookServer asks the processes of the server that it finds whether they are ready. They depend on how it runs: "xbot serve" and an ingress of
// this data folder left a note; others are known by the settings that processes share.
func lookServer(ctx context.Context, d *installation) (string, error) {
	var found, away []string
	for _, address := range d.addresses() {
		problem, err := probe(ctx, address)
		if problem != "" {
			return "", fmt.Errorf("%s: %s", address, problem)
		}
		if err == nil {
			found = append(found, address)
			break
		}
		away = append(away, address)
	}
	if d.cfg.Metrics != "" {
		address := server.LocalURL(d.cfg.Metrics)
		if problem, err := probe(ctx, address); err == nil && problem != "" {
			return "", fmt.Errorf("the worker at %s: %s", address, problem)
		} else if err == nil {
			found = append(found, address+" (worker)")
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("does not answer at %s: start \"xbot serve\", or \"xbot ingress\" and \"xbot worker\"", strings.Join(away, " or "))
	}
	return "ready at " + strings.Join(found, ", "), nil
}

// addresses are where the ingress may be, without repetition, the nearest first.
func (d *installation) addresses() []string {
	var out []string
	if note, err := server.ReadNote(d.cfg.Dir); err == nil {
		out = append(out, note.URL)
	}
	for _, address := range []string{server.LocalURL(d.cfg.Addr), d.cfg.Internal, d.cfg.HTTP.URL} {
		if address = strings.TrimRight(address, "/"); address != "" && !slices.Contains(out, address) {
			out = append(out, address)
		}
	}
	return out
}

// probe returns why a process is not ready, or an error if none answers at the address.
func probe(ctx context.Context, address string) (problem string, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/readyz", nil)
	if err != nil {
		return "", err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() // read only
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil || resp.StatusCode == http.StatusOK {
		return "", err
	}
	return fmt.Sprintf("it answers %d: %s", resp.StatusCode, strings.TrimSpace(string(body))), nil
}

// probeTimeout bounds one probe: that of readiness, and the way to it.
const probeTimeout = 4 * time.Second

// runnerWait is how long a runner may take to connect after the start of the server.
const runnerWait = 3 * time.Second

func lookRunner(ctx context.Context, d *installation) (string, error) {
	return fromStore(ctx, func(s *store.Store, _ config.Serve) (string, error) {
		all, err := settledRunners(ctx, s)
		if err != nil {
			return "", err
		}
		sandbox, err := s.Runners.LocalSandbox(ctx)
		if err != nil {
			return "", err
		}
		if d.cfg.Confine != "" {
			sandbox = chat.RunnerSandbox{Confine: d.cfg.Confine, Setting: true}
		}
		var online []string
		for _, r := range all {
			if r.Online {
				online = append(online, describe(r, sandbox))
			}
		}
		if len(online) == 0 {
			why := "see the log of the runner: logs/runner-local.log in the data folder where xbot serve started it"
			if words := hostrunner.LastWords(d.cfg.Dir, "local"); words != "" {
				why = "the last line of logs/runner-local.log: " + words
			}
			return "", fmt.Errorf("none of %d runners is connected, so no tool can run; %s", len(all), why)
		}
		return fmt.Sprintf("%d of %d connected%s", len(online), len(all), strings.Join(online, "")), nil
	})
}

// settledRunners lists all runners, once one is connected or runnerWait is over.
func settledRunners(ctx context.Context, s *store.Store) ([]runners.Runner, error) {
	over := time.After(runnerWait)
	for {
		all, err := s.Runners.Runners(ctx)
		if err != nil || len(all) == 0 || slices.ContainsFunc(all, func(r runners.Runner) bool { return r.Online }) {
			return all, err
		}
		select {
		case <-over:
			return all, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(runnerWait / 30):
		}
	}
}

// describe returns a line about a connected runner with the data that it reported. local is the sandbox of the server's own runner.
func describe(r runners.Runner, local chat.RunnerSandbox) string {
	line := fmt.Sprintf("\n    %s of %s, %s", r.Name, r.Owner, kindOf(r))
	if r.Info == nil {
		return line
	}
	line += fmt.Sprintf(", version %s on %s/%s, workspace %s", r.Info.Version, r.Info.OS, r.Info.Arch, r.Info.Workspace)
	if r.Info.LLM != nil {
		line += fmt.Sprintf(", model %s/%s", r.Info.LLM.Provider, r.Info.LLM.Model)
	}
	mark := ""
	switch {
	case r.Info.Refused:
		mark = "WARNING, commands are refused: "
	case r.Info.Confinement == "" || strings.HasPrefix(r.Info.Confinement, "none"):
		mark = "WARNING, not confined: "
	}
	line += "\n      " + mark + r.Info.Confinement
	switch change := "xbot setup, or the page (Settings, Runners)"; {
	case r.Name != resolver.Local:
		return line
	case local.Confine == chat.ConfineOff:
		return line + "\n      commands run without a sandbox" + sandboxOrigin(local) + "; to change it: " + change
	case r.Info.Refused:
		return line + "\n      to run them without a sandbox: " + change
	}
	return line
}

// sandboxOrigin returns who decided whether commands run in a sandbox.
func sandboxOrigin(s chat.RunnerSandbox) string {
	switch {
	case s.Setting:
		return ", by the setting XBOT_CONFINE=" + s.Confine
	case s.ChangedAt == nil:
		return ""
	}
	return fmt.Sprintf(", as %s chose on %s", cmp.Or(s.ChangedBy, "an administrator who is gone"), s.ChangedAt.Format(time.DateTime))
}

// lookDecoders reports how the processes that decode files are confined.
func lookDecoders(context.Context, *installation) (string, error) {
	switch {
	case confine.HasFilters():
		return "no files and no network for them, and little memory and time", nil
	case runtime.GOOS == "linux":
		return "", errors.New("files are decoded in processes with limits of memory, time and open files only: this kernel, or the container engine, has no filters of system calls (seccomp)")
	}
	return "limits of time and open files: this system has no filters of system calls", nil
}

// lookContainers asks the engine whether containers can be made.
func lookContainers(ctx context.Context, d *installation) (string, error) {
	if d.cfg.Image == "" {
		return "off: set XBOT_DOCKER_IMAGE to give every user a container", nil
	}
	return container.Check(ctx, d.cfg.Engine, d.cfg.Image)
}

func lookModel(ctx context.Context, d *installation) (string, error) {
	model, err := usualModel(ctx, d)
	if err != nil {
		return "", err
	}
	answer, err := model.Generate(ctx, llm.Request{System: "Answer with one word.", Messages: []llm.Message{{Role: "user", Content: "Say ok."}}, MaxTokens: 16}, llm.Discard)
	if err != nil {
		return "", fmt.Errorf("%s does not answer: %w; check LLM_BASE_URL, LLM_API_KEY and LLM_MODEL, or its subscription on the page (Settings, Models and keys)", model.Model(), err)
	}
	if strings.HasPrefix(model.Model(), "demo/") {
		return model.Model() + ": the built-in demo; connect a model on the page (Settings, Models and keys), or set LLM_PROVIDER, LLM_API_KEY and LLM_MODEL", nil
	}
	return fmt.Sprintf("%s answers (%d tokens)", model.Model(), answer.Usage.CompletionTokens), nil
}

// usualModel returns the default model; while the database is away that of the settings.
func usualModel(ctx context.Context, d *installation) (llm.Client, error) {
	s, cfg, closeStore, err := openStore(ctx)
	if err != nil {
		return server.NewModel(d.cfg.LLM) // the check of the database reports the rest
	}
	defer closeStore()
	ring, err := secret.OpenKeyring(cfg.Dir, cfg.Key)
	if err != nil {
		return nil, err
	}
	env, err := config.Variables(os.Environ())
	if err != nil {
		return nil, err
	}
	return server.UsualModel(ctx, cfg, s, ring, env)
}

// lookAgents checks the coding agents of the policy. One that works on no runner is a fault.
func lookAgents(ctx context.Context, _ *installation) (string, error) {
	return fromStore(ctx, func(s *store.Store, cfg config.Serve) (string, error) {
		ring, err := secret.OpenKeyring(cfg.Dir, cfg.Key)
		if err != nil {
			return "", err
		}
		found, err := server.LogIns(ctx, s, ring)
		if err != nil {
			return "", err
		}
		text, in := "", map[string]bool{}
		for _, l := range found {
			in[l.Agent] = in[l.Agent] || l.Err == nil
			text += fmt.Sprintf("\n    %s on %s: %s", l.Agent, l.Runner, l.State)
		}
		for agent, is := range in {
			if !is {
				return "", fmt.Errorf("%s works on no runner%s", agent, text)
			}
		}
		if len(found) == 0 {
			return "none", nil
		}
		return "no fault was found" + text, nil
	})
}

// lookPrompt tries the template of the system prompt.
func lookPrompt(_ context.Context, d *installation) (string, error) {
	return prompt.NewTemplate(server.TemplatePath(d.cfg.Dir, d.cfg.Prompt), slog.New(slog.DiscardHandler)).Check()
}
