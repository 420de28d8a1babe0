package server

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/wake"
)

// Delay waits for set times. Waiting allocates nothing after the first time. The zero value is
// ready; it serves one goroutine, and is of no use after a wait that was called off.
type Delay struct {
	alarm *wake.Alarm
	rung  chan struct{}
}

// Until waits for t, by the server's alarms; false if one of the channels is closed before that:
// the server is cut off, or nobody waits for the answer any more.
func (d *Delay) Until(t time.Time, alarms *wake.Scheduler, cut, gone <-chan struct{}) bool {
	if d.alarm == nil {
		d.rung = make(chan struct{}, 1)
		d.alarm = alarms.Alarm(func() { d.rung <- struct{}{} })
	}
	d.alarm.Set(t)
	select {
	case <-d.rung:
		return true
	case <-cut:
	case <-gone:
	}
	d.alarm.Stop()
	return false
}
