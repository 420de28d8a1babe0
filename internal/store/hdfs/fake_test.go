package hdfs

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// Hostile servers are not to be had from Hadoop: these are fakes.

// listen serves each connection on its own, until the test ends.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	var conns []net.Conn
	group.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
			group.Go(func() {
				serve(c)
				_ = c.Close()
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		for _, c := range conns {
			_ = c.Close()
		}
		mu.Unlock()
		group.Wait()
	})
	return l.Addr().String()
}

// message makes a message of fields in turn: numbers from 1 on, integers, texts and messages.
func message(fields ...any) []byte {
	var b []byte
	for i, f := range fields {
		number := protowire.Number(i + 1)
		switch v := f.(type) {
		case int:
			b = appendVarint(b, number, uint64(v))
		case string:
			b = appendBytes(b, number, []byte(v))
		case []byte:
			b = appendBytes(b, number, v)
		case nil:
		}
	}
	return b
}

// fakeNamenode answers the calls by name.
func fakeNamenode(t *testing.T, answers map[string][]byte) string {
	t.Helper()
	return fakeNamenodeFunc(t, func(method string, _ []byte) []byte { return answers[method] })
}

// fakeNamenodeFunc answers each call by a function, which gets the request, too.
func fakeNamenodeFunc(t *testing.T, answer func(method string, request []byte) []byte) string {
	t.Helper()
	return listen(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		if _, err := in.Discard(len(preface)); err != nil {
			return
		}
		for {
			frame, err := readFrame(in)
			if err != nil {
				return
			}
			header, n := protowire.ConsumeBytes(frame[4:])
			var id int64
			_ = eachField(header, func(field protowire.Number, v uint64, _ []byte) {
				if field == 3 {
					id = protowire.DecodeZigZag(v)
				}
			})
			if id < 0 {
				continue // the context of the connection
			}
			call, k := protowire.ConsumeBytes(frame[4+n:])
			var method string
			_ = eachField(call, func(field protowire.Number, _ uint64, value []byte) {
				if field == 1 {
					method = string(value)
				}
			})
			request, _ := protowire.ConsumeBytes(frame[4+n+k:])
			if _, err := c.Write(answerFrame(message(int(id), 0), answer(method, request))); err != nil {
				return
			}
		}
	})
}

// answerFrame is an answer of a namenode.
func answerFrame(header, body []byte) []byte {
	b := protowire.AppendBytes(protowire.AppendBytes(make([]byte, 4), header), body)
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// fileAnswers are those of a namenode that has files of 1000 bytes on a datanode.
func fileAnswers(t *testing.T, datanode string) map[string][]byte {
	t.Helper()
	address, err := net.ResolveTCPAddr("tcp", datanode)
	if err != nil {
		t.Fatal(err)
	}
	id := message("127.0.0.1", "localhost", "uuid", address.Port, 1, 1)
	block := message(message("pool", 1, 1, 1000), 0, message(id), 0, message("", "", "", ""))
	status := message(2, "x", 1000, message(0o644), "alice", "users", 1, 1)
	return map[string][]byte{
		"getServerDefaults":      message(message(1<<20, 512, 65536, 1, 4096)),
		"getFileInfo":            message(status),
		"getBlockLocations":      message(message(1000, block, 0, nil, 1)),
		"create":                 message(status),
		"addBlock":               message(block),
		"updateBlockForPipeline": message(block),
		"complete":               message(1),
		"delete":                 message(1),
	}
}

// fakeDatanode answers each request with these bytes, and then waits for the end.
func fakeDatanode(t *testing.T, answer []byte, hangUp bool) string {
	t.Helper()
	return listen(t, func(c net.Conn) {
		in := bufio.NewReader(c)
		if _, err := in.Discard(3); err != nil {
			return
		}
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return
		}
		if _, err := in.Discard(int(n)); err != nil {
			return
		}
		if _, err := c.Write(answer); err != nil || hangUp {
			return
		}
		_, _ = io.Copy(io.Discard, in)
	})
}

// opAnswer is the answer to a request to read, with this size of chunks.
func opAnswer(chunk int) []byte {
	return protowire.AppendBytes(nil, message(0, nil, nil, message(message(2, chunk), 0)))
}

// packet is the header of a packet of data.
func packet(length int32) []byte {
	h := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), 0)
	h = protowire.AppendFixed64(protowire.AppendTag(h, 2, protowire.Fixed64Type), 1)
	h = appendVarint(h, 3, 0)
	h = protowire.AppendFixed32(protowire.AppendTag(h, 4, protowire.Fixed32Type), uint32(length))
	b := make([]byte, 6)
	binary.BigEndian.PutUint32(b, uint32(length)+4)
	binary.BigEndian.PutUint16(b[4:], uint16(len(h)))
	return append(b, h...)
}
