package main

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base64"
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// truth answers chat messages and stamps when they come. It writes the stamps to the file that is
// its argument when it is told to end. It is a server of its own, without a library, so that what
// it says has nothing to do with what Plimsoll says.
func truth() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	fmt.Printf("ws://%s\n", l.Addr())
	s := &stamper{}
	// goroutine: it lasts as long as the process.
	go s.accept(l)
	<-end
	file, err := os.Create(os.Args[2])
	if err != nil {
		return err
	}
	s.mu.Lock() // and never unlocked: the process ends
	return errors.Join(gob.NewEncoder(file).Encode(s.all), file.Close())
}

type stamper struct {
	mu  sync.Mutex
	all []arrival
}

func (s *stamper) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		// goroutine: it lasts as long as its connection.
		go func() {
			defer c.Close()
			if err := s.serve(c.(*net.TCPConn)); err != nil {
				fmt.Fprintln(os.Stderr, "truth:", err)
			}
		}()
	}
}

// serve shakes hands and answers the messages of a connection until it ends.
func (s *stamper) serve(c *net.TCPConn) error {
	r := bufio.NewReader(c)
	request, err := http.ReadRequest(r)
	if err != nil {
		return err
	}
	if r.Buffered() > 0 {
		return errors.New("data before the answer to the handshake")
	}
	sum := sha1.Sum([]byte(request.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	if _, err := fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:])); err != nil {
		return err
	}
	in, err := newReceiver(c)
	if err != nil {
		return err
	}
	var data []byte
	for {
		n, kernel, err := in.receive()
		read := time.Now().UnixNano()
		if n == 0 || err != nil {
			return err
		}
		data = append(data, in.buf[:n]...)
		for {
			payload, opcode, size := frame(data)
			if size == 0 {
				break
			}
			if err := s.answer(c, payload, opcode, kernel, read); err != nil {
				return nil // the other side has gone
			}
			data = append(data[:0], data[size:]...)
		}
	}
}

// answer stamps a message and answers it. Other frames than text are told of by an error when they
// close the connection, and are ignored else: nothing here lives as long as to be pinged.
func (s *stamper) answer(c net.Conn, payload []byte, opcode byte, kernel, read int64) error {
	switch opcode {
	case 8:
		_, _ = c.Write([]byte{0x88, 0})
		return net.ErrClosed
	case 1:
	default:
		return nil
	}
	id := messageID(payload)
	if index, ok := indexOf(id); ok {
		s.mu.Lock()
		s.all = append(s.all, arrival{index, kernel, read})
		s.mu.Unlock()
	}
	text := fmt.Appendf(nil, `{"messageId":"%s","status":"success"}`, id)
	_, err := c.Write(append([]byte{0x81, byte(len(text))}, text...)) // shorter than 126 bytes
	return err
}

// frame unmasks the first frame of the data, in place. Its size is 0 when it is not there as a whole.
func frame(data []byte) (payload []byte, opcode byte, size int) {
	if len(data) < 6 {
		return nil, 0, 0
	}
	length, head := int(data[1]&0x7f), 2
	if length == 126 {
		length, head = int(data[2])<<8|int(data[3]), 4
	}
	if len(data) < head+4+length {
		return nil, 0, 0
	}
	mask := data[head : head+4]
	payload = data[head+4 : head+4+length]
	for i := range payload {
		payload[i] ^= mask[i%4]
	}
	return payload, data[0] & 0xf, head + 4 + length
}

// messageID is that of a chat message.
func messageID(payload []byte) []byte {
	_, after, _ := bytes.Cut(payload, []byte(`"messageId":"`))
	id, _, _ := bytes.Cut(after, []byte(`"`))
	return id
}

// indexOf is the number of the message in its run, which stands behind the first dash of its id.
func indexOf(id []byte) (uint64, bool) {
	_, after, _ := bytes.Cut(id, []byte("-"))
	number, _, _ := bytes.Cut(after, []byte("-"))
	index, err := strconv.ParseUint(string(number), 10, 64)
	return index, err == nil
}

// receiver reads with the kernel's stamps.
type receiver struct {
	raw      syscall.RawConn
	buf, oob [1 << 10]byte
}

func newReceiver(c *net.TCPConn) (*receiver, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var set error
	if err := raw.Control(func(fd uintptr) {
		set = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	}); err != nil {
		return nil, err
	}
	return &receiver{raw: raw}, set
}

// receive reads what there is, and when the last of it came.
func (r *receiver) receive() (n int, kernel int64, err error) {
	var extra int
	wait := r.raw.Read(func(fd uintptr) bool {
		n, extra, _, _, err = unix.Recvmsg(int(fd), r.buf[:], r.oob[:], 0)
		return err != unix.EAGAIN
	})
	if wait != nil || err != nil {
		return 0, 0, errors.Join(wait, err)
	}
	messages, err := unix.ParseSocketControlMessage(r.oob[:extra])
	if err != nil {
		return 0, 0, err
	}
	for _, m := range messages {
		if m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			kernel = (*unix.Timespec)(unsafe.Pointer(&m.Data[0])).Nano()
		}
	}
	return n, kernel, nil
}
