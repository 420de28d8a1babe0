package hdfs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// preface is what the library begins a connection to a namenode with, when it need not log
// in: "hrpc", version 9, service class 0, no authentication.
const preface = "hrpc\x09\x00\x00"

// maxResponse is the largest answer of a namenode that is read, as in Hadoop's
// ipc.maximum.response.length.
const maxResponse = 128 << 20

// nameLink is a connection to a namenode. It reads answers as a whole, and notes those that
// are errors.
type nameLink struct {
	*link
	skip    int    // bytes of the library's preface that were sent in another form
	request []byte // the last one, which the library writes at once
	answer  bytes.Reader
}

func (n *nameLink) Write(p []byte) (int, error) {
	skipped := min(n.skip, len(p))
	n.skip -= skipped
	if skipped == len(p) {
		return len(p), nil
	}
	n.request = append(n.request[:0], p[skipped:]...)
	written, err := n.link.Write(p[skipped:])
	if err != nil {
		n.session.noteFault(err, true)
		n.lastWords(err)
	}
	return skipped + written, err
}

// lastWords notes why the namenode has closed the connection, which it says before it does.
func (n *nameLink) lastWords(err error) {
	if store.CauseOf(err) != store.Reset {
		return
	}
	if frame, err := readFrame(n.link); err == nil {
		if r, err := remoteError(frame[4:]); err == nil && r != nil {
			n.session.answered(r)
		}
	}
}

func (n *nameLink) Read(p []byte) (int, error) {
	if n.answer.Len() == 0 {
		frame, err := n.next()
		if err != nil {
			n.session.noteFault(err, true)
			return 0, err
		}
		n.answer.Reset(frame)
	}
	return n.answer.Read(p)
}

// next is the next answer. A namenode that has not yet heard from the datanodes of a block
// refuses to add another one, or to complete the file. Hadoop's client asks again; the library
// would give the file up, or ask without naming the last block, which then is never completed.
func (n *nameLink) next() ([]byte, error) {
	const most = 30 * time.Second
	pauses, began := backoff.Between{First: 10 * time.Millisecond, Last: time.Second}, time.Now()
	for try := 0; ; try++ {
		frame, err := readFrame(n.link)
		if err != nil {
			return nil, err
		}
		r, err := remoteError(frame[4:])
		if err != nil {
			return nil, err
		}
		early := r != nil && strings.HasSuffix(r.exception, ".NotReplicatedYetException") ||
			r == nil && incomplete(n.request, frame)
		if !early || time.Since(began) > most {
			if r != nil {
				n.session.answered(r)
			}
			return frame, nil
		}
		if !pauses.Wait(n.session.life, try) {
			return nil, context.Cause(n.session.life)
		}
		if _, err := n.link.Write(n.request); err != nil {
			return nil, err
		}
	}
}

// incomplete tells whether an answer says that a file could not be completed yet: the false of
// CompleteResponseProto.
func incomplete(request, answer []byte) bool {
	if len(request) < 4 {
		return false
	}
	_, n := protowire.ConsumeBytes(request[4:])
	if n < 0 {
		return false
	}
	call, n := protowire.ConsumeBytes(request[4+n:])
	if n < 0 || !bytes.HasPrefix(call, []byte("\x0a\x08complete\x12")) { // its first field, and the next
		return false
	}
	_, n = protowire.ConsumeBytes(answer[4:])
	if n < 0 {
		return false
	}
	body, n := protowire.ConsumeBytes(answer[4+n:])
	return n >= 0 && bytes.Equal(body, []byte{0x08, 0})
}

// errNotHadoop is for an answer that is not Hadoop RPC.
var errNotHadoop = errors.New("the response is not Hadoop RPC")

// readFrame reads an answer, with its length before it.
func readFrame(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, 4); err != nil {
		if b.Len() > 0 && errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	n := binary.BigEndian.Uint32(b.Bytes())
	if n == 0 || n > maxResponse {
		return nil, fmt.Errorf("%w: it begins with %q", errNotHadoop, b.Bytes())
	}
	// The memory grows with what comes, not with what is announced.
	if _, err := io.CopyN(&b, r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}

// remote is an error that a namenode answered.
type remote struct {
	exception string // the class of Java
	message   string // its first line
}

// remoteError reads the RpcResponseHeaderProto that an answer begins with; nil for success.
func remoteError(answer []byte) (*remote, error) {
	header, n := protowire.ConsumeBytes(answer)
	if n < 0 {
		return nil, errNotHadoop
	}
	var r remote
	var status uint64
	err := eachField(header, func(number protowire.Number, v uint64, text []byte) {
		switch number {
		case 2:
			status = v
		case 4:
			r.exception = string(text)
		case 5:
			r.message = cause.Line(string(text))
		}
	})
	if err != nil || status == 0 {
		return nil, err
	}
	return &r, nil
}

// eachField calls do for the fields of a message that are integers or bytes.
func eachField(message []byte, do func(number protowire.Number, v uint64, value []byte)) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errNotHadoop
		}
		message = message[n:]
		var v uint64
		var value []byte
		switch kind {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			value, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return errNotHadoop
		}
		do(number, v, value)
		message = message[n:]
	}
	return nil
}
