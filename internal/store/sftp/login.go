package sftp

import (
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/plimsoll/plimsoll/internal/infile"
	"github.com/plimsoll/plimsoll/internal/store"
)

// home is where ssh keeps what it knows.
type home struct {
	dir   string // ~/.ssh
	user  string // of this process
	agent string // socket of the agent; "" for none
}

func systemHome() home {
	h := home{agent: os.Getenv("SSH_AUTH_SOCK")}
	if dir, err := os.UserHomeDir(); err == nil {
		h.dir = filepath.Join(dir, ".ssh")
	}
	if u, err := user.Current(); err == nil {
		h.user = u.Username
	}
	return h
}

func (h home) hostKeys() hostKeys {
	own := filepath.Join(h.dir, "known_hosts")
	return hostKeys{files: []string{own, "/etc/ssh/ssh_known_hosts"}, add: own}
}

// target is a server.
type target struct {
	name    string // as in the URL, for messages
	address string // host and port to connect to
	known   string // host and port that its key is known by
}

// login is who to log in as, and how.
type login struct {
	user        string
	password    string
	hasPassword bool
	agent       string
	files       []string
	explicit    bool     // the files were asked for
	skipped     []string // files that need a passphrase
}

// resolve finds the server of a URL and how to log in.
func (h home) resolve(u *url.URL) (target, login, error) {
	text, err := infile.Read(filepath.Join(h.dir, "config"), infile.MaxPEM)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return target{}, login{}, store.Fail(store.AccessDenied, "%w", err).
			WithHint("make your SSH configuration readable")
	}
	host := u.Hostname()
	set := parseConfig(string(text), host)
	if set.proxy != "" {
		return target{}, login{}, store.Fail(store.Unsupported,
			"sftp://%s: ~/.ssh/config sets %s for this host, which is not supported", u.Host, set.proxy).
			WithHint("open a tunnel with 'ssh -L 2222:%s:22 JUMPHOST', and use sftp://127.0.0.1:2222/PATH", host)
	}
	port := first(u.Port(), set.port, "22")
	real := strings.ReplaceAll(first(set.host, host), "%h", host)
	t := target{name: u.Host, address: net.JoinHostPort(real, port), known: net.JoinHostPort(host, port)}
	if set.host != "" { // ssh knows keys by the name that it connects to
		t.known = t.address
	}
	l := login{user: first(u.User.Username(), set.user, h.user), agent: h.agent}
	if l.password, l.hasPassword = u.User.Password(); l.hasPassword {
		return t, l, nil
	}
	l.files, l.explicit = set.files, len(set.files) > 0
	if !l.explicit {
		l.files = []string{"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"}
	}
	for i, f := range l.files {
		if rest, ok := strings.CutPrefix(f, "~/"); ok {
			l.files[i] = filepath.Join(filepath.Dir(h.dir), rest)
		}
	}
	return t, l, l.checkFiles()
}

func first(of ...string) string {
	for _, s := range of {
		if s != "" {
			return s
		}
	}
	return ""
}

// checkFiles makes sure that the files can be used, and remembers those that cannot.
func (l *login) checkFiles() error {
	var use []string
	for _, f := range l.files {
		text, err := infile.Read(f, infile.MaxPEM)
		if errors.Is(err, fs.ErrNotExist) && !l.explicit {
			continue
		}
		if err != nil {
			return store.Fail(store.NoCredentials, "%w", err).
				WithHint("correct IdentityFile in ~/.ssh/config, or make the key readable")
		}
		var locked *ssh.PassphraseMissingError
		switch _, err := ssh.ParsePrivateKey(text); {
		case errors.As(err, &locked):
			l.skipped = append(l.skipped, f)
		case err != nil:
			return store.Fail(store.NoCredentials, "%s: not an SSH private key", f).
				WithHint("move the file away, or set another one with IdentityFile in ~/.ssh/config")
		default:
			use = append(use, f)
		}
	}
	l.files = use
	return nil
}

// methods are the ways to log in, and what ends them.
func (l *login) methods() ([]ssh.AuthMethod, func(), error) {
	if l.hasPassword {
		answer := func(_, _ string, questions []string, _ []bool) ([]string, error) {
			answers := make([]string, len(questions))
			for i := range answers {
				answers[i] = l.password
			}
			return answers, nil
		}
		return []ssh.AuthMethod{ssh.Password(l.password), ssh.KeyboardInteractive(answer)}, func() {}, nil
	}
	var signers []ssh.Signer
	for _, f := range l.files {
		text, err := infile.Read(f, infile.MaxPEM)
		if err != nil {
			return nil, nil, store.Fail(store.NoCredentials, "%w", err)
		}
		key, err := ssh.ParsePrivateKey(text)
		if err != nil {
			return nil, nil, store.Fail(store.NoCredentials, "%s: not an SSH private key", f)
		}
		signers = append(signers, key)
	}
	end := func() {}
	if l.agent != "" {
		if conn, err := net.DialTimeout("unix", l.agent, connectTimeout); err == nil {
			end = func() { _ = conn.Close() }
			if more, err := agent.NewClient(conn).Signers(); err == nil {
				signers = append(signers, more...)
			}
		}
	}
	if len(signers) == 0 {
		end()
		return nil, nil, store.Fail(store.NoCredentials, "no key to log in as %s", l.user).
			WithHint("%s", l.advice())
	}
	return []ssh.AuthMethod{ssh.PublicKeys(signers...)}, end, nil
}

// advice says how to be let in.
func (l *login) advice() string {
	switch {
	case l.hasPassword:
		return "check the user and the password in the URL"
	case len(l.skipped) > 0:
		return "unlock " + strings.Join(l.skipped, ", ") + " with ssh-add: only the agent can use keys with a passphrase"
	case len(l.files) == 0:
		return "create a key with ssh-keygen or load one with ssh-add, and install it with ssh-copy-id; or put a " +
			"password in the URL"
	}
	return "check the user, and install the key on the server with ssh-copy-id"
}
