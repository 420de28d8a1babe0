package hdfs

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// peer is an HDFS of Hadoop in a process of its own.
type peer struct {
	dir       string
	in        io.WriteCloser
	out       *bufio.Reader
	stderr    *bytes.Buffer
	addresses []string // of the namenodes
}

// start starts an HDFS with these settings. The test is skipped without one.
func start(t *testing.T, settings ...string) *peer {
	t.Helper()
	dir := os.Getenv("PLIMSOLL_MINICLUSTER")
	if dir == "" {
		t.Skip("PLIMSOLL_MINICLUSTER is not set; run 'make test-stores', which needs Java and Maven")
	}
	classes := filepath.Join(dir, "classes") + string(os.PathListSeparator) + filepath.Join(dir, "lib", "*")
	p := &peer{dir: t.TempDir(), stderr: &bytes.Buffer{}}
	args := append([]string{"-Xmx512m", "-cp", classes, "plimsoll.Minicluster", p.dir}, settings...)
	cmd := exec.Command("java", args...)
	cmd.Stderr = p.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if p.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.in.Close() // it ends with its input
		_ = cmd.Wait()
	})
	p.addresses = strings.Fields(p.answer(t))
	return p
}

// ask gives a command and returns the answer.
func (p *peer) ask(t *testing.T, format string, args ...any) string {
	t.Helper()
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		t.Fatal(err)
	}
	return p.answer(t)
}

func (p *peer) answer(t *testing.T) string {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the HDFS has ended: %v\n%s", err, p.stderr)
	}
	answer, ok := strings.CutPrefix(strings.TrimSpace(line), "ok")
	if !ok {
		t.Fatal(line)
	}
	return strings.TrimSpace(answer)
}

// blockSize is that of the tests' files in HDFS.
const blockSize = 1 << 20

// open opens the store at a URL.
func open(t *testing.T, address string, settings *hadoop.Settings, tokens *hadoop.Tokens) (store.Store, error) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), store.Config{
		URL: u, Block: blockSize / 4, Settings: settings, Tokens: tokens, Requests: &store.Requests{},
	})
	if err == nil {
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return s, err
}

func mustOpen(t *testing.T, address string, settings *hadoop.Settings) store.Store {
	t.Helper()
	s, err := open(t, address, settings, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// set makes settings of names and values.
func set(pairs ...string) *hadoop.Settings {
	s := &hadoop.Settings{}
	for i := 0; i < len(pairs); i += 2 {
		s.Set(pairs[i], pairs[i+1], "test.xml")
	}
	return s
}

// put writes a file.
func put(t *testing.T, s store.Store, path string, content []byte) error {
	t.Helper()
	w, err := s.Create(t.Context(), path, int64(len(content)))
	if err != nil {
		return err
	}
	if err := fill(t, w, content); err != nil {
		_ = w.Abort(t.Context())
		return err
	}
	return w.Close(t.Context())
}

// fill writes the content in blocks.
func fill(t *testing.T, w store.Writer, content []byte) error {
	t.Helper()
	for len(content) > 0 {
		n := min(len(content), blockSize/4)
		pieces, err := w.Reserve(t.Context(), n)
		if err != nil {
			return err
		}
		copy(pieces[0], content)
		if err := w.Write(t.Context(), n); err != nil {
			return err
		}
		content = content[n:]
	}
	return nil
}

// get reads a file.
func get(t *testing.T, s store.Store, path string) ([]byte, error) {
	t.Helper()
	f, err := s.Open(t.Context(), path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	r, err := f.Stream(t.Context())
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}
