package updates

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/workload/updates/manifest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
)

// TestManifestOfKilledRunMatches: read again it is the run's own manifest, and leads to the same proof, of data
// that is generated and of files, also where acknowledgements are lost.
func TestManifestOfKilledRunMatches(t *testing.T) {
	for name, edit := range map[string]func(t *testing.T, l *lab, h *manifest.Head){
		"generated": func(_ *testing.T, l *lab, h *manifest.Head) {
			g := definition(&l.plan)
			h.Generation = &g
		},
		"files": func(t *testing.T, l *lab, h *manifest.Head) {
			paths := writeFiles(t, 7, 400, 333)
			data, n, err := FromFiles(t.Context(), paths, l.plan.Batch, delta.Compact)
			if err != nil {
				t.Fatal(err)
			}
			l.data = data
			l.plan.SetBatches(n)
			l.plan.From, l.plan.Load.WarmupTime, l.plan.Load.WarmupClients, l.plan.Load.Duration = "dir", 0, 0, 0
			l.plan.KeyLength, l.plan.ValueLength, l.plan.HotKeys, l.plan.Deletes = 0, 0, 0, 0
			if h.Files, err = manifest.Stat(paths); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := short(func(p *Plan) { p.HotKeys, p.Deletes, p.Load.Retry.Max = 40, .2, 0 })
			l.broker.lose = func(n int, _ []byte) error {
				if n%9 == 4 {
					return topic.Fail(topic.CauseTimeout, false, "no answer in time")
				}
				return nil
			}
			h := manifest.Head{ID: "id", Run: 99, AtLeastOnce: true, Batch: l.plan.Batch, Codec: l.plan.Codec}
			edit(t, l, &h)
			path := filepath.Join(t.TempDir(), "manifest")
			var err error
			if l.log, err = manifest.Create(path, h, func(err error) { t.Error(err) }); err != nil {
				t.Fatal(err)
			}
			l.run(t)
			if err := l.log.Close(); err != nil {
				t.Fatal(err)
			}
			k, err := afterKill(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			m, p, err := k.work.Conclude(proof.Answer{Found: l.broker.server.run(), Instance: "one", AtLeastOnce: true})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(l.manifest, m) + cmp.Diff(l.proof, p); diff != "" {
				t.Error(diff)
			}
			if !p.Complete || p.Unsure == 0 || p.Published < 10 {
				t.Errorf("%+v", p)
			}
			if name != "files" {
				return
			}
			if err := os.Chtimes(h.Files[0].Path, time.Time{}, h.Files[0].Modified.Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
			if _, err := afterKill(t.Context(), path); !errors.Is(err, errChanged) || !strings.Contains(err.Error(), "run id was killed") {
				t.Errorf("with files that have changed: %v", err)
			}
		})
	}
}

// TestAcknowledgementOfUnsentBatchIsDamage is damage.
func TestAcknowledgementOfUnsentBatchIsDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest")
	w, err := manifest.Create(path, manifest.Head{ID: "id", Run: 1, Batch: 1, Codec: "compact",
		Generation: &delta.Generation{Batch: 1, KeyLength: 30}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Sent(3, 0)
	w.Acknowledged(3, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := afterKill(t.Context(), path); err == nil || !strings.Contains(err.Error(), "publisher 3 never sent its sequence 1") {
		t.Error(err)
	}
}
