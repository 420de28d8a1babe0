package comparisons

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

// hidden stands for what may be secret.
const hidden = "…"

// CommandOf is the command of a call, without what may be secret: "plimsoll http http://h/ --clients 5".
func CommandOf(c *several.Call) string {
	words := []string{"plimsoll", c.Kind.Name}
	for _, a := range c.Args {
		words = append(words, units.ShellWord(redact.URL(a)))
	}
	settings := c.Kind.New().Settings()
	for _, g := range c.Given {
		one := settings.Lookup(g.Name)
		values := g.Values
		if one == nil || !one.Several {
			values = values[max(0, len(values)-1):]
		}
		for _, value := range values {
			switch {
			case one != nil && one.Switch() && value == "true":
				words = append(words, "--"+g.Name)
			case one != nil && one.Switch():
				words = append(words, "--"+g.Name+"="+value)
			default:
				words = append(words, "--"+g.Name, units.ShellWord(shown(one, value)))
			}
		}
	}
	return units.Clean(strings.Join(words, " "))
}

// shown is a value as a person may see it.
func shown(one *setting.Setting, value string) string {
	switch {
	case one == nil:
		return hidden
	case one.Shown != nil:
		return one.Shown(value)
	case one.Kind == "url":
		return redact.URL(value)
	case !one.Secret:
		return redacted(value)
	}
	for _, sign := range []string{":", "="} {
		name, _, found := strings.Cut(value, sign)
		if !found || !strings.Contains(one.Kind, sign) {
			continue
		}
		if one.Unended && !setting.MayBeSecret(name) { // a setting of the demo server
			return value
		}
		return name + sign + hidden
	}
	return hidden
}

// redacted is a text without the secrets of the URLs in it.
func redacted(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	words := strings.Split(text, " ")
	for i, word := range words {
		if strings.Contains(word, "://") {
			words[i] = redact.URL(word)
		}
	}
	return strings.Join(slices.Clip(words), " ")
}
