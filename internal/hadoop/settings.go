package hadoop

import (
	"maps"
	"slices"
	"sync"
)

// Settings are properties by name, later ones before earlier ones. The zero value and nil
// have none.
type Settings struct {
	mu     sync.Mutex
	values map[string]property
}

// property is a setting and what became of it.
type property struct {
	value  string
	source string // the file's name, or "-D"
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
	if s.values == nil {
		s.values = map[string]property{}
	}
	s.values[key] = property{value: value, source: source}
}

// Lookup gives the value of the first of the keys that is set and not empty, and marks it as
// applied.
func (s *Settings) Lookup(keys ...string) (string, bool) { return s.lookup(false, keys) }

// Secret is Lookup of a value that must never be shown.
func (s *Settings) Secret(keys ...string) (string, bool) { return s.lookup(true, keys) }

func (s *Settings) lookup(secret bool, keys []string) (string, bool) {
	if s == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		if p, ok := s.values[key]; ok && p.value != "" {
			p.used, p.secret = true, p.secret || secret
			s.values[key] = p
			return p.value, true
		}
	}
	return "", false
}

// Applied lists the settings that were looked up, by name.
func (s *Settings) Applied() []Applied {
	var list []Applied
	s.each(func(key string, p property) {
		if !p.used {
			return
		}
		if p.secret {
			p.value = "(secret)"
		}
		list = append(list, Applied{key, p.value, p.source})
	})
	return list
}

// Ignored lists the names of the settings that nobody looked up.
func (s *Settings) Ignored() []string {
	var list []string
	s.each(func(key string, p property) {
		if !p.used {
			list = append(list, key)
		}
	})
	return list
}

func (s *Settings) each(do func(string, property)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		do(key, s.values[key])
	}
}
