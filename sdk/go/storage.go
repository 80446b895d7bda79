package plugin

import (
	"context"
	"encoding/json"
)

// Storage is what the plugin keeps in the database of xbot: for a user, or for itself where person is empty. A key has at most 256 bytes and
// a value 64 kB; a plugin keeps 10,000 values, 16 MB in all. The plugin needs the permission storage.
type Storage struct {
	plugin *Plugin
	person string
}

// Storage returns the values of a user; empty: of the plugin itself.
func (p *Plugin) Storage(person string) Storage { return Storage{p, person} }

// valueParams is what requests and answers about values have.
type valueParams struct {
	Key    string   `json:"key,omitempty"`
	Value  *string  `json:"value,omitempty"`
	Person string   `json:"person,omitempty"`
	Prefix string   `json:"prefix,omitempty"`
	After  string   `json:"after,omitempty"`
	Keys   []string `json:"keys,omitempty"`
}

// Get reads a value; ok is false where there is none.
func (s Storage) Get(ctx context.Context, key string) (value string, ok bool, err error) {
	out, err := s.plugin.ask(ctx, "storage/get", valueParams{Key: key, Person: s.person})
	if err != nil || out.Value == nil {
		return "", false, err
	}
	return *out.Value, true, nil
}

// Set keeps a value.
func (s Storage) Set(ctx context.Context, key, value string) error {
	_, err := s.plugin.ask(ctx, "storage/set", valueParams{Key: key, Value: &value, Person: s.person})
	return err
}

// Delete forgets a value.
func (s Storage) Delete(ctx context.Context, key string) error {
	_, err := s.plugin.ask(ctx, "storage/delete", valueParams{Key: key, Person: s.person})
	return err
}

// List lists the keys with a prefix that come behind another one, in order: at most 1000.
func (s Storage) List(ctx context.Context, prefix, after string) ([]string, error) {
	out, err := s.plugin.ask(ctx, "storage/list", valueParams{Prefix: prefix, After: after, Person: s.person})
	return out.Keys, err
}

// ask asks xbot something.
func (p *Plugin) ask(ctx context.Context, method string, in valueParams) (out valueParams, err error) {
	result, err := p.request(ctx, method, in)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(result, &out)
}

// request asks xbot and waits for its answer.
func (p *Plugin) request(ctx context.Context, method string, in any) (out json.RawMessage, err error) {
	params, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	answer := make(chan message, 1)
	p.mu.Lock()
	p.next++
	id := p.next
	p.waiting[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	name, err := json.Marshal(id)
	if err != nil {
		return out, err
	}
	if err := p.send(message{ID: name, Method: method, Params: params}); err != nil {
		return out, err
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			return nil, m.Error.err()
		}
		return m.Result, nil
	case <-ctx.Done():
		return out, ctx.Err()
	}
}

// answered passes an answer to the request that waits for it.
func (p *Plugin) answered(m message) {
	var id int64
	if json.Unmarshal(m.ID, &id) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer := p.waiting[id]; answer != nil {
		answer <- m
		delete(p.waiting, id)
	}
}
