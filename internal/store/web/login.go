package web

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/store"
)

// login is what requests authenticate with; the zero value is nothing.
type login struct {
	user, password string
	token          string
	source         string // where it is of, as a phrase; "" for nothing
}

// apply adds the login to a request. The client drops it when it is redirected to another host.
func (l login) apply(r *http.Request) {
	switch {
	case l.token != "":
		r.Header.Set("Authorization", "Bearer "+l.token)
	case l.source != "":
		r.SetBasicAuth(l.user, l.password)
	}
}

// environment is where logins are looked for, apart from the URL.
type environment struct {
	token string
	netrc string // name of the file; "" for none
}

func systemEnvironment() environment {
	e := environment{token: os.Getenv("PLIMSOLL_BEARER_TOKEN"), netrc: os.Getenv("NETRC")}
	if e.netrc == "" {
		if home, err := os.UserHomeDir(); err == nil {
			e.netrc = filepath.Join(home, ".netrc")
		}
	}
	return e
}

// findLogin finds the login for a URL. What the URL does not say itself is not sent in clear
// text over a network.
func findLogin(u *url.URL, e environment) (login, error) {
	if u.User != nil {
		password, _ := u.User.Password()
		return login{user: u.User.Username(), password: password, source: "the user and password in the URL"}, nil
	}
	if u.Scheme != "https" && !isLoopback(u.Hostname()) {
		return login{}, nil
	}
	if e.token != "" {
		if strings.ContainsFunc(e.token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			return login{}, store.Fail(store.NoCredentials,
				"PLIMSOLL_BEARER_TOKEN contains a character that is not allowed in a token, such as a space").
				WithHint("set it to the token alone, or unset it")
		}
		return login{token: e.token, source: "the token in PLIMSOLL_BEARER_TOKEN"}, nil
	}
	if e.netrc == "" {
		return login{}, nil
	}
	text, err := infile.Read(e.netrc, infile.MaxPEM)
	if errors.Is(err, fs.ErrNotExist) {
		return login{}, nil
	}
	if err != nil {
		return login{}, store.Fail(store.NoCredentials, "%w", err).
			WithHint("make it readable, or set NETRC to another file")
	}
	if user, password, ok := lookUp(string(text), u.Hostname()); ok {
		return login{user: user, password: password, source: "the user and password in " + filepath.Base(e.netrc)}, nil
	}
	return login{}, nil
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// lookUp finds the entry of a host in the text of a netrc file, or its default. Macros are
// skipped; they end with an empty line.
func lookUp(text, host string) (user, password string, ok bool) {
	var words []string
	macro := false
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case macro:
			macro = len(fields) > 0
			continue
		case len(fields) > 0 && fields[0] == "macdef":
			macro = true
			continue
		}
		for _, f := range fields {
			if strings.HasPrefix(f, "#") && len(words)%2 == 0 { // not the value of something
				break
			}
			words = append(words, f)
			if f == "default" && len(words)%2 == 1 {
				words = append(words, "") // it has no value; machine has
			}
		}
	}
	mine := false
	for i := 0; i+1 < len(words); i += 2 {
		switch value := words[i+1]; words[i] {
		case "machine", "default":
			if ok {
				return user, password, true
			}
			mine = words[i] == "default" || value == host
		case "login":
			if mine {
				user, ok = value, true
			}
		case "password":
			if mine {
				password, ok = value, true
			}
		}
	}
	return user, password, ok
}
