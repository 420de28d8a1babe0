package main

import (
	"context"
	"path"
	"strings"
)

// changed are the directories in which a Go file differs from that of a revision. Where the clone does not have the
// revision, as one without history, whole is true: all of them may.
func changed(ctx context.Context, root, revision string) (dirs map[string]bool, whole bool, err error) {
	if _, err := command(ctx, root, nil, "git", "rev-parse", "--verify", "--quiet", revision+"^{commit}"); err != nil {
		return nil, true, ctx.Err()
	}
	out, err := command(ctx, root, nil, "git", "diff", "--name-only", revision)
	if err != nil {
		return nil, false, err
	}
	dirs = map[string]bool{}
	for name := range strings.Lines(string(out)) {
		if name = strings.TrimSpace(name); strings.HasSuffix(name, ".go") {
			dirs[path.Dir(name)] = true
		}
	}
	return dirs, false, nil
}

// among reports whether the package changed, or tests that must notice its mutants.
func (s subject) among(dirs map[string]bool) bool {
	for _, t := range s.tests {
		if dirs[t.dir] {
			return true
		}
	}
	return dirs[s.dir]
}
