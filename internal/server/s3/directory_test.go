package s3

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

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
	cfg.ShutdownTimeout, cfg.HeaderTimeout = time.Minute, time.Minute
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

func TestNewRefusesForeignDirectories(t *testing.T) {
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
	refused("contains other files, such as thesis.txt")
	if names := files(t, cfg.Dir); len(names) != 1 {
		t.Errorf("files %v", names)
	}
	cfg.Dir = t.TempDir()
	write(markerFile, `{"format": 2}`)
	refused("written by another version")
	cfg.Dir = t.TempDir()
	write("file", "")
	cfg.Dir = filepath.Join(cfg.Dir, "file")
	refused("not a directory")

	for _, name := range []string{"buckets", "data"} {
		cfg.Dir = t.TempDir()
		write(markerFile, markerText)
		write(name, "")
		refused("mkdirat " + name)
	}
	cfg.Dir = t.TempDir()
	write(markerFile, markerText)
	write("buckets/Abc/bucket.json", `{}`)
	refused("buckets/Abc is not a bucket")
	cfg.Dir = t.TempDir()
	write(markerFile, markerText)
	write("buckets/abc/another.json", `{}`)
	refused("no such file")
	cfg.Dir = t.TempDir()
	write(markerFile, markerText)
	write("buckets/abc/bucket.json", `{`)
	refused("buckets/abc/bucket.json: unexpected end")

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
		"nonsense": "invalid character", `{"key":"other"}`: "does not belong to the key",
		strings.Replace(string(was), `"data/`, `"../data/`,
			1): "is not a valid blob name",
		strings.Replace(string(was), `"data/`, `"data/../../`, 1): "escapes",
		strings.Replace(string(was), `"size":100`, `"size":101`,
			1): "has become shorter",
		strings.Replace(string(was), `"size":100`, `"size":9223372036854775807,"offset":1`,
			1): "has become shorter",
		strings.Replace(string(was), `"size":100`, `"size":100,"offset":1`, 1):            "has become shorter",
		strings.Replace(string(was), `"size":100`, `"size":-1`, 1):                        "has become shorter",
		strings.Replace(string(was), `"size":100`, `"size":1,"offset":-1`, 1):             "has become shorter",
		regexp.MustCompile(`"data/[^"]*"`).ReplaceAllString(string(was), `"data/x/gone"`): "no such file",
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

// What is written down is found again by later versions: the names of files and what stands in them do not change.
func TestDirectoryFormat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	s := serve(t, func(c *Config) { open(c); c.Dir, c.MD5ETags = dir, true })
	raw(t, s, "PUT", "/plimsoll/k", "hello", "X-Amz-Checksum-Crc32", "NhCmhg==", "X-Amz-Meta-A", "b", "X-Amz-Storage-Class", "STANDARD_IA")
	_, id, _ := strings.Cut(raw(t, s, "POST", "/plimsoll/parts?uploads", "", "X-Amz-Checksum-Algorithm", "SHA1").body, "<UploadId>")
	id, _, _ = strings.Cut(id, "<")
	raw(t, s, "PUT", "/plimsoll/parts?partNumber=3&uploadId="+id, "hello")
	got := raw(t, s, "POST", "/plimsoll/parts?uploadId="+id, "<CompleteMultipartUpload><Part><PartNumber>3</PartNumber>"+
		"<ETag>5d41402abc4b2a76b9719d911017c592</ETag></Part></CompleteMultipartUpload>")
	if got.status != 200 {
		t.Fatal(got)
	}
	settle(s)
	for name, want := range map[string]string{
		"plimsoll-s3.json":             `{"format": 1}` + "\n",
		"buckets/plimsoll/bucket.json": `{"created":"TIME"}`,
		"buckets/plimsoll/82/8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a.json": `{"key":"k","etag":"\"5d41402abc4b2a76b9719d911017c592\"","modified":"TIME",` +
			`"headers":{"X-Amz-Storage-Class":"STANDARD_IA","x-amz-meta-a":"b"},"pieces":[{"blob":"data/X/ID","size":5}],"checksum":{"kind":"CRC32","value":"NhCmhg=="}}`,
		"buckets/plimsoll/d8/d887db09649dab0d83951d8d5d69b2e7d8bb70e79daa2a3a279b4fd6b8346cea.json": `{"key":"parts","etag":"\"62109206880d38a4010a98e11243924a-1\"","modified":"TIME","pieces":[{"blob":"data/X/ID","size":5}],` +
			`"parts":[{"number":3,"size":5,"checksum":{"kind":"SHA1","value":"qvTGHdzF6KLavt4PO0gs2a6pQ00="}}],"checksum":{"kind":"SHA1","value":"a0+JpU4tJ+zX6NoFtKuP2dHYsRk=","parts":1}}`,
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		}
		plain := regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]*Z`).ReplaceAllString(string(text), "TIME")
		plain = regexp.MustCompile(`data/[A-Z2-7]/[A-Z2-7]{26}`).ReplaceAllString(plain, "data/X/ID")
		if plain != want {
			t.Errorf("%s:\n%s, want\n%s", name, plain, want)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm()&0o733 != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
		if above, err := os.Stat(filepath.Dir(filepath.Join(dir, name))); err != nil || above.Mode().Perm()&0o722 != 0o700 {
			t.Errorf("above %s: %v, %v", name, above, err)
		}
	}
}
