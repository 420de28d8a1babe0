package setting

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/redact"
)

// hidden replaces what is not shown.
const hidden = "…"

// MayBeSecret reports whether a variable, or a setting of a demo server, has a name that suggests a secret.
func MayBeSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"token", "secret", "pass", "key", "credential", "auth", "cookie", "user"},
		func(part string) bool { return strings.Contains(name, part) })
}

// Shown returns what documents, reports and messages may show of a value, wherever the value comes from: the command
// line, a plan file or a variable.
func (s *Setting) Shown(text string) string {
	switch {
	case s.show != nil:
		return s.show(text)
	case s.Kind == "url":
		return redact.URL(text)
	case !s.Secret:
		return redact.URLsIn(text)
	}
	public, secret := s.Split(text)
	if secret == "" {
		return public
	}
	return public + hidden
}

// Split divides a value into what may be shown and the secret that follows it, either of which may be empty. Both
// together are the value. A URL, whose secrets lie within it, is all secret if it has any.
func (s *Setting) Split(text string) (public, secret string) {
	switch {
	case !s.Secret:
		return text, ""
	case s.show != nil || s.Kind == "url":
		if s.Shown(text) == text && !redact.HasUser(text) {
			return text, ""
		}
		return "", text
	}
	for _, sign := range []string{":", "="} {
		name, value, found := strings.Cut(text, sign)
		if !found || !strings.Contains(s.Kind, sign) {
			continue
		}
		if s.Unended && !MayBeSecret(name) { // a setting of the demo server
			return text, ""
		}
		value = strings.TrimLeft(value, " ")
		return text[:len(text)-len(value)], value
	}
	return "", text
}
