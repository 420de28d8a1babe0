package proof

import (
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Answer is the last of a server about the run.
type Answer struct {
	Found *kvapi.Run // nil when there was none
	// Early says why the answer is not that of the end, as in Evidence.
	Early    string
	Instance string // of the server at the start
	// Elsewhere is the topic that the server reads from, where that is another than the run's.
	Elsewhere string
	// AtLeastOnce says that the transport delivers until it is acknowledged.
	AtLeastOnce bool
}

// Check holds what another server says it received against the manifest of a run that is over.
func Check(m *rundoc.Manifest, a Answer) rundoc.Proof {
	e := Evidence{Manifest: m, Found: a.Found, Updates: m.Updates, AtLeastOnce: a.AtLeastOnce, Early: a.Early}
	proof := Prove(e)
	if proof.Lost+proof.Foreign > 0 || !proof.StateKnown {
		e.Updates = -1 // only the run itself knew how many updates each batch has
		proof = Prove(e)
	}
	return proof
}
