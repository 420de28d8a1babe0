package s3

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
)

// once runs a server on a directory for as long as f.
func once(t *testing.T, dir string, f func(s *Server, c *awss3.Client)) {
	t.Helper()
	cfg := Default()
	cfg.Listen, cfg.Dir = "127.0.0.1:0", dir
	s, err := New(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	f(s, sdk(t, s))
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// files lists what is in a directory, the marker aside.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && e.Name() != markerFile && e.Name() != bucketFile {
			out = append(out, strings.TrimPrefix(name, dir))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDirectoryIsFoundAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	data := noise(50_000)
	var before, after *awss3.HeadObjectOutput
	head := func(c *awss3.Client, key string) *awss3.HeadObjectOutput {
		out, err := c.HeadObject(t.Context(),
			&awss3.HeadObjectInput{Bucket: aws.String(DefaultBucket), Key: &key,
				ChecksumMode: types.ChecksumModeEnabled})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	once(t, dir, func(_ *Server, c *awss3.Client) {
		put(t, c, "one", data)
		put(t, c, "empty", nil)
		if _, err := c.CopyObject(t.Context(),
			&awss3.CopyObjectInput{Bucket: aws.String(DefaultBucket), Key: aws.String("copy"),
				CopySource: aws.String("plimsoll/one")}); err != nil {
			t.Fatal(err)
		}
		id := begin(t, c, "many", awss3.CreateMultipartUploadInput{ChecksumAlgorithm: "SHA256",
			Metadata: map[string]string{"a": "b"}})
		p := []types.CompletedPart{sendPart(t, c, "many", id, 1, data, "SHA256"),
			sendPart(t, c, "many", id, 2, data[:100], "SHA256")}
		if _, err := complete(t, c, "many", id, p...); err != nil {
			t.Fatal(err)
		}
		left := begin(t, c, "left", awss3.CreateMultipartUploadInput{})
		sendPart(t, c, "left", left, 1, data, "")
		before = head(c, "many")
	})
	once(t, dir, func(s *Server, c *awss3.Client) {
		if _, err := c.DeleteObject(t.Context(),
			&awss3.DeleteObjectInput{Bucket: aws.String(DefaultBucket), Key: aws.String("one")}); err != nil {
			t.Fatal(err) // the copy keeps the data
		}
		if !bytes.Equal(fetch(t, c, "copy"), data) ||
			!bytes.Equal(fetch(t, c, "many"), append(data[:len(data):len(data)], data[:100]...)) ||
			len(fetch(t, c, "empty")) != 0 {
			t.Error("the data is not what it was")
		}
		after = head(c, "many")
		type facts struct{ ETag, Modified, Checksum, Meta string }
		of := func(h *awss3.HeadObjectOutput) facts {
			return facts{*h.ETag, h.LastModified.String(), *h.ChecksumSHA256, h.Metadata["a"]}
		}
		if diff := cmp.Diff(of(before), of(after)); diff != "" {
			t.Error(diff)
		}
		if used := s.data.Used(); used != 100_100 {
			t.Errorf("%d bytes are used", used)
		}
		for _, key := range []string{"one", "copy", "many", "empty"} {
			if _, err := c.DeleteObject(t.Context(),
				&awss3.DeleteObjectInput{Bucket: aws.String(DefaultBucket), Key: &key}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
}

// No key leads out of the directory, or to a file that another key has.
func TestHostileKeys(t *testing.T) {
	outside := t.TempDir()
	dir := filepath.Join(outside, "data")
	keys := []string{
		"../escape", "../../escape", "/etc/passwd", "a/../../../escape", "..", ".", "/", "//", "a//b", "a/b/", "a/b",
		"a",
		"a\x00b", "con", "a\\..\\b", "\x7f\x01", strings.Repeat("x", 1024), strings.Repeat("y/", 512),
		strings.Repeat("ü", 512),
		"bucket.json", "plimsoll-s3.json", "%2e%2e%2fescape", "~root", "a ", " a", "A",
	}
	once(t, dir, func(_ *Server, c *awss3.Client) {
		for _, key := range keys {
			put(t, c, key, []byte(key))
		}
		for _, key := range keys {
			if got := fetch(t, c, key); string(got) != key {
				t.Errorf("%q has %q", key, got)
			}
		}
		for _, key := range []string{strings.Repeat("x", 1025), strings.Repeat("ü", 513)} {
			_, err := c.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(DefaultBucket), Key: &key})
			wantCode(t, err, "KeyTooLongError")
		}
		_, err := c.PutObject(t.Context(), &awss3.PutObjectInput{Bucket: aws.String(DefaultBucket),
			Key: aws.String("a\xff")})
		wantCode(t, err, "InvalidURI")
	})
	once(t, dir, func(_ *Server, c *awss3.Client) {
		for _, key := range keys {
			if got := fetch(t, c, key); string(got) != key {
				t.Errorf("%q has %q after a restart", key, got)
			}
		}
	})
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory above holds %v, %v", entries, err)
	}
}

func TestDirectoriesThatAreNotOurs(t *testing.T) {
	cfg := Default()
	refused := func(why string) {
		t.Helper()
		s, err := New(cfg, nil)
		if err == nil {
			_ = s.close()
			t.Errorf("it was taken, although %s", why)
		} else if !strings.Contains(err.Error(), why) {
			t.Errorf("%v, want %s", err, why)
		}
	}
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(cfg.Dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg.Dir = t.TempDir()
	write("thesis.txt", "x")
	refused("holds other files, such as thesis.txt")
	if names := files(t, cfg.Dir); len(names) != 1 {
		t.Errorf("files %v", names)
	}
	cfg.Dir = t.TempDir()
	write(markerFile, `{"format": 2}`)
	refused("is of another version")
	cfg.Dir = t.TempDir()
	write("file", "")
	cfg.Dir = filepath.Join(cfg.Dir, "file")
	refused("not a directory")

	cfg.Dir = t.TempDir()
	once(t, cfg.Dir, func(_ *Server, c *awss3.Client) {
		put(t, c, "k", noise(100))
		refused("in use by another server")
	})
	name := objectFile(DefaultBucket, "k")
	was, err := os.ReadFile(filepath.Join(cfg.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for text, why := range map[string]string{
		"nonsense": "invalid character", `{"key":"other"}`: "is not the file of the key",
		strings.Replace(string(was), `"data/`, `"../data/`,
			1): "is not the name of a blob",
		strings.Replace(string(was), `"data/`, `"data/../../`, 1): "escapes",
		strings.Replace(string(was), `"size":100`, `"size":101`,
			1): "is shorter than it was",
		strings.Replace(string(was), `"size":100`, `"size":9223372036854775807,"offset":1`,
			1): "is shorter than it was",
	} {
		write(name, text)
		refused(why)
	}
	write(name, string(was))
	write(name+".new", "half of it")
	write("data/x/stray", "x")
	once(t, cfg.Dir, func(_ *Server, c *awss3.Client) {
		if got := fetch(t, c, "k"); !bytes.Equal(got, noise(100)) {
			t.Error("the object is not what it was")
		}
	})
	if names := files(t, cfg.Dir); len(names) != 2 {
		t.Errorf("files %v, want the object's and its data", names)
	}
}
