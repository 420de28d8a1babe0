package hadoop

import (
	"os"
	"os/user"
	"strings"
)

// Bounds of an expansion. Hadoop's Configuration gives up after 20 steps, too; the other is
// against values that grow in each of them.
const (
	maxSteps    = 20
	maxExpanded = 1 << 20
)

// expand replaces the variables in a value as Hadoop's Configuration does: the innermost
// first, by ${env.NAME}, ${env.NAME:-default} (when unset or empty) and ${env.NAME-default}
// (when unset) from the environment, or by a property of that name. Those of Java's own
// properties that are common in configurations are known. A value with a variable that is not
// bound stops there, and one that refers to itself or is too deep stays as it is. The names of the
// properties that were used come along.
func (s *Settings) expand(value string) (string, []string) {
	var through []string
	now := value
	for range maxSteps {
		from, to := innermost(now)
		if from < 0 {
			return now, through
		}
		name := now[from+2 : to-1]
		with, ok := environment(name)
		if !ok {
			if p, is := s.values[current(name)]; is {
				with, ok = p.value, true
				through = append(through, current(name))
			}
		}
		if !ok {
			return now, through
		}
		if strings.Contains(with, now[from:to]) || len(now)+len(with) > maxExpanded {
			return value, through
		}
		now = now[:from] + with + now[to:]
	}
	if from, _ := innermost(now); from >= 0 {
		return value, through
	}
	return now, through
}

// innermost finds the first ${name} without another one in it; -1 if there is none. A name
// has neither "$" nor a space in it.
func innermost(s string) (from, to int) {
	from = -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '$':
			from = -1
			if i+1 < len(s) && s[i+1] == '{' {
				from = i
				i++
			}
		case from < 0:
		case c == '}' && i > from+2:
			return from, i + 1
		case c == '}', c == ' ', c == '\t', c == '\n':
			from = -1
		}
	}
	return -1, -1
}

// environment is a variable that is no property.
func environment(name string) (string, bool) {
	if name, ok := strings.CutPrefix(name, "env."); ok {
		bare, other, has := strings.Cut(name, "-")
		bare, orEmpty := strings.CutSuffix(bare, ":")
		value, set := os.LookupEnv(bare)
		switch {
		case !has:
			return value, set
		case !set, orEmpty && value == "":
			return other, true
		}
		return value, true
	}
	switch name {
	case "user.name":
		if u, err := user.Current(); err == nil {
			return u.Username, true
		}
	case "user.home":
		if home, err := os.UserHomeDir(); err == nil {
			return home, true
		}
	case "java.io.tmpdir":
		return os.TempDir(), true
	}
	return "", false
}
