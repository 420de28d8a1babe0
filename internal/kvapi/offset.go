package kvapi

import (
	"context"
	"errors"
	"fmt"
)

// Offset relates the clock of the caller to that of the server.
type Offset struct {
	// Shared says that both are the same clock, by their identities, and that the server's time,
	// asked for and answered, lay between two times of the caller's.
	Shared bool
	// OffsetNS is what is added to the caller's clock to get the server's, and BoundNS how far
	// that may be off to either side; both are 0 when the clock is shared.
	OffsetNS, BoundNS int64
	RoundTripNS       int64 // of the exchange that it comes from, the shortest
	Exchanges         int
}

// Offset asks for the server's clock n times, and takes the exchange with the shortest round
// trip: the server read its clock at some moment between the two ends, so that the offset to
// the middle is off by at most half the round trip, however the way there and the way back
// share it. now and id are the caller's clock.
//
// Between the exchanges of all n the clocks must not drift by more than the bound; they take
// milliseconds.
func (c *Client) Offset(ctx context.Context, n int, now func() int64, id uint64) (Offset, error) {
	if n < 1 {
		return Offset{}, errors.New("the clock must be read at least once")
	}
	best := Offset{RoundTripNS: -1, Exchanges: n}
	same, between := id != 0, true
	if _, err := c.Clock(ctx); err != nil { // makes the connection
		return Offset{}, err
	}
	for range n {
		before := now()
		clock, err := c.Clock(ctx)
		after := now()
		if err != nil {
			return Offset{}, err
		}
		trip := after - before
		if trip < 0 {
			return Offset{}, fmt.Errorf("this machine's clock went back by %d ns", -trip)
		}
		same = same && clock.ID == id
		between = between && before <= clock.MonotonicNS && clock.MonotonicNS <= after
		if best.RoundTripNS < 0 || trip < best.RoundTripNS {
			middle := before + trip/2
			best.OffsetNS, best.BoundNS, best.RoundTripNS = clock.MonotonicNS-middle, (trip+1)/2, trip
		}
	}
	if same && between {
		best.Shared, best.OffsetNS, best.BoundNS = true, 0, 0
	}
	return best, nil
}
