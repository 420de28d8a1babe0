package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// module is one of go.work.
type module struct {
	dir      string // in the clone, "." for the root
	path     string
	requires []string // modules of the clone

	// go.mod and go.sum before and after 'go mod tidy': for the clone, with its version of its own
	// modules and without their sums, and as they are at the version that was made.
	before, after, tidied map[string]string
}

// published says whether a module gets versions: one of tests alone does not.
func (m *module) published() bool { return !strings.HasSuffix(m.path, "test") }

func (m *module) tag(version string) string { return path.Join(filepath.ToSlash(m.dir), version) }

// workspace are the modules of the clone's go.work, each behind those that it requires.
func workspace(clone string) ([]*module, error) {
	file := filepath.Join(clone, "go.work")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(file, text, nil)
	if err != nil {
		return nil, err
	}
	byPath := map[string]*module{}
	for _, use := range work.Use {
		m := &module{dir: filepath.Clean(use.Path)}
		mod, err := m.read(clone)
		if err != nil {
			return nil, err
		}
		m.path = mod.Module.Mod.Path
		for _, r := range mod.Require {
			m.requires = append(m.requires, r.Mod.Path)
		}
		byPath[m.path] = m
	}
	var order []*module
	var visit func(m *module)
	visit = func(m *module) {
		if slices.Contains(order, m) {
			return
		}
		m.requires = slices.DeleteFunc(m.requires, func(p string) bool { return byPath[p] == nil })
		for _, required := range m.requires { // no circle: the go command would have refused it
			visit(byPath[required])
		}
		order = append(order, m)
	}
	for _, use := range slices.Backward(work.Use) { // the root, which stands first, as late as it can
		for _, m := range byPath {
			if m.dir == filepath.Clean(use.Path) {
				visit(m)
			}
		}
	}
	return order, nil
}

func (m *module) read(base string) (*modfile.File, error) {
	file := filepath.Join(base, m.dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(file, text, nil)
}

// setVersion makes the module below base require its own kin at a version, and forgets their sums.
func (m *module) setVersion(base, version string) error {
	mod, err := m.read(base)
	if err != nil {
		return err
	}
	for _, required := range m.requires {
		if err := mod.AddRequire(required, version); err != nil {
			return err
		}
	}
	mod.Cleanup()
	text, err := mod.Format()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(base, m.dir, "go.mod"), text, 0o644); err != nil {
		return err
	}
	sums, err := m.text(base, "go.sum")
	if err != nil {
		return err
	}
	return m.write(base, "go.sum", m.foreign(sums))
}

// foreign are the sums that are not of the clone's own modules.
func (m *module) foreign(sums string) string {
	var kept strings.Builder
	for line := range strings.Lines(sums) {
		name, _, _ := strings.Cut(line, " ")
		if !slices.Contains(m.requires, name) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// text is that of a file, "" if there is none: a module without requirements has no go.sum.
func (m *module) text(base, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(base, m.dir, name))
	if os.IsNotExist(err) {
		return "", nil
	}
	return string(text), err
}

func (m *module) write(base, name, text string) error {
	file := filepath.Join(base, m.dir, name)
	if text == "" {
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	return os.WriteFile(file, []byte(text), 0o644)
}

// note keeps what 'go mod tidy' made of the copy below base, for the clone and for the release.
func (m *module) note(clone, base, version string) error {
	required, err := m.requiredVersion(clone)
	if err != nil {
		return err
	}
	m.before, m.after, m.tidied = map[string]string{}, map[string]string{}, map[string]string{}
	for _, name := range []string{"go.mod", "go.sum"} {
		if m.before[name], err = m.text(clone, name); err != nil {
			return err
		}
		if m.tidied[name], err = m.text(base, name); err != nil {
			return err
		}
	}
	m.before["go.sum"] = m.foreign(m.before["go.sum"])
	m.after["go.sum"] = m.foreign(m.tidied["go.sum"])
	m.after["go.mod"] = strings.ReplaceAll(m.tidied["go.mod"], " "+version, " "+required)
	return nil
}

// requiredVersion is the one at which the module of the clone requires its own kin.
func (m *module) requiredVersion(clone string) (string, error) {
	mod, err := m.read(clone)
	if err != nil {
		return "", err
	}
	for _, r := range mod.Require {
		if slices.Contains(m.requires, r.Mod.Path) {
			return r.Mod.Version, nil
		}
	}
	return "", nil
}

// keep writes what 'go mod tidy' made of the module to the clone. The sums of a release stay.
func (m *module) keep() error {
	for name, text := range m.after {
		if text == m.before[name] {
			continue
		}
		if name == "go.sum" {
			sums, err := m.text(".", name)
			if err != nil {
				return err
			}
			for line := range strings.Lines(sums) {
				if m.foreign(line) == "" {
					text += line
				}
			}
		}
		if err := m.write(".", name, text); err != nil {
			return err
		}
	}
	return nil
}

// release writes the module to the clone as it is at the version.
func (m *module) release() error {
	for name, text := range m.tidied {
		if err := m.write(".", name, text); err != nil {
			return err
		}
	}
	return nil
}

// replaceInWork lets go.work stand for the version that the modules require now.
func replaceInWork(version string) error {
	text, err := os.ReadFile("go.work")
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(work.Replace) {
		old, path := r.Old, r.New.Path // dropping it clears it
		if err := work.DropReplace(old.Path, old.Version); err != nil {
			return err
		}
		if err := work.AddReplace(old.Path, version, path, ""); err != nil {
			return fmt.Errorf("%s: %w", old.Path, err)
		}
	}
	work.Cleanup()
	return os.WriteFile("go.work", modfile.Format(work.Syntax), 0o644)
}
