package sftp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// faulty is a store on a server of the test whose SFTP session runs through between.
func faulty(t *testing.T, between func(io.ReadWriteCloser, net.Conn) io.ReadWriter,
	change ...func(*store.Config)) (*sftpStore, string) {
	t.Helper()
	a := newAccount(t)
	address := server{account: a, command: []string{sftpServer(t)}, spare: true, between: between}.start(t)
	a.trust(t, address)
	return mustOpen(t, address, change...), address
}

// cutter closes the connection when so many bytes went one way.
type cutter struct {
	io.ReadWriter
	conn net.Conn
	in   *atomic.Int64 // what the client may still send
	out  *atomic.Int64 // what it may still get
}

func (c cutter) Read(p []byte) (int, error) {
	n, err := c.ReadWriter.Read(p)
	if c.in != nil && c.in.Add(-int64(n)) < 0 {
		_ = c.conn.Close()
	}
	return n, err
}

func (c cutter) Write(p []byte) (int, error) {
	if c.out != nil && c.out.Add(-int64(len(p))) < 0 {
		_ = c.conn.Close()
	}
	return c.ReadWriter.Write(p)
}

// If the connection is lost during a write, another connection removes the file.
func TestLostConnectionRemovesFile(t *testing.T) {
	var in atomic.Int64
	in.Store(5 * block)
	s, address := faulty(t, func(c io.ReadWriteCloser, conn net.Conn) io.ReadWriter {
		return cutter{ReadWriter: c, conn: conn, in: &in}
	})
	dir := t.TempDir()
	path := dir + "/x"
	done := make(chan struct{})
	var err error
	go func() {
		defer close(done)
		err = put(t.Context(), s, path, 100*block)
		in.Store(1 << 40)
	}()
	<-done
	if store.CauseOf(err) != store.Reset ||
		!strings.HasPrefix(err.Error(), "writing sftp://"+address+path+": the connection was lost") {
		t.Errorf("%v", err)
	}
	if err := s.Delete(t.Context(), path); err != nil { // a new connection
		t.Error(err)
	}
}

// cuts ends connections that have brought a file's bytes, and counts them: the truth of what the client says of it.
type cuts struct {
	after int64 // bytes to the client
	most  int64 // connections

	armed atomic.Bool
	done  atomic.Int64
	then  func() // called when one was cut; nil for nothing
}

// between is one connection of those.
func (c *cuts) between(rw io.ReadWriteCloser, conn net.Conn) io.ReadWriter {
	return &cutOnce{ReadWriter: rw, of: c, conn: conn}
}

type cutOnce struct {
	io.ReadWriter
	of   *cuts
	conn net.Conn
	sent int64
	cut  bool
}

func (c *cutOnce) Write(p []byte) (int, error) {
	if c.sent += int64(len(p)); c.of.armed.Load() && !c.cut && c.sent > c.of.after && c.of.done.Load() < c.of.most {
		c.cut = true
		c.of.done.Add(1)
		if c.of.then != nil {
			c.of.then()
		}
		_ = c.conn.Close()
	}
	return c.ReadWriter.Write(p)
}

// A read whose connection is lost resumes on another one, as often as allowed, unless the file has changed.
func TestReadResumesAfterCut(t *testing.T) {
	content := make([]byte, 100*block)
	for i := range content {
		content[i] = byte(i * i >> 7)
	}
	stream := func(f store.File) ([]byte, error) {
		r, err := f.Stream(t.Context())
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(r)
		return b, errors.Join(err, r.Close())
	}
	whole := func(f store.File) ([]byte, error) {
		p := make([]byte, len(content))
		return p, f.ReadRange(t.Context(), p, 0)
	}
	path := t.TempDir() + "/x"
	later := func() {
		if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name    string
		read    func(store.File) ([]byte, error)
		cuts    *cuts
		retries int
		cause   string // "": it is read
		counted int64  // fewer than the cuts, where it gives up
	}{
		{"stream", stream, &cuts{after: 25 * block, most: 3}, 3, "", 3},
		{"range", whole, &cuts{after: 25 * block, most: 3}, 3, "", 3},
		{"stream, too often", stream, &cuts{after: 5 * block, most: 100}, 2, store.Reset, 2},
		{"range, too often", whole, &cuts{after: 5 * block, most: 100}, 2, store.Reset, 2},
		{"stream, not again", stream, &cuts{after: 5 * block, most: 1}, 0, store.Reset, 0},
		{"range, not again", whole, &cuts{after: 5 * block, most: 1}, 0, store.Reset, 0},
		{"stream, replaced", stream, &cuts{after: 5 * block, most: 1, then: later}, 3, store.Changed, 0},
		{"range, replaced", whole, &cuts{after: 5 * block, most: 1, then: later}, 3, store.Changed, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			s, _ := faulty(t, c.cuts.between, func(conf *store.Config) { conf.Retries = c.retries })
			s.pause = time.Millisecond
			f, err := s.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			c.cuts.armed.Store(true)
			got, err := c.read(f)
			c.cuts.armed.Store(false)
			if store.CauseOf(err) != c.cause || err == nil && !bytes.Equal(got, content) {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			counts := s.requests.Reopenings()
			if counts[store.Reset] != c.counted || c.cause == "" && c.counted != c.cuts.done.Load() {
				t.Errorf("opened again %v, want %d; %d connections were cut", counts, c.counted, c.cuts.done.Load())
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// deaf lets nothing through once it is told to.
type deaf struct {
	io.ReadWriter
	on   *atomic.Bool
	over chan struct{}
}

func (d deaf) Read(p []byte) (int, error) {
	n, err := d.ReadWriter.Read(p)
	if d.on.Load() {
		<-d.over
	}
	return n, err
}

// Calls to a server that stops responding end with the timeout, with --max-silence or with their context.
func TestSilentServerTimesOut(t *testing.T) {
	const limit = 50 * time.Millisecond
	testSilence(t, func(s *sftpStore) { s.timeout, s.patience = limit, limit },
		"writing sftp://ADDRESS/PATH: no response within 50ms", "raise --timeout")
	testSilence(t, func(s *sftpStore) { s.silence, s.patience = limit, limit },
		"writing sftp://ADDRESS/PATH: no data sent or received for 50ms", "raise --max-silence")
}

func testSilence(t *testing.T, set func(*sftpStore), says, hint string) {
	t.Helper()
	var on atomic.Bool
	over := make(chan struct{})
	s, address := faulty(t, func(c io.ReadWriteCloser, _ net.Conn) io.ReadWriter {
		return deaf{c, &on, over}
	})
	t.Cleanup(func() { close(over) }) // before the server is waited for
	path := t.TempDir() + "/x"
	w, err := s.Create(t.Context(), path, 2*block)
	if err != nil {
		t.Fatal(err)
	}
	on.Store(true)
	set(s)
	if _, err := w.Reserve(t.Context(), block); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), block); err != nil { // accepted
		t.Fatal(err)
	}
	mustFail(t, []string{address, "ADDRESS", path, "/PATH"}, w.Flush(t.Context(), false), store.Timeout,
		says, hint)
	if err := w.Abort(t.Context()); err == nil ||
		!strings.HasPrefix(err.Error(), "a partial file may be left behind: ") {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Exists(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestOpenErrors(t *testing.T) {
	a := newAccount(t)
	silent := listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
	closing := listen(t, func(net.Conn) {})
	talking := listen(t, func(c net.Conn) { _, _ = c.Write(bytes.Repeat([]byte("HTTP/1.1 400 Bad Request\r\n"), 100)) })
	bare := server{account: a}.start(t)
	a.trust(t, bare)
	quick := func(c *store.Config) { c.Timeout = 50 * time.Millisecond }
	for address, want := range map[string][3]string{
		"127.0.0.1:1": {store.Refused, "sftp://ADDRESS: dial tcp ADDRESS: connect: connection refused",
			"nothing listens there; check the host and the port"},
		silent: {store.Timeout, "sftp://ADDRESS: could not connect within 50ms",
			"check the host, the port and any firewall"},
		closing: {store.Reset, "sftp://ADDRESS: the server closed the connection during the handshake",
			"check that the port is that of an SSH server; with many --streams, raise MaxStartups in its sshd_config"},
		bare: {store.Unsupported, "sftp://ADDRESS: the server does not open an SFTP session: ssh: subsystem request failed",
			"enable the sftp subsystem in the server's sshd_config"},
	} {
		change := func(*store.Config) {}
		if address == silent {
			change = quick
		}
		_, err := open(t, address, change)
		mustFail(t, []string{address, "ADDRESS"}, err, want[0], want[1], want[2])
	}
	if _, err := open(t, talking, quick); err == nil {
		t.Error("that was no SSH server")
	}
	// No name has an empty part, so no resolver is asked.
	if _, err := open(t, "nobody..invalid"); store.CauseOf(err) != store.Unresolvable {
		t.Error(err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(over, store.Config{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestRefusesPathsThatAreNotFiles(t *testing.T) {
	s, address := faulty(t, nil)
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(dir+"/dir", 0o777), os.Symlink("file", dir+"/link"),
		os.WriteFile(dir+"/file", []byte("x"), 0o600)); err != nil {
		t.Fatal(err)
	}
	replace := []string{"sftp://" + address + dir, "DIR", dir, "DIR", "sftp://" + address, "SERVER"}
	for path, want := range map[string][3]string{
		dir + "/dir": {"is-a-directory", "DIR/dir is a directory", "add a file name to the path"},
		dir + "/link": {"not-a-file", "DIR/link is a symbolic link, which is never written to",
			"use the path that it points to"},
		dir + "/none/x": {store.NoBucket, "DIR/none/x: directory DIR/none does not exist on the server",
			"create it there: mkdir -p DIR/none"},
		dir + "/file/x": {store.NoBucket, "DIR/file/x: DIR/file is not a directory", "use a file in an existing directory"},
		"/dev/null":     {"not-a-file", "SERVER/dev/null is not a regular file", "use a regular file"},
	} {
		mustFail(t, replace, s.Check(t.Context(), path, 1), want[0], want[1], want[2])
		_, err := s.Create(t.Context(), path, 1)
		mustFail(t, replace, err, want[0], want[1], want[2])
	}
	_, err := s.Exists(t.Context(), dir+"/dir")
	mustFail(t, replace, err, "is-a-directory", "DIR/dir is a directory", "add a file name to the path")
	mustFail(t, replace, s.Delete(t.Context(), dir+"/dir"), "is-a-directory", "DIR/dir is a directory",
		"add a file name to the path")
	if err := s.Delete(t.Context(), dir+"/file/x"); err != nil {
		t.Error(err)
	}
	if there, err := s.Exists(t.Context(), dir+"/file/x"); there || err != nil {
		t.Errorf("%t, %v", there, err)
	}
	for path, want := range map[string][3]string{
		dir + "/dir":    {"is-a-directory", "DIR/dir is a directory", "add a file name to the path"},
		dir + "/file/x": {store.NoFile, "opening DIR/file/x: no such file or directory", ""},
		"/dev/null":     {"not-a-file", "SERVER/dev/null is not a regular file", "use a regular file"},
	} {
		_, err := s.Open(t.Context(), path)
		mustFail(t, replace, err, want[0], want[1], want[2])
	}
	mustFail(t, replace, s.Rename(t.Context(), dir+"/none", dir+"/x"), store.NoFile,
		"renaming DIR/none: no such file or directory", "")
	if err := s.Check(t.Context(), dir+"/x", 1<<60); store.CauseOf(err) != store.DiskFull {
		t.Errorf("an exabyte: %v", err)
	}
	_, err = s.Create(t.Context(), "/sys/plimsoll", 1) // which even root may not make
	mustFail(t, replace, err, store.AccessDenied, "creating SERVER/sys/plimsoll: permission denied",
		fmt.Sprintf("use a directory and a file that %s can read and write", systemHome().user))
}

func TestSecrets(t *testing.T) {
	a := newAccount(t)
	address := server{account: a, password: "s3cret", command: []string{sftpServer(t)}}.start(t)
	var shown []string
	see := func(err error) {
		var known *store.Error
		if errors.As(err, &known) {
			shown = append(shown, known.Hint)
		}
		shown = append(shown, fmt.Sprintf("%v %+v", err, err))
	}
	_, err := open(t, "someone:s3cret@"+address) // unknown host
	see(err)
	a.trust(t, address)
	_, err = open(t, "someone:s3crets@"+address)
	see(err)
	_, err = open(t, "someone:s3cret@127.0.0.1:1")
	see(err)
	s := mustOpen(t, "someone:s3cret@"+address)
	see(s.Check(t.Context(), "/none/x", 1))
	see(s.Rename(t.Context(), "/none/x", "/none/y"))
	shown = append(shown, fmt.Sprintf("%+v", s.Describe()))
	if all := strings.Join(shown, "\n"); strings.Contains(all, "s3cret") || strings.Contains(all, "someone:") {
		t.Error(all)
	}
}
