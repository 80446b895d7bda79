package tool

import "context"

// Previewer is a Handler that can say what a call would change, as a unified diff, without changing it. Empty: nothing that a reader of the
// arguments does not see.
type Previewer[P any] interface {
	Preview(ctx context.Context, call Call, params P) (string, error)
}

// Previews reports whether the named tool can say what a call would change.
func (r *Registry) Previews(name string) bool {
	t, _ := r.Get(name)
	previews, ok := t.(interface{ previews() bool })
	return ok && previews.previews()
}

// Preview describes what a call of the named tool would change; empty for other tools, and for arguments that cannot be read.
func (r *Registry) Preview(ctx context.Context, name string, call Call) (string, error) {
	t, _ := r.Get(name)
	if previewer, ok := t.(interface {
		preview(ctx context.Context, call Call) (string, error)
	}); ok {
		return previewer.preview(ctx, call)
	}
	return "", nil
}

func (d *defined[P]) previews() bool {
	_, ok := d.handler.(Previewer[P])
	return ok
}

func (d *defined[P]) preview(ctx context.Context, call Call) (string, error) {
	previewer, ok := d.handler.(Previewer[P])
	if !ok {
		return "", nil
	}
	var params P
	if _, err := Decode(call.Arguments, &params); err != nil {
		return "", nil //nolint:nilerr // Run says what is wrong with them
	}
	return previewer.Preview(ctx, call, params)
}
