package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"xbot/internal/chat"
)

// Handler is a tool whose arguments are already decoded into P, a flat struct. A field of P has a json name and a
// jsonschema description; a field without omitempty is required.
type Handler[P any] interface {
	Run(ctx context.Context, call Call, params P) (chat.ToolResult, error)
	Summary(params P) string
}

// Define makes a Tool of a Handler. The description is the text of the tool's .md file. It panics when P cannot be
// described by a JSON Schema, which is a mistake in the program and shows at the first start.
func Define[P any](name string, class chat.ToolClass, description string, handler Handler[P], traits ...Trait) Tool {
	return define(Spec{Name: name, Class: class, Description: description}, handler, traits)
}

// DefineQuick is Define for a tool whose calls usually end within a second.
func DefineQuick[P any](name string, class chat.ToolClass, description string, handler Handler[P], traits ...Trait) Tool {
	return define(Spec{Name: name, Class: class, Description: description, Quick: true}, handler, traits)
}

// Trait sets what is special about a tool.
type Trait func(*Spec)

// Inward is Spec.Inward.
func Inward(s *Spec) { s.Inward = true }

// Planning is Spec.Planning.
func Planning(s *Spec) { s.Planning = true }

// OnRunner is Spec.OnRunner.
func OnRunner(s *Spec) { s.OnRunner = true }

// Optional is Spec.Optional for a tool of a group.
func Optional(group string) Trait {
	return func(s *Spec) { s.Optional, s.Group = true, group }
}

func define[P any](spec Spec, handler Handler[P], traits []Trait) Tool {
	for _, trait := range traits {
		trait(&spec)
	}
	if subject, ok := handler.(Subjecter[P]); ok {
		spec.Pattern = subject.Pattern()
	}
	var err error
	if spec.Parameters, err = schemaOf[P](); err != nil {
		panic(fmt.Sprintf("tool %s: %v", spec.Name, err))
	}
	spec.Description = strings.TrimSpace(spec.Description)
	return &defined[P]{spec, handler}
}

type defined[P any] struct {
	spec    Spec
	handler Handler[P]
}

func (d *defined[P]) Spec() Spec { return d.spec }

func (d *defined[P]) Run(ctx context.Context, call Call) (chat.ToolResult, error) {
	var params P
	unknown, err := Decode(call.Arguments, &params)
	if err != nil {
		return Fail("%s", err), nil
	}
	result, err := d.handler.Run(ctx, call, params)
	if err == nil && len(unknown) > 0 && !result.IsError {
		result.Content += "\n" + ignored(unknown, fieldNames(reflect.TypeFor[P]()))
	}
	return result, err
}

func (d *defined[P]) Summary(arguments string) string {
	var params P
	// Arguments that cannot be decoded have no summary; Run reports the error to the model.
	if _, err := Decode(arguments, &params); err != nil {
		return ""
	}
	return OneLine(d.handler.Summary(params), maxSummary)
}

func ignored(unknown, known []string) string {
	return fmt.Sprintf("(ignored unknown argument %s; this tool takes %s)", strings.Join(unknown, ", "), strings.Join(known, ", "))
}

// schemaOf derives the schema of P, without the parts that cost tokens and do not help a model: unknown keys are
// ignored by Decode anyway, and a null in place of a list is read as an empty list.
func schemaOf[P any]() (json.RawMessage, error) {
	schema, err := jsonschema.For[P](nil)
	if err != nil {
		return nil, err
	}
	simplify(schema)
	return json.Marshal(schema)
}

func simplify(s *jsonschema.Schema) {
	s.AdditionalProperties = nil
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	if s.Items != nil {
		simplify(s.Items)
	}
	for _, property := range s.Properties {
		simplify(property)
	}
}
