package until

// Warmup decides when a warm-up is steady. It belongs to one goroutine.
type Warmup struct {
	window Window
	steady bool
}

// NewWarmup begins one.
func NewWarmup(r Rule) *Warmup { return &Warmup{window: Window{Rule: r}} }

// Add takes a stretch, and reports whether the warm-up is steady: over ten slices of it there is no trend.
func (w *Warmup) Add(b Batch) bool {
	w.window.batches.Add(b)
	list := w.window.batches.All()
	all := sum(list)
	w.steady = len(list) >= pieces && all.OK > 0 && w.window.trend(list, apartWarmup) == ""
	return w.steady
}

// Steady reports whether it was when it was last looked at.
func (w *Warmup) Steady() bool { return w.steady }
