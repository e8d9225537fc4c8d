package main

import (
	"bytes"

	"mvdan.cc/sh/v3/syntax"
)

// A use is what becomes of the status of a command.
type use struct {
	looked bool   // something looks at it
	of     string // it is this function's status; where empty, nothing looks
}

// callers is what becomes of each function's status, call by call.
type callers map[string][]use

// ignored returns the functions whose status nothing looks at, so that another is no mutant. A
// function that is called by no plain name counts as looked at.
func ignored(sources []*source) map[string]bool {
	calls := callers{}
	for _, s := range sources {
		seen := map[*syntax.CallExpr]bool{}
		calls.list(s, s.file.Stmts, use{looked: true}, seen)
		syntax.Walk(s.file, func(node syntax.Node) bool {
			if call, ok := node.(*syntax.CallExpr); ok {
				for i, word := range call.Args {
					if i > 0 || !seen[call] {
						calls.add(word, use{looked: true})
					}
				}
			}
			return true
		})
	}
	none := map[string]bool{}
	for name := range calls {
		none[name] = !calls.looked(name, map[string]bool{})
	}
	return none
}

func (c callers) add(word *syntax.Word, u use) {
	if name := word.Lit(); name != "" {
		c[name] = append(c[name], u)
	}
}

func (c callers) looked(name string, above map[string]bool) bool {
	above[name] = true
	for _, u := range c[name] {
		if u.looked || u.of != "" && !above[u.of] && (len(c[u.of]) == 0 || c.looked(u.of, above)) {
			return true
		}
	}
	return false
}

func (c callers) list(s *source, list []*syntax.Stmt, last use, seen map[*syntax.CallExpr]bool) {
	for i, stmt := range list {
		u := last
		if i+1 < len(list) {
			u = use{looked: bytes.Contains(s.text[from(list[i+1]):to(list[i+1])], []byte("$?"))}
		}
		c.statement(s, stmt, u, seen)
	}
}

func (c callers) statement(s *source, stmt *syntax.Stmt, u use, seen map[*syntax.CallExpr]bool) {
	if stmt.Negated {
		u = use{looked: true}
	}
	switch node := stmt.Cmd.(type) {
	case *syntax.CallExpr:
		if len(node.Args) > 0 {
			seen[node] = true
			c.add(node.Args[0], u)
		}
	case *syntax.FuncDecl:
		c.statement(s, node.Body, use{of: node.Name.Value}, seen)
	case *syntax.BinaryCmd:
		c.statement(s, node.X, use{looked: true}, seen)
		c.statement(s, node.Y, u, seen)
	case *syntax.Block:
		c.list(s, node.Stmts, u, seen)
	case *syntax.IfClause:
		for branch := node; branch != nil; branch = branch.Else {
			c.list(s, branch.Cond, use{looked: true}, seen)
			c.list(s, branch.Then, u, seen)
		}
	case *syntax.WhileClause:
		c.list(s, node.Cond, use{looked: true}, seen)
		c.list(s, node.Do, u, seen)
	case *syntax.ForClause:
		c.list(s, node.Do, u, seen)
	case *syntax.CaseClause:
		for _, item := range node.Items {
			c.list(s, item.Stmts, u, seen)
		}
	}
}
