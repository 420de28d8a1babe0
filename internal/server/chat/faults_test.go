package chat

import (
	"testing"
)

// TestFaultsForAFixedSeed holds what a seed means: a change here changes what documented runs show.
func TestFaultsForAFixedSeed(t *testing.T) {
	f := Faults{DropRate: 0.01, Seed: 1}
	drops := 0
	for i := range uint64(10_000) {
		if f.decide(i).fault == drop {
			drops++
		}
	}
	if drops != wantDrops {
		t.Errorf("%d drops in 10,000 decisions of seed 1, it was %d", drops, wantDrops)
	}
}

// wantDrops is what the generator gave when it was written.
const wantDrops = 96
