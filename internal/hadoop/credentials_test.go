package hadoop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// credentials are what is in a token of S3A.
type credentials struct {
	Key, Secret, Session string
	Expires              time.Time
}

// The files of real Hadoop, in both formats, hold the same.
func TestReadTokens(t *testing.T) {
	for _, format := range []string{"writable", "protobuf"} {
		t.Run(format, func(t *testing.T) {
			tokens, err := ReadTokens(filepath.Join("testdata", "credentials."+format))
			if err != nil {
				t.Fatal(err)
			}
			type listed struct{ Alias, Kind, Service, Password string }
			got := map[string]listed{}
			creds := map[string]credentials{}
			for _, token := range tokens.Tokens {
				got[token.Alias] = listed{token.Alias, token.Kind, token.Service, string(token.Password)}
				if strings.HasPrefix(token.Kind, "S3A") {
					var c credentials
					if c.Key, c.Secret, c.Session, c.Expires, err = S3ACredentials(token); err != nil {
						t.Error(err)
					}
					creds[token.Alias] = c
				}
			}
			if diff := cmp.Diff(map[string]listed{
				"s3a-full":    {"s3a-full", KindS3AFull, "s3a://full-bucket", "not-needed"},
				"s3a-session": {"s3a-session", KindS3ASession, "s3a://session-bucket", "not-needed"},
				"s3a-role":    {"s3a-role", KindS3ARole, "s3a://role-bucket", "not-needed"},
				"hdfs":        {"hdfs", KindHDFS, "10.0.0.1:8020", "hdfs-password"},
			}, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(map[string]credentials{
				"s3a-full":    {"AKIAFULL", "full/secret+0", "", time.Time{}},
				"s3a-session": {"ASIASESSION", "session-secret", "session-token", time.UnixMilli(1893456000123)},
				"s3a-role":    {"ASIAROLE", "role-secret", "role-token", time.UnixMilli(1893456000000)},
			}, creds); diff != "" {
				t.Error(diff)
			}
			if len(tokens.Secrets) != 2 || !strings.Contains(fmt.Sprint(tokens.Secrets), "a.secret") ||
				!strings.Contains(fmt.Sprint(tokens.Secrets), "long.secret") {
				t.Errorf("%q", tokens.Secrets)
			}
			hdfs, ok := tokens.Find(KindHDFS, "10.0.0.2:8020", "10.0.0.1:8020")
			if !ok {
				t.Fatal("the token of HDFS is not found")
			}
			owner, err := DelegationOwner(hdfs)
			if err != nil {
				t.Fatal(err)
			}
			want := Owner{User: "bob", Real: "oozie/host@EXAMPLE.COM", Issued: time.UnixMilli(1700000000000),
				Max: time.UnixMilli(1700604800000)}
			if diff := cmp.Diff(want, owner); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadTokensErrors(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "credentials.writable"))
	if err != nil {
		t.Fatal(err)
	}
	many := append([]byte("HDTS\x00"), 0x8c, 0x7f, 0xff, 0xff, 0xff) // -116: four bytes follow
	for name, test := range map[string]struct{ content, want string }{
		"empty":   {"", "not a Hadoop credentials file: it does not start with HDTS"},
		"other":   {"<configuration/>", "not a Hadoop credentials file: it does not start with HDTS"},
		"magic":   {"HDTS", "not a Hadoop credentials file: it does not start with HDTS"},
		"format":  {"HDTS\x07", "the credentials file has the unknown format 7 (known: 0 and 1)"},
		"cut":     {string(whole[:100]), "the credentials file is damaged: unexpected end of data"},
		"nothing": {"HDTS\x00", "the credentials file is damaged: unexpected end of data"},
		"many": {string(many), "the credentials file is damaged: it declares 2147483647 tokens or " +
			"secrets; at most 10000 are accepted"},
		"minus": {"HDTS\x00\xff",
			"the credentials file is damaged: it declares -1 tokens or secrets; at most 10000 are accepted"},
		"minus text": {"HDTS\x00\x01\xff",
			"the credentials file is damaged: a length is negative or exceeds the remaining data"},
		"escape": {"HDTS\x00\x01\x02\x1b[\x00\x00\x00\x00\x00",
			`the credentials file is damaged: the name "\x1b[" contains unprintable characters`},
		"protobuf": {"HDTS\x01\x05\x0a\x7f",
			"the credentials file is damaged: a length is negative or exceeds the remaining data"},
		"wire type": {"HDTS\x01\x01\x0b", "the credentials file is damaged: unknown wire type 3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens")
			if err := os.WriteFile(path, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := ReadTokens(path)
			if diff := cmp.Diff(path+": "+test.want, text(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := ReadTokens("testdata/none"); text(err) != "testdata/none: no such file or directory" {
		t.Error(err)
	}
}

// A truncated identifier is an error that shows no secret.
func TestTruncatedS3ACredentials(t *testing.T) {
	tokens, err := ReadTokens(filepath.Join("testdata", "credentials.protobuf"))
	if err != nil {
		t.Fatal(err)
	}
	token, _ := tokens.Find(KindS3ASession)
	for n := range token.Identifier {
		cut := token
		cut.Identifier = token.Identifier[:n]
		key, secret, session, _, err := S3ACredentials(cut)
		if err == nil || key+secret+session != "" {
			t.Fatalf("cut at %d of %d: %v", n, len(token.Identifier), err)
		}
		if strings.Contains(err.Error(), "session-secret") || strings.Contains(err.Error(), "session-token") {
			t.Error("a secret is in the error")
		}
	}
	other, _ := tokens.Find(KindHDFS)
	const noneOfS3 = `a token of kind "HDFS_DELEGATION_TOKEN" contains no S3 credentials`
	if _, _, _, _, err := S3ACredentials(other); text(err) != noneOfS3 {
		t.Error(err)
	}
}

func FuzzReadTokens(f *testing.F) {
	for _, format := range []string{"writable", "protobuf"} {
		data, err := os.ReadFile(filepath.Join("testdata", "credentials."+format))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tokens, err := parseTokens(data)
		if err != nil {
			return
		}
		for _, token := range tokens.Tokens {
			_, _ = DelegationOwner(token)
			token.Kind = KindS3ASession
			_, _, _, _, _ = S3ACredentials(token)
		}
	})
}
