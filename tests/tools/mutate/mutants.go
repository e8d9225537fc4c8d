package main

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A mutant is one change of one place of one shell file.
type mutant struct {
	File     string // below the root of the tree
	Function string // the function that holds the change; empty at the top of the file
	Line     int
	Kind     string
	Old, New string // the changed lines, blanks squeezed
	ID       string // stays the same while the function does
	Region   string // the name of the innermost region that holds the change
	text     []byte // the whole file with the change
}

// An edit replaces the bytes from..to of a file.
type edit struct {
	from, to int
	with     string
	kind     string
}

// A function has a name and stands somewhere.
type function struct {
	name     string
	from, to int
}

// A region is what coverage is told by: statements that run from the first on. The name of one in a
// function changes with the function.
type region struct {
	name         string
	from, to, at int // at is where its first statement is
}

// A source is a parsed shell file.
type source struct {
	name      string
	text      []byte
	file      *syntax.File
	functions []function
	regions   []region
	edits     []edit
	ignored   map[string]bool
}

func parse(name string, text []byte) (*source, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(bytes.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, text: text, file: file}
	s.regions = []region{{s.regionOf(function{}) + "0;", 0, len(text), from(file.Stmts[0])}}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.FuncDecl:
			s.functions = append(s.functions, function{node.Name.Value, from(node), to(node)})
		case *syntax.Block:
			s.region(node.Stmts)
		case *syntax.IfClause:
			s.region(node.Then)
		case *syntax.WhileClause:
			s.region(node.Do)
		case *syntax.ForClause:
			s.region(node.Do)
		case *syntax.CaseItem:
			s.region(node.Stmts)
		}
		return true
	})
	return s, nil
}

// region adds the region of a list of statements, unless the first looks at the status before it.
func (s *source) region(list []*syntax.Stmt) {
	if len(list) == 0 {
		return
	}
	first := list[0]
	for both, ok := first.Cmd.(*syntax.BinaryCmd); ok; both, ok = first.Cmd.(*syntax.BinaryCmd) {
		first = both.X
	}
	at, end := from(first), to(list[len(list)-1])
	if !bytes.Contains(s.text[at:endOf(first)], []byte("$?")) {
		f := s.functionAt(at)
		s.regions = append(s.regions, region{fmt.Sprintf("%s%d;", s.regionOf(f), at-f.from), at, end, at})
	}
}

// regionOf is how the names of a function's regions begin: FILE:FUNCTION#WORDING.
func (s *source) regionOf(f function) string {
	hash := fnv.New32a()
	if f.name != "" {
		hash.Write(s.text[f.from:f.to])
	}
	return fmt.Sprintf("%s:%s#%08x.", s.name, f.name, hash.Sum32())
}

// regionAt returns the innermost region that holds the bytes from..to.
func (s *source) regionAt(from, to int) string {
	inner := s.regions[0]
	for _, r := range s.regions {
		if r.from <= from && to <= r.to && r.to-r.from <= inner.to-inner.from {
			inner = r
		}
	}
	return inner.name
}

func from(node syntax.Node) int { return int(node.Pos().Offset()) }
func to(node syntax.Node) int   { return int(node.End().Offset()) }

// functionAt returns the function that holds the byte at, or one without a name.
func (s *source) functionAt(at int) function {
	for _, f := range s.functions {
		if f.from <= at && at < f.to {
			return f
		}
	}
	return function{"", 0, len(s.text)}
}

// mutants returns every mutant that parses and differs, in the order of the file. The status of an
// ignored function is not changed.
func (s *source) mutants(ignored map[string]bool) []mutant {
	s.edits, s.ignored = nil, ignored
	s.statements(s.file.Stmts)
	syntax.Walk(s.file, func(node syntax.Node) bool {
		s.visit(node)
		return true
	})
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var all []mutant
	seen := map[string]bool{string(s.text): true}
	for _, e := range s.edits {
		text := slices.Concat(s.text[:e.from], []byte(e.with), s.text[e.to:])
		if _, err := parse(s.name, text); err != nil || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		all = append(all, s.mutant(e, text))
	}
	return all
}

func (s *source) mutant(e edit, text []byte) mutant {
	first := bytes.LastIndexByte(s.text[:e.from], '\n') + 1
	rest := bytes.IndexByte(s.text[e.to:], '\n')
	if rest < 0 {
		rest = len(s.text) - e.to
	}
	f := s.functionAt(e.from)
	squeeze := func(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }
	hash := fnv.New64a()
	body := s.text[f.from:f.to]
	if f.name == "" {
		body = nil
	}
	m := mutant{
		File: s.name, Function: f.name, Kind: e.kind, text: text, Region: s.regionAt(e.from, e.to),
		Line: 1 + bytes.Count(s.text[:e.from], []byte("\n")),
		Old:  squeeze(s.text[first : e.to+rest]),
		New:  squeeze(text[first : e.from+len(e.with)+rest]),
	}
	fmt.Fprintf(hash, "%s\n%s\n%s\n%d\n%s\n%s", m.File, f.name, body, e.from-f.from, m.Old, m.New)
	m.ID = fmt.Sprintf("%016x", hash.Sum64())
	return m
}

func (s *source) replace(from, to int, with, kind string) {
	s.edits = append(s.edits, edit{from, to, with, kind})
}

// visit adds the edits that a node alone gives rise to.
func (s *source) visit(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.FuncDecl:
		s.lastOf(node.Body)
	case *syntax.Block:
		s.statements(node.Stmts)
	case *syntax.Subshell:
		s.statements(node.Stmts)
	case *syntax.CmdSubst:
		s.statements(node.Stmts)
	case *syntax.IfClause:
		s.condition(node.Cond)
		s.statements(node.Then)
		if node.Else != nil && !node.Else.ThenPos.IsValid() {
			s.statements(node.Else.Then)
		}
	case *syntax.WhileClause:
		s.condition(node.Cond)
		s.statements(node.Do)
	case *syntax.ForClause:
		s.statements(node.Do)
	case *syntax.CaseClause:
		for _, item := range node.Items {
			s.replace(from(item), to(item), "", "case dropped")
			s.statements(item.Stmts)
		}
	case *syntax.BinaryCmd:
		s.list(node)
	case *syntax.CallExpr:
		s.call(node)
	case *syntax.UnaryTest:
		s.unaryTest(node)
	case *syntax.BinaryTest:
		s.binaryTest(node)
	case *syntax.BinaryArithm:
		s.arithmetic(node)
	}
}

// statements drops each simple command of a list.
func (s *source) statements(list []*syntax.Stmt) {
	for _, stmt := range list {
		s.drop(stmt)
	}
}

// drop puts ":" in the place of a simple command; of several assignments it drops one at a time.
func (s *source) drop(stmt *syntax.Stmt) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || isNothing(call) {
		return
	}
	if len(call.Args) == 0 && len(call.Assigns) > 1 {
		for _, assign := range call.Assigns {
			s.replace(from(assign), to(assign), "", "assignment dropped")
		}
		return
	}
	s.replace(from(stmt), endOf(stmt), ":", "command dropped")
}

// endOf returns where a statement ends, without the semicolon.
func endOf(stmt *syntax.Stmt) int {
	end := to(stmt.Cmd)
	for _, redirect := range stmt.Redirs {
		end = max(end, to(redirect))
	}
	return end
}

// isNothing tells whether a call is ":" or "true" already.
func isNothing(call *syntax.CallExpr) bool {
	words := literals(call)
	return len(words) > 0 && (words[0] == ":" || words[0] == "true")
}

// literals returns the words of a call without "builtin" and "command" before them; what is no
// literal is empty.
func literals(call *syntax.CallExpr) []string {
	var words []string
	for _, word := range call.Args {
		words = append(words, strings.TrimPrefix(word.Lit(), `\`))
	}
	for len(words) > 1 && (words[0] == "builtin" || words[0] == "command") {
		words = words[1:]
	}
	return words
}

// lastOf negates the test that a function's status is.
func (s *source) lastOf(body *syntax.Stmt) {
	block, ok := body.Cmd.(*syntax.Block)
	if !ok || len(block.Stmts) == 0 || s.ignored[s.functionAt(from(body)).name] {
		return
	}
	last := block.Stmts[len(block.Stmts)-1]
	for {
		list, ok := last.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		last = list.Y
	}
	switch command := last.Cmd.(type) {
	case *syntax.TestClause:
		s.negate(last)
	case *syntax.ArithmCmd:
		if !isAssignment(command.X) {
			s.negate(last)
		}
	}
}

// isAssignment tells whether an expression is there for what it changes.
func isAssignment(x syntax.ArithmExpr) bool {
	binary, ok := x.(*syntax.BinaryArithm)
	return ok && strings.HasSuffix(binary.Op.String(), "=") && !strings.Contains("== != <= >=", binary.Op.String())
}

// condition negates what an if or a while looks at.
func (s *source) condition(list []*syntax.Stmt) {
	if len(list) > 0 {
		s.negate(list[len(list)-1])
	}
}

func (s *source) negate(stmt *syntax.Stmt) {
	if stmt.Negated {
		s.replace(from(stmt), from(stmt.Cmd), "", "condition negated")
	} else if _, ok := stmt.Cmd.(*syntax.BinaryCmd); ok {
		s.replace(from(stmt), endOf(stmt), "! { "+string(s.text[from(stmt):endOf(stmt)])+"; }", "condition negated")
	} else {
		s.replace(from(stmt), from(stmt), "! ", "condition negated")
	}
}

// list swaps && and ||, and drops either side. A negated left side would be the swap again.
func (s *source) list(node *syntax.BinaryCmd) {
	other := map[syntax.BinCmdOperator]string{syntax.AndStmt: "||", syntax.OrStmt: "&&"}[node.Op]
	if other == "" {
		return
	}
	at := int(node.OpPos.Offset())
	s.replace(at, at+2, other, "&& and || swapped")
	s.replace(to(node.X), to(node.Y), "", node.Op.String()+" dropped")
	s.drop(node.X)
}

// call changes what is special about a command: a status, the order of mv.
func (s *source) call(node *syntax.CallExpr) {
	words := literals(node)
	if len(words) < 2 {
		return
	}
	last := node.Args[len(node.Args)-1]
	switch {
	case words[0] == "return" && s.ignored[s.functionAt(from(node)).name]:
	case words[0] == "return" || words[0] == "exit":
		for _, status := range otherStatuses(words[1]) {
			s.replace(from(last), to(last), status, "status changed")
		}
	case slices.Contains(words, "mv"):
		before := node.Args[len(node.Args)-2]
		swapped := string(s.text[from(last):to(last)]) + " " + string(s.text[from(before):to(before)])
		s.replace(from(before), to(last), swapped, "arguments swapped")
	}
}

// otherStatuses are those to put in the place of a status; one that users rely on also goes to its
// neighbour.
func otherStatuses(status string) []string {
	switch {
	case status == "0":
		return []string{"1"}
	case len(status) == 2:
		return []string{"0", status[:1] + string('0'+(status[1]-'0'+1)%10)}
	default:
		return []string{"0"}
	}
}

// unaryTest makes a test of a string always true or always false.
func (s *source) unaryTest(node *syntax.UnaryTest) {
	if node.Op == syntax.TsEmpStr || node.Op == syntax.TsNempStr {
		s.replace(from(node.X), to(node.X), "''", "test emptied")
	}
}

func (s *source) binaryTest(node *syntax.BinaryTest) {
	other := map[syntax.BinTestOperator]string{syntax.AndTest: "||", syntax.OrTest: "&&"}[node.Op]
	if other == "" {
		if node.Op == syntax.TsMatch || node.Op == syntax.TsNoMatch || node.Op == syntax.TsReMatch {
			s.replace(from(node.X), to(node.X), "''", "test emptied")
		}
		return
	}
	at := int(node.OpPos.Offset())
	s.replace(at, at+2, other, "&& and || swapped")
	s.replace(to(node.X), to(node.Y), "", "condition dropped")
	s.replace(from(node.X), from(node.Y), "", "condition dropped")
}

// arithmetic moves a bound by one, swaps a comparison or turns a sum round.
func (s *source) arithmetic(node *syntax.BinaryArithm) {
	other := map[string]string{
		"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
		"&&": "||", "||": "&&", "+": "-", "-": "+", "+=": "-=", "-=": "+=", "*": "/", "/": "*",
	}[node.Op.String()]
	if other != "" {
		at := int(node.OpPos.Offset())
		s.replace(at, at+len(node.Op.String()), other, "arithmetic")
	}
}
