package aws

import (
	"bufio"
	"io"
	"strconv"
	"sync"
	"time"
)

// Trace writes exchanges as CSV, one a line. It is safe for concurrent use.
type Trace struct {
	mu   sync.Mutex
	out  *bufio.Writer
	line []byte
	// Times are nanoseconds since 1970 that go on by the monotonic clock: their differences
	// are right even if the clock is set in between.
	start   time.Time
	unix    int64
	flushed time.Time
	err     error // the first one; what comes after it is not written
}

// flushEvery is how long a line stays here at most, if there is a request after it: whoever reads
// along sees how it goes. The first one is written at once: it says that there are requests.
const flushEvery = time.Second

// traceHeader names the columns. received_by is "kernel" for the kernel's stamp, "read" for
// the time of the read; so is sent_by, with "write". The process is the client's, 0 where it is not known, and
// process_age_ns how old it is at least; the other two times are how long its threads have waited for a processor
// until then, empty where that is not known; cpu_ns is what it has used of the CPUs until then, 0 where that is not
// known.
const traceHeader = "service,operation,connection,received_unix_ns,answering_unix_ns,sent_unix_ns,received_by," +
	"status,request_bytes,protocol,user_agent,sent_by,process,process_age_ns,waited_ns,waited_busiest_ns,cpu_ns\n"

// NewTrace writes to w.
func NewTrace(w io.Writer) *Trace {
	now := time.Now()
	t := &Trace{out: bufio.NewWriterSize(w, 64<<10), start: now, unix: now.UnixNano()}
	_, t.err = t.out.WriteString(traceHeader)
	return t
}

// Observe writes one exchange; it is for Config.Observe.
func (t *Trace) Observe(e Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err != nil {
		return
	}
	b := append(t.line[:0], e.Service...)
	b = append(append(append(b, ','), e.Operation...), ',')
	b = append(strconv.AppendUint(b, e.Conn, 10), ',')
	b = append(strconv.AppendInt(b, t.unix+int64(e.Received.Sub(t.start)), 10), ',')
	b = append(strconv.AppendInt(b, t.unix+int64(e.Answering.Sub(t.start)), 10), ',')
	b = append(strconv.AppendInt(b, t.unix+int64(e.Sent.Sub(t.start)), 10), ',')
	if e.ReceivedKernel {
		b = append(b, "kernel,"...)
	} else {
		b = append(b, "read,"...)
	}
	b = append(strconv.AppendInt(b, int64(e.Status), 10), ',')
	b = append(strconv.AppendInt(b, e.RequestBytes, 10), ',')
	b = append(append(b, e.Protocol...), ',')
	b = append(b, e.Agent...)
	if e.SentKernel {
		b = append(b, ",kernel,"...)
	} else {
		b = append(b, ",write,"...)
	}
	b = append(strconv.AppendInt(b, int64(e.Peer.PID), 10), ',')
	b = append(strconv.AppendInt(b, int64(e.Peer.Age), 10), ',')
	if e.Peer.Timed {
		b = append(strconv.AppendInt(b, int64(e.Peer.Waited), 10), ',')
		b = append(strconv.AppendInt(b, int64(e.Peer.Busiest), 10), ',')
	} else {
		b = append(b, ",,"...)
	}
	b = strconv.AppendInt(b, int64(e.Peer.CPU), 10)
	t.line = append(b, '\n')
	_, t.err = t.out.Write(t.line)
	if t.err == nil && e.Sent.Sub(t.flushed) >= flushEvery {
		t.flushed, t.err = e.Sent, t.out.Flush()
	}
}

// Flush writes what is still here, and tells the first error that there was.
func (t *Trace) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = t.out.Flush()
	}
	return t.err
}
