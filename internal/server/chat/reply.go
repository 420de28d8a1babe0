package chat

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// headerRoom is kept free before a frame's payload: the longest header of a server's frame.
const headerRoom = 10

// reply is an answer that may still have to wait: its payload is ready but for the time of
// sending.
type reply struct {
	buf      []byte // headerRoom bytes, then the payload
	sendTime int    // where in buf serverSendTime goes; 0 when the payload has none
	op       byte   // the opcode of its frame
}

func (r *reply) payload() []byte { return r.buf[headerRoom:] }

// replies pools them.
type replies struct{ pool sync.Pool }

// largestPooled keeps one huge message from staying in memory for good.
const largestPooled = 64 << 10

func (p *replies) get() *reply {
	r, ok := p.pool.Get().(*reply)
	if !ok {
		r = &reply{buf: make([]byte, 0, 1024)}
	}
	r.buf, r.sendTime, r.op = r.buf[:headerRoom], 0, opText
	return r
}

func (p *replies) put(r *reply) {
	if cap(r.buf) <= largestPooled {
		p.pool.Put(r)
	}
}

// echo makes the answer to a valid message.
func (r *reply) echo(m *message, received time.Time, clock *stamps) {
	r.head(m.id, "success")
	r.times(received, clock)
	r.buf = append(r.buf, `,"originalMessage":`...)
	r.buf = append(r.buf, m.object...)
	r.buf = append(r.buf, '}')
}

// refuse makes the answer to a message that broke rules, naming each.
func (r *reply) refuse(m *message, received time.Time, clock *stamps) {
	r.head(m.id, "error")
	r.buf = append(r.buf, `"errors":[`...)
	for i := range ruleCount {
		switch {
		case m.missing.has(i):
			r.error(rules[i].missing)
		case m.broken.has(i) && i == ruleJSON:
			r.error(rules[i].broken + ": " + m.syntax)
		case m.broken.has(i):
			r.error(rules[i].broken)
		}
	}
	r.buf[len(r.buf)-1] = ']' // the last comma
	r.buf = append(r.buf, ',')
	r.times(received, clock)
	r.buf = append(r.buf, '}')
}

// refuseAsked makes the answer to a valid message that is to be refused all the same.
func (r *reply) refuseAsked(m *message, received time.Time, clock *stamps) {
	r.head(m.id, "error")
	r.buf = append(r.buf,
		`"errors":["the message is valid; this error was injected (--error-rate)"],`...)
	r.times(received, clock)
	r.buf = append(r.buf, '}')
}

// spoil makes the answer something that is not JSON: the first half of an object has no end.
func (r *reply) spoil() {
	half := headerRoom + len(r.payload())/2
	for r.op == opText && half > headerRoom && half < len(r.buf) && !utf8.RuneStart(r.buf[half]) {
		half-- // text has no half characters
	}
	r.buf = r.buf[:half]
	if r.sendTime+stampSize > half {
		r.sendTime = 0
	}
}

func (r *reply) head(id []byte, status string) {
	r.buf = append(r.buf, '{')
	if id != nil {
		r.buf = append(r.buf, `"messageId":`...)
		r.buf = append(r.buf, id...)
		r.buf = append(r.buf, ',')
	}
	r.buf = append(r.buf, `"status":"`...)
	r.buf = append(r.buf, status...)
	r.buf = append(r.buf, `",`...)
}

func (r *reply) error(text string) {
	r.buf, _ = jsontext.AppendQuote(r.buf, text) // the text's invalid UTF-8, if any, is replaced
	r.buf = append(r.buf, ',')
}

// times writes both times; the second is filled in by stamp.
func (r *reply) times(received time.Time, clock *stamps) {
	r.buf = append(r.buf, `"serverReceiveTime":"`...)
	r.buf = clock.append(r.buf, received)
	r.buf = append(r.buf, `","serverSendTime":"`...)
	r.sendTime = len(r.buf)
	r.buf = append(r.buf, "0000-00-00T00:00:00.000000Z\""...)
}

// stamp fills in the time of sending.
func (r *reply) stamp(now time.Time, clock *stamps) {
	if r.sendTime > 0 {
		clock.append(r.buf[:r.sendTime], now)
	}
}

// The opcodes of the frames that are written here; the final bit is added to the last frame
// of a message.
const (
	opContinuation = 0x0
	opText         = 0x1
	opClose        = 0x8
	opPing         = 0x9
	finalFrame     = 0x80
)

// frame puts the header of a whole message before the payload, and gives both.
func (r *reply) frame() []byte {
	var header [headerRoom]byte
	h := appendHeader(header[:0], r.op|finalFrame, len(r.payload()))
	start := headerRoom - len(h)
	copy(r.buf[start:], h)
	return r.buf[start:]
}

// appendFragments appends the message as frames of at most size bytes of payload.
func (r *reply) appendFragments(dst []byte, size int) []byte {
	op := r.op
	rest := r.payload()
	for len(rest) > size {
		dst = append(appendHeader(dst, op, size), rest[:size]...)
		rest, op = rest[size:], opContinuation
	}
	return append(appendHeader(dst, op|finalFrame, len(rest)), rest...)
}

// appendHeader appends the header of an unmasked frame (RFC 6455, section 5.2).
func appendHeader(dst []byte, first byte, length int) []byte {
	switch {
	case length <= 125:
		return append(dst, first, byte(length))
	case length <= 0xffff:
		return binary.BigEndian.AppendUint16(append(dst, first, 126), uint16(length))
	default:
		return binary.BigEndian.AppendUint64(append(dst, first, 127), uint64(length))
	}
}

// stampSize is the length of a time such as 2025-01-31T12:00:00.123456Z.
const stampSize = 27

// stamps writes times in UTC with microseconds. It remembers the text of the last second,
// which most times share.
type stamps struct{ last atomic.Pointer[secondText] }

type secondText struct {
	second int64
	text   [stampSize]byte
}

func (s *stamps) append(dst []byte, t time.Time) []byte {
	second := t.Unix()
	last := s.last.Load()
	if last == nil || last.second != second {
		last = &secondText{second: second}
		copy(last.text[:], t.UTC().Format("2006-01-02T15:04:05.000000Z"))
		s.last.Store(last)
	}
	dst = append(dst, last.text[:]...)
	micros := t.Nanosecond() / 1000
	for i := len(dst) - 2; i >= len(dst)-7; i-- {
		dst[i] = byte('0' + micros%10)
		micros /= 10
	}
	return dst
}
