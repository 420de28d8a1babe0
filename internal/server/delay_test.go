package server

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/wake"
)

func TestDelay(t *testing.T) {
	alarms := wake.New()
	defer alarms.Close()
	over := make(chan struct{})
	close(over)
	var d Delay
	for range 3 {
		if start := time.Now(); !d.Until(start.Add(time.Millisecond), alarms, nil, nil) ||
			time.Since(start) < time.Millisecond {
			t.Error("it did not wait to the end")
		}
	}
	var cut, gone Delay
	if cut.Until(time.Now().Add(time.Hour), alarms, over, nil) ||
		gone.Until(time.Now().Add(time.Hour), alarms, nil, over) {
		t.Error("it waited although nobody waits for it")
	}
}
