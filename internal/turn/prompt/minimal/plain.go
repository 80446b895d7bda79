// Package minimal renders templates of users that the server need not trust: it accepts only variables and conditions, so that rendering
// takes no longer than reading.
package minimal

import (
	"slices"
	"strings"
	"text/template"
	syntax "text/template/parse"

	"xbot/internal/fault"
)

// Parse parses a template of a user. Invalid names the unsupported part.
func Parse(text string) (*template.Template, error) {
	t, err := template.New("prompt").Parse(text)
	if err != nil {
		return nil, fault.Errorf(fault.Invalid, "the prompt cannot be read: %w", err)
	}
	if len(t.Templates()) > 1 {
		return nil, fault.Errorf(fault.Invalid, "the prompt cannot define templates")
	}
	if t.Tree == nil {
		return t, nil
	}
	return t, plainList(t.Root)
}

// plainList checks a list of nodes.
func plainList(list *syntax.ListNode) error {
	if list == nil {
		return nil
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *syntax.TextNode, *syntax.CommentNode:
		case *syntax.ActionNode:
			if err := plainPipe(n.Pipe, variable); err != nil {
				return err
			}
		case *syntax.IfNode:
			if err := plainPipe(n.Pipe, condition); err != nil {
				return err
			}
			if err := plainList(n.List); err != nil {
				return err
			}
			if err := plainList(n.ElseList); err != nil {
				return err
			}
		default:
			return notPlain(node)
		}
	}
	return nil
}

func notPlain(node syntax.Node) error {
	return fault.Errorf(fault.Invalid, "{{%.60s}} is not possible here: there are %s, and if, else, end with them, .Has, not, and, or", strings.Trim(node.String(), "{}"), strings.Join(variables, ", "))
}

// variables are the fields of prompt.Vars.
var variables = []string{".Agent", ".Channel", ".User", ".Admin", ".Language", ".Runner", ".Tools"}

// plainPipe checks a pipeline, which may have only one command.
func plainPipe(p *syntax.PipeNode, command func(*syntax.CommandNode) bool) error {
	if p == nil || len(p.Decl) > 0 || len(p.Cmds) != 1 || !command(p.Cmds[0]) {
		return notPlain(p)
	}
	return nil
}

// variable reports whether a command is only a variable.
func variable(c *syntax.CommandNode) bool {
	if len(c.Args) != 1 {
		return false
	}
	field, ok := c.Args[0].(*syntax.FieldNode)
	if !ok || len(field.Ident) != 1 {
		return false
	}
	return slices.Contains(variables, "."+field.Ident[0])
}

// condition reports whether a command is a variable, .Has "a tool", or not, and, or of such.
func condition(c *syntax.CommandNode) bool {
	if variable(c) {
		return true
	}
	switch first := c.Args[0].(type) {
	case *syntax.FieldNode:
		return len(first.Ident) == 1 && first.Ident[0] == "Has" && len(c.Args) == 2 && c.Args[1].Type() == syntax.NodeString
	case *syntax.PipeNode:
		return len(c.Args) == 1 && inner(first)
	case *syntax.IdentifierNode:
		least := map[string]int{"not": 1, "and": 1, "or": 1}[first.Ident]
		if least == 0 || len(c.Args) < 1+least || first.Ident == "not" && len(c.Args) != 2 {
			return false
		}
		for _, arg := range c.Args[1:] {
			if !inner(arg) {
				return false
			}
		}
		return true
	}
	return false
}

// inner reports whether an argument is a condition.
func inner(node syntax.Node) bool {
	if p, ok := node.(*syntax.PipeNode); ok {
		return plainPipe(p, condition) == nil
	}
	return variable(&syntax.CommandNode{Args: []syntax.Node{node}})
}
