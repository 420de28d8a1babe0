package hdfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// dataLink is a connection to a datanode. What is written first tells what it is for.
type dataLink struct {
	*link
	writes int   // how many there were, up to a few
	pipe   *pipe // of a connection that writes a block, or may
	first  bool  // the answer to the request has begun, or cannot be told from others
	buffer bytes.Reader
}

// The operations of Hadoop's data transfer protocol, version 28.
const (
	opWrite = "\x00\x1c\x50"
	opRead  = "\x00\x1c\x51"
)

// maxMessage bounds the messages of a datanode that are not data.
const maxMessage = 1 << 20

func (d *dataLink) Write(p []byte) (int, error) {
	switch {
	case d.writes == 0, d.writes == 2 && d.pipe != nil && d.pipe.blind:
		d.findRequest(p)
	case d.pipe != nil && !d.pipe.blind:
		d.pipe.sending(p)
	}
	d.writes = min(d.writes+1, 3)
	if d.pipe != nil && d.pipe.failure() != nil {
		return len(p), nil
	}
	n, err := d.link.Write(p)
	if err == nil {
		return n, nil
	}
	d.session.noteFault(err, false)
	if d.pipe != nil {
		// The library would leave a goroutine behind if it knew; see pipe.
		d.pipe.fail(err)
		return len(p), nil
	}
	return n, err
}

// findRequest looks at what may be the request. A login stands before it where the datanodes ask for
// one, and is two messages of the client; after it, the request can be read unless all that
// follows is signed or encrypted.
func (d *dataLink) findRequest(p []byte) {
	switch {
	case bytes.HasPrefix(p, []byte(opWrite)):
		d.pipe = &pipe{changed: make(chan struct{})}
	case bytes.HasPrefix(p, []byte(opRead)):
		d.pipe = nil
	case d.writes > 0:
		return
	default:
		d.pipe = &pipe{changed: make(chan struct{}), blind: true}
	}
	d.first = d.pipe != nil && d.pipe.blind
	d.session.mu.Lock()
	defer d.session.mu.Unlock()
	d.session.pipe = d.pipe
}

func (d *dataLink) Read(p []byte) (int, error) {
	n, err := d.read(p)
	if err != nil {
		d.session.noteFault(err, false)
		if d.pipe != nil {
			d.pipe.fail(err)
		}
	}
	return n, err
}

func (d *dataLink) read(p []byte) (int, error) {
	if d.pipe != nil {
		if err := d.pipe.failure(); err != nil {
			return 0, err
		}
	}
	if d.buffer.Len() > 0 {
		return d.buffer.Read(p)
	}
	if !d.first {
		d.first = true
		answer, err := readMessage(d.link)
		if err != nil {
			return 0, err
		}
		d.buffer.Reset(answer)
		return d.buffer.Read(p)
	}
	n, err := d.link.Read(p)
	if d.pipe != nil && !d.pipe.blind {
		if bad := d.pipe.receiving(p[:n]); bad != nil {
			return 0, bad
		}
	}
	return n, err
}

// readMessage reads the answer to a request, which has its length before it, and gives all of
// it. The library would make room for any length that is announced.
func readMessage(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	for {
		if _, err := io.CopyN(&b, r, 1); err != nil {
			return nil, err
		}
		if last := b.Bytes()[b.Len()-1]; last < 0x80 {
			break
		}
		if b.Len() == binary.MaxVarintLen32 {
			return nil, errNotDatanode
		}
	}
	n, _ := binary.Uvarint(b.Bytes())
	if n < 4 || n > maxMessage { // the library reads at least five bytes
		return nil, errNotDatanode
	}
	_, err := io.CopyN(&b, r, int64(n))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

var errNotDatanode = errors.New("the response is not from a datanode")

// pipe is what is known of a block being written: the packets that were sent and those that
// all datanodes of the pipeline have acknowledged.
//
// The library's goroutines for a block end only if it can write to the end. So when a
// connection has failed, writes to it seem to succeed from then on, and reads fail; the Writer
// asks the pipe for the error.
type pipe struct {
	blind bool // the connection is protected: nothing is known but its failure

	mu      sync.Mutex
	sent    int64 // number of the last packet
	acked   int64
	err     error
	changed chan struct{} // closed at each change, and replaced
	pending []byte        // the beginning of an acknowledgement
}

func (p *pipe) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *pipe) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failLocked(err)
}

func (p *pipe) failLocked(err error) {
	if p.err == nil {
		p.err = err
		p.wake()
	}
}

func (p *pipe) wake() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// state gives the packets that are not acknowledged, and what is closed when that changes.
func (p *pipe) state() (unacked int64, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent - p.acked, p.changed, p.err
}

// sending notes a packet, of which the library writes each at once: the length in four bytes,
// that of the header in two, and PacketHeaderProto, whose second field is the number.
func (p *pipe) sending(packet []byte) {
	const at = 4 + 2 + 1 + 8
	if len(packet) < at+1+8 || packet[at] != 0x11 {
		return
	}
	number := int64(binary.LittleEndian.Uint64(packet[at+1:]))
	p.mu.Lock()
	defer p.mu.Unlock()
	if number > p.sent { // not a heartbeat
		p.sent = number
	}
}

// receiving reads acknowledgements: each a PipelineAckProto with its length before it.
func (p *pipe) receiving(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = append(p.pending, b...)
	for len(p.pending) > 0 {
		length, n := protowire.ConsumeVarint(p.pending)
		switch {
		case n < 0 && len(p.pending) >= binary.MaxVarintLen32, n >= 0 && length > maxMessage:
			return errNotDatanode
		case n < 0, uint64(len(p.pending)-n) < length:
			return nil // the rest is to come
		}
		if err := p.acknowledge(p.pending[n : n+int(length)]); err != nil {
			p.failLocked(err)
			return err
		}
		p.pending = p.pending[n+int(length):]
	}
	p.pending = nil
	return nil
}

func (p *pipe) acknowledge(ack []byte) error {
	var number int64
	var status uint64
	node, failed := 0, 0
	reply := func(v uint64) {
		if v != 0 && status == 0 {
			status, failed = v, node
		}
		node++
	}
	err := eachField(ack, func(field protowire.Number, v uint64, value []byte) {
		switch {
		case field == 1:
			number = protowire.DecodeZigZag(v)
		case field == 2 && value == nil:
			reply(v)
		case field == 2:
			for len(value) > 0 {
				v, n := protowire.ConsumeVarint(value)
				if n < 0 {
					return
				}
				reply(v)
				value = value[n:]
			}
		}
	})
	switch {
	case err != nil:
		return errNotDatanode
	case status != 0:
		return fmt.Errorf("datanode %d of the pipeline rejected a packet with status %d", failed+1, status)
	}
	if number > p.acked {
		p.acked = number
	}
	p.wake()
	return nil
}
