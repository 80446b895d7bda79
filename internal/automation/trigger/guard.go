package trigger

import (
	"errors"
	"text/template/parse"

	"xbot/internal/fault"
)

// guard refuses forbidden parts of templates, and adds the calls to the tree that limit loops and mark output.
func guard(tree *parse.Tree, node parse.Node) error {
	switch n := node.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, child := range n.Nodes {
			if err := guard(tree, child); err != nil {
				return err
			}
		}
	case *parse.ActionNode:
		if err := guardPipe(n.Pipe); err != nil {
			return err
		}
		if len(n.Pipe.Decl) == 0 {
			n.Pipe.Cmds = append(n.Pipe.Cmds, calling(tree, n.Pos, quoteName))
		}
	case *parse.IfNode:
		return guardBranch(tree, &n.BranchNode)
	case *parse.WithNode:
		return guardBranch(tree, &n.BranchNode)
	case *parse.RangeNode:
		if err := guardBranch(tree, &n.BranchNode); err != nil {
			return err
		}
		round := &parse.ActionNode{NodeType: parse.NodeAction, Pos: n.Pos, Line: n.Line, Pipe: &parse.PipeNode{
			NodeType: parse.NodePipe, Pos: n.Pos, Line: n.Line, Cmds: []*parse.CommandNode{calling(tree, n.Pos, roundName)},
		}}
		n.List.Nodes = append([]parse.Node{round}, n.List.Nodes...)
	case *parse.TemplateNode:
		return fault.Errorf(fault.Invalid, "the template may not call other templates")
	}
	return nil
}

func guardBranch(tree *parse.Tree, b *parse.BranchNode) error {
	return errors.Join(guardPipe(b.Pipe), guard(tree, b.List), guard(tree, b.ElseList))
}

func calling(tree *parse.Tree, at parse.Pos, name string) *parse.CommandNode {
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: at, Args: []parse.Node{parse.NewIdentifier(name).SetTree(tree).SetPos(at)}}
}

// allowed are the functions that templates may call.
var allowed = map[string]bool{
	"and": true, "or": true, "not": true, "len": true, "index": true, "slice": true, "eq": true, "ne": true, "lt": true, "le": true, "gt": true, "ge": true,
	"dig": true, "json": true, "print": true, "join": true, "lower": true,
}

func guardPipe(p *parse.PipeNode) error {
	if p == nil {
		return nil
	}
	for _, c := range p.Cmds {
		for _, arg := range c.Args {
			if err := guardArg(arg); err != nil {
				return err
			}
		}
	}
	return nil
}

func guardArg(arg parse.Node) error {
	switch a := arg.(type) {
	case *parse.PipeNode:
		return guardPipe(a)
	case *parse.ChainNode:
		return guardArg(a.Node)
	case *parse.IdentifierNode:
		if !allowed[a.Ident] {
			return fault.Errorf(fault.Invalid, "the template calls %s, which it may not; there are dig, json, join, print, lower, index, slice, len, comparisons, and, or, not", a.Ident)
		}
	}
	return nil
}
