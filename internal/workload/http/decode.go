package http

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/selector"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// accepted are the codings that are undone.
const accepted = "gzip, deflate, br, zstd"

// accept has each request say which codings its answer may have, if it does not say so itself.
func accept(s *script.Script) error {
	t, err := template.Compile(accepted, template.Header, &template.Known{})
	for i := range s.Flows {
		for j := range s.Flows[i].Steps {
			if step := &s.Flows[i].Steps[j]; !gives(step, "Accept-Encoding") {
				step.Headers = append(step.Headers, script.Header{Name: "Accept-Encoding", Value: t})
			}
		}
	}
	return err
}

// badEncoding is the cause of an answer whose coding cannot be undone.
const badEncoding = "bad-encoding"

// decode undoes the coding of an answer that is looked at: behind its end, so that it takes no time of the operation.
// What was received is counted as it came.
func (x *exchange) decode(fields selector.Fields) *op.Failure {
	if !x.request.looks.Body || x.answer.Size == 0 {
		return nil
	}
	coding, found := fields.Value("Content-Encoding", 0)
	name := strings.ToLower(string(coding))
	if !found || name == "identity" || name == "" {
		return nil
	}
	packed := x.answer.Body
	plain, err := unpack(x.unpacked[:0], name, packed)
	if errors.Is(err, errTooLong) {
		return &op.Failure{Cause: cause.TooLarge, Err: err}
	}
	if err != nil {
		return &op.Failure{Cause: badEncoding, Err: fmt.Errorf("cannot decode the body (Content-Encoding %.20q)", name)}
	}
	x.unpacked = packed // room for the next
	x.answer.Body, x.answer.Size = plain, int64(len(plain))
	if x.request.looks.Sum {
		x.answer.Sum = sha256.Sum256(plain)
	}
	return nil
}

// fewKept is how much of what is unpacked is kept before it is known how long all of it is.
const fewKept = 1 << 20

// unpack undoes a coding, into b. It makes no more than mostKept of it, whatever the text promises, and no room for
// more than there is: of a long one it is found out first how long it is.
func unpack(b []byte, coding string, packed []byte) ([]byte, error) {
	short := bytes.NewBuffer(b)
	_, err := undo(short, coding, packed, fewKept)
	if !errors.Is(err, errTooLong) {
		return short.Bytes(), err
	}
	n, err := undo(io.Discard, coding, packed, mostKept)
	if err != nil {
		return b, err
	}
	long := bytes.NewBuffer(make([]byte, 0, n+bytes.MinRead))
	_, err = undo(long, coding, packed, mostKept)
	return long.Bytes(), err
}

// undo undoes a coding, and gives most bytes of it at most.
func undo(to io.Writer, coding string, packed []byte, most int64) (int64, error) {
	in := bufio.NewReader(bytes.NewReader(packed))
	var from io.Reader
	var err error
	switch coding {
	case "gzip", "x-gzip":
		from, err = gzip.NewReader(in)
	case "deflate":
		// It is zlib's format (RFC 9110, 8.4.1.2); some servers send what is in that.
		if from, err = zlib.NewReader(in); err != nil {
			from, err = flate.NewReader(bytes.NewReader(packed)), nil
		}
	case "br":
		from = brotli.NewReader(in)
	case "zstd":
		var z *zstd.Decoder
		if z, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostKept)); err == nil {
			defer z.Close()
			from = z
		}
	default:
		err = errors.New("unsupported content encoding")
	}
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(to, bounded.NewReader(from, most))
	if errors.Is(err, bounded.ErrTooLong) || errors.Is(err, zstd.ErrDecoderSizeExceeded) ||
		errors.Is(err, zstd.ErrWindowSizeExceeded) {
		err = errTooLong
	}
	return n, err
}
