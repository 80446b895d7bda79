// Package cards holds the tools with which a model makes a card and sends it to a chat that shows cards. A card is a row that each call changes
// once; what is sent is a copy. A card that a user has to answer asks by the call that sends it, as AskUser does.
package cards

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"
	"strings"

	"xbot/internal/channel/card"
	"xbot/internal/chat"
	"xbot/internal/fault"
	"xbot/internal/tool"
)

//go:embed create.md
var createDoc string

//go:embed content.md
var contentDoc string

//go:embed interactive.md
var interactiveDoc string

//go:embed container.md
var containerDoc string

//go:embed preview.md
var previewDoc string

//go:embed send.md
var sendDoc string

// Names are the names of the tools.
var Names = []string{"card_create", "card_add_content", "card_add_interactive", "card_add_container", "card_preview", "card_send"}

// Store stores the cards of conversations and sends them (package cardstore). It returns NotFound if the conversation has no such card.
type Store interface {
	DraftCard(ctx context.Context, in chat.SessionKey, id string, call chat.CallID, c card.Card) error
	Card(ctx context.Context, in chat.SessionKey, id string) (card.Card, error)
	ChangeCard(ctx context.Context, in chat.SessionKey, id string, call chat.CallID, change func(card.Card) (card.Card, error)) (card.Card, error)
	SendCard(ctx context.Context, in chat.SessionKey, call chat.CallID, c card.Card) (sent bool, err error)
}

// New returns the tools.
func New(store Store) []tool.Tool {
	group := tool.Optional("cards")
	return []tool.Tool{
		tool.Define(Names[0], chat.ClassIdempotent, createDoc, create{store}, tool.Inward, group),
		tool.Define(Names[1], chat.ClassIdempotent, contentDoc, content{store}, tool.Inward, group),
		tool.Define(Names[2], chat.ClassIdempotent, interactiveDoc, interactive{store}, tool.Inward, group),
		tool.Define(Names[3], chat.ClassIdempotent, containerDoc, container{store}, tool.Inward, group),
		tool.Define(Names[4], chat.ClassRead, previewDoc, preview{store}, group),
		tool.Define(Names[5], chat.ClassIdempotent, sendDoc, send{store}, tool.Inward, group),
	}
}

type createParams struct {
	Title    string `json:"title"`
	Subtitle string `json:"subtitle,omitempty"`
	Colour   string `json:"colour,omitempty" jsonschema:"of the title: blue, wathet, turquoise, green, yellow, orange, red, carmine, violet, purple, indigo or grey"`
}

type create struct{ store Store }

func (create) Summary(p createParams) string { return p.Title }

func (c create) Run(ctx context.Context, call tool.Call, p createParams) (chat.ToolResult, error) {
	made, err := card.Draft(card.Card{Title: p.Title, Subtitle: p.Subtitle, Colour: strings.ToLower(strings.TrimSpace(p.Colour))})
	if err != nil {
		return tool.FromError(err)
	}
	id := idOf(call.ID)
	if err := c.store.DraftCard(ctx, call.Session, id, call.ID, made); err != nil {
		return tool.FromError(err)
	}
	return tool.Text(id), nil
}

// idOf returns the id of the card that a call makes: the same each time that it runs.
func idOf(call chat.CallID) string {
	sum := sha256.Sum256([]byte(call))
	return "card_" + hex.EncodeToString(sum[:4])
}

type contentParams struct {
	Card     string           `json:"card" jsonschema:"its id"`
	Elements []contentElement `json:"elements"`
}

type contentElement struct {
	Kind    string     `json:"kind" jsonschema:"markdown|divider|table|chart|person|person_list|img|img_combination"`
	Text    string     `json:"text,omitempty"`
	In      string     `json:"in,omitempty" jsonschema:"name of the container"`
	Column  int        `json:"column,omitempty" jsonschema:"of a column_set, from 1"`
	Columns []string   `json:"columns,omitempty"`
	Rows    [][]string `json:"rows,omitempty"`
	Chart   string     `json:"chart,omitempty" jsonschema:"bar|line|area|pie"`
	People  []string   `json:"people,omitempty" jsonschema:"names"`
	Files   []string   `json:"files,omitempty" jsonschema:"paths of pictures"`
}

type content struct{ store Store }

func (content) Summary(p contentParams) string { return p.Card }

func (c content) Run(ctx context.Context, call tool.Call, p contentParams) (chat.ToolResult, error) {
	var all []card.Element
	for _, e := range p.Elements {
		all = append(all, card.Element{
			Kind: card.Kind(e.Kind), Text: e.Text, In: e.In, Column: e.Column, Columns: e.Columns, Rows: e.Rows, Chart: e.Chart, People: e.People, Files: e.Files,
		})
	}
	return add(ctx, c.store, call, p.Card, all, card.Contents...)
}

type interactiveParams struct {
	Card     string               `json:"card" jsonschema:"its id"`
	Elements []interactiveElement `json:"elements"`
}

type interactiveElement struct {
	Kind     string   `json:"kind" jsonschema:"button|overflow|input|select|multi_select|select_person|multi_select_person|select_img|checker|date|time|date_time"`
	Text     string   `json:"text,omitempty" jsonschema:"its label"`
	In       string   `json:"in,omitempty" jsonschema:"name of the container"`
	Column   int      `json:"column,omitempty" jsonschema:"of a column_set, from 1"`
	Name     string   `json:"name,omitempty" jsonschema:"of a field: a-z, 0-9 and _"`
	Options  []string `json:"options,omitempty"`
	Required bool     `json:"required,omitempty"`
	URL      string   `json:"url,omitempty"`
	Files    []string `json:"files,omitempty" jsonschema:"pictures of the options of a select_img"`
}

type interactive struct{ store Store }

func (interactive) Summary(p interactiveParams) string { return p.Card }

func (c interactive) Run(ctx context.Context, call tool.Call, p interactiveParams) (chat.ToolResult, error) {
	var all []card.Element
	for _, e := range p.Elements {
		all = append(all, card.Element{
			Kind: card.Kind(e.Kind), Text: e.Text, In: e.In, Column: e.Column, Name: e.Name, Options: e.Options, Required: e.Required, URL: e.URL, Files: e.Files,
		})
	}
	return add(ctx, c.store, call, p.Card, all, slices.Concat(card.Pressed, card.Fields)...)
}

type containerParams struct {
	Card string `json:"card" jsonschema:"its id"`
	Kind string `json:"kind" jsonschema:"form|column_set|collapsible_panel|interactive_container"`
	Name string `json:"name" jsonschema:"a-z, 0-9 and _"`

	In     string `json:"in,omitempty" jsonschema:"name of the container around it"`
	Column int    `json:"column,omitempty"`
	Count  int    `json:"count,omitempty" jsonschema:"columns of a column_set, 2 to 4"`
	Text   string `json:"text,omitempty" jsonschema:"title of a panel, label of an interactive_container"`
	Open   bool   `json:"open,omitempty" jsonschema:"the panel is not folded"`
	URL    string `json:"url,omitempty" jsonschema:"that an interactive_container opens"`
}

type container struct{ store Store }

func (container) Summary(p containerParams) string { return p.Card + " " + p.Name }

func (c container) Run(ctx context.Context, call tool.Call, p containerParams) (chat.ToolResult, error) {
	return add(ctx, c.store, call, p.Card, []card.Element{{
		Kind: card.Kind(p.Kind), Name: p.Name, In: p.In, Column: p.Column, Count: p.Count, Text: p.Text, Open: p.Open, URL: p.URL,
	}}, card.Containers...)
}

// add puts elements of some kinds at the end of a card: all of them, or none.
func add(ctx context.Context, store Store, call tool.Call, id string, all []card.Element, kinds ...card.Kind) (chat.ToolResult, error) {
	if len(all) == 0 {
		return tool.Fail("elements is empty; give at least one"), nil
	}
	for i, e := range all {
		if !slices.Contains(kinds, e.Kind) {
			return tool.Fail("element %d has the kind %.40q; this tool adds %s", i+1, string(e.Kind), strings.Join(texts(kinds), ", ")), nil
		}
	}
	pictured, err := pictures(ctx, call, all)
	if err != nil {
		return tool.FromError(err)
	}
	made, err := store.ChangeCard(ctx, call.Session, id, call.ID, func(c card.Card) (card.Card, error) {
		switch {
		case pictured && c.Runner != "" && c.Runner != call.Box.Name():
			return c, fault.Errorf(fault.Invalid, "the pictures of the card are on another machine, %s", c.Runner)
		case pictured:
			c.Runner = call.Box.Name()
		}
		c.Elements = append(slices.Clone(c.Elements), all...)
		return card.Draft(c)
	})
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Textf("%s has %s.%s", id, tool.Count(len(made.Elements), "element"), lacking(made)), nil
}

func texts(kinds []card.Kind) (out []string) {
	for _, k := range kinds {
		out = append(out, string(k))
	}
	return out
}

// lacking describes what a card needs before it can be sent.
func lacking(c card.Card) string {
	if _, err := card.Check(c); err != nil {
		return " It cannot be sent yet: " + err.Error()
	}
	return ""
}

type previewParams struct {
	Card string `json:"card" jsonschema:"its id"`
}

type preview struct{ store Store }

func (preview) Summary(p previewParams) string { return p.Card }

func (c preview) Run(ctx context.Context, call tool.Call, p previewParams) (chat.ToolResult, error) {
	made, err := c.store.Card(ctx, call.Session, p.Card)
	if err != nil {
		return tool.FromError(err)
	}
	return tool.Text(strings.TrimSpace(card.Text(made) + "\n\n" + strings.TrimSpace(lacking(made)))), nil
}
