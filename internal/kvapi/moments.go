package kvapi

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Moment is when a server had applied one batch of a run's window.
type Moment struct {
	Publisher uint32
	Sequence  uint64
	DueNS     int64 // by the publisher's clock
	AppliedNS int64 // by the server's
	Updates   int64 // that were applied or stale
}

// What of a run's moments a server keeps, and how many bytes one takes at most where it is written.
const (
	MaxMoments  = 1 << 22
	maxMomentAt = 5 * binary.MaxVarintLen64
)

// LeftOut is the header that tells how many batches have no moment, because there are MaxMoments already.
const LeftOut = "Plimsoll-Left-Out"

// AppendMoment writes a moment behind those before it, of which the last is given; the first has the zero Moment
// before it. Each is five variable integers: publisher, sequence, the time since the last one was due, the time
// from due to applied, and the updates.
func AppendMoment(b []byte, last, m Moment) []byte {
	b = binary.AppendUvarint(b, uint64(m.Publisher))
	b = binary.AppendVarint(b, int64(m.Sequence-last.Sequence))
	b = binary.AppendVarint(b, m.DueNS-last.DueNS)
	b = binary.AppendVarint(b, m.AppliedNS-m.DueNS)
	return binary.AppendUvarint(b, uint64(m.Updates))
}

var errMoments = errors.New("not a list of batch times")

// ReadMoments gives each of the moments that were written, until visit says that it is enough.
func ReadMoments(from io.Reader, visit func(Moment) bool) error {
	r := bufio.NewReader(from)
	var last Moment
	for {
		if _, err := r.Peek(1); errors.Is(err, io.EOF) {
			return nil
		}
		publisher, err := binary.ReadUvarint(r)
		if err != nil || publisher > 1<<32-1 {
			return errors.Join(errMoments, err)
		}
		var parts [3]int64
		for i := range parts {
			if parts[i], err = binary.ReadVarint(r); err != nil {
				return errors.Join(errMoments, err)
			}
		}
		updates, err := binary.ReadUvarint(r)
		if err != nil || updates > 1<<62 {
			return errors.Join(errMoments, err)
		}
		m := Moment{Publisher: uint32(publisher), Sequence: last.Sequence + uint64(parts[0]),
			DueNS: last.DueNS + parts[1], Updates: int64(updates)}
		m.AppliedNS = m.DueNS + parts[2]
		if !visit(m) {
			return nil
		}
		last = m
	}
}

// Moments asks when the batches of a run were applied. A run that was not registered with them has none. leftOut
// counts batches whose moment the server did not keep. The answer may take long, and is given up when nothing of it
// came for the client's timeout.
func (c *Client) Moments(ctx context.Context, run uint64, batches int64, visit func(Moment) bool) (leftOut int64,
	err error) {
	what := http.MethodGet + " " + c.base + runPath(run) + "/moments"
	moving, cancel := context.WithCancel(ctx)
	defer cancel()
	still := time.AfterFunc(c.timeout, cancel)
	defer still.Stop()
	leftOut, err = c.moments(moving, what, runPath(run)+"/moments", batches, visit, func() { still.Reset(c.timeout) })
	if err != nil && ctx.Err() == nil && moving.Err() != nil {
		return 0, silent(what, c.timeout, context.DeadlineExceeded)
	}
	return leftOut, err
}

func (c *Client) moments(ctx context.Context, what, path string, batches int64, visit func(Moment) bool,
	moved func()) (leftOut int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return 0, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return 0, failed(what, err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		return 0, read(what, response, &question{most: maxBody})
	}
	if leftOut, err = strconv.ParseInt(response.Header.Get(LeftOut), 10, 64); err != nil || leftOut < 0 {
		return 0, fmt.Errorf("%s: the response is not from a Plimsoll key/value server", what)
	}
	most := maxMomentAt * min(max(batches, 0), MaxMoments)
	if err := ReadMoments(io.LimitReader(&mover{response.Body, moved}, most), visit); err != nil {
		return 0, fmt.Errorf("%s: %w", what, err)
	}
	return leftOut, nil
}

// mover tells of each read that something has come.
type mover struct {
	from  io.Reader
	moved func()
}

func (m *mover) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	if n > 0 {
		m.moved()
	}
	return n, err
}
