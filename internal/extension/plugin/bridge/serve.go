package bridge

import (
	"context"
	"encoding/json"
	"log/slog"
	"strconv"
	"time"

	"golang.org/x/time/rate"

	"xbot/internal/chat"
	"xbot/internal/extension/plugin"
	"xbot/internal/fault"
)

// ownTime limits a request of a plugin.
const ownTime = 10 * time.Second

// log writes a line of a plugin's log into that of the server.
func (p *process) log(params json.RawMessage) {
	var line struct {
		Level   string `json:"level"`
		Message string `json:"message"`
	}
	if json.Unmarshal(params, &line) != nil || !p.stream.logs.Allow() {
		return
	}
	level := slog.LevelInfo
	if line.Level == "warn" || line.Level == "error" {
		level = slog.LevelWarn
	}
	p.bridge.cfg.Log.Log(p.life, level, "a plugin says", "plugin", p.plugin.Plugin.ID, "text", p.clean(short(line.Message)))
}

// serve answers a request of the plugin.
func (p *process) serve(m received) {
	ctx, cancel := context.WithTimeout(p.life, ownTime)
	defer cancel()
	answer := message{ID: m.ID}
	result, err := p.answerTo(ctx, m)
	switch {
	case err == nil:
		answer.Result = result
	case isChannel(m.Method):
		answer.Error = p.coded(m.Method, err)
	case fault.Is(err, fault.NotFound):
		answer.Error = &rpcError{Code: CodeNoMethod, Message: err.Error()}
	case fault.Is(err, fault.Invalid):
		answer.Error = &rpcError{Code: codeParams, Message: err.Error()}
	case fault.KindOf(err) == fault.Internal:
		p.bridge.cfg.Log.Warn("a request of a plugin failed", "plugin", p.plugin.Plugin.ID, "method", short(m.Method), "error", err)
		answer.Error = &rpcError{Code: codeFailed, Message: "it did not work"}
	default:
		answer.Error = &rpcError{Code: codeFailed, Message: err.Error()}
	}
	if _, err := p.send(ctx, answer, true); fault.Is(err, fault.TooLarge) {
		_, _ = p.send(ctx, message{ID: m.ID, Error: &rpcError{Code: codeFailed, Message: "the answer is too long"}}, true) // it may not read any more
	}
}

// gate passes requests of a plugin to the database one by one, no faster than their pace.
type gate struct {
	one  chan struct{}
	pace *rate.Limiter
}

func newGate() gate {
	return gate{make(chan struct{}, 1), rate.NewLimiter(storedASecond, storedAtOnce)}
}

func (g gate) enter(ctx context.Context) error {
	select {
	case g.one <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := g.pace.Wait(ctx); err != nil {
		g.leave()
		return err
	}
	return nil
}

func (g gate) leave() { <-g.one }

// valueParams holds the params of requests about values.
type valueParams struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Person string `json:"person"` // the user of the value; empty: the plugin's
	Prefix string `json:"prefix"`
	After  string `json:"after"`
}

// storage reads and changes the values of a plugin.
func (p *process) storage(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var in valueParams
	if len(params) > 0 && json.Unmarshal(params, &in) != nil {
		return nil, fault.Errorf(fault.Invalid, "the params of %s are no object of key, value and person", short(method))
	}
	id, rows := p.plugin.Plugin.ID, p.bridge.cfg.Rows
	if !p.plugin.Wants(plugin.Storage) {
		return nil, fault.Errorf(fault.Denied, "the plugin %s has no permission storage", id)
	}
	var person int64
	if in.Person != "" {
		var err error
		if person, err = strconv.ParseInt(in.Person, 10, 64); err != nil || person <= 0 {
			return nil, fault.Errorf(fault.Invalid, "%q is nobody", short(in.Person))
		}
	}
	if err := p.stream.storage.enter(ctx); err != nil {
		return nil, fault.Errorf(fault.Unavailable, "the plugin %s asks for more at once than there is time for", id)
	}
	defer p.stream.storage.leave()
	if p.bridge.trial != nil {
		rows = noValues{}
	}
	of := chat.UserID(person)
	switch method {
	case "storage/get":
		value, ok, err := rows.PluginValue(ctx, id, of, in.Key)
		if !ok {
			return map[string]any{"value": nil}, err
		}
		return map[string]any{"value": value}, err
	case "storage/set":
		return map[string]any{}, rows.SetPluginValue(ctx, id, of, in.Key, in.Value)
	case "storage/delete":
		return map[string]any{}, rows.DeletePluginValue(ctx, id, of, in.Key)
	case "storage/list":
		keys, err := rows.PluginKeys(ctx, id, of, in.Prefix, in.After)
		return map[string]any{"keys": fitting(keys)}, err
	}
	return nil, fault.Errorf(fault.NotFound, "there is no method %s", short(method))
}

// fitting returns as many of the keys as fit into one message, for any contents.
func fitting(keys []string) []string {
	room := MaxMessage - 1<<10
	for i, key := range keys {
		if room -= 6*len(key) + len(`"",`); room < 0 { // a byte takes at most six, as \u0001
			return keys[:i]
		}
	}
	return keys
}
