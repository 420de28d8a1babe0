package sftp

import (
	"path"
	"slices"
	"strings"
)

// settings are those of ~/.ssh/config that are followed.
type settings struct {
	host, port, user string
	files            []string
	proxy            string // the setting that would be needed, and is not followed
}

// parseConfig finds the settings for a host: of each the first that applies, but all files.
// Match blocks apply to nothing here, and Include is not followed.
func parseConfig(text, host string) settings {
	var s settings
	applies := true
	for line := range strings.Lines(text) {
		key, value := configLine(line)
		switch key {
		case "":
		case "host":
			applies = matches(strings.Fields(value), host)
		case "match":
			applies = false
		default:
			if applies {
				s.set(key, value)
			}
		}
	}
	return s
}

func (s *settings) set(key, value string) {
	one := func(to *string) {
		if *to == "" {
			*to = value
		}
	}
	switch key {
	case "hostname":
		one(&s.host)
	case "port":
		one(&s.port)
	case "user":
		one(&s.user)
	case "identityfile":
		if value != "none" && !slices.Contains(s.files, value) {
			s.files = append(s.files, value)
		}
	case "proxyjump", "proxycommand":
		if !strings.EqualFold(value, "none") && s.proxy == "" {
			s.proxy = map[string]string{"proxyjump": "ProxyJump", "proxycommand": "ProxyCommand"}[key]
		}
	}
}

// configLine cuts a line into its keyword, in lower case, and its value, without quotes.
func configLine(line string) (key, value string) {
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '#' {
		return "", ""
	}
	end := strings.IndexAny(line, " \t=")
	if end < 0 {
		return "", ""
	}
	value = strings.TrimLeft(line[end:], " \t")
	value = strings.TrimSpace(strings.TrimPrefix(value, "="))
	if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
		value = value[1 : len(value)-1]
	}
	return strings.ToLower(line[:end]), value
}

// matches reports whether a host is one of the patterns, and none of those that begin with an
// exclamation mark.
func matches(patterns []string, host string) bool {
	found := false
	for _, p := range patterns {
		p, not := strings.CutPrefix(p, "!")
		ok, err := path.Match(p, host)
		switch {
		case err != nil || !ok:
		case not:
			return false
		default:
			found = true
		}
	}
	return found
}
