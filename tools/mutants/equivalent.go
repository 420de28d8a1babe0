package main

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// readEquivalents reads equivalent.txt: a line has the identity of a mutant and, behind two dashes, why no test can
// notice it.
func readEquivalents(name string) (map[string]string, error) {
	all := map[string]string{}
	return all, eachLine(name, func(line string) error {
		at := strings.LastIndex(line, " -- ")
		if at < 0 || strings.TrimSpace(line[at+4:]) == "" {
			return fmt.Errorf("an entry is an identity, ' -- ' and the reason")
		}
		id := line[:at]
		if all[id] != "" {
			return fmt.Errorf("a second entry of %s", id)
		}
		all[id] = line[at+4:]
		return nil
	})
}

// stale are the entries of packages read here that no mutant has.
func stale(equivalents map[string]string, packs []*pack) []string {
	there, looked := map[string]bool{}, map[string]bool{}
	for _, p := range packs {
		// Of a package of which only some files are looked at, an entry may be that of another one.
		looked[p.subject.dir] = looked[p.subject.dir] || len(p.subject.files) == 0
		for _, f := range p.files {
			looked[f.name] = looked[f.name] || f.mutated
		}
		for _, m := range p.mutants {
			there[m.id()] = true
		}
	}
	var old []string
	for _, id := range slices.Sorted(maps.Keys(equivalents)) {
		file, _, _ := strings.Cut(id, " ")
		dir := path.Dir(file)
		if !there[id] && (looked[file] || looked[dir]) {
			old = append(old, id)
		}
	}
	return old
}
