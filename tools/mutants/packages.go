package main

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// A subject is a package whose mutants are made.
type subject struct {
	dir   string   // below the root, with slashes
	files []string // of the package; none: all
	but   []string // files that are another subject's
	tests []tests  // that must notice, in the order in which they are asked
}

// tests are those of a package.
type tests struct {
	dir string
	run string // a pattern of test names, "": all
}

// readSubjects reads packages.txt: a line has a package, perhaps with some of its files (dir:file,file), and the
// packages whose tests must notice, perhaps with a pattern (dir:pattern). Without any they are its own.
func readSubjects(name string) ([]subject, error) {
	var all []subject
	err := eachLine(name, func(line string) error {
		fields := strings.Fields(line)
		dir, files, _ := strings.Cut(fields[0], ":")
		s := subject{dir: path.Clean(dir)}
		if files != "" {
			s.files = strings.Split(files, ",")
		}
		for _, field := range fields[1:] {
			dir, pattern, _ := strings.Cut(field, ":")
			s.tests = append(s.tests, tests{dir: path.Clean(dir), run: pattern})
		}
		if len(s.tests) == 0 {
			s.tests = []tests{{dir: s.dir}}
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// widened are subjects and more of them, which leave out what is a subject's already.
func widened(subjects, more []subject) []subject {
	all := slices.Clone(subjects)
	for _, s := range more {
		whole := false
		for _, other := range subjects {
			if other.dir == s.dir {
				s.but, whole = append(s.but, other.files...), whole || len(other.files) == 0
			}
		}
		if !whole {
			all = append(all, s)
		}
	}
	return all
}

// eachLine calls f for the lines of a file that are neither empty nor comments.
func eachLine(name string, f func(line string) error) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := f(line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	return nil
}

// chosen are the subjects that were named; all without a name. One that packages.txt does not have yet is judged by its
// own tests.
func chosen(all []subject, names []string) []subject {
	if len(names) == 0 {
		return all
	}
	var some []subject
	for _, name := range names {
		found := false
		for _, s := range all {
			if s.dir == path.Clean(name) {
				some, found = append(some, s), true
			}
		}
		if !found {
			some = append(some, subject{dir: path.Clean(name), tests: []tests{{dir: path.Clean(name)}}})
		}
	}
	return some
}
