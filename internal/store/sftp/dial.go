package sftp

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/plimsoll/plimsoll/internal/store"
)

// connection is a connection with one SFTP session.
type connection struct {
	net    net.Conn
	ssh    *ssh.Client
	sftp   *sftp.Client
	cipher string
	gone   chan struct{} // closed when the connection has ended
	killed atomic.Bool
	end    sync.Once
}

// alive reports whether the connection has not ended.
func (c *connection) alive() bool {
	select {
	case <-c.gone:
		return false
	default:
		return !c.killed.Load()
	}
}

// kill ends the connection, and with it every call that waits for an answer.
func (c *connection) kill() {
	c.killed.Store(true)
	_ = c.net.Close()
}

// close ends the connection and waits for its goroutines.
func (c *connection) close() {
	c.end.Do(func() {
		_ = c.net.Close() // first: the library would wait for a server that does not answer
		_ = c.sftp.Close()
		_ = c.ssh.Close()
	})
	<-c.gone
}

// dial makes a connection.
func (s *sftpStore) dial(ctx context.Context) (*connection, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.patience, errLate)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.target.address)
	if err != nil {
		return nil, s.unreachable(ctx, err)
	}
	s.flow.Encrypted()
	conn = s.flow.Watch(conn)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	c, err := s.handshake(conn)
	if !stop() && err == nil { // the connection was closed at the last moment
		c.close()
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, s.unreachable(ctx, err)
	}
	return c, nil
}

func (s *sftpStore) handshake(conn net.Conn) (*connection, error) {
	methods, end, err := s.login.methods()
	if err != nil {
		return nil, err
	}
	defer end()
	seen := &seenKey{keys: s.keys}
	known, err := s.keys.algorithms(s.target.known, conn.RemoteAddr())
	if err != nil {
		return nil, err
	}
	sc, channels, requests, err := ssh.NewClientConn(conn, s.target.known, &ssh.ClientConfig{
		User: s.login.user, Auth: methods, HostKeyCallback: seen.check, HostKeyAlgorithms: known,
	})
	if err != nil {
		if seen.refusal != nil { // the library only keeps its text
			return nil, seen.refusal
		}
		return nil, s.notLoggedIn(err)
	}
	c := &connection{net: conn, ssh: ssh.NewClient(sc, channels, requests), gone: make(chan struct{})}
	if a, ok := sc.(ssh.AlgorithmsConnMetadata); ok {
		c.cipher = a.Algorithms().Write.Cipher
	}
	// goroutine: who closes the connection waits for gone.
	go func() {
		defer close(c.gone)
		_ = c.ssh.Wait()
	}()
	c.sftp, err = openSession(c.ssh)
	if err != nil {
		_ = c.ssh.Close()
		<-c.gone
		return nil, store.Fail(store.Unsupported, "%s: the server does not open an SFTP session: %w", s.show(""), err).
			WithHint("enable the sftp subsystem in the server's sshd_config")
	}
	return c, nil
}

// largePacket is the most that OpenSSH's sftp-server takes and gives in one packet. With it a
// transfer takes about two thirds of the processor time that it takes with packets of 32 KiB,
// the most that every server has to know.
const largePacket = 255 << 10

// openSession opens an SFTP session. Only a server that is certainly OpenSSH's gets large packets.
func openSession(c *ssh.Client) (*sftp.Client, error) {
	// UseFstat: the size of a file that is open, not of whatever has its name now.
	options := []sftp.ClientOption{sftp.UseConcurrentWrites(true), sftp.UseFstat(true)}
	if strings.Contains(string(c.ServerVersion()), "OpenSSH") {
		large, err := sftp.NewClient(c, append(options, sftp.MaxPacketUnchecked(largePacket))...)
		if err != nil {
			return nil, err
		}
		if _, ok := large.HasExtension("statvfs@openssh.com"); ok {
			return large, nil
		}
		_ = large.Close()
	}
	return sftp.NewClient(c, options...)
}

// unreachable explains why there is no connection.
func (s *sftpStore) unreachable(ctx context.Context, err error) error {
	var known *store.Error
	switch {
	case errors.Is(context.Cause(ctx), errLate):
		return store.Fail(store.Timeout, "%s: could not connect within %s", s.show(""), s.patience).
			WithHint("check the host, the port and any firewall")
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		return known
	}
	cause := store.CauseOf(err)
	f := store.Fail(cause, "%s: %w", s.show(""), err)
	switch cause {
	case store.Refused:
		return f.WithHint("nothing listens there; check the host and the port")
	case store.Unresolvable:
		return f.WithHint("check the host name")
	}
	return f
}

// notLoggedIn explains why there is no session on a connection.
func (s *sftpStore) notLoggedIn(err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "unable to authenticate"), strings.Contains(text, "no supported methods remain"):
		return store.Fail(store.AccessDenied, "%s: the server rejected the login of %s", s.show(""), s.login.user).
			WithHint("%s", s.login.advice())
	case strings.Contains(text, "overflow reading version string"), strings.Contains(text, "no common algorithm"),
		strings.Contains(text, "invalid packet length"), strings.Contains(text, "protocol version"):
		return store.Fail(store.Protocol, "%s: %w", s.show(""), err).
			WithHint("check that the port is that of a current SSH server")
	case store.CauseOf(err) == store.Reset:
		return store.Fail(store.Reset, "%s: the server closed the connection during the handshake", s.show("")).
			WithHint("check that the port is that of an SSH server; with many --streams, raise MaxStartups in its sshd_config")
	}
	return store.Fail(store.CauseOf(err), "%s: %w", s.show(""), err)
}
