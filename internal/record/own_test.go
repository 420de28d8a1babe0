package record

import (
	"math/rand/v2"
	"testing"
)

// The generator's own delays, and the times without them, are those of the same operations counted the slow way.
func TestGeneratorDelayAgainstPlainCount(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	list := operations(seed, 2000)
	r := rand.New(rand.NewPCG(seed, 3))
	var own, service, response int64 // in all
	for i := range list {
		o := &list[i]
		o.Ready += r.Int64N(1 + o.Start - o.Intended)
		o.Own = r.Int64N(1 + (o.End - o.Start))
		if o.responded() {
			own += o.Own
			service += o.End - o.Own - o.Ready
			response += o.End - o.Own - o.Intended
		}
	}
	doc := document(t, list, 4, seed)
	if doc.Generator.OwnTimeNS != own {
		t.Errorf("own delays of %d ns in all, want %d", doc.Generator.OwnTimeNS, own)
	}
	total, err := doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	n := total.ResponseTime.Count
	for name, c := range map[string]struct{ got, want int64 }{
		"service time":  {total.ServiceTime.Free.MeanNS, service / n},
		"response time": {total.ResponseTime.Free.MeanNS, response / n},
	} {
		if off := c.got - c.want; off < -1 || off > 1 {
			t.Errorf("%s without the generator's own delay: %d ns in the mean, want %d", name, c.got, c.want)
		}
	}
}
