package updates

import (
	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Manifest is what was published and what it leads to, for a run that asked no server: what the
// broker never acknowledged is left out of the state, and unknown.
func (w *Updates) Manifest() (rundoc.Manifest, error) {
	m, err := w.manifest(&kvapi.Run{})
	for i := range m.Publishers {
		m.Unknown += int64(len(m.Publishers[i].Unsure))
	}
	m.Refused = int64(len(w.refused()))
	m.Unknown -= m.Refused
	return m, err
}

// refused returns the batches that the broker refused in each attempt.
func (w *Updates) refused() map[batch]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := map[batch]bool{}
	for _, c := range w.clients {
		c.mu.Lock()
		for _, s := range c.refused {
			all[batch{c.name, s}] = true
		}
		c.mu.Unlock()
	}
	return all
}

// manifest counts in the batches that were never acknowledged and arrived at a server.
func (w *Updates) manifest(found *kvapi.Run) (rundoc.Manifest, error) {
	m := rundoc.Manifest{Run: w.Run, Publishers: w.Published()}
	unsure := map[batch]bool{} // to whether they have arrived
	for i := range m.Publishers {
		p := &m.Publishers[i]
		m.Batches += int64(p.Next) - proof.Unused(p).Count() - int64(len(p.Unsure))
		got := proof.Received(proof.ReceivedFrom(found, p.Publisher))
		for _, s := range p.Unsure {
			unsure[batch{p.Publisher, s}] = got.Has(s)
			if got.Has(s) {
				p.Arrived = append(p.Arrived, s)
			}
		}
	}
	sum, err := w.Expect(func(publisher uint32, sequence uint64) bool {
		arrived, is := unsure[batch{publisher, sequence}]
		return !is || arrived
	})
	if err != nil {
		return m, err
	}
	m.Updates, m.Live, m.Digest = sum.Updates, sum.Live, sum.Digest
	return m, nil
}

// batch names a batch.
type batch struct {
	publisher uint32
	sequence  uint64
}

// Word is what a server said last: what it has, nil where it said nothing, and whether that is all that it will have.
type Word struct {
	Found *kvapi.Run
	Whole bool
}

// Fates says what became of the batches of the window, each of which has to reach all of the servers: it is lost if one
// of them did not get it, and received if all did.
func (w *Updates) Fates(said ...Word) rundoc.Fates {
	got, unsure := make([]map[uint32]proof.Spans, len(said)), map[batch]bool{}
	for _, p := range w.Published() {
		for i, word := range said {
			if word.Found == nil {
				continue
			}
			if got[i] == nil {
				got[i] = map[uint32]proof.Spans{}
			}
			got[i][p.Publisher] = proof.Received(proof.ReceivedFrom(word.Found, p.Publisher))
		}
		for _, s := range p.Unsure {
			unsure[batch{p.Publisher, s}] = true
		}
	}
	refused := w.refused()
	var f rundoc.Fates
	w.sent(func(b batch, index uint64) {
		if index >= delta.WarmupIndex {
			return
		}
		missing, open := false, false // somewhere, for good or as far as is known
		for i, word := range said {
			if !got[i][b.publisher].Has(b.sequence) {
				whole := word.Whole && word.Found != nil
				missing, open = missing || whole, open || !whole
			}
		}
		switch {
		case missing && unsure[b], open && refused[b]:
			f.NeverPublished++
		case missing:
			f.Lost++
		case open:
			f.Unknown++
		default:
			f.Received++
		}
	})
	return f
}

// sent gives each batch that was sent, with its index.
func (w *Updates) sent(visit func(b batch, index uint64)) {
	ordered := w.Data.ordered()
	for _, c := range w.clients {
		for sequence, index := range c.log.all() {
			if ordered {
				sequence = index
			}
			visit(batch{c.name, sequence}, index)
		}
	}
}

// Conclude holds the server's last answer against what was published.
func (w *Updates) Conclude(a proof.Answer) (rundoc.Manifest, rundoc.Proof, error) {
	found := a.Found
	if found == nil {
		// Nothing is known to be lost, and the manifest is as good as ever.
		m, err := w.Manifest()
		return m, rundoc.Proof{
			Unknown: true, Published: m.Batches, Expected: rundoc.StateSum{Live: m.Live, Digest: m.Digest},
			Problems: []string{a.Early},
		}, err
	}
	m, err := w.manifest(found)
	if err != nil {
		return m, rundoc.Proof{}, err
	}
	e := proof.Evidence{
		Manifest: &m, Found: found, Updates: m.Updates, Instance: a.Instance, AtLeastOnce: a.AtLeastOnce,
		Elsewhere: a.Elsewhere, Early: a.Early,
	}
	if whole := proof.Prove(e); whole.Lost == 0 {
		return m, whole, nil
	}
	// What was received leads to another state and has fewer updates.
	got := map[uint32]proof.Spans{}
	for i := range found.Publishers {
		got[found.Publishers[i].Publisher] = proof.Received(&found.Publishers[i])
	}
	sum, err := w.Expect(func(publisher uint32, sequence uint64) bool { return got[publisher].Has(sequence) })
	if err != nil {
		return m, rundoc.Proof{}, err
	}
	e.Updates, e.OfReceived = sum.Updates, &rundoc.StateSum{Live: sum.Live, Digest: sum.Digest}
	return m, proof.Prove(e), nil
}
