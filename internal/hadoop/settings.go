package hadoop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Settings are properties by name, later ones before earlier ones. The zero value and nil
// have none. Deprecated names of properties that mean something here stand for the new ones.
type Settings struct {
	mu     sync.Mutex
	values map[string]property
}

// property is a setting and what became of it.
type property struct {
	value  string
	source string // the file's name, or "-D"
	final  bool   // files that are read later cannot change it
	given  bool   // by -D: no file can change it
	used   bool
	secret bool
}

// Applied is a setting that was looked up.
type Applied struct {
	Key    string
	Value  string // "(secret)" for one that must not be shown
	Source string // the file that it is of, or "-D"
}

// Set adds a setting, or replaces the one of that name.
func (s *Settings) Set(key, value, source string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(key, property{value: value, source: source})
}

// SetProperty adds what was given as -D key=value. It stands before what any file says, be it
// read before or after.
func (s *Settings) SetProperty(assignment string) error {
	key, value, ok := strings.Cut(assignment, "=")
	key = strings.TrimSpace(key)
	switch {
	case !ok:
		// What there is may be a secret without its name.
		return fmt.Errorf("-D: no \"=\" found; write -D NAME=VALUE, for example -D dfs.replication=1")
	case key == "":
		return fmt.Errorf("-D: no name before \"=\"; write -D NAME=VALUE, for example -D dfs.replication=1")
	}
	if err := checkProperty(key, value); err != nil {
		return fmt.Errorf("-D: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put(key, property{value: value, source: "-D", given: true})
	return nil
}

// setFromFile adds a property of a file, unless an earlier one is final or given by -D.
func (s *Settings) setFromFile(key, value, source string, final bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.values[current(key)]; old.final || old.given {
		return
	}
	s.put(key, property{value: value, source: source, final: final})
}

func (s *Settings) put(key string, p property) {
	if s.values == nil {
		s.values = map[string]property{}
	}
	s.values[current(key)] = p
}

// Bounds of a property, against files that are no configuration.
const (
	maxName  = 1024
	maxValue = 1 << 20
)

// checkProperty refuses names that would harm a report and values that cannot be meant.
func checkProperty(key, value string) error {
	if len(key) > maxName {
		return fmt.Errorf("a property name has %d bytes; at most %d are accepted", len(key), maxName)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return fmt.Errorf("property name %q contains an unprintable character; remove it", key)
	}
	if len(value) > maxValue {
		return fmt.Errorf("the value of %q has %d bytes; at most %d are accepted", key, len(value), maxValue)
	}
	return nil
}

// Lookup gives the value of the first of the keys that is set and not empty, and marks it as
// applied. Variables in it are expanded, and white space around it is cut off.
func (s *Settings) Lookup(keys ...string) (string, bool) { return s.lookup(false, keys) }

// Secret is Lookup of a value that must never be shown.
func (s *Settings) Secret(keys ...string) (string, bool) { return s.lookup(true, keys) }

func (s *Settings) lookup(secret bool, keys []string) (string, bool) {
	_, value := s.find(secret, keys)
	return value, value != ""
}

// find is Lookup that also tells which of the keys it was.
func (s *Settings) find(secret bool, keys []string) (key, value string) {
	if s == nil {
		return "", ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		key = current(key)
		value, through := s.expand(s.values[key].value)
		value = strings.TrimSpace(value)
		if value == "" {
			continue
		}
		for _, name := range append(through, key) {
			p := s.values[name]
			p.used, p.secret = true, p.secret || secret
			s.values[name] = p
		}
		return key, value
	}
	return "", ""
}

// Applied lists the settings that were looked up, by name. It shows neither the values that
// were looked up by Secret, nor those that have a secret's name or that are made of one.
func (s *Settings) Applied() []Applied {
	var list []Applied
	s.eachProperty(func(key string, p property) {
		if !p.used {
			return
		}
		list = append(list, Applied{key, s.shown(key, p), p.source})
	})
	return list
}

// Ignored lists the names of the settings that nobody looked up.
func (s *Settings) Ignored() []string {
	var list []string
	s.eachProperty(func(key string, p property) {
		if !p.used {
			list = append(list, key)
		}
	})
	return list
}

func (s *Settings) eachProperty(do func(string, property)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		do(key, s.values[key])
	}
}
