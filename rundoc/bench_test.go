package rundoc_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

func BenchmarkJudge(b *testing.B) {
	run := soundRun(b)
	for b.Loop() {
		rundoc.Judge(run)
	}
}

// BenchmarkJudgeFree judges an open model's document with the free times of different operations.
func BenchmarkJudgeFree(b *testing.B) {
	run := ownRun(b, watched(openRun(b)), spread(90*ms))
	for i := range run.Operations {
		o := &run.Operations[i]
		o.SendDelay = summaryOf(b, count(int(o.OK))...)
	}
	stopped(b, run, 60*ms)
	for b.Loop() {
		rundoc.Judge(run)
	}
}
