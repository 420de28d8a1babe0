package kv

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/plimsoll/plimsoll/internal/delta"
)

// The bounds of a request and its answer.
const (
	maxPartitionsBody = 4 << 20
	maxPartitions     = 1000
	maxAnswer         = 64 << 20
)

var errLargeAnswer = fmt.Errorf("the values exceed %d MiB: request fewer keys", maxAnswer>>20)

// lookups writes values into the body of an answer.
type lookups struct {
	s     *Server
	body  []byte
	value []byte
	seen  map[string]struct{}
	asked int
	found int
	limit int // of the body
}

// keys appends an object that has each of the keys once: {"value": …}, or the status of a key
// that has none, if missing says so.
func (l *lookups) keys(keys []string, missing bool) error {
	clear(l.seen)
	l.body = append(l.body, '{')
	first := true
	for _, key := range keys {
		if _, twice := l.seen[key]; twice {
			continue
		}
		l.seen[key] = struct{}{}
		value, kind, ok := l.s.store.Get(l.value[:0], []byte(key))
		l.value = value
		l.asked++
		if !ok && !missing {
			continue
		}
		if !first {
			l.body = append(l.body, ',')
		}
		first = false
		l.text(key)
		if ok {
			l.found++
			l.body = append(l.body, ':')
			l.one(value, kind)
		} else {
			l.body = append(l.body, `:{"status":{"code":404,"message":"the key has no value"}}`...)
		}
		if len(l.body) > l.limit {
			return errLargeAnswer
		}
	}
	l.body = append(l.body, '}')
	return nil
}

// one appends a value: text as a string, a set as an array of its elements. JSON has no bytes
// that are not text: where there are some, they are in base64, under another name.
func (l *lookups) one(value []byte, kind delta.ValueType) {
	quote := l.text
	if !isText(value, kind) {
		quote = l.base64
		l.body = append(l.body, `{"value_base64":`...)
	} else {
		l.body = append(l.body, `{"value":`...)
	}
	if kind == delta.String {
		quote(string(value))
		l.body = append(l.body, '}')
		return
	}
	l.body = append(l.body, '[')
	n := 0
	for element := range delta.Elements(value) {
		if n++; n > 1 {
			l.body = append(l.body, ',')
		}
		quote(string(element))
	}
	l.body = append(l.body, `]}`...)
}

func isText(value []byte, kind delta.ValueType) bool {
	if kind == delta.String {
		return utf8.Valid(value)
	}
	for element := range delta.Elements(value) {
		if !utf8.Valid(element) {
			return false
		}
	}
	return true
}

func (l *lookups) base64(s string) {
	l.body = append(l.body, '"')
	l.body = base64.StdEncoding.AppendEncode(l.body, []byte(s))
	l.body = append(l.body, '"')
}

// text appends a JSON string. Bytes that are not UTF-8 become U+FFFD, as everywhere in JSON.
func (l *lookups) text(s string) {
	quoted, err := jsontext.AppendQuote(l.body, s)
	if err != nil && quoted == nil { // it quotes what is not UTF-8, too, and says so
		quoted = append(l.body, `""`...)
	}
	l.body = quoted
}

func (s *Server) lookups() *lookups {
	return &lookups{s: s, seen: make(map[string]struct{}), limit: maxAnswer}
}

func (l *lookups) count() {
	l.s.metrics.reads.Add(float64(l.asked))
	l.s.metrics.found.Add(float64(l.found))
}

// getValues answers GET /v1/getvalues?keys=a,b.
func (s *Server) getValues(w http.ResponseWriter, r *http.Request) {
	asked, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		fail(w, http.StatusBadRequest, "%v", err)
		return
	}
	l := s.lookups()
	defer l.count()
	l.body = append(l.body, '{')
	for i, n := range asked {
		if i > 0 {
			l.body = append(l.body, ',')
		}
		l.text(n.name)
		l.body = append(l.body, ':')
		if err := l.keys(n.keys, true); err != nil {
			fail(w, http.StatusUnprocessableEntity, "%v", err)
			return
		}
	}
	send(w, http.StatusOK, append(l.body, "}\n"...))
}

// partitionsRequest is the body of PUT /v2/getvalues, as the key/value API has it. The names
// keyGroups, keyList and compressionGroup are those of its first drafts.
type partitionsRequest struct {
	Partitions []partition `json:"partitions"`
}

type partition struct {
	ID           int64      `json:"id"`
	Group        int64      `json:"compressionGroupId"`
	OldGroup     int64      `json:"compressionGroup"`
	Arguments    []argument `json:"arguments"`
	OldArguments []argument `json:"keyGroups"`
}

type argument struct {
	Tags    json.RawMessage `json:"tags"`
	Data    []string        `json:"data"`
	OldData []string        `json:"keyList"`
}

// parsePartitions reads the body of PUT /v2/getvalues.
func parsePartitions(body []byte) (*partitionsRequest, error) {
	var q partitionsRequest
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	if len(q.Partitions) == 0 || len(q.Partitions) > maxPartitions {
		return nil, fmt.Errorf("%d partitions: must be between 1 and %d", len(q.Partitions), maxPartitions)
	}
	keys := 0
	ids := make(map[int64]struct{})
	for i := range q.Partitions {
		p := &q.Partitions[i]
		if _, twice := ids[p.ID]; twice {
			return nil, fmt.Errorf("two partitions have the ID %d", p.ID)
		}
		ids[p.ID] = struct{}{}
		p.Arguments = append(p.Arguments, p.OldArguments...)
		p.Group += p.OldGroup
		for j := range p.Arguments {
			a := &p.Arguments[j]
			a.Data = append(a.Data, a.OldData...)
			keys += len(a.Data)
			if len(a.Tags) == 0 {
				a.Tags = json.RawMessage("[]")
			}
		}
	}
	if keys > maxKeys {
		return nil, fmt.Errorf("%d keys: at most %d can be requested at once", keys, maxKeys)
	}
	return &q, nil
}

// getPartitions answers PUT /v2/getvalues: a list of compression groups, each with the outputs
// of its partitions. Keys without a value are left out.
func (s *Server) getPartitions(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPartitionsBody))
	if err != nil {
		fail(w, bodyStatus(err), "cannot read the body: %v", err)
		return
	}
	q, err := parsePartitions(body)
	if err != nil {
		fail(w, http.StatusBadRequest, "not a valid request: %v", err)
		return
	}
	l := s.lookups()
	defer l.count()
	if err := l.groups(q); err != nil {
		status := http.StatusUnprocessableEntity
		if !errors.Is(err, errLargeAnswer) {
			status = http.StatusInternalServerError
		}
		fail(w, status, "%v", err)
		return
	}
	send(w, http.StatusOK, append(l.body, '\n'))
}

// groups appends the answer, group by group in the order of their first partitions.
func (l *lookups) groups(q *partitionsRequest) error {
	var order []int64
	members := make(map[int64][]*partition)
	for i := range q.Partitions {
		p := &q.Partitions[i]
		if members[p.Group] == nil {
			order = append(order, p.Group)
		}
		members[p.Group] = append(members[p.Group], p)
	}
	l.body = append(l.body, '[')
	for i, group := range order {
		if i > 0 {
			l.body = append(l.body, ',')
		}
		l.body = fmt.Appendf(l.body, `{"compressionGroupId":%d,"partitions":[`, group)
		for j, p := range members[group] {
			if j > 0 {
				l.body = append(l.body, ',')
			}
			if err := l.partition(p); err != nil {
				return err
			}
		}
		l.body = append(l.body, "]}"...)
	}
	l.body = append(l.body, ']')
	return nil
}

func (l *lookups) partition(p *partition) error {
	l.body = fmt.Appendf(l.body, `{"id":%d,"keyGroupOutputs":[`, p.ID)
	for i := range p.Arguments {
		if i > 0 {
			l.body = append(l.body, ',')
		}
		l.body = append(l.body, `{"tags":`...)
		l.body = append(l.body, p.Arguments[i].Tags...)
		l.body = append(l.body, `,"keyValues":`...)
		if err := l.keys(p.Arguments[i].Data, false); err != nil {
			return err
		}
		l.body = append(l.body, '}')
	}
	l.body = append(l.body, "]}"...)
	return nil
}
