package hadoop

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetProperty(t *testing.T) {
	for _, test := range []struct{ given, key, value, err string }{
		{"a.b=c", "a.b", "c", ""},
		{" a.b = c ", "a.b", "c", ""},
		{"a=b=c", "a", "b=c", ""},
		{"fs.default.name=hdfs://x", "fs.defaultFS", "hdfs://x", ""},
		{"hunter2", "", "", `-D: no "=" found; write -D NAME=VALUE, for example -D dfs.replication=1`},
		{"=hunter2", "", "", `-D: no name before "="; write -D NAME=VALUE, for example -D dfs.replication=1`},
		{"a\x1b[1m=hunter2", "", "",
			`-D: property name "a\x1b[1m" contains an unprintable character; remove it`},
		{strings.Repeat("a", 1025) + "=b", "", "", `-D: a property name has 1025 bytes; at most 1024 are accepted`},
		{"a=" + strings.Repeat("b", 1<<20+1), "", "",
			`-D: the value of "a" has 1048577 bytes; at most 1048576 are accepted`},
	} {
		var s Settings
		err := s.SetProperty(test.given)
		if diff := cmp.Diff(test.err, text(err)); diff != "" {
			t.Errorf("%.40q: %s", test.given, diff)
		}
		if value, _ := s.Lookup(test.key); value != test.value {
			t.Errorf("%.40q: %q is %q", test.given, test.key, value)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestNilSettingsAreEmpty(t *testing.T) {
	var none *Settings
	if v, ok := none.Lookup("a"); ok || v != "" {
		t.Error(v)
	}
	if _, ok, err := none.Size("a"); ok || err != nil {
		t.Error(err)
	}
	if none.List("a") != nil || none.Applied() != nil || none.Ignored() != nil {
		t.Error("nil has something")
	}
}

func TestLookup(t *testing.T) {
	var s Settings
	s.Set("empty", "", "f.xml")
	s.Set("blank", " \n", "f.xml")
	s.Set("b", " x ", "f.xml")
	s.Set("unused", "hunter2", "f.xml")
	s.Set("fs.s3a.bucket.a.server-side-encryption-algorithm", "SSE-KMS", "f.xml")
	if v, ok := s.Lookup("none", "empty", "blank", "b"); v != "x" || !ok {
		t.Errorf("%q", v)
	}
	if v, ok := s.Lookup("none", "empty", "blank"); v != "" || ok {
		t.Errorf("%q", v)
	}
	if v, _ := s.Lookup("fs.s3a.bucket.a.encryption.algorithm"); v != "SSE-KMS" {
		t.Errorf("%q", v)
	}
	want := []Applied{{"b", "x", "f.xml"}, {"fs.s3a.bucket.a.encryption.algorithm", "SSE-KMS", "f.xml"}}
	if diff := cmp.Diff(want, s.Applied()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"blank", "empty", "unused"}, s.Ignored()); diff != "" {
		t.Error(diff)
	}
}

func TestExpand(t *testing.T) {
	t.Setenv("PLIMSOLL_SET", "env")
	t.Setenv("PLIMSOLL_EMPTY", "")
	var s Settings
	for key, value := range map[string]string{
		"a": "1", "b": "${a}2", "c": "${b}${a}", "inner": "a", "circle": "x${circle2}", "circle2": "${circle}",
		"name": "inner",
		"wide": strings.Repeat("w", 1<<19), "wider": "${wide}${wide}${wide}",
	} {
		s.Set(key, value, "f.xml")
	}
	for given, want := range map[string]string{
		"plain": "plain", "${a}": "1", "-${b}-": "-12-", "${c}": "121", "${${inner}}": "1",
		"$a ${ ${} $": "$a ${ ${} $", "${none}": "${none}",
		"${a}${none}": "1${none}", "${circle}": "${circle}", "${has space}": "${has space}",
		"${env.PLIMSOLL_SET}": "env", "${env.PLIMSOLL_NONE}": "${env.PLIMSOLL_NONE}",
		"${env.PLIMSOLL_NONE:-d}": "d", "${env.PLIMSOLL_EMPTY:-d}": "d", "<${env.PLIMSOLL_EMPTY-d}>": "<>",
		"${env.PLIMSOLL_NONE-d}":    "d",
		"${env.PLIMSOLL_NONE:-a-b}": "a-b", "${env.PLIMSOLL_NONE:-${a}}": "1", "${env.PLIMSOLL_SET:-d}": "env",
		"${wider}":                     "${wider}",
		strings.Repeat("${inner}", 20): strings.Repeat("a", 20),
	} {
		s.Set("test", given, "f.xml")
		if got, _ := s.Lookup("test"); got != want {
			t.Errorf("%.60q: %.60q, not %.60q", given, got, want)
		}
	}
	s.Set("test", "${user.home}${user.name}${java.io.tmpdir}", "f.xml")
	if got, _ := s.Lookup("test"); got == "" || strings.Contains(got, "${") {
		t.Errorf("%q", got)
	}
}

// No secret is shown, wherever it came from.
func TestAppliedHidesSecrets(t *testing.T) {
	var s Settings
	const secret = "hunter2"
	for key, value := range map[string]string{
		"looked.up": secret, "fs.s3a.secret.key": secret, "fs.azure.account.key.x.dfs.core.windows.net": secret,
		"of.another": "<${looked.up}>", "of.its.name": "${fs.s3a.secret.key}", "deep": "${of.its.name}",
		"url": "s3a://AKIA:" + secret + "@bucket/path, hdfs://host/", "slash": "s3n://k:" + secret + "/x@bucket",
		"abfs": "abfs://container@account.dfs.core.windows.net/", "fs.s3a.session.token": secret,
	} {
		s.Set(key, value, "f.xml")
	}
	s.Lookup("fs.s3a.secret.key")
	s.Secret("looked.up")
	for _, key := range []string{
		"of.another", "of.its.name", "deep", "url", "slash", "abfs", "fs.azure.account.key.x.dfs.core.windows.net",
		"fs.s3a.session.token",
	} {
		s.Lookup(key)
	}
	got := map[string]string{}
	for _, a := range s.Applied() {
		got[a.Key] = a.Value
		if strings.Contains(a.Value, secret) {
			t.Errorf("%s is shown", a.Key)
		}
	}
	want := map[string]string{
		"looked.up": hidden, "fs.s3a.secret.key": hidden, "fs.azure.account.key.x.dfs.core.windows.net": hidden,
		"of.another": hidden, "of.its.name": hidden, "deep": hidden, "fs.s3a.session.token": hidden,
		"url": "s3a://(secret)@bucket/path, hdfs://host/", "slash": "s3n://(secret)@bucket",
		"abfs": "abfs://container@account.dfs.core.windows.net/",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, _, err := s.Size("deep"); err == nil || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}
