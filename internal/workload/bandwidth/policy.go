package bandwidth

import (
	"fmt"
	"strings"
)

// Policy is how a file is read.
type Policy string

// The policies.
const (
	WholeFile  Policy = "whole-file" // one request for the whole file
	Sequential Policy = "sequential" // the same: a stream that is read from its start needs one request
	Random     Policy = "random"     // a request for each block, in random order
	Vector     Policy = "vector"     // several ranges at the same time, taken in the order of their arrival
	Prefetch   Policy = "prefetch"   // several ranges at the same time, taken in the order of the file
)

// policyOf knows our names, and those of Hadoop's openFile().
func policyOf(name string) (Policy, bool) {
	switch name {
	case "whole-file", "none", "default", "normal":
		return WholeFile, true
	case "sequential", "adaptive", "avro", "csv", "json":
		return Sequential, true
	case "random", "hbase":
		return Random, true
	case "vector", "columnar", "orc", "parquet":
		return Vector, true
	case "prefetch", "parallel":
		return Prefetch, true
	}
	return "", false
}

// ChoosePolicy takes the first policy of a comma-separated list that is known, as Hadoop does;
// unknown are the names before it.
func ChoosePolicy(list string) (chosen Policy, unknown []string, err error) {
	if list == "" {
		return WholeFile, nil, nil
	}
	for _, name := range strings.Split(list, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if p, ok := policyOf(name); ok {
			return p, unknown, nil
		}
		unknown = append(unknown, name)
	}
	return "", unknown, fmt.Errorf("no known read policy in %q", list)
}

// ranged reports whether the policy asks for ranges.
func (p Policy) ranged() bool { return p == Random || p == Vector || p == Prefetch }
