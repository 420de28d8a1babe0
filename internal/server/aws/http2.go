package aws

import (
	"bufio"
	"bytes"
	"errors"
	"sync"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/plimsoll/plimsoll/internal/server"
)

// Limits of a connection with HTTP/2.
const (
	maxStreams   = 256
	streamWindow = 1 << 20 // what a client may send of a body before it hears more
	connWindow   = 16 << 20
	maxWindow    = 1<<31 - 1
	frameSize    = 16 << 10 // every client takes frames of this size
	firstWindow  = 64<<10 - 1
)

// multiplexed is a connection with HTTP/2. Its goroutine reads; what has to wait before it is
// answered has a goroutine of its own. Only frames with a request's content are looked at:
// there is nothing to push, and no priority among answers that are ready.
//
// It is not net/http's, which does not say which request came in when, nor when an answer's
// last byte was written.
type multiplexed struct {
	conn    *conn
	framer  *http2.Framer
	streams map[uint32]*stream // not yet received in full; the reading goroutine's
	last    uint32             // the highest number so far
	taken   int                // bytes of bodies since the connection's window was opened again
	done    chan struct{}      // the client has gone
	waiting sync.WaitGroup

	mu      sync.Mutex // for all that follows, and for writing frames
	room    *sync.Cond // windows have grown, or there is no use in waiting for that
	out     *bufio.Writer
	encoder *hpack.Encoder
	block   bytes.Buffer
	clock   httpDate
	window  int64            // of the connection
	initial int64            // of a stream
	windows map[uint32]int64 // of the streams that are not yet answered
	closed  bool
	agents  agents
	pending int // goroutines of requests, also of those that were called off meanwhile
}

// stream is one request.
type stream struct {
	id       uint32
	request  request
	received time.Time
	kernel   bool
	taken    int
}

func serveHTTP2(c *conn) {
	m := &multiplexed{
		conn: c, streams: map[uint32]*stream{}, done: make(chan struct{}),
		out:    bufio.NewWriterSize(c.stream, 2*frameSize),
		window: firstWindow, initial: firstWindow, windows: map[uint32]int64{},
	}
	m.room = sync.NewCond(&m.mu)
	m.encoder = hpack.NewEncoder(&m.block)
	m.framer = http2.NewFramer(m.out, c.stream)
	m.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	m.framer.MaxHeaderListSize = maxHead
	m.framer.SetMaxReadFrameSize(frameSize)
	m.framer.SetReuseFrames()
	reason := m.run()
	if c.ending.Load() {
		m.waiting.Wait() // the requests that are here in full are answered
	}
	m.mu.Lock()
	_ = m.framer.WriteGoAway(m.last, reason, nil)
	_ = m.out.Flush()
	m.closed = true
	m.room.Broadcast()
	m.mu.Unlock()
	close(m.done)
	m.waiting.Wait()
}

// run reads until the connection's end, and says what the client is told about that.
func (m *multiplexed) run() http2.ErrCode {
	preface := make([]byte, len(http2.ClientPreface))
	for read := 0; read < len(preface); {
		n, err := m.conn.stream.Read(preface[read:])
		read += n
		if n == 0 && err != nil {
			return http2.ErrCodeNo
		}
	}
	if string(preface) != http2.ClientPreface {
		return http2.ErrCodeProtocol
	}
	if m.greet() != nil {
		return http2.ErrCodeNo
	}
	for {
		m.conn.wire.expect()
		frame, err := m.framer.ReadFrame()
		m.conn.begun.Store(0)
		var one http2.StreamError
		var all http2.ConnectionError
		switch {
		case err == nil:
			err = m.take(frame)
		case errors.As(err, &one):
			delete(m.streams, one.StreamID)
			err = m.refuse(one.StreamID, one.Code)
		}
		if errors.As(err, &all) {
			return http2.ErrCode(all)
		}
		if err != nil || m.conn.ending.Load() {
			return http2.ErrCodeNo
		}
	}
}

func (m *multiplexed) greet() error {
	return m.write(func() error {
		return errors.Join(m.framer.WriteSettings(
			http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: maxStreams},
			http2.Setting{ID: http2.SettingInitialWindowSize, Val: streamWindow},
			http2.Setting{ID: http2.SettingMaxHeaderListSize, Val: maxHead},
		), m.framer.WriteWindowUpdate(0, connWindow-firstWindow))
	})
}

// write writes frames and sends them.
func (m *multiplexed) write(frames func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := frames(); err != nil {
		return err
	}
	return m.out.Flush()
}

func (m *multiplexed) refuse(id uint32, code http2.ErrCode) error {
	return m.write(func() error {
		delete(m.windows, id)
		m.room.Broadcast()
		return m.framer.WriteRSTStream(id, code)
	})
}

// take does what a frame is for.
func (m *multiplexed) take(frame http2.Frame) error {
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		return m.headers(f)
	case *http2.DataFrame:
		return m.data(f)
	case *http2.SettingsFrame:
		return m.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return m.write(func() error { return m.framer.WritePing(true, f.Data) })
		}
	case *http2.WindowUpdateFrame:
		return m.enlarge(f.StreamID, int64(f.Increment))
	case *http2.RSTStreamFrame:
		delete(m.streams, f.StreamID)
		m.mu.Lock()
		delete(m.windows, f.StreamID)
		m.room.Broadcast()
		m.mu.Unlock()
	}
	return nil
}

// headers begins a request, or ends one with trailers.
func (m *multiplexed) headers(f *http2.MetaHeadersFrame) error {
	if st := m.streams[f.StreamID]; st != nil {
		if !f.StreamEnded() {
			return http2.ConnectionError(http2.ErrCodeProtocol)
		}
		st.request.bytes += int64(f.Length) + frameHead
		return m.complete(st)
	}
	if f.StreamID%2 == 0 || f.StreamID <= m.last {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	m.last = f.StreamID
	m.mu.Lock()
	full := len(m.windows) >= maxStreams || m.pending >= maxStreams
	if !full {
		m.windows[f.StreamID] = m.initial
	}
	m.mu.Unlock()
	if full {
		return m.refuse(f.StreamID, http2.ErrCodeRefusedStream)
	}
	st := &stream{id: f.StreamID}
	st.received, st.kernel = m.conn.wire.first()
	st.request.bytes = int64(f.Length) + frameHead
	if f.Truncated || !st.request.fromFields(f.Fields) {
		return m.refuse(f.StreamID, http2.ErrCodeProtocol)
	}
	if st.request.foreign {
		return m.refuse(f.StreamID, http2.ErrCodeRefusedStream)
	}
	if f.StreamEnded() {
		return m.complete(st)
	}
	m.streams[f.StreamID] = st
	return nil
}

// frameHead is the length of what precedes a frame's content.
const frameHead = 9

// fromFields takes the request from the fields that HTTP/2 has for it.
func (q *request) fromFields(fields []hpack.HeaderField) bool {
	q.protocol = HTTP2
	for _, f := range fields {
		value := []byte(f.Value)
		switch f.Name {
		case ":method":
			q.setMethod(value)
		case ":path":
			if !q.setTarget(value) {
				return false
			}
		case ":authority", "host": // the same, where there are both
			q.host = value
		case "transfer-encoding", "connection":
			return false
		default:
			if !q.header([]byte(f.Name), value) {
				return false
			}
		}
	}
	return len(q.method) > 0 && len(q.path) > 0
}

// data takes a part of a body, and opens the windows again for as much.
func (m *multiplexed) data(f *http2.DataFrame) error {
	length := int(f.Length)
	m.taken += length
	if length > 0 { // frames of nothing are no progress
		m.conn.progress.Add(1)
	}
	st := m.streams[f.StreamID]
	if st == nil && f.StreamID > m.last {
		return http2.ConnectionError(http2.ErrCodeProtocol)
	}
	if st != nil {
		st.taken += length
		st.request.bytes += int64(length) + frameHead
		content := f.Data()
		st.request.body = append(st.request.body, content[:min(len(content), maxKept-len(st.request.body))]...)
	}
	if m.taken >= connWindow/4 {
		if err := m.write(func() error { return m.framer.WriteWindowUpdate(0, uint32(m.taken)) }); err != nil {
			return err
		}
		m.taken = 0
	}
	switch {
	case st == nil:
		return nil
	case f.StreamEnded():
		return m.complete(st)
	case st.taken >= streamWindow/4:
		opened := uint32(st.taken)
		st.taken = 0
		return m.write(func() error { return m.framer.WriteWindowUpdate(st.id, opened) })
	}
	return nil
}

func (m *multiplexed) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	return m.write(func() error {
		if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
			if v > maxWindow {
				return http2.ConnectionError(http2.ErrCodeFlowControl)
			}
			for id := range m.windows {
				m.windows[id] += int64(v) - m.initial
			}
			m.initial = int64(v)
			m.room.Broadcast()
		}
		if v, ok := f.Value(http2.SettingHeaderTableSize); ok {
			m.encoder.SetMaxDynamicTableSize(min(v, 4096))
		}
		return m.framer.WriteSettingsAck()
	})
}

// enlarge is the client's word that it takes more of an answer's body.
func (m *multiplexed) enlarge(id uint32, by int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.room.Broadcast()
	if id == 0 {
		m.window += by
		if m.window > maxWindow {
			return http2.ConnectionError(http2.ErrCodeFlowControl)
		}
		return nil
	}
	if _, open := m.windows[id]; open {
		m.windows[id] = min(m.windows[id]+by, maxWindow)
	}
	return nil
}

// complete answers a request that is here in full, at once or when it is time.
func (m *multiplexed) complete(st *stream) error {
	now := time.Now()
	delete(m.streams, st.id)
	s := m.conn.server
	op := s.router.route(&st.request)
	answer := op.reply(&st.request)
	if s.cfg.Latency == 0 {
		if sent, err := m.send(st, op, answer, false); sent || err != nil {
			return err
		}
	}
	m.mu.Lock()
	m.pending++
	m.mu.Unlock()
	if s.cfg.Latency > 0 {
		m.conn.peer.Read()
	}
	m.waiting.Go(func() {
		defer func() {
			m.mu.Lock()
			m.pending--
			m.mu.Unlock()
		}()
		var delay server.Delay
		if s.cfg.Latency == 0 || delay.Until(now.Add(s.cfg.Latency), s.alarms, s.cut, m.done) {
			_, _ = m.send(st, op, answer, true) // if it fails, so does reading
		}
	})
	return nil
}

// send writes an answer. If that has to wait for the client to take more, it does so, or
// writes nothing at all, as the caller may.
func (m *multiplexed) send(st *stream, op *operation, a *response, mayWait bool) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	body := a.body
	if st.request.head {
		body = nil
	}
	if !mayWait && int64(len(body)) > min(m.window, m.windows[st.id]) {
		return false, nil
	}
	defer delete(m.windows, st.id)
	if _, open := m.windows[st.id]; !open || m.closed {
		return true, nil // the client does not want it any more
	}
	client := m.conn.client()
	answering := time.Now()
	if err := m.head(st.id, a, len(body) == 0); err != nil {
		return true, err
	}
	for len(body) > 0 {
		n, ok := m.claim(st.id, len(body))
		if !ok {
			return true, nil
		}
		if err := m.framer.WriteData(st.id, n == len(body), body[:n]); err != nil {
			return true, err
		}
		body = body[n:]
	}
	m.conn.progress.Add(1)
	if err := m.out.Flush(); err != nil {
		return true, err
	}
	if observe := m.conn.server.cfg.Observe; observe != nil {
		sent, stamped := m.conn.wire.sent(answering)
		observe(Exchange{
			Service: op.service, Operation: op.name, Conn: m.conn.id, Received: st.received, Answering: answering,
			Sent: sent, SentKernel: stamped, Peer: client,
			ReceivedKernel: st.kernel, Status: a.status, RequestBytes: st.request.bytes,
			Protocol: st.request.protocol, Agent: m.agents.name(st.request.agent),
		})
	}
	return true, nil
}

// head writes an answer's headers.
func (m *multiplexed) head(id uint32, a *response, end bool) error {
	m.block.Reset()
	fields := append([]field{{":status", statusText(a.status)}}, a.fields...)
	fields = append(fields, field{"date", string(m.clock.at(time.Now()))})
	for _, f := range fields {
		if err := m.encoder.WriteField(hpack.HeaderField{Name: f.name, Value: f.value}); err != nil {
			return err
		}
	}
	return m.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: m.block.Bytes(), EndStream: end,
		EndHeaders: true})
}

// claim takes up to n bytes of the windows, waiting until there are some; false if the client
// does not want more.
func (m *multiplexed) claim(id uint32, n int) (int, bool) {
	for {
		window, open := m.windows[id]
		if !open || m.closed {
			return 0, false
		}
		if room := min(m.window, window, frameSize, int64(n)); room > 0 {
			m.window -= room
			m.windows[id] -= room
			return int(room), true
		}
		_ = m.out.Flush() // what is there is no use to the client here
		m.room.Wait()
	}
}
