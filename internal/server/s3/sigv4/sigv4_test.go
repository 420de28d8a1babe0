package sigv4

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// The examples of the S3 API reference were made with these.
const (
	exampleScope = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request"
	exampleDate  = "20130524T000000Z"
)

// chunked encodes data in chunks of a size, signed if signer is not nil.
func chunked(data []byte, size int, signer *ChunkSigner, trailers ...string) []byte {
	var b bytes.Buffer
	header := func(chunk []byte) {
		fmt.Fprintf(&b, "%x", len(chunk))
		if signer != nil {
			text := strings.Join([]string{Algorithm +
				"-PAYLOAD", signer.date, signer.scope, signer.previous, EmptySHA256, hexSHA256(chunk)}, "\n")
			signer.previous = hex.EncodeToString(sum(signer.key, text))
			fmt.Fprintf(&b, ";chunk-signature=%s", signer.previous)
		}
		b.WriteString("\r\n")
	}
	for chunk := range slices.Chunk(data, size) {
		header(chunk)
		b.Write(chunk)
		b.WriteString("\r\n")
	}
	header(nil)
	for _, t := range trailers {
		b.WriteString(t + "\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func testSigner() *ChunkSigner {
	return &ChunkSigner{key: []byte("key"), date: exampleDate, scope: "scope", previous: "seed"}
}

func FuzzChunkReader(f *testing.F) {
	f.Add(chunked([]byte("hello"), 3, testSigner()), int64(5), true, false)
	f.Add(chunked([]byte("hello"), 3, nil, "x-amz-checksum-crc32c:mnG7TA=="), int64(5), false, true)
	f.Add([]byte("0\r\n\r\n"), int64(0), false, false)
	f.Add([]byte("ffffffffffffffff\r\n"), int64(1), false, false)
	f.Add([]byte("5\nhello\n0\n\n"), int64(5), false, false)
	f.Fuzz(func(t *testing.T, text []byte, size int64, signed, trailer bool) {
		size = min(max(size, 0), 1<<20)
		var signer *ChunkSigner
		if signed {
			signer = testSigner()
		}
		r := NewChunkReader(bytes.NewReader(text), size, signer, trailer)
		got, err := io.ReadAll(r)
		if int64(len(got)) > size || len(got) > len(text) {
			t.Fatalf("%d bytes of %d", len(got), size)
		}
		if err != nil {
			return
		}
		if int64(len(got)) != size {
			t.Fatalf("it ended without an error after %d bytes of %d", len(got), size)
		}
		if r.Finish() != nil {
			return
		}
		// What was accepted is the same however it is read.
		again := NewChunkReader(iotest.OneByteReader(bytes.NewReader(text)), size, nil, trailer)
		if signed {
			again.signer, again.digest = testSigner(), r.digest
			r.digest.Reset()
		}
		other, err := io.ReadAll(again)
		if err != nil || !bytes.Equal(got, other) {
			t.Fatalf("byte by byte: %q, not %q (%v)", other, got, err)
		}
	})
}

func FuzzAuthorization(f *testing.F) {
	f.Add(Algorithm + " Credential=" + exampleScope + ",SignedHeaders=host;range,Signature=00")
	f.Add("AWS a:b")
	f.Add(Algorithm + " Credential=////,SignedHeaders=,Signature=")
	f.Fuzz(func(t *testing.T, header string) {
		a, err := parseAuthorization(header)
		if err != nil {
			if err.Code == "" || err.Status < 400 {
				t.Errorf("%+v", err)
			}
			return
		}
		again, err := parseAuthorization(fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
			Algorithm, a.accessKey, a.scope, strings.Join(a.headers, ";"), a.signature))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(a) {
			t.Errorf("%+v, and written again %+v, %v", a, again, err)
		}
	})
}

func FuzzQuery(f *testing.F) {
	f.Add("list-type=2&prefix=a%20b+c&delimiter")
	f.Add("&&=;%2")
	f.Fuzz(func(t *testing.T, raw string) {
		pairs, err := ParseQuery(raw)
		if err != nil {
			return
		}
		again, err := ParseQuery(pairs.canonical())
		if err != nil || again.canonical() != pairs.canonical() {
			t.Errorf("%q is %v, and canonical %v, %v", raw, pairs, again, err)
		}
	})
}

// A signature that does not cover the host could be used against another server.
func TestUnsignedHost(t *testing.T) {
	id := &Identity{AccessKey: "key", SecretKey: "secret", Region: "us-east-1"}
	for _, headers := range []string{"host;x-amz-content-sha256;x-amz-date", "x-amz-content-sha256;x-amz-date"} {
		r, err := http.NewRequest("GET", "http://127.0.0.1:1/", nil)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now().UTC()
		a := authorization{
			headers: strings.Split(headers, ";"), scope: scope{now.Format("20060102"), id.Region, service, terminator},
		}
		r.Header.Set("X-Amz-Date", now.Format(TimeFormat))
		r.Header.Set("X-Amz-Content-Sha256", EmptySHA256)
		signature := (&check{r: r}).signature(signingKey(id.SecretKey, a.scope), now.Format(TimeFormat), &a,
			EmptySHA256)
		r.Header.Set("Authorization", fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%s",
			Algorithm, id.AccessKey, a.scope, headers, signature))
		signed, refused := id.Check(r, nil, now)
		if strings.HasPrefix(headers, "host") {
			if refused != nil || signed.PayloadHash != EmptySHA256 || signed.Chunks == nil {
				t.Errorf("%s: %+v, %v", headers, signed, refused)
			}
		} else if refused == nil || refused.Code != "AccessDenied" {
			t.Errorf("%s: %v", headers, refused)
		}
	}
}
