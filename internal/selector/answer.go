package selector

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"
)

// Answer is what there is to look at.
type Answer struct {
	Status int
	Fields Fields
	Body   []byte   // what of it was kept
	Size   int64    // of the whole body, in bytes
	Sum    [32]byte // SHA-256 of the whole body, where a check Needs it

	json validity // of Body
}

// Fields are the headers of an answer.
type Fields interface {
	// Value is the n-th value, from 0, of the header of this name, in whatever case it is written; false when there are
	// not so many.
	Value(name string, n int) ([]byte, bool)
}

type validity uint8

const (
	unknown validity = iota
	valid
	broken
)

// mostRoom is how much room for bodies is kept in any case.
const mostRoom = 1 << 20

// Reset makes it ready for another answer. Much room that was hardly used is given back: one long answer a client must
// not be kept for as long as there are clients.
func (a *Answer) Reset() {
	room := a.Body[:0]
	if cap(room) > mostRoom && len(a.Body) < cap(room)/4 {
		room = nil
	}
	*a = Answer{Body: room}
}

// cut reports whether a part of the body was not kept.
func (a *Answer) cut() bool { return int64(len(a.Body)) < a.Size }

// isJSON reports whether the body is JSON, which is looked at once: gjson finds paths in anything.
func (a *Answer) isJSON() bool {
	if a.json == unknown {
		a.json = broken
		if isJSON(a.Body) {
			a.json = valid
		}
	}
	return a.json == valid
}

// deepest is how deep encoding/json goes.
const deepest = 10000

// isJSON is gjson's check, which takes a sixth of the time of encoding/json's, but goes as deep as a text does, until
// the stack ends the process (v1.20.0): what may be deep is for the other one.
func isJSON(text []byte) bool {
	if bytes.Count(text, []byte{'['})+bytes.Count(text, []byte{'{'}) > deepest {
		return json.Valid(text)
	}
	return gjson.ValidBytes(text)
}
