package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// script starts a server that reads each request and lets the test answer it.
func script(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// says responds with a status and an error code of S3.
func says(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message><RequestId>R</RequestId></Error>",
			code, message)
	}
}

// Each response is reported in one line with a cause and, mostly, a hint.
func TestErrorsHaveCauseAndHint(t *testing.T) {
	isolate(t)
	t.Setenv("AWS_SESSION_TOKEN", testToken)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		cause  string
		says   []string
	}{
		{"access denied", says(403, "AccessDenied", "Access Denied"), store.AccessDenied,
			[]string{"PutObject s3://bucket/x: 403 AccessDenied (the credentials need s3:PutObject"}},
		{"signature", says(403, "SignatureDoesNotMatch", "no"), store.AccessDenied, []string{"check the secret key"}},
		{"access key", says(403, "InvalidAccessKeyId", "no"), store.AccessDenied, []string{"AWS_ACCESS_KEY_ID"}},
		{"expired", says(400, "ExpiredToken", "no"), store.AccessDenied, []string{"sign in again"}},
		{"token", says(400, "InvalidToken", "no"), store.AccessDenied, []string{"AWS_SESSION_TOKEN"}},
		{"no bucket", says(404, "NoSuchBucket", "no"), store.NoBucket, []string{"create the bucket"}},
		{"slow down", says(503, "SlowDown", "Please reduce your request rate."), store.SlowDown,
			[]string{"503 SlowDown: Please reduce", "--active-blocks"}},
		{"unavailable", says(503, "ServiceUnavailable", "no"), store.SlowDown, nil},
		{"too large", says(400, "EntityTooLarge", "no"), store.TooLarge, nil},
		{"too small", says(400, "EntityTooSmall", "no"), store.TooSmall, []string{"5 MiB"}},
		{"digest", says(400, "BadDigest", "no"), store.Corrupt, []string{"corrupted in transit"}},
		{"full", says(507, "XMinioStorageFull", "no"), store.DiskFull, nil},
		{"full without a code", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(507) },
			store.DiskFull, nil},
		{"no checksums",
			says(501, "NotImplemented", "A header you provided implies functionality that is not implemented"),
			store.Unsupported, []string{"--checksum none"}},
		{"bad checksum header", says(400, "InvalidRequest", "Value for x-amz-checksum-crc32c header is invalid."),
			"status-400", []string{"--checksum none"}},
		{"skew", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", "Fri, 02 Jan 1970 03:04:05 GMT") // too far to be believed: not put right
			says(403, "RequestTimeTooSkewed", "no")(w, r)
		}, store.ClockSkew, []string{"this machine's clock is at 2", "the server's at 1970-01-02T03:04:05Z"}},
		{"skew without a date", func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Date"] = nil
			says(403, "RequestTimeTooSkewed", "no")(w, r)
		}, store.ClockSkew, []string{"the server's differs"}},
		{"region", says(400, "AuthorizationHeaderMalformed", "the region is wrong"), store.WrongRegion,
			[]string{"--region"}},
		{"redirect", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusMovedPermanently)
		}, store.WrongRegion, []string{"--region"}},
		{"teapot", says(418, "IAmATeapot", "short and stout"), "status-418",
			[]string{"418 IAmATeapot: short and stout"}},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html><body>Welcome to the router</body></html>")
		}, store.Protocol, []string{"no ETag", "--endpoint"}},
		{"HTML error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, "<html><body><br>Bad & broken</p></html>")
		}, store.Protocol, []string{"status 400", "does not speak S3"}},
		{"not even HTTP", func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(c, "220 ftp.example.org ready\r\n")
			_ = c.Close()
		}, store.Protocol, nil},
		{"secrets", says(403, "AccessDenied", testSecret+" "+testToken+" "+testKey), store.AccessDenied,
			[]string{"(secret) (secret) (secret)"}},
		{"long message", says(400, "Long", strings.Repeat("word\n\t\u0085\u202e ", 1000)), "status-400",
			[]string{"word word", "…"}},
		{"connection closed", func(w http.ResponseWriter, _ *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.Close()
		}, store.Reset, nil},
		{"endless body", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, "<Error>")
			junk := bytes.Repeat([]byte("<x>junk</x>"), 10_000)
			for r.Context().Err() == nil {
				if _, err := w.Write(junk); err != nil {
					return
				}
			}
		}, store.Protocol, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, conf(t, script(t, c.answer), func(c *store.Config) { c.Retries = 1 }))
			mustFail(t, write(t.Context(), b, "/x", []byte("content")), c.cause, c.says...)
		})
	}
}

// A server that does not respond times out on each attempt.
func TestSilentServerTimesOut(t *testing.T) {
	isolate(t)
	url := script(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b := open(t, conf(t, url, func(c *store.Config) { c.Retries, c.Timeout = 1, 20*time.Millisecond }))
	mustFail(t, write(t.Context(), b, "/x", []byte("content")), store.Timeout, "no response within 20ms")
	if f := figures(t, b, "PutObject", 2); f.Retries[store.Timeout] != 1 {
		t.Errorf("the retries are counted as %v", f.Retries)
	}
}

// Requests follow the region that the server names, once.
func TestFollowRegion(t *testing.T) {
	isolate(t)
	for name, c := range map[string]struct {
		home   string // the only region whose signatures are accepted; "" for none
		answer http.HandlerFunc
		cause  string
		says   string
	}{
		"header": {"eu-west-1", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Amz-Bucket-Region", "eu-west-1")
			says(301, "PermanentRedirect", "elsewhere")(w, r)
		}, "", ""},
		"message": {"eu-west-1", says(400, "AuthorizationHeaderMalformed",
			"the region 'us-east-1' is wrong; expecting 'eu-west-1'"), "", ""},
		"contradictory": {"", func(w http.ResponseWriter, r *http.Request) {
			region := "eu-west-1"
			if strings.Contains(r.Header.Get("Authorization"), region) {
				region = "eu-west-2"
			}
			w.Header().Set("X-Amz-Bucket-Region", region)
			says(301, "PermanentRedirect", "elsewhere")(w, r)
		}, store.WrongRegion, "use --region eu-west-2"},
		"not a region": {"", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Amz-Bucket-Region", "evil.example.org/")
			says(301, "PermanentRedirect", "elsewhere")(w, r)
		}, store.WrongRegion, "--region"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64 // counted by the server, since the counts of the client may lag behind
			url := script(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				if c.home != "" && strings.Contains(r.Header.Get("Authorization"), "/"+c.home+"/s3/") {
					w.Header().Set("ETag", `"x"`)
					return
				}
				c.answer(w, r)
			})
			b := open(t, conf(t, url))
			err := write(t.Context(), b, "/x", []byte("content"))
			if c.cause != "" {
				mustFail(t, err, c.cause, c.says)
				before := asked.Load()
				mustFail(t, write(t.Context(), b, "/x", []byte("content")), c.cause)
				if n := asked.Load(); n != before+1 {
					t.Errorf("the second write took %d requests, want 1: a region is followed only once", n-before)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if f := figures(t, b, "PutObject", 2); f.Retries[store.WrongRegion] != 1 {
				t.Errorf("the retries are counted as %v", f.Retries)
			}
			if err := write(t.Context(), b, "/y", []byte("content")); err != nil {
				t.Fatal(err)
			}
			if f := figures(t, b, "PutObject", 3); f.Attempts != 3 {
				t.Errorf("%d attempts after the second write, want 3: a region is followed only once", f.Attempts)
			}
		})
	}
}

// Checksums, signatures and properties are sent as headers.
func TestRequestHeaders(t *testing.T) {
	isolate(t)
	content := []byte("123456789")
	for name, c := range map[string]struct {
		change func(*store.Config)
		want   map[string]string // headers
	}{
		"default": {func(*store.Config) {}, map[string]string{
			"X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD", "X-Amz-Checksum-Crc32c": "4waSgw==",
			"X-Amz-Checksum-Sha256": "", "Expect": "",
			"X-Amz-Request-Payer": "", "X-Amz-Server-Side-Encryption": "", "Content-Encoding": "", "X-Amz-Trailer": "",
		}},
		"sha256": {func(c *store.Config) { c.Checksum = checksumSHA256 }, map[string]string{
			"X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD", "X-Amz-Checksum-Crc32c": "",
			"X-Amz-Checksum-Sha256": "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU=",
		}},
		"none": {func(c *store.Config) { c.Checksum = checksumNone }, map[string]string{
			"X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD", "X-Amz-Checksum-Crc32c": "", "X-Amz-Checksum-Sha256": "",
			"X-Amz-Sdk-Checksum-Algorithm": "",
		}},
		"signed": {func(c *store.Config) { c.PayloadSigning = true }, map[string]string{
			"X-Amz-Content-Sha256":  "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
			"X-Amz-Checksum-Crc32c": "4waSgw==",
		}},
		"properties": {func(c *store.Config) {
			for key, value := range map[string]string{
				"requester.pays.enabled": "true", "encryption.algorithm": "SSE-KMS", "encryption.key": "arn:key",
				"create.storage.class": "standard_ia", "acl.default": "BucketOwnerFullControl",
				"user.agent.prefix":          "someone",
				"connection.expect.continue": "true",
			} {
				with("fs.s3a."+key, value)(c)
			}
		}, map[string]string{
			"X-Amz-Request-Payer": "requester", "X-Amz-Server-Side-Encryption": "aws:kms",
			"X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id": "arn:key",
			"X-Amz-Storage-Class":                         "STANDARD_IA", "X-Amz-Acl": "bucket-owner-full-control",
		}},
		"anonymous": {with("fs.s3a.aws.credentials.provider",
			"org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"), map[string]string{
			"Authorization": "", "X-Amz-Checksum-Crc32c": "4waSgw==",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen http.Header
			url := script(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				seen = r.Header.Clone()
				w.Header().Set("ETag", `"x"`)
			})
			b := open(t, conf(t, url, c.change))
			if err := write(t.Context(), b, "/x", content); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for header, want := range c.want {
				if got := seen.Get(header); got != want {
					t.Errorf("%s: %q, want %q", header, got, want)
				}
			}
			if agent := seen.Get("User-Agent"); !strings.Contains(agent, "plimsoll") ||
				strings.Contains(agent, "someone") != (name == "properties") {
				t.Errorf("User-Agent: %s", agent)
			}
		})
	}
}

// download serves an object of ten bytes, with the body the test supplies.
func download(body func(w http.ResponseWriter, r *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.Header().Set("Content-Length", "10")
			return
		}
		body(w, r)
	}
}

// A wrong response is never accepted as the object.
func TestDownloadsRejectWrongResponses(t *testing.T) {
	isolate(t)
	cut := func(w http.ResponseWriter, announced int) {
		c, _, _ := w.(http.Hijacker).Hijack()
		_, _ = io.WriteString(c, "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-7/10\r\nContent-Length: "+
			strconv.Itoa(announced)+"\r\n\r\n012")
		_ = c.Close()
	}
	for _, c := range []struct {
		name          string
		body          http.HandlerFunc
		stream, span  string // causes
		attempts      int64
		streamSays    string
		rangeAttempts int64
	}{
		{"cut", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				cut(w, 10)
			} else {
				cut(w, 6)
			}
		}, store.Protocol, store.Reset, 2,
			`requested bytes=3-9, but the server sent "bytes 2-7/10"; it was resuming at byte 3 after reset`, 3},
		{"cut, and no ranges", func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") == "" {
				cut(w, 10)
			} else {
				_, _ = io.WriteString(w, "0123456789")
			}
		}, store.Protocol, store.Protocol, 2, `requested bytes=3-9, but the server sent ""`, 1},
		{"cut again and again", func(w http.ResponseWriter, r *http.Request) {
			var from, to int
			if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
				cut(w, 10)
				return
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/10", from, to))
			w.Header().Set("Content-Length", strconv.Itoa(to+1-from))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "0") // and no more
		}, store.Reset, store.Reset, 3, "after 5 bytes", 3},
		{"short", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 2-7/10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "012")
		}, store.Corrupt, store.Truncated, 1, "3 bytes of an object of 10", 3},
		{"chunked and short", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 2-7/10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "012")
			w.(http.Flusher).Flush()
		}, store.Protocol, store.Reset, 2, "after truncated", 3},
		{"no ranges", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "0123456789")
		}, "", store.Protocol, 1, "", 1},
		{"another range", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-5/10")
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, "0123456789"[:6])
		}, store.Corrupt, store.Protocol, 1, "", 1},
		{"gone", says(404, "NoSuchKey", "no"), store.NoFile, store.NoFile, 1, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t, conf(t, script(t, download(c.body)), func(c *store.Config) { c.Retries = 2 }))
			_, err := read(t.Context(), b, "/x")
			if c.stream == "" && err != nil {
				t.Error(err)
			} else if c.stream != "" {
				mustFail(t, err, c.stream, "GetObject s3://bucket/x", c.streamSays)
			}
			f, err := b.Open(t.Context(), "/x")
			if err != nil {
				t.Fatal(err)
			}
			mustFail(t, f.ReadRange(t.Context(), make([]byte, 6), 2), c.span)
			if f := figures(t, b, "GetObject", c.attempts+c.rangeAttempts); f.Attempts != c.attempts+c.rangeAttempts {
				t.Errorf("%d attempts, want %d", f.Attempts, c.attempts+c.rangeAttempts)
			}
		})
	}
}

// Ranges after the first are requested without the SDK, and with it when that fails.
func TestRepeat(t *testing.T) {
	isolate(t)
	t.Setenv("AWS_SESSION_TOKEN", testToken)
	for _, c := range []struct {
		name     string
		status   int // of responses to requests made without the SDK, from the third range on
		retries  int
		attempts int64 // for six ranges
		made     int   // of them by the SDK
		cause    string
	}{
		{"fine", 206, 2, 6, 1, ""},
		{"refused", 403, 2, 7, 5, store.AccessDenied},
		{"busy", 503, 2, 10, 5, store.SlowDown},
		{"whole", 200, 2, 7, 5, store.Protocol},
		{"never again", 206, 0, 6, 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			seen, made := 0, 0
			url := script(t, download(func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				seen++
				if r.Header.Get("Amz-Sdk-Request") != "" {
					made++
				} else if seen > 2 && c.status != 206 {
					w.WriteHeader(c.status)
					return
				}
				if r.Header.Get("X-Amz-Security-Token") != testToken ||
					!strings.Contains(r.Header.Get("Authorization"), "range") {
					t.Errorf("the request has no token, or its Range is not signed: %v", r.Header)
				}
				span := r.Header.Get("Range")
				w.Header().Set("Content-Range", "bytes "+span[len("bytes="):]+"/10")
				w.WriteHeader(http.StatusPartialContent)
				_, _ = io.WriteString(w, "ab")
			}))
			b := open(t, conf(t, url, func(s *store.Config) { s.Retries = c.retries }))
			f, err := b.Open(t.Context(), "/x")
			if err != nil {
				t.Fatal(err)
			}
			for at := range int64(6) {
				if err := f.ReadRange(t.Context(), make([]byte, 2), at); err != nil {
					t.Fatal(err)
				}
			}
			figures := figures(t, b, "GetObject", c.attempts)
			if figures.Attempts != c.attempts || made != c.made {
				t.Errorf("%d attempts, %d of them by the SDK, want %d and %d",
					figures.Attempts, made, c.attempts, c.made)
			}
			if n := figures.Retries[c.cause]; c.cause != "" && n != c.attempts-6 {
				t.Errorf("%d retries were counted as %s, want %d: %v", n, c.cause, c.attempts-6, figures.Retries)
			}
		})
	}
}

// If the response to a completion was lost, the next attempt finds no upload. It succeeds if the object is there.
func TestCompletionAfterLostResponse(t *testing.T) {
	isolate(t)
	for name, etag := range map[string]string{
		// The MD5 of two MD5s of empty parts.
		"ours":      `"5873dd45edd01f09c1ef2e7819369e8e-2"`,
		"another's": `"00000000000000000000000000000000-2"`,
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var operations []string
			url := script(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				operations = append(operations, r.Method)
				mu.Unlock()
				switch {
				case r.Method == http.MethodPost && r.URL.Query().Has("uploads"):
					_, _ = io.WriteString(w,
						"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
				case r.Method == http.MethodPut:
					w.Header().Set("ETag", `"d41d8cd98f00b204e9800998ecf8427e"`)
				case r.Method == http.MethodPost:
					says(404, "NoSuchUpload", "no such upload")(w, r)
				case r.Method == http.MethodHead:
					w.Header().Set("Content-Length", "20")
					w.Header().Set("ETag", etag)
				}
			})
			b := open(t, conf(t, url, func(c *store.Config) { c.PartSize, c.ActiveParts = 10, 1 }))
			err := write(t.Context(), b, "/x", random(20))
			if name == "ours" {
				if err != nil {
					t.Fatal(err)
				}
			} else {
				mustFail(t, err, "no-such-upload", "404 NoSuchUpload")
			}
			mu.Lock()
			defer mu.Unlock()
			if aborted := slices.Contains(operations, http.MethodDelete); aborted != (err != nil) {
				t.Errorf("aborted: %t, although the error is %v", aborted, err)
			}
		})
	}
}

// A server that knows no uploads in parts can get an object in one request.
func TestHintOfAServerWithoutMultipart(t *testing.T) {
	isolate(t)
	for _, answer := range []http.HandlerFunc{
		says(501, "NotImplemented", "no"), says(405, "MethodNotAllowed", "no"),
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		func(http.ResponseWriter, *http.Request) {}, // a success that names no upload
	} {
		b := open(t, conf(t, script(t, answer), func(c *store.Config) { c.PartSize = 1 << 20 }))
		err := write(t.Context(), b, "/x", random(5<<19))
		var known *store.Error
		if !errors.As(err, &known) || !strings.Contains(known.Hint, "--part-size 3MiB") {
			t.Errorf("%v, hint %q", err, known.Hint)
		}
	}
}

// Who may not list the bucket gets a 403 for an object that is not there.
func TestHintOfAHeadThatIsRefused(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, script(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })))
	_, err := b.Exists(t.Context(), "/x")
	mustFail(t, err, store.AccessDenied, "s3:ListBucket", "--overwrite")
	_, err = b.Open(t.Context(), "/x")
	mustFail(t, err, store.AccessDenied, "s3:ListBucket")
}

func TestShortSecretHidesNoOtherWords(t *testing.T) {
	const text = "my-test-bucket/testing test.txt: the secret test is wrong: test."
	for secret, want := range map[string]string{
		"test":                   "my-test-bucket/testing test.txt: the secret (secret) is wrong: (secret)",
		"":                       text,
		"my-test-bucket/testing": "(secret) test.txt: the secret test is wrong: test.",
	} {
		if got := hide(text, secret); got != want {
			t.Errorf("%q: %q", secret, got)
		}
	}
}

func TestBucketIsNamedWhateverTheSecret(t *testing.T) {
	isolate(t)
	b := open(t, conf(t, script(t, says(404, "NoSuchBucket", "no")), with("fs.s3a.access.key", "key"),
		with("fs.s3a.secret.key", "bucket")))
	mustFail(t, write(t.Context(), b, "/bucket/x", []byte("x")), store.NoBucket, b.name("bucket/x"))
}
