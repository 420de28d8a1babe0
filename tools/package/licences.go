package main

import (
	"fmt"
	"slices"
	"strings"
)

// licenceText is the file that goes with each binary: which parts it has under which licences, and then each text once,
// with the parts that it is of.
func licenceText(parts []part) string {
	var b strings.Builder
	b.WriteString(`What Plimsoll has in it that others made, with their licences. Plimsoll itself is under the Apache License 2.0
(the file LICENSE). Each module of Go is to be had, with its source, from any Go module proxy by its name and version:
'go mod download NAME@VERSION'. That is so for those under the Mozilla Public License, too.

`)
	for _, p := range parts {
		fmt.Fprintf(&b, "%s %s: %s\n", p.name, p.version, strings.Join(p.licences, ", "))
	}
	var order []string
	of := map[string][]string{}
	for _, p := range parts {
		for _, text := range p.texts {
			if of[text] == nil {
				order = append(order, text)
			}
			if name := p.name + " " + p.version; !slices.Contains(of[text], name) {
				of[text] = append(of[text], name)
			}
		}
	}
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), strings.Join(of[text], "\n"), text)
	}
	return b.String()
}
