package hdfs

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

// random makes bytes that differ by the size.
func random(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{byte(size), byte(size >> 8)}).Read(b)
	return b
}

// TestHDFS tests the store against an HDFS of Hadoop.
func TestHDFS(t *testing.T) {
	p := start(t)
	address := "hdfs://" + p.addresses[0]
	p.ask(t, "mkdir /open 777 hdfs")
	p.ask(t, "mkdir /closed 755 hdfs")
	t.Setenv("HADOOP_USER_NAME", "alice")
	s := mustOpen(t, address, set("dfs.blocksize", "1M"))

	t.Run("store", func(t *testing.T) { storetest.Run(t, s, "/open", blockSize/4) })
	t.Run("odd blocks", func(t *testing.T) {
		p.ask(t, "mkdir /odd 777 hdfs")
		storetest.Run(t, mustOpen(t, address, set("dfs.blocksize", "64K")), "/odd", blockSize/4-13)
	})
	t.Run("sizes", func(t *testing.T) { testSizes(t, p, s) })
	t.Run("hflush", func(t *testing.T) { testFlush(t, p, s) })
	t.Run("settings", func(t *testing.T) { testSettings(t, p, address) })
	t.Run("errors", func(t *testing.T) { testErrors(t, p, s) })
	t.Run("tokens", func(t *testing.T) { testTokens(t, p, address) })
	t.Run("corrupt", func(t *testing.T) { testCorrupt(t, p, s) })
	t.Run("dead datanode", func(t *testing.T) { testDeadDatanode(t, p, s) })
}

// testSizes has Hadoop's own client read what the store wrote.
func testSizes(t *testing.T, p *peer, s store.Store) {
	for _, size := range []int{0, 1, blockSize - 1, blockSize, blockSize + 1, 3*blockSize + 5} {
		content := random(size)
		if err := put(t, s, "/open/size", content); err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if got, want := p.ask(t, "visible /open/size"), fmt.Sprint(size, crc32.ChecksumIEEE(content)); got != want {
			t.Errorf("%d bytes: Hadoop reads %s, not %s", size, got, want)
		}
	}
}

// testFlush has a second reader look at a file that is being written.
func testFlush(t *testing.T, p *peer, s store.Store) {
	content := random(blockSize + blockSize/2)
	w, err := s.Create(t.Context(), "/open/flush", int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(content); at += blockSize / 4 {
		if err := fill(t, w, content[at:at+blockSize/4]); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		end := at + blockSize/4
		if got, want := p.ask(t, "visible /open/flush"),
			fmt.Sprint(end, crc32.ChecksumIEEE(content[:end])); got != want {
			t.Errorf("after %d bytes: a reader sees %s, not %s", end, got, want)
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testSettings(t *testing.T, p *peer, address string) {
	settings := set("fs.defaultFS", address, "dfs.replication", "2", "dfs.blocksize", "64k",
		"dfs.client.use.datanode.hostname", "true", "dfs.client.other", "x")
	s := mustOpen(t, "hdfs:///open", settings)
	// Two copies cannot be made of one datanode; one is enough for the namenode.
	if err := put(t, s, "/open/settings", random(100_000)); err != nil {
		t.Fatal(err)
	}
	if got := p.ask(t, "status /open/settings"); got != "2 65536" {
		t.Errorf("the file has %s", got)
	}
	if diff := cmp.Diff([]string{"dfs.client.other"}, settings.Ignored()); diff != "" {
		t.Error(diff)
	}
	if d := s.Describe(); !strings.Contains(fmt.Sprint(d), "blocks of 65536 bytes") ||
		!strings.Contains(fmt.Sprint(d), "The user is alice.") {
		t.Error(d)
	}
}

// mustFail checks an error.
func mustFail(t *testing.T, err error, cause, text, hint string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) {
		t.Fatalf("not a store's error: %v", err)
	}
	if known.Cause != cause || !strings.Contains(known.Error(), text) || !strings.Contains(known.Hint, hint) {
		t.Errorf("cause %q, hint %q: %v", known.Cause, known.Hint, err)
	}
}

func testErrors(t *testing.T, p *peer, s store.Store) {
	mustFail(t, put(t, s, "/closed/x", nil), store.AccessDenied,
		`creating /closed/x: Permission denied: user=alice, access=WRITE, inode="/closed"`, "HADOOP_USER_NAME")
	mustFail(t, put(t, s, "/open/none/x", nil), store.NoBucket,
		"creating /open/none/x: Parent directory doesn't exist: /open/none", "mkdir -p /open/none")
	mustFail(t, s.Check(t.Context(), "/none/x", 1), store.NoBucket, "/none/x: directory  does not exist/none",
		"mkdir -p /none")
	mustFail(t, s.Check(t.Context(), "/open/x", 1<<60), store.DiskFull,
		"/open/x: 1152921504606846976 bytes in 1 copies", "dfs.replication=1")
	p.ask(t, "mkdir /open/dir 777 hdfs")
	if err := put(t, s, "/open/file", random(5)); err != nil {
		t.Fatal(err)
	}
	mustFail(t, s.Check(t.Context(), "/open/file/x", 1), store.NoBucket, "is no directory", "")
	mustFail(t, s.Check(t.Context(), "/open", 1), "is-a-directory", "/open is a directory", "add a file name to the path")
	mustFail(t, s.Delete(t.Context(), "/open"), "is-a-directory", "/open is a directory", "")
	mustFail(t, put(t, s, "/open/dir", nil), "is-a-directory", "/open/dir is a directory", "")
	_, err := s.Exists(t.Context(), "/open")
	mustFail(t, err, "is-a-directory", "/open is a directory", "")
	_, err = s.Open(t.Context(), "/open")
	mustFail(t, err, "is-a-directory", "/open is a directory", "")
	mustFail(t, s.Rename(t.Context(), "/open/file", "/open/none/x"), store.NoFile,
		"renaming /open/file to /open/none/x", "")
	mustFail(t, s.Rename(t.Context(), "/open/file", "/closed/x"), store.AccessDenied,
		"Permission denied: user=alice", "")

	p.ask(t, "mkdir /quota 777 hdfs")
	p.ask(t, "quota /quota %d", blockSize)
	mustFail(t, put(t, s, "/quota/x", random(2*blockSize)), store.DiskFull, "quota", "larger quota")

	p.ask(t, "erasure /erasure")
	mustFail(t, s.Check(t.Context(), "/erasure/x", 1), store.Unsupported, "/erasure is erasure-coded", "replication")

	p.ask(t, "safemode on")
	err = put(t, s, "/open/safe", random(5))
	p.ask(t, "safemode off")
	mustFail(t, err, "safe-mode", "Name node is in safe mode", "wait")

	// The connection to the namenode is good for more after an error.
	if err := put(t, s, "/open/after", random(5)); err != nil {
		t.Error(err)
	}
}

// testTokens logs in with a delegation token that the namenode itself has made.
func testTokens(t *testing.T, p *peer, address string) {
	path := filepath.Join(t.TempDir(), "tokens")
	p.ask(t, "token %s bob", path)
	tokens, err := hadoop.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	p.ask(t, "mkdir /bob 700 bob")
	s, err := open(t, address, nil, tokens)
	if err != nil {
		t.Fatal(err)
	}
	content := random(blockSize + 1)
	if err := put(t, s, "/bob/x", content); err != nil {
		t.Fatal(err)
	}
	if got, err := get(t, s, "/bob/x"); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if !strings.Contains(fmt.Sprint(s.Describe()), "Requests are authenticated with a delegation token of bob.") {
		t.Error(s.Describe())
	}

	// A wrong password and a changed identifier are refused: the login is a real one.
	wrong := &hadoop.Tokens{Tokens: []hadoop.Token{tokens.Tokens[0]}}
	wrong.Tokens[0].Password = []byte("hunter2")
	_, err = open(t, address, nil, wrong)
	mustFail(t, err, store.AccessDenied, "login with the delegation token", "get a new token")
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("the password is in the error")
	}
	changed := &hadoop.Tokens{Tokens: []hadoop.Token{tokens.Tokens[0]}}
	changed.Tokens[0].Identifier = bytes.Replace(tokens.Tokens[0].Identifier, []byte("bob"), []byte("eve"), 1)
	_, err = open(t, address, nil, changed)
	mustFail(t, err, store.AccessDenied, "login with the delegation token", "get a new token")

	other := &hadoop.Tokens{Tokens: []hadoop.Token{tokens.Tokens[0]}}
	other.Tokens[0].Service = "10.9.8.7:8020"
	s, err = open(t, address, nil, other)
	if err != nil {
		t.Fatal(err)
	}
	if d := fmt.Sprint(s.Describe()); !strings.Contains(d, "for other clusters and were not used") ||
		!strings.Contains(d, "The user is alice.") {
		t.Error(d)
	}
}

func testCorrupt(t *testing.T, p *peer, s store.Store) {
	if err := put(t, s, "/open/corrupt", random(blockSize/2)); err != nil {
		t.Fatal(err)
	}
	if n := p.ask(t, "corrupt /open/corrupt"); n != "1" {
		t.Fatalf("%s copies were damaged", n)
	}
	_, err := get(t, s, "/open/corrupt")
	mustFail(t, err, store.Corrupt, "reading /open/corrupt: the data does not match the datanodes' checksums", "")
	if err := s.Delete(t.Context(), "/open/corrupt"); err != nil {
		t.Error(err)
	}
}

// testDeadDatanode stops the only datanode while a file is written, and while one is read.
func testDeadDatanode(t *testing.T, p *peer, s store.Store) {
	content := random(8 * blockSize)
	if err := put(t, s, "/open/read", content); err != nil {
		t.Fatal(err)
	}
	f, err := s.Open(t.Context(), "/open/read")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w, err := s.Create(t.Context(), "/open/dead", 64*blockSize)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(t, w, content[:blockSize/2]); err != nil {
		t.Fatal(err)
	}
	p.ask(t, "stop-datanode")
	err = fill(t, w, make([]byte, 32*blockSize))
	if err == nil {
		t.Fatal("a dead datanode takes everything")
	}
	if cause := store.CauseOf(err); cause != store.Reset && cause != store.Refused && cause != "no-datanode" {
		t.Errorf("%s: %v", cause, err)
	}
	if err := w.Abort(t.Context()); err != nil {
		t.Error(err)
	}
	if there, err := s.Exists(t.Context(), "/open/dead"); there || err != nil {
		t.Error(there, err)
	}
	err = f.ReadRange(t.Context(), make([]byte, 10), 0)
	mustFail(t, err, store.Refused, "reading /open/read", "")
	p.ask(t, "start-datanode")
	if got, err := get(t, s, "/open/read"); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// A namenode whose RPC is encrypted takes a token's login, but not without the encryption.
func TestProtectedRPC(t *testing.T) {
	p := start(t, "hadoop.rpc.protection=privacy")
	path := filepath.Join(t.TempDir(), "tokens")
	p.ask(t, "token %s bob", path)
	tokens, err := hadoop.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(t, "hdfs://"+p.addresses[0], nil, tokens)
	mustFail(t, err, store.Unsupported, "signed or encrypted", "hadoop.rpc.protection=authentication")
}

// TestKerberos logs in with a ticket, and then with a token alone, where every datanode asks
// for a login, too.
func TestKerberos(t *testing.T) {
	for _, protection := range []string{"authentication", "privacy"} {
		t.Run(protection, func(t *testing.T) { testKerberos(t, protection) })
	}
}

func testKerberos(t *testing.T, protection string) {
	p := start(t, "kerberos=true", "dfs.data.transfer.protection="+protection,
		"dfs.encrypt.data.transfer.cipher.suites=AES/CTR/NoPadding")
	t.Setenv("KRB5_CONFIG", filepath.Join(p.dir, "krb5.conf"))
	t.Setenv("KRB5CCNAME", "FILE:"+filepath.Join(p.dir, "ccache"))
	p.ask(t, "mkdir /open 777 hdfs")
	address := "hdfs://" + p.addresses[0]
	settings := set("hadoop.security.authentication", "kerberos", "dfs.namenode.kerberos.principal",
		"hdfs/localhost@EXAMPLE.COM",
		"dfs.data.transfer.protection", protection)
	content := random(blockSize + blockSize/2)
	s := mustOpen(t, address, settings)
	if err := put(t, s, "/open/x", content); err != nil {
		t.Fatal(err)
	}
	if got, want := p.ask(t, "visible /open/x"), fmt.Sprint(len(content), crc32.ChecksumIEEE(content)); got != want {
		t.Errorf("Hadoop reads %s, not %s", got, want)
	}
	if got, err := get(t, s, "/open/x"); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	mustFail(t, put(t, s, "/x", nil), store.AccessDenied, "user=alice", "")
	w, err := s.Create(t.Context(), "/open/flush", blockSize)
	if err != nil {
		t.Fatal(err)
	}
	if err := fill(t, w, content[:10]); err != nil {
		t.Fatal(err)
	}
	if err = w.Flush(t.Context(), true); protection == "privacy" {
		mustFail(t, err, store.Unsupported, "hflush: ", "--flush")
	} else if got, want := p.ask(t, "visible /open/flush"),
		fmt.Sprint(10, crc32.ChecksumIEEE(content[:10])); err != nil || got != want {
		t.Errorf("after hflush, a reader sees %s, not %s: %v", got, want, err)
	}
	if err := w.Abort(t.Context()); err != nil {
		t.Error(err)
	}

	t.Setenv("KRB5CCNAME", "FILE:"+filepath.Join(p.dir, "none"))
	_, err = open(t, address, settings, nil)
	mustFail(t, err, store.NoCredentials, "none: ", "kinit")
	_, err = open(t, address, nil, nil)
	mustFail(t, err, store.AccessDenied, "SIMPLE authentication is not enabled", "")

	path := filepath.Join(t.TempDir(), "tokens")
	p.ask(t, "token %s", path)
	tokens, err := hadoop.ReadTokens(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err = open(t, address, settings, tokens)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(t, s, "/by token", content); err != nil {
		t.Fatal(err)
	}
	if got, err := get(t, s, "/by token"); err != nil || !bytes.Equal(got, content) {
		t.Errorf("by token: %d bytes, %v", len(got), err)
	}
}

// TestHA finds the active one of two namenodes, also when it changes.
func TestHA(t *testing.T) {
	p := start(t, "ha=true")
	p.ask(t, "mkdir /open 777 hdfs")
	settings := set(
		"fs.defaultFS", "hdfs://group", "dfs.nameservices", "other,group", "dfs.ha.namenodes.group", "a,b",
		"dfs.namenode.rpc-address.group.a", p.addresses[0], "dfs.namenode.rpc-address.group.b", p.addresses[1],
	)
	s := mustOpen(t, "hdfs:///open", settings)
	content := random(blockSize + 1)
	if err := put(t, s, "/open/x", content); err != nil {
		t.Fatal(err)
	}
	p.ask(t, "failover 0")
	if got, err := get(t, mustOpen(t, "hdfs://group/open", settings), "/open/x"); err != nil ||
		!bytes.Equal(got, content) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	got, err := get(t, s, "/open/x")
	// The client renews its lease each second. Where that met both in the midst of the change, it asks neither again for five.
	pauses := backoff.Between{First: 100 * time.Millisecond, Last: time.Second}
	for try := 0; err != nil && strings.Contains(err.Error(), "no available namenodes") && pauses.Wait(t.Context(), try); try++ {
		got, err = get(t, s, "/open/x")
	}
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("after the change: %d bytes, %v", len(got), err)
	}
	_, err = open(t, "hdfs://"+p.addresses[1], nil, nil)
	mustFail(t, err, "standby", "Operation category READ is not supported in state standby", "active namenode")
}
