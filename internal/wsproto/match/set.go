package match

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Rule takes messages.
type Rule struct {
	When    []Condition // all must hold; none: every message
	Refused []Condition // asked of a message that the rule took
	Of      []Selector  // parts that are asked of a message that the rule took
}

// Set is a list of rules. It does not change, and is safe for concurrent use.
type Set struct {
	rules []rule
	nodes []node // the trie of all pointers; the first is the root
}

// rule is a Rule whose pointers are nodes of the trie.
type rule struct {
	when    []condition // those on fields first
	fields  int         // how many those are
	refused []condition
	of      []place
	body    bool // a pointer is among them
}

type condition struct {
	of       place
	relation Relation
	value    string
}

// place is a part of a message: a field by its number, or else a node by its number.
type place struct {
	field int // -1: node
	node  int
}

// node is a place in a body that a pointer leads to or through; the root has neither name nor index.
type node struct {
	name     string // of the member, by which its parent has it
	index    int    // of the element; -1: the name is none
	children []int
	lengths  uint64 // of the children's names, modulo 64: most members of a body are none of them
}

// Compile reads rules. The error is of a pointer that is none.
func Compile(rules []Rule) (*Set, error) {
	s := &Set{nodes: make([]node, 1)}
	for _, r := range rules {
		c, err := s.rule(r)
		if err != nil {
			return nil, err
		}
		s.rules = append(s.rules, c)
	}
	return s, nil
}

func (s *Set) rule(r Rule) (c rule, err error) {
	if c.when, err = s.conditions(r.When); err != nil {
		return rule{}, err
	}
	if c.refused, err = s.conditions(r.Refused); err != nil {
		return rule{}, err
	}
	for _, of := range r.Of {
		p, err := s.place(of)
		if err != nil {
			return rule{}, err
		}
		c.of = append(c.of, p)
	}
	slices.SortStableFunc(c.when, func(a, b condition) int { return min(b.of.field, 0) - min(a.of.field, 0) })
	for c.fields < len(c.when) && c.when[c.fields].of.field >= 0 {
		c.fields++
	}
	inBody := func(c condition) bool { return c.of.field < 0 }
	c.body = slices.ContainsFunc(c.when, inBody) || slices.ContainsFunc(c.refused, inBody) ||
		slices.ContainsFunc(c.of, func(p place) bool { return p.field < 0 })
	return c, nil
}

func (s *Set) conditions(list []Condition) ([]condition, error) {
	var all []condition
	for _, c := range list {
		p, err := s.place(c.Of)
		if err != nil {
			return nil, err
		}
		all = append(all, condition{of: p, relation: c.Relation, value: c.Value})
	}
	return all, nil
}

// place finds the node of a pointer, and makes what of it the trie has not.
func (s *Set) place(of Selector) (place, error) {
	if of.Field >= 0 {
		return place{field: of.Field}, nil
	}
	names, err := Names(of.Pointer)
	if err != nil {
		return place{}, err
	}
	n := 0
	for _, name := range names {
		n = s.child(n, name)
	}
	return place{field: -1, node: n}, nil
}

func (s *Set) child(parent int, name string) int {
	for _, n := range s.nodes[parent].children {
		if s.nodes[n].name == name {
			return n
		}
	}
	n := len(s.nodes)
	s.nodes = append(s.nodes, node{name: name, index: element(name)})
	p := &s.nodes[parent]
	p.children = append(p.children, n)
	p.lengths |= 1 << (len(name) % 64)
	return n
}

// element is the index that a name is to an array; -1: it is none.
func element(name string) int {
	n, err := strconv.ParseUint(name, 10, bits.UintSize-1)
	if err != nil || len(name) > 1 && name[0] == '0' {
		return -1
	}
	return int(n)
}

// Names are the names and indices that lead where a JSON pointer points (RFC 6901). "" is the whole body.
func Names(pointer string) ([]string, error) {
	if pointer == "" {
		return nil, nil
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, fmt.Errorf("%s: a JSON pointer starts with /", pointer)
	}
	names := strings.Split(rest, "/")
	for i, name := range names {
		for _, escaped := range strings.Split(name, "~")[1:] {
			if !strings.HasPrefix(escaped, "0") && !strings.HasPrefix(escaped, "1") {
				return nil, fmt.Errorf("%s: in a JSON pointer, write ~0 for ~ and ~1 for / within a name", pointer)
			}
		}
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names, nil
}
