package instrument

import (
	"testing"
	"testing/fstest"
	"time"
)

// A Part accumulates between Begin and End only.
func TestPartAccumulatesBetweenBeginAndEnd(t *testing.T) {
	stat := func(busy string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("cpu  " + busy + " 0 0 1000 0 0 0 0 0 0\ncpu0 " + busy + " 0 0 1000 0 0 0 0 0 0\n")}
	}
	files := fstest.MapFS{"proc/stat": stat("100")}
	p := &Part{files: files}
	for _, busy := range [][2]string{{"100", "130"}, {"500", "507"}} {
		files["proc/stat"] = stat(busy[0])
		p.Begin()
		files["proc/stat"] = stat(busy[1])
		p.End()
	}
	if p.machine.busy != 37 || p.machine.total != 37 {
		t.Errorf("%+v", p.machine)
	}
	delay := 8 * time.Second
	r := Reading{User: 3 * time.Second, System: time.Second, Elapsed: time.Minute, GCPause: 4 * time.Second, RunDelay: &delay,
		MachineBusy: 1, MachineTotal: 2}
	p.user, p.system = time.Second, time.Second
	r.Only(p, 7*time.Second)
	if r.User != time.Second || r.System != time.Second || r.Elapsed != 7*time.Second || r.GCPause != 2*time.Second ||
		*r.RunDelay != 4*time.Second || r.MachineBusy != 37 || r.MachineTotal != 37 {
		t.Errorf("%+v, run delay %v", r, *r.RunDelay)
	}
}

func TestPartOfThisProcess(t *testing.T) {
	p := NewPart()
	p.Begin()
	p.End()
	if now := ProcessTime(); p.user < 0 || p.system < 0 || now > 0 && p.user+p.system > now {
		t.Errorf("user %v, system %v of %v", p.user, p.system, now)
	}
}
