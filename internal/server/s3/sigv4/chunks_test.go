package sigv4

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plimsoll/plimsoll/internal/server/s3/refusal"
)

// decoded reads a body of chunks to its end. No Read may give nothing, and an error comes again.
func decoded(t *testing.T, r *ChunkReader) (data string, err error) {
	t.Helper()
	p := make([]byte, 4)
	for {
		n, err := r.Read(p)
		data += string(p[:n])
		if n == 0 && err == nil {
			t.Fatal("nothing was read, and no error")
		}
		if err == nil {
			continue
		}
		if m, again := r.Read(p); m != 0 || again != err {
			t.Errorf("%v is followed by %d, %v", err, m, again)
		}
		if err == io.EOF {
			err = r.Finish()
		}
		return data, err
	}
}

// A body of chunks is what it says, and ends where it says, or what is wrong with it is told.
func TestBodiesOfChunks(t *testing.T) {
	const more, fewer = "hold more bytes than", "hold fewer bytes than"
	const malformed, cut, trailing = "not in the aws-chunked encoding", "unexpected EOF", "more trailing data than S3 takes"
	padded := func(length int) string { return "0;" + strings.Repeat("x", length-4) + "\r\n\r\n" } // of the first line
	trailers := func(n int) string { return "0\r\n" + strings.Repeat("a:b\r\n", n) + "\r\n" }
	for _, c := range []struct {
		text    string
		size    int64
		trailer bool
		want    string
	}{
		{"5\r\nhello\r\n0\r\n\r\n", 5, false, ""}, {"5\nhello\n0\n\n", 5, false, ""}, {"5\r\nhello\r\n0\r\n", 5, false, ""},
		{"2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", 5, false, ""}, {"5 ; x\r\nhello\r\n00\r\n\r\n", 5, false, ""},
		{"A\r\nhellohello\r\n0\r\n\r\n", 10, false, ""}, {"0\r\n\r\n", 0, false, ""}, {"0\r\n", 0, false, ""},
		{"5\r\nhello\r\n0", 5, false, cut}, {"5\r\nhello\r\n", 5, false, cut}, {"5\r\nhel", 5, false, cut}, {"", 5, false, cut},
		{"", 0, false, cut}, {"5\r\nhello\r\n1\r\nx\r\n0\r\n\r\n", 5, false, more}, {"6\r\nhello!\r\n", 5, false, more},
		{"3\r\nhel\r\n0\r\n\r\n", 5, false, fewer}, {"0\r\n\r\n", 5, false, fewer}, {"5\r\nhellox\r\n0\r\n\r\n", 5, false, malformed},
		{"g\r\n", 5, false, malformed}, {"-1\r\n", 5, false, malformed}, {"\r\n", 5, false, malformed},
		{"8000000000000000\r\n", 5, false, malformed}, {"7fffffffffffffff\r\n", 5, false, more},
		{padded(1024), 0, false, ""}, {padded(1025), 0, false, malformed}, {strings.Repeat("0", 2000), 0, false, malformed},
		{trailers(1), 0, false, malformed}, {trailers(1), 0, true, ""}, {"0\r\na\r\n\r\n", 0, true, malformed},
		{"0\r\na:b\r\n", 0, true, ""}, {"0\r\na:b", 0, true, cut}, {"0\r\na:" + strings.Repeat("b", 2000) + "\r\n\r\n", 0, true, malformed}, {trailers(15), 0, true, ""}, {trailers(16), 0, true, trailing},
	} {
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(c.text), "by bytes": iotest.OneByteReader(strings.NewReader(c.text)),
			"with its end": iotest.DataErrReader(strings.NewReader(c.text)),
		} {
			_, err := decoded(t, NewChunkReader(r, c.size, nil, c.trailer))
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("%.40q of %d, trailers %v, %s: %v, want %q", c.text, c.size, c.trailer, name, err, c.want)
			}
		}
	}
	// Of which nobody has read, and of which the data look like the end of a chunk.
	for text, size := range map[string]int64{"5\r\nhello\r\n0\r\n\r\n": 5, "1\r\nx\r\n0\r\n\r\n": 1, "2\r\n\r\n0\r\n\r\n": 2} {
		r := NewChunkReader(strings.NewReader(text), size, nil, false)
		if err := r.Finish(); err == nil || !strings.Contains(fmt.Sprint(err), more) {
			t.Errorf("%q: %v", text, err)
		}
	}
	lost := errors.New("lost")
	for _, text := range []string{"", "5", "5\r\nhe", "5\r\nhello\r\n0\r\n"} {
		r := NewChunkReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(lost)), 5, nil, false)
		if _, err := decoded(t, r); err != lost {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Trailers are found by their names in lower case, and are signed where the chunks are.
func TestTrailers(t *testing.T) {
	const checksum = "x-amz-checksum-crc32c:mnG7TA=="
	signer := testSigner()
	chunked([]byte("hello"), 3, signer) // leaves the signature of the last chunk
	sign := testSigner()
	body := func(signature string) string {
		*sign = *testSigner()
		return string(chunked([]byte("hello"), 3, sign, "X-Amz-Checksum-Crc32c : mnG7TA== ", "x-amz-trailer-signature:"+signature))
	}
	text := strings.Join([]string{Algorithm + "-TRAILER", exampleDate, "scope", signer.previous, hexSHA256([]byte(checksum + "\n"))}, "\n")
	right := fmt.Sprintf("%x", sum(signer.key, text))
	for signature, want := range map[string]string{right: "", strings.Repeat("0", 64): "SignatureDoesNotMatch", "": "SignatureDoesNotMatch"} {
		r := NewChunkReader(strings.NewReader(body(signature)), 5, testSigner(), true)
		data, err := decoded(t, r)
		code := ""
		if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
			code = refused.Code
		}
		value, found := r.Trailer("x-amz-checksum-crc32c")
		if code != want || (err == nil) != (want == "") || data != "hello" || value != "mnG7TA==" || !found {
			t.Errorf("%s: %q, %v, %q", signature, data, err, value)
		}
		if value, found := r.Trailer("x-amz-trailer-signature"); value != "" || found {
			t.Errorf("the signature is a trailer: %q", value)
		}
	}
	// Without a signer nobody asks for a signature, and without trailers none is signed.
	if _, err := decoded(t, NewChunkReader(strings.NewReader("5\r\nhello\r\n0\r\n"+checksum+"\r\n\r\n"), 5, nil, true)); err != nil {
		t.Error(err)
	}
	plain := string(chunked([]byte("hello"), 3, testSigner()))
	if _, err := decoded(t, NewChunkReader(strings.NewReader(plain), 5, testSigner(), false)); err != nil {
		t.Error(err)
	}
	if _, err := decoded(t, NewChunkReader(strings.NewReader(plain), 5, testSigner(), true)); err == nil {
		t.Error("trailers without a signature are taken")
	}
}
