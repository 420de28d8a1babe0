package hdfs

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hadoop"
	"github.com/plimsoll/plimsoll/internal/store"
)

// The example of RFC 2831, section 4.
func TestDigest(t *testing.T) {
	challenge := `realm="elwood.innosoft.com",nonce="OA6MG9tEQGm2hh",qop="auth",algorithm=md5-sess,charset=utf-8`
	d, err := newDigest([]byte(challenge), &token{}, "imap/elwood.innosoft.com")
	if err != nil {
		t.Fatal(err)
	}
	d.cnonce = "OA6MHXh6VqTrRk"
	d.username = "chris"
	d.secret = secretOf("chris", "elwood.innosoft.com", "secret")
	if got := d.key("AUTHENTICATE"); got != "d388dad90d4bbd760a152321f2143af7" {
		t.Error(got)
	}
	if !d.proves([]byte("rspauth=ea40f60335c427b5527b84dbabcdfffd")) {
		t.Error("the server's proof is not accepted")
	}
	for _, wrong := range []string{"", "rspauth=", "rspauth=d388dad90d4bbd760a152321f2143af7"} {
		if d.proves([]byte(wrong)) {
			t.Errorf("%q is accepted", wrong)
		}
	}
}

func TestLocate(t *testing.T) {
	ha := []string{
		"dfs.nameservices", "one,two", "dfs.ha.namenodes.one", "a, b", "dfs.namenode.rpc-address.one.a", "h1:9000",
		"dfs.namenode.rpc-address.one.b", "h2", "dfs.namenode.rpc-address.two", "h3:1",
	}
	for _, test := range []struct {
		url      string
		settings []string
		want     cluster
		err      string
	}{
		{"hdfs://host:9000/x", nil, cluster{addresses: []string{"host:9000"}}, ""},
		{"hdfs://host/x", nil, cluster{addresses: []string{"host:8020"}}, ""},
		{"hdfs://[::1]/x", nil, cluster{addresses: []string{"[::1]:8020"}}, ""},
		{"hdfs:///x", []string{"fs.defaultFS", "hdfs://d"}, cluster{addresses: []string{"d:8020"}}, ""},
		{"hdfs:///x", append([]string{"fs.default.name", "hdfs://one/"}, ha...),
			cluster{"one", []string{"h1:9000", "h2:8020"}}, ""},
		{"hdfs://one/x", ha, cluster{"one", []string{"h1:9000", "h2:8020"}}, ""},
		{"hdfs://two/x", ha, cluster{"two", []string{"h3:1"}}, ""},
		{"hdfs://three/x", ha, cluster{addresses: []string{"three:8020"}}, ""},
		{"hdfs://one/x", ha[:6], cluster{}, `the nameservice "one" has no dfs.namenode.rpc-address.one.b`},
		{"hdfs:///x", nil, cluster{}, "hdfs:///x does not name a namenode"},
		{"hdfs:///x", []string{"fs.defaultFS", "s3a://key:hunter2@bucket"}, cluster{},
			"fs.defaultFS is not an hdfs:// URL with a host"},
	} {
		u, err := url.Parse(test.url)
		if err != nil {
			t.Fatal(err)
		}
		got, err := locate(u, set(test.settings...))
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(cluster{})); diff != "" {
			t.Errorf("%s: %s", test.url, diff)
		}
		if text := errorText(err); text != test.err {
			t.Errorf("%s: %s", test.url, text)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Settings that make no sense are refused before anything is sent.
func TestSettings(t *testing.T) {
	t.Setenv("KRB5_CONFIG", "/none/krb5.conf")
	for _, test := range []struct {
		settings          []string
		cause, text, hint string
	}{
		{[]string{"dfs.blocksize", "100"}, store.Other, "dfs.blocksize is 100, which is not a multiple of 512", "128m"},
		{[]string{"dfs.blocksize", "128MB"}, store.Other,
			`test.xml: dfs.blocksize is "128MB", which is not a size`, ""},
		{[]string{"dfs.replication", "0"}, store.Other, "dfs.replication is 0, which is out of range", "from 1 to 512"},
		{[]string{"dfs.client.socket-timeout", "soon"}, store.Other, "not a duration", ""},
		{[]string{"dfs.data.transfer.protection", "integrity"}, store.Unsupported, "is not supported",
			"use authentication"},
		{[]string{"hadoop.security.authentication", "ldap"}, store.Unsupported,
			`hadoop.security.authentication is "ldap", which is not supported`, "simple or kerberos"},
		{[]string{"hadoop.security.authentication", "Kerberos"}, store.NoCredentials,
			"dfs.namenode.kerberos.principal is not set", "nn/_HOST"},
		{
			[]string{"hadoop.security.authentication", "kerberos", "dfs.namenode.kerberos.principal", "nn/_HOST@R"},
			store.NoCredentials, "the Kerberos configuration", "KRB5_CONFIG",
		},
	} {
		_, err := open(t, "hdfs://127.0.0.1:1", set(test.settings...), nil)
		mustFail(t, err, test.cause, test.text, test.hint)
	}
}

func FuzzRemoteError(f *testing.F) {
	f.Add(message(message(1, 1, 9, "java.io.IOException", "no")))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = remoteError(data)
		_, _ = parseSASL(data)
		directives(string(data))
		_, _ = newDigest(data, &token{}, "/default")
	})
}

func FuzzReceiving(f *testing.F) {
	f.Add([]byte("\x04\x08\x02\x10\x00\x04\x08\x04\x10\x00"), 3)
	f.Add([]byte("\x05\x08\x02\x12\x01\x00"), 1)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		// The same bytes in one piece and in two have the same effect.
		whole, parts := &pipe{changed: make(chan struct{})}, &pipe{changed: make(chan struct{})}
		cut = max(0, min(cut, len(data)))
		first := whole.receiving(data)
		second := parts.receiving(data[:cut])
		if second == nil {
			second = parts.receiving(data[cut:])
		}
		if errorText(first) != errorText(second) || first == nil && whole.acked != parts.acked {
			t.Errorf("%v and %v, %d and %d", first, second, whole.acked, parts.acked)
		}
	})
}

// Tokens of other kinds are ignored.
func TestChooseToken(t *testing.T) {
	c := &config{cluster: cluster{nameservice: "one", addresses: []string{"127.0.0.1:1"}}}
	id := []byte("\x00\x03bob\x00\x00\x00\x00\x00\x00")
	tokens := &hadoop.Tokens{Tokens: []hadoop.Token{
		{Kind: "OTHER", Service: "127.0.0.1:1"}, {Kind: hadoop.KindHDFS, Service: "ha-hdfs:two"},
		{Kind: hadoop.KindHDFS, Service: "127.0.0.1:1", Identifier: id, Password: []byte("hunter2")},
	}}
	got, err := c.chooseToken(t.Context(), tokens)
	if err != nil || got.user != "bob" || got.secret() != "aHVudGVyMg==" {
		t.Error(got, err)
	}
	tokens.Tokens[2].Identifier = id[:3]
	_, err = c.chooseToken(t.Context(), tokens)
	mustFail(t, err, store.NoCredentials, "identifier", "new delegation token")
}
