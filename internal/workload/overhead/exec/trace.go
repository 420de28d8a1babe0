package exec

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Exchange is one request and its answer, as the server saw them.
type Exchange struct {
	Service, Operation string // "" for what the server has no answer for
	Conn               uint64
	// ns: the request's first bytes in, the first of its answer about to be written, the last
	// of it out.
	Received, Answering, Sent int64
	Kernel                    bool  // Received is the kernel's stamp, and not when the server read
	Status                    int   // of HTTP
	Bytes                     int64 // of the request
	Protocol                  string
	Agent                     string // how the client names itself; "" if it does not

	SentKernel bool  // Sent is the kernel's stamp, and not when the write had returned
	Process    int   // of the client; 0 if it is not known
	Age        int64 // ns that the process has at least, when the answer began
	// ns that its threads have waited for a processor until then: all of them, and the busiest one.
	Waited, Busiest int64
	Timed           bool  // they are known
	CPU             int64 // ns that it has used of the CPUs until then; 0 if it is not known
}

// Name is the exchange in a sentence.
func (e *Exchange) Name() string {
	if e.Operation == "" {
		return strings.TrimSpace(e.Service + " (unknown operation)")
	}
	return e.Service + "/" + e.Operation
}

// Trace is what was read of a trace.
type Trace struct {
	Exchanges []Exchange // in the order in which the requests came in
	Cut       bool       // there was more, or the last line has no end
}

const (
	header = "service,operation,connection,received_unix_ns,answering_unix_ns,sent_unix_ns," +
		"received_by,status,request_bytes,protocol,user_agent,sent_by,process,process_age_ns,waited_ns,waited_busiest_ns," +
		"cpu_ns"
	// A trace is of a client that does one call after the other: five million are hours of it.
	maxExchanges = 5_000_000
	maxLine      = 4 << 10
	maxNames     = 10_000 // services and operations
	maxAgents    = 1_000  // more are not told apart
	maxTime      = 1 << 62
)

// Read reads a trace. Its lines are in any order: they are written as answers are.
func Read(from io.Reader) (*Trace, error) { return read(from, maxExchanges) }

func read(from io.Reader, most int) (*Trace, error) {
	lines := bufio.NewReaderSize(from, maxLine)
	t := &Trace{}
	p := parser{names: map[string]string{}, agents: map[string]string{}}
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0 && n > 1:
			t.sort()
			return t, nil
		case err == io.EOF && n > 1:
			t.Cut = true // the server was ended while it wrote
			t.sort()
			return t, nil
		case err == io.EOF:
			return nil, errors.New("the trace has no header line")
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("line %d of the trace is longer than %d bytes", n, maxLine)
		case err != nil:
			return nil, fmt.Errorf("cannot read the trace: %w", err)
		}
		line = bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
		if n == 1 {
			if string(line) != header {
				return nil, errors.New("the columns of the trace do not match this version of 'plimsoll serve aws'")
			}
			continue
		}
		if len(t.Exchanges) == most {
			t.Cut = true
			t.sort()
			return t, nil
		}
		e, err := p.parseExchange(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the trace: %w", n, err)
		}
		t.Exchanges = append(t.Exchanges, e)
	}
}

func (t *Trace) sort() {
	slices.SortStableFunc(t.Exchanges, func(a, b Exchange) int {
		switch {
		case a.Received != b.Received:
			return compare(a.Received, b.Received)
		default:
			return compare(a.Sent, b.Sent)
		}
	})
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// parser reads lines; each name is kept once.
type parser struct{ names, agents map[string]string }

func (p *parser) parseExchange(line []byte) (e Exchange, err error) {
	const columns = 17
	fields := bytes.SplitN(line, []byte(","), columns+1)
	if len(fields) != columns {
		return e, fmt.Errorf("it does not have %d columns", columns)
	}
	number := func(field int, least, most int64) int64 {
		v, wrong := strconv.ParseInt(string(fields[field]), 10, 64)
		if err == nil && (wrong != nil || v < least || v > most) {
			err = fmt.Errorf("%.40q is not a valid number for column %d", fields[field], field+1)
		}
		return v
	}
	e.Conn = uint64(number(2, 0, maxTime))
	e.Received, e.Answering, e.Sent = number(3, 0, maxTime), number(4, 0, maxTime), number(5, 0, maxTime)
	e.Status, e.Bytes = int(number(7, 100, 999)), number(8, 0, maxTime)
	e.Process, e.Age = int(number(12, 0, math.MaxInt32)), number(13, 0, maxTime)
	if e.Timed = len(fields[14]) > 0; e.Timed {
		e.Waited = number(14, 0, maxTime)
		e.Busiest = number(15, 0, e.Waited)
	}
	e.CPU = number(16, 0, maxTime)
	if err == nil {
		e.Kernel, err = byKernel(fields[6], "read")
	}
	if err == nil {
		e.SentKernel, err = byKernel(fields[11], "write")
	}
	if err != nil {
		return e, err
	}
	if e.Sent < e.Received || e.Answering < e.Received || e.Sent < e.Answering {
		return e, errors.New("the response was sent before the request arrived")
	}
	if e.Service, err = p.parseName(fields[0]); err == nil {
		e.Operation, err = p.parseName(fields[1])
	}
	if err == nil {
		e.Protocol, err = p.parseName(fields[9])
	}
	e.Agent = p.agent(fields[10])
	return e, err
}

// byKernel tells the kernel's stamps from others.
func byKernel(field []byte, other string) (bool, error) {
	switch string(field) {
	case "kernel":
		return true, nil
	case other:
		return false, nil
	}
	return false, fmt.Errorf("%.40q is not a known timestamp source", field)
}

// agent is "" when there were too many: a client may name itself as it likes.
func (p *parser) agent(b []byte) string {
	known, found := p.agents[string(b)]
	if !found && len(p.agents) < maxAgents {
		known = string(b)
		p.agents[known] = known
	}
	return known
}

func (p *parser) parseName(b []byte) (string, error) {
	if known, found := p.names[string(b)]; found {
		return known, nil
	}
	if len(p.names) == maxNames {
		return "", errors.New("too many services and operations")
	}
	s := string(b)
	p.names[s] = s
	return s, nil
}
