package delta

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
)

// TestGeneratedRowsDoNotChange as they are: runs of two versions publish the same rows, and are compared with each other.
func TestGeneratedRowsDoNotChange(t *testing.T) {
	for _, c := range []struct {
		g    Generation
		want string
	}{
		{Generation{Seed: 1, Prefix: "k-", Batch: 50, KeyLength: 3, ValueLength: 1, Commit: 7}, "d290306001d213d1"},
		{Generation{Seed: 2, Prefix: "k-", Batch: 50, KeyLength: 10, ValueLength: 40, Deletes: .1, Sets: .3, Commit: -7}, "a23a9ce0e7c5236b"},
		{Generation{Seed: 3, Batch: 50, KeyLength: 12, ValueLength: 41, Deletes: 1}, "e62c79342b9bbcfd"},
		{Generation{Seed: 4, Batch: 50, KeyLength: 13, ValueLength: 3, Sets: 1}, "7c38b6423229fa47"},
		{Generation{Seed: 5, Batch: 50, KeyLength: 15, ValueLength: 100, Sets: .5, Keys: 9}, "3003e27f190a8352"},
		{Generation{Seed: 6, Batch: 50, KeyLength: 16, ValueLength: 0, Sets: .5, Keys: 1 << 40}, "007407e081f83e95"},
		{Generation{Seed: 7, Batch: 50, KeyLength: 17, ValueLength: 8, Keys: 1}, "fb3918222c0b1506"},
		{Generation{Seed: 8, Batch: 50, KeyLength: 40, ValueLength: 9, Deletes: .5}, "3767f3f580464da9"},
	} {
		n := generator(t, c.g)
		sum := sha256.New()
		var rows []Row
		var buf []byte
		for _, index := range []uint64{0, 1, 5, 1 << 62, 1<<62 + 2} {
			rowsBefore, bufBefore := rows, buf
			rows, buf = n.Rows(index, rows, buf)
			if &rows[0].Key[0] != &buf[0] {
				t.Errorf("%+v: the rows do not begin where their memory does", c.g)
			}
			if index > 0 && (&rows[0] != &rowsBefore[0] || &buf[0] != &bufBefore[0]) {
				t.Errorf("%+v: the memory of the rows before is not used again", c.g)
			}
			for _, r := range rows {
				fmt.Fprintf(sum, "%q %q %d %d %d\n", r.Key, r.Value, r.Commit, r.Kind, r.Type)
			}
		}
		for number := range uint64(12) {
			fmt.Fprintf(sum, "%q\n", n.Key(number))
		}
		if got := fmt.Sprintf("%x", sum.Sum(nil)[:8]); got != c.want {
			t.Errorf("%+v: %s", c.g, got)
		}
	}
}

// TestKeysRepeatAfterTheLast are those that rows have, from the first again behind the last.
func TestKeysRepeatAfterTheLast(t *testing.T) {
	n := generator(t, Generation{Seed: 1, Prefix: "p", Batch: 500, KeyLength: 9, Keys: 5})
	keys := map[string]bool{}
	for number := range uint64(5) {
		keys[string(n.Key(number))] = true
		if !bytes.Equal(n.Key(number), n.Key(number+5)) {
			t.Errorf("key %d comes again as %q", number, n.Key(number+5))
		}
	}
	rows, _ := n.Rows(3, nil, nil)
	for _, r := range rows {
		if !keys[string(r.Key)] {
			t.Fatalf("%q is none of the keys", r.Key)
		}
	}
	if len(keys) != 5 {
		t.Errorf("%d keys", len(keys))
	}
	own := generator(t, Generation{Seed: 1, Batch: 1, KeyLength: 9})
	if !bytes.Equal(own.Key(3), own.Key(0)) {
		t.Error("a key of rows that all have their own")
	}
}

// TestOrderCompare: each part counts, the first ones before the others.
func TestOrderCompare(t *testing.T) {
	parts := []func(o *Order){
		func(o *Order) { o.Row++ }, func(o *Order) { o.Sequence++ }, func(o *Order) { o.Publisher.Number++ }, func(o *Order) { o.Publisher.Run++ },
		func(o *Order) { o.Commit++ },
	}
	at := Order{Commit: -1}
	for i, next := range parts {
		later := at
		next(&later)
		for _, before := range parts[:i] { // the parts behind it do not outweigh it
			before(&at)
		}
		if at.Compare(later) >= 0 || later.Compare(at) <= 0 || at.Compare(at) != 0 {
			t.Errorf("part %d: %+v and %+v", i, at, later)
		}
	}
}
