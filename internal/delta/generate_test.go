package delta

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func generator(t *testing.T, g Generation) *Generator {
	t.Helper()
	n, err := NewGenerator(g)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The permutation of the numbers is one, for each length of a key that can be tried out: all
// keys of that many digits come up, each once.
func TestKeysAreAPermutation(t *testing.T) {
	for free := 1; free <= 3; free++ {
		n := generator(t, Generation{Seed: 3, Prefix: "p", Batch: 1, KeyLength: 1 + free})
		seen := map[string]bool{}
		for number := range n.keys() {
			for warmup := range uint64(2) {
				key := string(n.appendKey(nil, number, warmup))
				if len(key) != free || seen[key] {
					t.Fatalf("length %d: key %q of number %d comes twice or is too long", free, key, number)
				}
				seen[key] = true
			}
		}
		if want := 1 << (5 * free); len(seen) != want {
			t.Errorf("length %d: %d keys, want %d", free, len(seen), want)
		}
	}
}

func TestRowsFollowFromSeedAndIndex(t *testing.T) {
	g := Generation{Seed: 8, Prefix: "key-", Batch: 50, KeyLength: 30, ValueLength: 10, Deletes: .2, Sets: .5,
		Commit: 1000}
	a, _ := generator(t, g).Rows(77, nil, nil)
	n := generator(t, g)
	rows, buf := n.Rows(1, nil, nil)
	b, _ := n.Rows(77, rows, buf)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the same seed and index (-first +second):\n%s", diff)
	}
	g.Seed++
	c, _ := generator(t, g).Rows(77, nil, nil)
	for i := range a {
		if bytes.Equal(a[i].Key, c[i].Key) || len(a[i].Value) > 0 && bytes.Equal(a[i].Value, c[i].Value) {
			t.Errorf("row %d is the same with another seed: %q", i, a[i].Key)
		}
		if a[i].Commit != 1077 || !strings.HasPrefix(string(a[i].Key), "key-") {
			t.Errorf("row %d: %+v", i, a[i])
		}
	}
	if w, _ := n.Rows(WarmupIndex+3, nil, nil); w[0].Commit != 1003 {
		t.Errorf("warm-up: commit time %d", w[0].Commit)
	}
}

// What is generated can be written and read back, whatever the lengths.
func TestGeneratedRowsRoundTrip(t *testing.T) {
	for _, length := range []int{0, 1, 2, 3, 4, 5, 10, 39, 40, 41, 1000} {
		n := generator(t, Generation{Batch: 200, KeyLength: 20, ValueLength: length, Sets: .5, Deletes: .1})
		rows, _ := n.Rows(9, nil, nil)
		h := Header{}
		m, err := Append(nil, &h, rows)
		if err != nil {
			t.Fatalf("length %d: %v", length, err)
		}
		_, back, err := Decode(m, nil)
		if err != nil {
			t.Fatalf("length %d: %v", length, err)
		}
		for i, r := range back {
			total := len(r.Value)
			if r.Type == Set {
				total = 0
				for e := range Elements(r.Value) {
					total += len(e)
				}
			}
			if r.Kind == Update && total != length {
				t.Errorf("row %d: a value of %d bytes, want %d", i, total, length)
			}
			if Hash(&r) != Hash(&rows[i]) {
				t.Errorf("row %d has another hash than before", i)
			}
		}
	}
}

func TestSharesOfDeletesAndSets(t *testing.T) {
	n := generator(t, Generation{Batch: 10_000, KeyLength: 20, ValueLength: 3, Keys: 100, Deletes: .25, Sets: .5})
	rows, _ := n.Rows(0, nil, nil)
	keys := map[string]int{}
	var deletes, sets float64
	for _, r := range rows {
		keys[string(r.Key)]++
		if r.Kind == Delete {
			deletes++
		} else if r.Type == Set {
			sets++
		}
	}
	if len(keys) != 100 {
		t.Errorf("%d keys, want 100", len(keys))
	}
	for key, count := range keys {
		if count < 50 || count > 150 {
			t.Errorf("key %s came %d times of 10,000, with 100 keys", key, count)
		}
	}
	// Of a binomial distribution, ± 5 standard deviations.
	if math.Abs(deletes-2500) > 5*43.3 || math.Abs(sets-3750) > 5*48.4 {
		t.Errorf("%v deletes and %v sets of 10,000", deletes, sets)
	}
	for _, share := range []float64{0, 1} {
		n := generator(t, Generation{Batch: 1000, KeyLength: 20, Deletes: share})
		rows, _ := n.Rows(0, nil, nil)
		for _, r := range rows {
			if (r.Kind == Delete) != (share == 1) {
				t.Fatalf("a share of %v deletes, and %+v", share, r)
			}
		}
	}
}

// The digits of keys and values are spread evenly: no data that compresses by accident.
func TestDigitsAreEven(t *testing.T) {
	n := generator(t, Generation{Batch: 10_000, KeyLength: 30, ValueLength: 10})
	rows, _ := n.Rows(0, nil, nil)
	for at := range 30 {
		counts := map[byte]int{}
		for _, r := range rows {
			counts[r.Key[at]]++
		}
		for d := range uint64(32) {
			if c := counts[digit(d)]; c < 200 || c > 430 {
				t.Errorf("digit %c stands %d times of 10,000 at place %d", digit(d), c, at)
			}
		}
	}
}

func TestNewGeneratorRejectsBadSettings(t *testing.T) {
	fine := Generation{Batch: 10, KeyLength: 5, Prefix: "abc"}
	for i, change := range []func(g *Generation){
		func(g *Generation) { g.Batch = 0 },
		func(g *Generation) { g.Batch = math.MaxInt },
		func(g *Generation) { g.KeyLength = 3 },
		func(g *Generation) { g.KeyLength = -1 },
		func(g *Generation) { g.KeyLength = math.MaxInt },
		func(g *Generation) { g.ValueLength = -1 },
		func(g *Generation) { g.Deletes = 1.01 },
		func(g *Generation) { g.Sets = -.1 },
		func(g *Generation) { g.Sets = math.NaN() },
		func(g *Generation) { g.Keys = 513 },
	} {
		g := fine
		change(&g)
		if _, err := NewGenerator(g); err == nil {
			t.Errorf("change %d: no error", i)
		}
	}
	n := generator(t, fine)
	if err := n.Fits(51); err != nil {
		t.Error(err)
	}
	if err := n.Fits(52); err == nil {
		t.Error("520 rows have 512 keys, and no error")
	}
	for _, fine.Keys = range []uint64{1, 512} {
		if err := generator(t, fine).Fits(math.MaxUint64); err != nil {
			t.Errorf("%d keys: %v", fine.Keys, err)
		}
	}
}

// The two numbers were computed with another implementation of XXH64, that of Python.
func TestHashIsXXH64(t *testing.T) {
	r := Row{Key: []byte("key"), Value: []byte("value"), Commit: 7, Type: String}
	if got := fmt.Sprintf("%016x", Hash(&r)); got != "3bc512080e9856e1" {
		t.Errorf("Hash is %s", got)
	}
	long := Row{Key: bytes.Repeat([]byte("k"), 200), Value: bytes.Repeat([]byte("v"), 200), Commit: -1}
	if got := fmt.Sprintf("%016x", Hash(&long)); got != "84a0ce8bce1a223c" {
		t.Errorf("Hash is %s", got)
	}
	// Each part counts, and so does where the key ends.
	seen := map[uint64]bool{Hash(&r): true}
	for _, o := range []Row{
		{Key: []byte("kez"), Value: []byte("value"), Commit: 7},
		{Key: []byte("key"), Value: []byte("valuf"), Commit: 7},
		{Key: []byte("key"), Value: []byte("value"), Commit: 8},
		{Key: []byte("key"), Value: []byte("value"), Commit: 7, Type: Set},
		{Key: []byte("keyv"), Value: []byte("alue"), Commit: 7},
	} {
		if seen[Hash(&o)] {
			t.Errorf("%+v has the hash of another", o)
		}
		seen[Hash(&o)] = true
	}
}

func TestAppendSetSortsElements(t *testing.T) {
	got := AppendSet(nil, "b", "", "a", "b", "a")
	if diff := cmp.Diff("\x00\x01a\x01b", string(got)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff("\x01a", string(AppendSet(nil, "a", "a"))); diff != "" {
		t.Error(diff)
	}
	var back []string
	for e := range Elements(AppendSet(nil, []byte("y"), []byte("x"))) {
		back = append(back, string(e))
	}
	if diff := cmp.Diff([]string{"x", "y"}, back); diff != "" {
		t.Error(diff)
	}
	for range Elements([]byte("\x05ab")) {
		t.Error("an element of what is no set")
	}
}
