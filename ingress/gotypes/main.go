// Gotypes prints the API's OpenAPI document with the Go type that each schema was made from. The generator of
// internal/client/apiclient reads it, so that the methods there take and return the types of internal/chat, not copies of them. It is no
// part of a server, and does not use the client: it runs also while the client does not compile.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"xbot/ingress/api"
)

// Extensions of oapi-codegen; embedExt is for the templates of internal/client/apiclient.
const (
	typeExt    = "x-go-type"
	importExt  = "x-go-type-import"
	nameExt    = "x-go-name"
	pointerExt = "x-go-type-skip-optional-pointer"
	embedExt   = "x-go-embed"
)

const refPrefix = "#/components/schemas/"

// shared are the packages whose types clients use: plain values, which pull in neither stores nor models.
var shared = []string{"encoding/json", "xbot/internal/chat", "xbot/internal/chat/ops", "xbot/internal/automation/hook", "xbot/internal/memory/view"}

func main() {
	doc := document()
	if err := finish(doc); err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(doc); err != nil {
		log.Fatal(err)
	}
}

// registry names the Go type at the schemas of parameters and bodies.
type registry struct{ huma.Registry }

func (r registry) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	return named(r.Registry.Schema(t, allowRef, hint), t)
}

func (r registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.Map()) }

func document() *huma.OpenAPI {
	return api.DocumentWith(registry{huma.NewMapRegistry(refPrefix, huma.DefaultSchemaNamer)})
}

// finish names the Go types of all members, and puts a body with a single member into its operation, whose method takes or
// returns the member alone.
func finish(doc *huma.OpenAPI) error {
	schemas := doc.Components.Schemas
	for name, s := range schemas.Map() {
		annotate(s, schemas.TypeFromRef(refPrefix+name))
	}
	for _, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op == nil {
				continue
			}
			if err := parameters(op); err != nil {
				return err
			}
			inline(op, schemas)
		}
	}
	return nil
}

// annotate names the types of a struct's members; those of an embedded struct that is shared become that struct.
func annotate(s *huma.Schema, t reflect.Type) {
	for f := range t.Fields() {
		if !f.Anonymous {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if s.Properties[name] != nil {
				s.Properties[name] = member(s.Properties[name], f.Type)
			}
			continue
		}
		if !isShared(f.Type) {
			annotate(s, f.Type)
			continue
		}
		for _, inner := range reflect.VisibleFields(f.Type) {
			name, _, _ := strings.Cut(inner.Tag.Get("json"), ",")
			delete(s.Properties, name)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		extensions := goType(f.Type)
		extensions[nameExt], extensions[embedExt] = f.Name, true
		s.Properties["_"+f.Name] = &huma.Schema{Type: huma.TypeObject, Extensions: extensions}
	}
}

func member(s *huma.Schema, t reflect.Type) *huma.Schema {
	s = named(s, t)
	s.Enum, s.Examples = nil, nil // the server defines which words it knows
	if t.Kind() == reflect.Pointer {
		s.Extensions = with(s.Extensions, pointerExt, false)
	}
	return s
}

// named marks a schema with the shared type that it was made from, if it was, as far down as lists and maps go.
func named(s *huma.Schema, t reflect.Type) *huma.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if isShared(t) {
		if s.Ref != "" {
			s = &huma.Schema{Type: huma.TypeObject, Description: s.Description}
		}
		s.Extensions = goType(t)
		return s
	}
	s.Nullable = false // a list that is null is a nil one
	switch t.Kind() {
	case reflect.Slice:
		if s.Items != nil {
			s.Items = named(s.Items, t.Elem())
		}
	case reflect.Map:
		if item, ok := s.AdditionalProperties.(*huma.Schema); ok {
			s.AdditionalProperties = named(item, t.Elem())
		}
	case reflect.Int:
		s.Format = "" // int, not int64
	default:
	}
	return s
}

func isShared(t reflect.Type) bool { return t.Name() != "" && slices.Contains(shared, t.PkgPath()) }

func goType(t reflect.Type) map[string]any {
	return map[string]any{typeExt: t.String(), importExt: map[string]any{"path": t.PkgPath()}}
}

func with(all map[string]any, name string, value any) map[string]any {
	all = maps.Clone(all)
	if all == nil {
		all = map[string]any{}
	}
	all[name] = value
	return all
}

// parameters leaves headers to the client's transport, which sends no query parameter that is zero.
func parameters(op *huma.Operation) error {
	op.Parameters = slices.DeleteFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "header" })
	for _, p := range op.Parameters {
		p.Schema.Enum = nil
		number := p.Schema.Type == huma.TypeInteger && (p.Schema.Minimum == nil || *p.Schema.Minimum <= 0)
		if p.Schema.Default != nil && (number || p.Schema.Type == huma.TypeBoolean) {
			return fmt.Errorf("%s: the client could not send %s=%v, since zero stands for its default %v; let zero be the default, or no value",
				op.OperationID, p.Name, reflect.Zero(reflect.TypeOf(p.Schema.Default)), p.Schema.Default)
		}
	}
	return nil
}

// inline puts bodies with one member into the operation. How errors look is the transport's.
func inline(op *huma.Operation, schemas huma.Registry) {
	delete(op.Responses, "default")
	bodies := []map[string]*huma.MediaType{}
	if op.RequestBody != nil {
		bodies = append(bodies, op.RequestBody.Content)
	}
	for _, r := range op.Responses {
		bodies = append(bodies, r.Content)
	}
	for _, content := range bodies {
		body := content["application/json"]
		if body == nil || body.Schema.Ref == "" {
			continue
		}
		if s := schemas.SchemaFromRef(body.Schema.Ref); len(s.Properties) == 1 {
			body.Schema = s
		}
	}
}
