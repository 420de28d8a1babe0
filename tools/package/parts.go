package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// ours is the main module's path, and how those of its kin begin.
const ours = "github.com/plimsoll/plimsoll"

// part is something of others that the binary has in it: a module, Go's library, a script of the page.
type part struct {
	name, version string
	purl          string // as an SBOM names it
	licences      []string
	texts         []string // licences, notices, patent grants, as they stand beside the code
}

// listed is a package as 'go list' tells of it.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct{ Path, Version, Dir string }
}

// partsOf are those of the binaries of all platforms together, in order. One without a licence, or with one that nobody
// knows, is an error: it must be looked at before it is given away.
func partsOf(ctx context.Context, platforms []platform) ([]part, error) {
	found := map[string]*sources{}
	for _, p := range platforms {
		packages, err := list(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, l := range packages {
			if err := note(found, l); err != nil {
				return nil, err
			}
		}
	}
	standard, err := goLibrary(ctx)
	if err != nil {
		return nil, err
	}
	scripts, err := scripts()
	if err != nil {
		return nil, err
	}
	parts := append(scripts, standard)
	var problems []error
	for _, s := range found {
		made, err := s.part()
		parts, problems = append(parts, made), append(problems, err)
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
	return parts, errors.Join(problems...)
}

func list(ctx context.Context, p platform) ([]listed, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/plimsoll")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w", p, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", p, err)
		}
		packages = append(packages, l)
	}
}

// sources is what was found of a module.
type sources struct {
	path, version, dir string
	files              []string // of licences and notices, each once
}

// note looks for the licences of a package: in its folder and in those above it, as code that a module has taken from
// elsewhere often has one of its own.
func note(found map[string]*sources, l listed) error {
	if l.Standard || l.Module == nil || l.Module.Path == ours || strings.HasPrefix(l.Module.Path, ours+"/") {
		return nil
	}
	s := found[l.Module.Path]
	if s == nil {
		s = &sources{path: l.Module.Path, version: l.Module.Version, dir: l.Module.Dir}
		found[l.Module.Path] = s
	}
	for dir := l.Dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			if e.Type().IsRegular() && isLicence(e.Name()) && !slices.Contains(s.files, name) {
				s.files = append(s.files, name)
			}
		}
		if dir == l.Module.Dir {
			return nil
		}
	}
}

func isLicence(name string) bool {
	names := regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)([-._].*)?$`)
	return names.MatchString(name) && !strings.HasSuffix(name, ".go")
}

func (s *sources) part() (part, error) {
	slices.Sort(s.files)
	p := part{name: s.path, version: s.version, purl: "pkg:golang/" + s.path + "@" + s.version}
	for _, name := range s.files {
		text, err := os.ReadFile(name)
		if err != nil {
			return p, err
		}
		p.add(string(text))
	}
	// "Your choice of exactly one of the following two licenses", the other of which is the GPL.
	if s.path == "github.com/golang/freetype" {
		text, err := os.ReadFile(filepath.Join(s.dir, "licenses", "ftl.txt"))
		if err != nil {
			return p, err
		}
		p.add(string(text))
		p.licences = []string{"FTL"}
	}
	return p, p.check()
}

// add adds a text, and the licences that stand in it.
func (p *part) add(text string) {
	if text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")); slices.Contains(p.texts, text) {
		return
	}
	p.texts = append(p.texts, text)
	for _, match := range licensecheck.Scan([]byte(text)).Match {
		if match.ID == "GooglePatentsFile" || match.ID == "GooglePatentClause" {
			continue // gives more rights, and is no licence
		}
		if !match.IsURL && !slices.Contains(p.licences, match.ID) {
			p.licences = append(p.licences, match.ID)
		}
	}
}

// check says which licences a part may have: those that let it be given away as a binary with its texts and names beside
// it, and, for MPL-2.0, with word of where its source is.
func (p *part) check() error {
	slices.Sort(p.licences)
	if len(p.licences) == 0 {
		return fmt.Errorf("%s %s: no licence was found, so it cannot be given away", p.name, p.version)
	}
	may := []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-4.0", "FTL", "ISC", "MIT", "MPL-2.0", "OFL-1.1"}
	for _, l := range p.licences {
		if !slices.Contains(may, l) {
			return fmt.Errorf("%s %s: %s is none of the licences known here: read it, and add it to those that may be given away",
				p.name, p.version, l)
		}
	}
	return nil
}

// goLibrary is the standard library.
func goLibrary(ctx context.Context) (part, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return part{}, fmt.Errorf("go env: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version = strings.TrimPrefix(version, "go")
	p := part{name: "std", version: version, purl: "pkg:golang/std@" + version}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) && name == "PATENTS" {
			continue
		}
		if err != nil {
			return p, fmt.Errorf("the licence of Go: %w", err)
		}
		p.add(string(text))
	}
	return p, p.check()
}

// scripts are those of others that lie in the repository, each with its licence beside it: uplot.LICENSE of
// uplot.min.js, whose first line says which version it is.
func scripts() ([]part, error) {
	texts, err := filepath.Glob("internal/*/assets/*.LICENSE")
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, name := range texts {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		code, err := os.ReadFile(strings.TrimSuffix(name, ".LICENSE") + ".min.js")
		if err != nil {
			return nil, fmt.Errorf("%s: the code that it is of: %w", name, err)
		}
		first, _, _ := strings.Cut(string(code), "\n")
		version := regexp.MustCompile(`v(\d+\.\d+\.\d+)`).FindStringSubmatch(first)
		if version == nil {
			return nil, fmt.Errorf("%s: the first line of its code names no version", name)
		}
		p := part{name: strings.TrimSuffix(filepath.Base(name), ".LICENSE"), version: version[1]}
		p.purl = "pkg:npm/" + p.name + "@" + p.version
		p.add(string(text))
		if err := p.check(); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}
