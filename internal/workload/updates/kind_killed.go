package updates

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/workload/updates/manifest"
)

// keepManifest has what is published be written down, where it outlives a run that is killed: at a topic elsewhere.
func (r *oneRun) keepManifest() {
	path := r.life.Unfinished()
	if path == "" || r.server != nil && r.server.Broker != "" {
		return
	}
	h := manifest.Head{
		ID: r.life.ID, Run: r.number, Topic: redact.URL(r.topic.Describe().Endpoint),
		AtLeastOnce: r.topic.Describe().AtLeastOnce, Batch: r.plan.Batch, Codec: r.plan.Codec,
	}
	if r.plan.Generated() {
		g := r.plan.generation()
		h.Generation = &g
	}
	cannot := func(err error) {
		r.life.View.Note("The manifest cannot be written; if this run is killed, --verify cannot verify it: " +
			fault.OneLine(err.Error()) + ".")
	}
	var err error
	if !r.plan.Generated() {
		h.Files, err = filesOf(r.plan.From)
	}
	var w *manifest.Writer
	if err == nil {
		w, err = manifest.Create(path, h, cannot)
	}
	if err != nil {
		cannot(err)
		return
	}
	r.log = w
	r.life.Hold(w.Close)
}

// filesOf are the files that --from names.
func filesOf(from string) ([]manifest.File, error) {
	paths, err := files.Expand([]string{from})
	if err != nil {
		return nil, err
	}
	return manifest.Stat(paths)
}

// forgetUnused leaves no manifest of a run that published nothing.
func (r *oneRun) forgetUnused() {
	if r.log != nil && (r.work == nil || len(r.work.Published()) == 0) {
		r.log.Remove()
	}
}

// killed is a run that was killed, as it wrote down itself.
type killed struct {
	head    manifest.Head
	work    *Updates
	clients map[int]*Client
	open    map[int]map[uint64]struct{} // sent, and not acknowledged as far as was written
}

// afterKill reads what a run that was killed wrote down.
func afterKill(ctx context.Context, path string) (*killed, error) {
	h, err := manifest.ReadHead(path)
	if err != nil {
		return nil, cannotCheck(&h, err)
	}
	p := DefaultPlan()
	p.Batch, p.Codec = h.Batch, h.Codec
	data, err := dataOf(ctx, &h)
	if err != nil {
		return nil, cannotCheck(&h, err)
	}
	defer data.Close()
	k := &killed{clients: map[int]*Client{}, open: map[int]map[uint64]struct{}{}}
	if k.work, err = New(Config{Plan: p, Run: h.Run, Data: data}); err != nil {
		return nil, cannotCheck(&h, err)
	}
	if k.head, err = manifest.Read(path, k); err != nil {
		return nil, cannotCheck(&h, err)
	}
	for number, sequences := range k.open {
		for s := range sequences {
			k.clients[number].unsure = append(k.clients[number].unsure, s)
		}
	}
	return k, nil
}

// cannotCheck words why what a run wrote down is no good.
func cannotCheck(h *manifest.Head, err error) error {
	switch {
	case errors.Is(err, manifest.ErrGoesOn):
		return fault.New(fault.Usage, "--verify: run %s is still running", h.ID).
			Hint("wait until it ends, or use an earlier run")
	case h.ID == "":
		return fault.New(fault.Usage, "--verify: %w", err).Hint("use a run of 'plimsoll updates'")
	}
	return fault.New(fault.Usage, "--verify: run %s was killed and its manifest is unusable: %w", h.ID, err).
		Hint("use an earlier run; last~1 is the one before the last")
}

// dataOf is what the run published, from its definition.
func dataOf(ctx context.Context, h *manifest.Head) (Data, error) {
	if h.Generation != nil {
		return Generate(*h.Generation, 1)
	}
	var paths []string
	for _, f := range h.Files {
		if f.Changed() {
			return nil, fmt.Errorf("%s: %w", f.Path, errChanged)
		}
		paths = append(paths, f.Path)
	}
	codec, err := delta.ParseCodec(h.Codec)
	if err != nil {
		return nil, err
	}
	data, _, err := FromFiles(ctx, paths, h.Batch, codec)
	return data, err
}

// Sent takes the next batch of a publisher.
func (k *killed) Sent(publisher int, index uint64) {
	c := k.clients[publisher]
	if c == nil {
		c = k.work.NewClient(publisher, 0).(*Client)
		k.clients[publisher], k.open[publisher] = c, map[uint64]struct{}{}
	}
	sequence := c.log.add(index)
	if k.work.Data.ordered() {
		sequence = index
	}
	k.open[publisher][sequence] = struct{}{}
}

// Acknowledged takes a sequence that the broker has.
func (k *killed) Acknowledged(publisher int, sequence uint64) error {
	if _, ok := k.open[publisher][sequence]; !ok {
		return fmt.Errorf("publisher %d never sent its sequence %d", publisher, sequence)
	}
	delete(k.open[publisher], sequence)
	return nil
}
