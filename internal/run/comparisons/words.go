package comparisons

import (
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
	if one == nil {
		return hidden
	}
	return one.Shown(value)
}
