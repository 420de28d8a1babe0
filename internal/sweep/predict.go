package sweep

import (
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// predict holds each level against what Little's law makes of the base: L clients that each need W₁ per operation, as
// one did alone, would reach L ÷ W₁. A level that fails tells no W₁: its time went into what did not end ok.
func (a *analysis) predict() {
	if !a.concurrent() {
		return
	}
	base := -1
	for i := range a.levels {
		v := &a.levels[i]
		if v.usable && !v.fails() && v.Clients > 0 && (base < 0 || v.Clients < a.levels[base].Clients) {
			base = i
		}
	}
	if base < 0 {
		return
	}
	first := &a.levels[base]
	w1 := first.perOperation()
	if finite(w1) == nil || w1 <= 0 {
		return
	}
	a.Base = &setdoc.Base{Level: base, W1: w1, Single: first.Clients == 1}
	for i := range a.levels {
		v := &a.levels[i]
		if v.Throughput == nil || !(v.Clients > 0) || *v.Throughput <= 0 {
			continue
		}
		predicted, efficiency := finite(v.Clients/w1*1e9), finite(w1/v.perOperation())
		if predicted == nil || efficiency == nil || *predicted <= 0 {
			continue
		}
		v.Predicted, v.Efficiency = predicted, efficiency
		if a.Figure.Name == rateFigure || a.Figure.Name == bytesFigure {
			v.Missing = missing(first, v, *efficiency)
		}
	}
}

// perOperation is the clients' time in ns for each that the throughput counts: L ÷ X.
func (v *level) perOperation() float64 { return v.Clients / *v.Throughput * 1e9 }

// missing says where the efficiency that a level lacks went: 1 − W₁ ÷ W = Σ (w − w₁) ÷ W over the states of the ledger,
// where w is a state's part of W. The parts are by shares, so that they sum to all of it also where the ledger closes
// but to its tolerance. The base lacks nothing.
func missing(base, v *level, efficiency float64) (list []setdoc.MissingShare) {
	if base.Shares == nil || v.Shares == nil {
		return nil
	}
	for _, state := range statesOf(base.Shares, v.Shares) {
		if share := v.Shares[state] - efficiency*base.Shares[state]; share != 0 {
			list = append(list, setdoc.MissingShare{State: state, Share: share})
		}
	}
	return list
}

// statesOf are the states that either has: the ledger's in their order, then others by name.
func statesOf(x, y map[string]float64) []string {
	all := maps.Clone(x)
	maps.Copy(all, y)
	var list []string
	for _, state := range rundoc.States {
		if _, has := all[state]; has {
			list = append(list, state)
			delete(all, state)
		}
	}
	return append(list, slices.Sorted(maps.Keys(all))...)
}
