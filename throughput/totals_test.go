package throughput

import (
	"testing"
	"time"
)

// The time in I/O is the window without the client's own part, never less than none, and absent for what was not seen.
func TestTimeInIOOfATimeline(t *testing.T) {
	for _, c := range []struct {
		name        string
		edit        func(*Timeline)
		write, read time.Duration // below 0: absent
	}{
		{"whole", func(*Timeline) {}, 11 * time.Millisecond, 50 * time.Millisecond},
		{"own part", func(t *Timeline) { t.SourceTime, t.ReaderTime = time.Millisecond, 2*time.Millisecond },
			10 * time.Millisecond, 48 * time.Millisecond},
		{"own part is more", func(t *Timeline) { t.SourceTime, t.ReaderTime = time.Second, time.Second }, 0, 0},
		{"one byte", func(t *Timeline) { t.RequestBytes, t.ContentLength, t.ResponseBytes = 1, 1, 1 },
			11 * time.Millisecond, 50 * time.Millisecond},
		{"copied, no answer's body", func(t *Timeline) { t.Copied, t.ResponseBytes = true, 0 }, -1, -1},
		{"not written, answer not ended", func(t *Timeline) { t.RequestWritten, t.ResponseEnded = 0, false }, -1, -1},
	} {
		tl := upload()
		c.edit(tl)
		write, wrote := tl.WriteIO()
		read, did := tl.ReadIO()
		if write != max(c.write, 0) || wrote != (c.write >= 0) || read != max(c.read, 0) || did != (c.read >= 0) {
			t.Errorf("%s: %v, %t and %v, %t", c.name, write, wrote, read, did)
		}
		var sums Sums
		sums.add(tl)
		if sums.WriteIO != write || sums.ReadIO != read || (sums.ReadBytes > 0) != did {
			t.Errorf("%s: %+v", c.name, sums)
		}
	}
	var none *Timeline
	if spent, ok := none.WriteIO(); spent != 0 || ok {
		t.Error(spent, ok)
	}
	if spent, ok := none.ReadIO(); spent != 0 || ok {
		t.Error(spent, ok)
	}
}

// What moved nothing adds nothing, and nobody's totals take everything.
func TestTotalsOfStreams(t *testing.T) {
	moved := Progress{First: ms(1), Last: ms(3), Bytes: 7, InIO: time.Millisecond}
	unseen := Progress{First: ms(1), Bytes: 7, InIO: time.Millisecond}
	o := NewTotals(0, nil)
	for _, each := range []*Totals{nil, o} {
		each.AddRead(moved)
		each.AddRead(unseen)
		each.AddWrite(moved)
		each.AddWrite(unseen)
	}
	want := Sums{WriteBytes: 7, WriteIO: time.Millisecond, WriteWall: 2 * time.Millisecond,
		ReadBytes: 7, ReadIO: time.Millisecond, ReadWall: 2 * time.Millisecond}
	if got := o.All(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
