package sftp

import (
	"errors"
	"net"
	"os"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/plimsoll/plimsoll/internal/store"
)

func TestHostKeys(t *testing.T) {
	a := newAccount(t)
	address := server{account: a, command: []string{sftpServer(t)}}.start(t)
	file := a.home + "/.ssh/known_hosts"
	replace := []string{address, "ADDRESS", file, "FILE", ssh.FingerprintSHA256(a.host.PublicKey()), "PRINT"}
	line := knownhosts.Line([]string{address}, a.host.PublicKey())

	_, err := open(t, address)
	mustFail(t, append(replace, line, "LINE"), err, "host-key-unknown",
		"sftp://ADDRESS: the server's key PRINT is unknown",
		"if this is the server's key, add this line to FILE: LINE")
	var known *store.Error // and the hint is right
	if errors.As(err, &known) {
		_, added, _ := strings.Cut(known.Hint, ": ")
		if err := os.WriteFile(file, []byte(added+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open(t, address); err != nil {
		t.Errorf("the line that the hint says does not do: %v", err)
	}

	other := keyPair(t, a.home+"/other", "")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("# a comment\n" + knownhosts.Line([]string{address}, other.PublicKey()) + "\n")
	_, err = open(t, address)
	mustFail(t, replace, err, "host-key-changed",
		"sftp://ADDRESS: the server's key PRINT differs from the one in FILE, line 2",
		"someone may be intercepting the connection; if the server has a new key, replace that line")
	write("@revoked * " + string(ssh.MarshalAuthorizedKey(a.host.PublicKey())))
	_, err = open(t, address)
	mustFail(t, replace, err, "host-key-revoked", "sftp://ADDRESS: the server's key PRINT is revoked in FILE",
		"do not connect; ask the server's administrator")
	write("nonsense\n")
	_, err = open(t, address)
	if store.CauseOf(err) != store.AccessDenied || !strings.Contains(err.Error(), file+":1") {
		t.Error(err)
	}
	// A known key of another kind does not keep the server from showing this one.
	write(line + "\n" + strings.Replace(line, address, "elsewhere", 1) + "\n")
	if _, err := open(t, address); err != nil {
		t.Error(err)
	}
}

func TestLogins(t *testing.T) {
	a := newAccount(t)
	ssh1 := a.home + "/.ssh/"
	keys := server{account: a, command: []string{sftpServer(t)}}.start(t)
	word := server{account: a, password: "s3cret word", command: []string{sftpServer(t)}}.start(t)
	a.trust(t, keys)
	a.trust(t, word)
	replace := []string{keys, "ADDRESS", word, "ADDRESS", ssh1, "SSH/"}
	me := systemHome().user

	if _, err := open(t, "someone:s3cret%20word@"+word); err != nil {
		t.Error(err)
	}
	_, err := open(t, "someone:s3cret@"+word)
	mustFail(t, replace, err, store.AccessDenied, "sftp://ADDRESS: the server rejected the login of someone",
		"check the user and the password in the URL")
	_, err = open(t, "someone@"+word)
	mustFail(t, replace, err, store.AccessDenied, "sftp://ADDRESS: the server rejected the login of someone",
		"check the user, and install the key on the server with ssh-copy-id")
	if _, err := open(t, keys); err != nil {
		t.Error(err)
	}

	// Without a key that can be used, and then by an agent that has it.
	locked := keyPair(t, ssh1+"id_ecdsa", "passphrase")
	if err := os.Rename(ssh1+"id_ed25519", a.home+"/moved"); err != nil {
		t.Fatal(err)
	}
	_, err = open(t, keys)
	mustFail(t, replace, err, store.NoCredentials, "no key to log in as "+me,
		"unlock SSH/id_ecdsa with ssh-add: only the agent can use keys with a passphrase")
	t.Setenv("SSH_AUTH_SOCK", agentWith(t, a.home+"/moved"))
	if _, err := open(t, keys); err != nil {
		t.Errorf("by the agent: %v", err)
	}
	t.Setenv("SSH_AUTH_SOCK", a.home+"/none")
	_ = locked
	if err := os.Remove(ssh1 + "id_ecdsa"); err != nil {
		t.Fatal(err)
	}
	_, err = open(t, keys)
	mustFail(t, replace, err, store.NoCredentials, "no key to log in as "+me,
		"create a key with ssh-keygen or load one with ssh-add, and install it with ssh-copy-id; or "+
			"put a password in the URL")

	// By the file that the configuration names.
	config := func(text string) {
		if err := os.WriteFile(ssh1+"config", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config("Host 127.*\n IdentityFile ~/moved\n")
	if _, err := open(t, keys); err != nil {
		t.Error(err)
	}
	_, port, _ := net.SplitHostPort(keys)
	config("Host alias\n HostName 127.0.0.1\n Port " + port + "\n IdentityFile ~/moved\n")
	if _, err := open(t, "alias"); err != nil {
		t.Error(err)
	}
	config("IdentityFile ~/gone\n")
	_, err = open(t, keys)
	mustFail(t, []string{a.home, "HOME"}, err, store.NoCredentials, "open HOME/gone: no such file or directory",
		"correct IdentityFile in ~/.ssh/config, or make the key readable")
	config("IdentityFile ~/.ssh/config\n")
	_, err = open(t, keys)
	mustFail(t, replace, err, store.NoCredentials, "SSH/config: not an SSH private key",
		"move the file away, or set another one with IdentityFile in ~/.ssh/config")
	config("ProxyJump somewhere\n")
	_, err = open(t, "far")
	mustFail(t, nil, err, store.Unsupported,
		"sftp://far: ~/.ssh/config sets ProxyJump for this host, which is not supported",
		"open a tunnel with 'ssh -L 2222:far:22 JUMPHOST', and use sftp://127.0.0.1:2222/PATH")
}

// agentWith serves a key on a socket.
func agentWith(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.ParseRawPrivateKey(text)
	if err != nil {
		t.Fatal(err)
	}
	keyring := agent.NewKeyring()
	if err := keyring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/agent"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = agent.ServeAgent(keyring, c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return path
}

func FuzzConfig(f *testing.F) {
	f.Add("Host *\nUser x", "host")
	f.Add("Host [\nPort = \"", "")
	f.Fuzz(func(_ *testing.T, text, host string) { parseConfig(text, host) })
}
