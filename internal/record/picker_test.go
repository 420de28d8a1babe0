package record

import (
	"testing"
	"time"
)

func wall(stamp int64) time.Time { return time.Unix(0, stamp) }

// So many a second are picked, whatever the rate, and as evenly as they come; none where none ends.
func TestPickerBySecond(t *testing.T) {
	for _, test := range []struct{ every, want int64 }{{1e4, 1000}, {1e6, 1000}, {30e6, 334}, {1e9, 10}} {
		p := NewPicker(100, 0, 5000)
		for at := int64(0); at < 10e9; at += test.every {
			p.Offer(&Operation{Start: at - 5, End: at}, wall)
		}
		list := p.Take()
		if n := int64(len(list)); n < test.want-1 || n > test.want {
			t.Errorf("one each %v: %d, want %d", time.Duration(test.every), n, test.want)
		}
		for i, s := range list[1:] {
			if gap := s.End - list[i].End; gap < 10e6-test.every {
				t.Fatalf("one each %v: two are %v apart", time.Duration(test.every), time.Duration(gap))
			}
		}
		if !list[0].Began.Equal(wall(list[0].Start)) {
			t.Errorf("began at %v", list[0].Began)
		}
	}
}

// A share is picked exactly, and what there is no room for is counted.
func TestPickerByShare(t *testing.T) {
	p := NewPicker(0, .25, 10)
	for at := range int64(1000) {
		p.Offer(&Operation{End: at}, wall)
	}
	seen, lost := p.Counts()
	if n := len(p.Take()); n != 10 || seen != 1000 || lost != 240 {
		t.Errorf("%d taken, %d seen, %d lost", n, seen, lost)
	}
	if p.Offer(&Operation{}, wall); len(p.Take())+len(p.Take()) > 1 {
		t.Error("one is there twice")
	}
}
