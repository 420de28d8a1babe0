//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fanout"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// BenchmarkReceivers has the same stream of deliveries read by Plimsoll's receivers (the kernel's stamps, the rules, the
// marks, the accounts), by a bare loop of the same library, and by a loop that only reads the socket, each in a process
// of its own, in turn. A third process sends the stream, so that what counts is the processor time of receiving alone.
func BenchmarkReceivers(b *testing.B) {
	for _, receivers := range []int{200, 1000} {
		b.Run(fmt.Sprint(receivers), func(b *testing.B) {
			took := map[string][]heard{}
			for b.Loop() {
				turn := len(took[readers[0]])
				for i := range readers {
					how := readers[(turn+i)%len(readers)]
					took[how] = append(took[how], listen(b, how, receivers, 100*1000/receivers))
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, how := range readers {
				b.ReportMetric(middleOf(took[how], heard.cpu)/1e3, how+"-µs/delivery")
				var ratios []float64
				for i, h := range took[how] {
					ratios = append(ratios, took["plimsoll"][i].cpu()/h.cpu())
				}
				if slices.Sort(ratios); how != "plimsoll" {
					b.ReportMetric(ratios[len(ratios)/2], "x-of-"+how)
				}
			}
		})
	}
}

// BenchmarkReceiversMemory reports what a receiver has resident, before anything came and after it.
func BenchmarkReceiversMemory(b *testing.B) {
	for _, receivers := range []int{1000, 10_000} {
		for _, how := range readers {
			b.Run(fmt.Sprint(how, "/", receivers), func(b *testing.B) {
				var all []heard
				for b.Loop() {
					all = append(all, listen(b, how, receivers, 20))
				}
				kib := float64(receivers) * 1024
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(middleOf(all, func(h heard) float64 { return float64(h.Idle - h.Empty) })/kib, "KiB-idle")
				b.ReportMetric(middleOf(all, func(h heard) float64 { return float64(h.RSS - h.Empty) })/kib, "KiB-after")
			})
		}
	}
}

// readers are the ways to read.
var readers = []string{"plimsoll", "gws", "read"}

func middleOf(all []heard, get func(heard) float64) float64 {
	var values []float64
	for _, h := range all {
		values = append(values, get(h))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// heard is what a process of receivers tells of itself.
type heard struct {
	Deliveries       int64
	UserNS, SystemNS int64
	Empty, Idle, RSS int64 // bytes resident: without receivers, with them, and now
}

func (h heard) cpu() float64 { return float64(h.UserNS+h.SystemNS) / float64(h.Deliveries) }

// listen has so many receivers read so many messages.
func listen(b *testing.B, how string, receivers, messages int) heard {
	b.Helper()
	source := startTalker(b, "fansource")
	defer source.stop()
	ears := startTalker(b, "fanears", how, source.line(), fmt.Sprint(receivers))
	defer ears.stop()
	var idle heard
	ears.read(&idle)
	ears.ask(fmt.Sprintln(messages), &idle)
	source.ask(fmt.Sprintln(messages, receivers), nil)
	for {
		var h heard
		ears.ask("\n", &h)
		if h.Deliveries > int64(receivers*messages) {
			b.Fatalf("%d deliveries of %d", h.Deliveries, receivers*messages)
		}
		if h.Deliveries == int64(receivers*messages) {
			h.UserNS, h.SystemNS = h.UserNS-idle.UserNS, h.SystemNS-idle.SystemNS
			return h
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// talker is a child that answers lines.
type talker struct {
	b   *testing.B
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startTalker(b *testing.B, name string, args ...string) *talker {
	b.Helper()
	t := &talker{b: b, cmd: exec.Command(name, args...)}
	t.cmd.Stderr = os.Stderr
	var err error
	if t.in, err = t.cmd.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := t.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	t.out = bufio.NewReader(out)
	if err := t.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return t
}

func (t *talker) line() string {
	t.b.Helper()
	line, err := t.out.ReadString('\n')
	if err != nil {
		t.b.Fatalf("%s: %v", t.cmd.Path, err)
	}
	return strings.TrimSpace(line)
}

func (t *talker) read(to any) {
	t.b.Helper()
	if line := t.line(); to != nil {
		if err := json.Unmarshal([]byte(line), to); err != nil {
			t.b.Fatal(err)
		}
	}
}

func (t *talker) ask(line string, to any) {
	t.b.Helper()
	if _, err := io.WriteString(t.in, line); err != nil {
		t.b.Fatal(err)
	}
	t.read(to)
}

func (t *talker) stop() {
	_ = t.in.Close()
	_ = t.cmd.Wait()
}

// fanPace is the time from one delivery of the stream to the next: so many that one processor can read them.
const fanPace = 25 * time.Microsecond

// fanSource is the main of the process that sends: a number of messages to each of a number of connections.
func fanSource() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		die(err)
	}
	fmt.Printf("ws://%s/chat/1\n", l.Addr())
	var mu sync.Mutex
	var all []net.Conn
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				die(err)
			}
			if err := welcome(c); err != nil {
				die(err)
			}
			mu.Lock()
			all = append(all, c)
			mu.Unlock()
		}
	}()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var messages, receivers int
		_, _ = fmt.Sscan(in.Text(), &messages, &receivers)
		mu.Lock()
		if len(all) != receivers {
			die(fmt.Errorf("%d connections, not %d", len(all), receivers))
		}
		began := time.Now()
		for i := range messages {
			frame := fanFrame(i + 1)
			for _, c := range all {
				if _, err := c.Write(frame); err != nil {
					die(err)
				}
			}
			time.Sleep(time.Until(began.Add(time.Duration((i+1)*receivers) * fanPace)))
		}
		mu.Unlock()
		fmt.Println("{}")
	}
}

func die(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func welcome(c net.Conn) error {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return err
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, err = fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	return err
}

const fanTag = "f00dbeef"

// bareMessage is a valid chat message of usual length.
const bareMessage = `{"userId":"4711","username":"user4711","message":"Has anyone seen the notes from the last meeting?",` +
	`"roomId":"7","messageType":"TEXT","messageId":"0123456789abcdef-1234567-12.1234567","timestamp":"2026-11-21T20:47:00.000000Z"}`

// fanFrame is a delivery as a chat server makes it.
func fanFrame(seq int) []byte {
	mark := fmt.Sprintf("%s-%07d-0.%07d", fanTag, 1e6+seq, 1e6+seq)
	p := `{"status":"delivered","messageId":"` + mark + `","originalMessage":` +
		strings.Replace(bareMessage, "0123456789abcdef-1234567-12.1234567", mark, 1) + `}`
	frame := []byte{0x81, 126, 0, 0}
	binary.BigEndian.PutUint16(frame[2:], uint16(len(p)))
	return append(frame, p...)
}

// ears are receivers of a kind.
type ears interface {
	open(target string, n int) error
	expect(messages int) // that are to come
	heard() int64
}

// fanEars is the main of the process that receives. It tells of itself once its receivers are there, and with each line.
func fanEars() {
	how, target := os.Args[1], os.Args[2]
	var n int
	_, _ = fmt.Sscan(os.Args[3], &n)
	e := map[string]ears{"plimsoll": &plimsollEars{}, "gws": &gwsEars{}, "read": &readEars{}}[how]
	tells := json.NewEncoder(os.Stdout)
	h := heard{Empty: resident()}
	tell := func() {
		cpu := cpuTime()
		h.UserNS, h.SystemNS, h.Deliveries, h.RSS = int64(cpu[0]), int64(cpu[1]), e.heard(), resident()
		_ = tells.Encode(h)
	}
	if err := e.open(target, n); err != nil {
		die(err)
	}
	h.Idle = resident()
	tell()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var messages int
		if _, err := fmt.Sscan(in.Text(), &messages); err == nil {
			e.expect(messages)
		}
		tell()
	}
}

// resident is the resident memory of this process.
func resident() int64 {
	var size, pages int64
	data, _ := os.ReadFile("/proc/self/statm")
	_, _ = fmt.Sscan(string(data), &size, &pages)
	return pages * int64(os.Getpagesize())
}

// plimsollEars are Plimsoll's receivers, for whom each message is entered before it is sent.
type plimsollEars struct{ w *ws.Traffic }

func (e *plimsollEars) open(target string, n int) error {
	p, err := wsproto.LoadPreset("chat", wsproto.Options{})
	if err != nil {
		return err
	}
	o := ws.Options{Protocol: p, Label: "type", Rooms: 1, Receivers: n, Clients: 1, Timeout: time.Minute}
	if e.w, err = ws.New(o, target, fanTag); err != nil {
		return err
	}
	clock := op.NewClock()
	e.w.Stamp(wire.NewTimes(clock.Epoch()))
	return e.w.Open(context.Background(), clock)
}

func (e *plimsollEars) expect(messages int) {
	for i := range messages {
		e.w.Fanout().Send(&fanout.Outgoing{Index: uint64(1e6 + i + 1), Seq: uint64(1e6 + i + 1), Measured: true})
	}
}

func (e *plimsollEars) heard() int64 { return e.w.Fanout().Figures().Taken }

// gwsEars only read messages, by the library.
type gwsEars struct{ all []*gwsEar }

type gwsEar struct {
	gws.BuiltinEventHandler
	n int64
	_ [48]byte
}

func (e *gwsEar) OnMessage(_ *gws.Conn, m *gws.Message) { e.n++; _ = m.Close() }

func (e *gwsEars) open(target string, n int) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	for range n {
		raw, err := net.Dial("tcp", u.Host)
		if err != nil {
			return err
		}
		one := &gwsEar{}
		c, _, err := gws.NewClientFromConn(one, &gws.ClientOption{Addr: target, ReadBufferSize: 4 << 10}, raw)
		if err != nil {
			return err
		}
		e.all = append(e.all, one)
		go c.ReadLoop()
	}
	return nil
}

func (e *gwsEars) expect(int) {}

func (e *gwsEars) heard() (n int64) {
	for _, one := range e.all {
		n += one.n
	}
	return n
}

// readEars only read bytes.
type readEars struct{ all []*readEar }

type readEar struct {
	n int64
	_ [56]byte
}

func (e *readEars) open(target string, n int) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	for range n {
		c, err := net.Dial("tcp", u.Host)
		if err != nil {
			return err
		}
		_, err = io.WriteString(c, "GET "+u.Path+" HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n")
		if err != nil {
			return err
		}
		if _, err = http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			return err
		}
		one := &readEar{}
		e.all = append(e.all, one)
		go func() {
			buffer := make([]byte, 4<<10)
			for {
				k, err := c.Read(buffer)
				if err != nil {
					return
				}
				one.n += int64(k)
			}
		}()
	}
	return nil
}

func (e *readEars) expect(int) {}

func (e *readEars) heard() (n int64) {
	for _, one := range e.all {
		n += one.n
	}
	return n / int64(len(fanFrame(1)))
}
