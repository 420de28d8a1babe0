package updates

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
)

// writeFiles writes files of so many rows each, of few keys and with few commit times, so that
// the order of the rows matters.
func writeFiles(t *testing.T, seed uint64, rows ...int) []string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	var paths []string
	for i, n := range rows {
		var b bytes.Buffer
		b.WriteString("key,mutation_type,logical_commit_time,value,value_type\n")
		for range n {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&b, "key%d,DELETE,%d,,\n", r.IntN(9), r.IntN(3))
				continue
			}
			fmt.Fprintf(&b, "key%d,UPDATE,%d,value%d,string\n", r.IntN(9), r.IntN(3), r.IntN(1000))
		}
		path := filepath.Join(dir, fmt.Sprintf("DELTA_%016d", i))
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

func TestFilesArePublishedAndProved(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	paths := writeFiles(t, seed, 10, 0, 25, 3, 10, 1)
	l := short(func(u *Plan) {
		u.From, u.Batch, u.Load.WarmupTime, u.Load.Duration, u.Load.Clients, u.Load.Pipeline = "dir", 10, 0, 0, 3, 2
	})
	r := rand.New(rand.NewPCG(seed, 2))
	l.broker.takes = func(int) time.Duration { return time.Duration(r.IntN(200)) * time.Millisecond }
	data, batches, err := FromFiles(t.Context(), paths, 10, delta.Compact)
	if err != nil || batches != 7 {
		t.Fatalf("%d batches, %v", batches, err)
	}
	l.data = data
	l.plan.SetBatches(batches)
	l.run(t)
	l.data.Close()
	if !l.proof.Complete || l.proof.Updates != 49 || l.proof.Published != 7 || l.total(t).OK != 7 {
		t.Errorf("%+v", l.proof)
	}
	var counts []int
	for _, h := range l.broker.headers {
		counts = append(counts, int(h.Count))
	}
	slices.Sort(counts)
	if !slices.Equal(counts, []int{1, 3, 5, 10, 10, 10, 10}) {
		t.Errorf("batches of %v", counts)
	}

	// A file that is another when the proof is made.
	for _, rows := range []int{5, 15, 40} {
		changed := writeFiles(t, seed, rows)
		if err := os.Rename(changed[0], paths[0]); err != nil {
			t.Fatal(err)
		}
		if _, came, err := l.work.Conclude(proof.Answer{Found: l.broker.server.run(), AtLeastOnce: true}); err == nil &&
			came.Complete {
			t.Errorf("%d rows instead of 10 are proved", rows)
		}
	}
}

// TestStateFollowsFileOrder publishes rows with few commit times by several publishers, each as
// fast as it happens to be: the state is that of the rows one after the other.
func TestStateFollowsFileOrder(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	paths := writeFiles(t, seed, 100, 57, 200)
	inOrder := newServer()
	var index uint64
	for _, publishers := range []int{0, 1, 3, 7} {
		data, batches, err := FromFiles(t.Context(), paths, 5, delta.Compact)
		if err != nil {
			t.Fatal(err)
		}
		if publishers == 0 {
			err := data.(*fileData).eachBatch(t.Context(), func(i uint64, rows []delta.Row) error {
				index = i
				m, err := delta.Append(nil, &delta.Header{Publisher: delta.Publisher{Run: 99}}, rows)
				delta.Stamp(m, i, 0, 0)
				inOrder.take(m)
				return err
			})
			if err != nil || index != uint64(batches)-1 {
				t.Fatalf("batch %d, %v", index, err)
			}
			continue
		}
		l := short(func(u *Plan) {
			u.From, u.Batch, u.Load.WarmupTime, u.Load.Duration, u.Load.Clients, u.Load.Pipeline = "dir", 5, 0, 0,
				publishers, 4
			u.Load.Rate, u.Load.Retry.Max, u.Load.Retry.InitialBackoff = 1000, 50, 10*time.Millisecond
		})
		r := rand.New(rand.NewPCG(seed, uint64(publishers)))
		l.broker.takes = func(int) time.Duration { return time.Duration(r.IntN(200)) * time.Millisecond }
		l.broker.refuse = func(int, []byte) error {
			if r.IntN(4) == 0 {
				return closed
			}
			return nil
		}
		l.data = data
		l.plan.SetBatches(batches)
		l.run(t)
		data.Close()
		want := inOrder.run().State
		if got := l.proof.Found; !l.proof.Complete || got.Live != want.Live || got.Digest != want.Digest {
			t.Errorf("%d publishers: %+v, want %+v", publishers, l.proof, want)
		}
		if l.plan.Load.Clients > 1 && slices.IsSortedFunc(l.broker.headers,
			func(a, b delta.Header) int { return int(a.Sequence) - int(b.Sequence) }) {
			t.Errorf("%d publishers happened to publish in order: the test shows nothing", publishers)
		}
	}
}

func TestFromFilesRejectsBadFiles(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "DELTA_0000000000000001.csv")
	if err := os.WriteFile(bad,
		[]byte("key,mutation_type,logical_commit_time,value,value_type\na,UPDATE,1,x,string\nb,PLAY,1,x,string\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{bad}, "csv:3: "},
		{[]string{filepath.Join(t.TempDir(), "nowhere")}, "no such file"},
		{writeFiles(t, 1, 0), "no rows"},
	} {
		if _, _, err := FromFiles(t.Context(), c.paths, 10, delta.Compact); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestLargestBatchThatFitsIsReported tries the largest batch that is said to fit, and one more.
func TestLargestBatchThatFitsIsReported(t *testing.T) {
	for _, codec := range []string{"compact", "json", "avro"} {
		for _, edit := range []func(*Plan){
			func(*Plan) {},
			func(u *Plan) { u.Sets = .5 },
			func(u *Plan) { u.Deletes = 1 },
			func(u *Plan) { u.KeyLength, u.ValueLength = 200, 3000 },
		} {
			l := short(func(u *Plan) { edit(u); u.Codec, u.Batch = codec, 5000 })
			l.broker.limit = 64 << 10
			fits := func(batch int) error {
				l.plan.Batch = batch
				data, err := Generate(definition(&l.plan), 1000)
				if err != nil {
					t.Fatal(err)
				}
				w, err := New(Config{Plan: l.plan, Run: 1, Topic: l.broker, Data: data})
				if err != nil {
					t.Fatal(err)
				}
				return w.Fits()
			}
			var large *TooLarge
			if err := fits(5000); !errors.As(err, &large) || large.Batch < 1 || large.Limit != 64<<10 {
				t.Fatalf("%s: %v", codec, err)
			}
			if err := fits(large.Batch); err != nil {
				t.Errorf("%s: a batch of %d does not fit after all: %v", codec, large.Batch, err)
			}
			if err := fits(large.Batch + 1); err == nil {
				t.Errorf("%s: a batch of %d fits after all", codec, large.Batch+1)
			}
			l.plan.Batch = large.Batch
			l.run(t)
			sizes(t, l)
		}
	}
}

// sizes makes sure that no message was larger than the limit, and that it was nearly used.
func sizes(t *testing.T, l *lab) {
	t.Helper()
	largest := 0
	l.broker.mu.Lock()
	defer l.broker.mu.Unlock()
	if largest = l.broker.largest; largest > l.broker.limit ||
		l.plan.Deletes+l.plan.Sets == 0 && largest < l.broker.limit*8/10 {
		t.Errorf("%s: a message of %d bytes, with a limit of %d", l.plan.Codec, largest, l.broker.limit)
	}
}

func TestLargestBatchOfFiles(t *testing.T) {
	paths := writeFiles(t, 3, 500)
	for _, codec := range []delta.Codec{delta.Compact, delta.JSON, delta.Avro} {
		data, _, err := FromFiles(t.Context(), paths, 500, codec)
		if err != nil {
			t.Fatal(err)
		}
		bytes, batch, err := data.largest(codec, 2000)
		if err != nil || bytes <= 2000 || batch < 1 {
			t.Fatalf("%v: %d bytes, %d rows, %v", codec, bytes, batch, err)
		}
		smaller, _, err := FromFiles(t.Context(), paths, batch, codec)
		if err != nil {
			t.Fatal(err)
		}
		if bytes, _, _ := smaller.largest(codec, 2000); bytes > 2000 {
			t.Errorf("%v: batches of %d have up to %d bytes", codec, batch, bytes)
		}
	}
}

var _ topic.Topic = (*broker)(nil)
