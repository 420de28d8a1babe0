package reach

import (
	"cmp"
	"errors"
	"os"

	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/template"
)

// Secret fills in the values of the environment in a text of the command line.
func Secret(flag, text string) (string, error) {
	t, err := template.Compile(text, template.Header, &template.Known{Env: os.LookupEnv})
	if err != nil {
		var t *template.Error
		if errors.As(err, &t) {
			hint := cmp.Or(t.Hint, "only ${env.NAME} can be used in it")
			return "", usage("%s: %s", flag, t.Why).Hint("%s", hint) // not its text
		}
		return "", usage("%s is not a valid header value", flag).Hint("only ${env.NAME} can be used in it")
	}
	if !t.Constant() {
		return "", usage("%s can contain ${env.NAME}, but no placeholder that changes between requests", flag).
			Hint("use --header 'Authorization: …' for other placeholders")
	}
	return t.Leading(), nil
}

// Hidden is how a document has a secret: that it was given.
func Hidden(s *string) func() any {
	return func() any {
		if *s == "" {
			return ""
		}
		return "…"
	}
}

// Bearer declares --bearer. with says what the token is sent with.
func Bearer(into *string, with string) *setting.Setting {
	return setting.Text(into, "bearer", "token", "send this token with "+with+" (Authorization: Bearer); write "+
		"'${env.TOKEN}'").
		At("auth.bearer").WrittenAs(Hidden(into)).OmitZero()
}

// The values of --cookies.
const (
	CookiesOn  = "on"
	CookiesOff = "off"
)

// Cookies declares --cookies.
func Cookies(into *string, help string) *setting.Setting {
	return setting.Text(into, "cookies", "on|off", help).OmitZero().Offer(CookiesOn, CookiesOff).
		Rule(func(flag string) error {
			switch *into {
			case "", CookiesOn, CookiesOff:
				return nil
			}
			return usage("%s is %q: it must be on or off", flag, *into).Hint("write %s on or %[1]s off", flag)
		})
}
