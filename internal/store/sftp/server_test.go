package sftp

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/plimsoll/plimsoll/internal/store"
)

// sftpServer is the path of OpenSSH's sftp-server.
func sftpServer(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{"/usr/lib/openssh", "/usr/libexec/openssh", "/usr/lib/ssh", "/usr/libexec"} {
		if _, err := os.Stat(dir + "/sftp-server"); err == nil {
			return dir + "/sftp-server"
		}
	}
	t.Skip("OpenSSH's sftp-server is not installed; run 'make setup'")
	return ""
}

// keyPair makes a key and writes it to a file.
func keyPair(t *testing.T, file string, passphrase string) ssh.Signer {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// account is a home directory with a key, and a host key.
type account struct {
	home    string
	key     ssh.Signer
	host    ssh.Signer
	hostKey string // file
}

func newAccount(t *testing.T) account {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(home+"/.ssh", 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", "")
	return account{
		home: home, key: keyPair(t, home+"/.ssh/id_ed25519", ""),
		host: keyPair(t, home+"/host", ""), hostKey: home + "/host",
	}
}

// trust adds the host key of an address to those that are known.
func (a account) trust(t *testing.T, address string) {
	t.Helper()
	f, err := os.OpenFile(a.home+"/.ssh/known_hosts", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, knownhosts.Line([]string{address}, a.host.PublicKey())); err != nil {
		t.Fatal(err)
	}
}

// listen hands connections to handle, and waits for it at the end.
func listen(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			group.Go(func() {
				defer c.Close()
				handle(c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return l.Addr().String()
}

// server is an SSH server of the test, in front of OpenSSH's sftp-server.
type server struct {
	account  account
	password string   // "" for keys alone
	command  []string // of the subsystem; nil refuses it
	// it has a host key that the client would rather have, and does not know
	spare   bool
	between func(io.ReadWriteCloser, net.Conn) io.ReadWriter // changes what the subsystem reads and writes
}

// start returns the address.
func (s server) start(t *testing.T) string {
	t.Helper()
	config := &ssh.ServerConfig{MaxAuthTries: 20}
	config.AddHostKey(s.account.host)
	if s.spare {
		other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		unknown, err := ssh.NewSignerFromKey(other)
		if err != nil {
			t.Fatal(err)
		}
		config.AddHostKey(unknown)
	}
	refuse := errors.New("no")
	if s.password == "" {
		config.PublicKeyCallback = func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if string(key.Marshal()) == string(s.account.key.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, refuse
		}
	} else {
		config.KeyboardInteractiveCallback = func(m ssh.ConnMetadata,
			ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			answers, err := ask("", "", []string{"Password:"}, []bool{false})
			if err == nil && len(answers) == 1 && answers[0] == s.password && m.User() == "someone" {
				return nil, nil
			}
			return nil, refuse
		}
	}
	return listen(t, func(c net.Conn) { s.serve(c, config) })
}

func (s server) serve(c net.Conn, config *ssh.ServerConfig) {
	conn, channels, requests, err := ssh.NewServerConn(c, config)
	if err != nil {
		return
	}
	defer conn.Close()
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() { ssh.DiscardRequests(requests) })
	for n := range channels {
		channel, in, err := n.Accept()
		if err != nil {
			return
		}
		group.Go(func() {
			for r := range in {
				ok := r.Type == "subsystem" && s.command != nil
				_ = r.Reply(ok, nil)
				if ok {
					group.Go(func() { s.run(channel, c) })
				}
			}
		})
	}
}

func (s server) run(channel ssh.Channel, c net.Conn) {
	defer channel.Close()
	cmd := exec.Command(s.command[0], s.command[1:]...)
	var through io.ReadWriter = channel
	if s.between != nil {
		through = s.between(channel, c)
	}
	cmd.Stdout = through
	in, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return
	}
	_, _ = io.Copy(in, through)
	_ = in.Close()
	_ = cmd.Wait()
}

// sshd runs OpenSSH's own server, once for each connection, and returns the address.
func sshd(t *testing.T, a account) string {
	t.Helper()
	path, err := exec.LookPath("/usr/sbin/sshd")
	if err != nil {
		t.Skip("sshd is not installed; install openssh-server")
	}
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where it separates privileges
			t.Skip(err)
		}
	}
	authorized := a.home + "/authorized"
	if err := os.WriteFile(authorized, ssh.MarshalAuthorizedKey(a.key.PublicKey()), 0o600); err != nil {
		t.Fatal(err)
	}
	config := strings.Join([]string{
		"HostKey " + a.hostKey, "AuthorizedKeysFile " + authorized, "StrictModes no", "UsePAM no",
		"PermitRootLogin prohibit-password", "PasswordAuthentication no", "Subsystem sftp " + sftpServer(t),
	}, "\n") + "\n"
	file := filepath.Join(a.home, "sshd_config")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return listen(t, func(c net.Conn) {
		socket, err := c.(*net.TCPConn).File()
		if err != nil {
			t.Error(err)
			return
		}
		defer socket.Close()
		cmd := exec.Command(path, "-i", "-e", "-f", file)
		cmd.Stdin, cmd.Stdout = socket, socket
		_ = cmd.Start()
		_ = c.Close() // it is the server's now
		_ = cmd.Wait()
	})
}

// open opens a store.
func open(t *testing.T, address string, change ...func(*store.Config)) (*sftpStore, error) {
	t.Helper()
	u, err := url.Parse("sftp://" + address + "/")
	if err != nil {
		t.Fatal(err)
	}
	c := store.Config{URL: u, Block: block, Requests: &store.Requests{}}
	for _, f := range change {
		f(&c)
	}
	s, err := Open(t.Context(), c)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.(*sftpStore), nil
}

func mustOpen(t *testing.T, address string, change ...func(*store.Config)) *sftpStore {
	t.Helper()
	s, err := open(t, address, change...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
