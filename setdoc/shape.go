package setdoc

import (
	"fmt"
	"path/filepath"
)

// shape says what of a document points to nothing, or out of its folder: who reads it need not look.
func (s *Set) shape() error {
	for i := range s.Members {
		m := &s.Members[i]
		if m.Path != "" && !filepath.IsLocal(filepath.FromSlash(m.Path)) {
			return fmt.Errorf("the path of member %d, %.60q, is outside the directory of the set", i+1, m.Path)
		}
	}
	if s.Comparison != nil {
		if err := s.Comparison.shape(); err != nil {
			return err
		}
	} else if s.Kind == KindCompare {
		return fmt.Errorf("its kind is compare, but it contains no comparison")
	}
	if s.Loadline == nil && s.Kind == KindLoadline {
		return fmt.Errorf("its kind is loadline, but it contains no load line")
	}
	if s.Loadline != nil {
		if err := s.Loadline.shape(); err != nil {
			return err
		}
	}
	if err := s.Launches.shape(s.Kind); err != nil {
		return err
	}
	if s.Sweep == nil {
		if s.Kind == KindSweep {
			return fmt.Errorf("its kind is sweep, but it contains no sweep")
		}
		return nil
	}
	return s.Sweep.shape()
}

func (l *Launches) shape(kind string) error {
	switch {
	case l == nil && kind == KindLaunches:
		return fmt.Errorf("its kind is launches, but it contains no launches")
	case l != nil && len(l.Range) != 0 && len(l.Range) != 2:
		return fmt.Errorf("the interval of the launches has %d ends", len(l.Range))
	}
	return nil
}

// maxProbes is more than any search makes.
const maxProbes = 1000

func (l *Loadline) shape() error {
	switch n := len(l.Range); {
	case n != 0 && n != 2:
		return fmt.Errorf("the interval of the load line has %d ends", n)
	case len(l.Probes) > maxProbes:
		return fmt.Errorf("it has %d probes; the limit is %d", len(l.Probes), maxProbes)
	case !(l.Lowest > 0 && l.Highest >= l.Lowest && l.Highest <= maxLoad):
		return fmt.Errorf("the bounds of the load are invalid: %g to %g", l.Lowest, l.Highest)
	}
	for i := range l.Probes {
		p := &l.Probes[i]
		if !(p.Load > 0 && p.Load <= maxLoad) {
			return fmt.Errorf("probe %d has the invalid load %g", i+1, p.Load)
		}
		if n := len(p.Values); n != 0 && n != len(l.SLO) {
			return fmt.Errorf("probe %d has %d values for %d conditions", i+1, n, len(l.SLO))
		}
	}
	for _, at := range l.Drift {
		if at < 0 || at > len(l.Probes) {
			return fmt.Errorf("the drift refers to probe %d of %d", at+1, len(l.Probes))
		}
	}
	return nil
}

// maxLoad is beyond all that can be asked for.
const maxLoad = 1e15

func (s *Sweep) shape() error {
	settings := len(s.Vary)
	for i := range s.Rows {
		if n := len(s.Rows[i].Values); n != settings {
			return fmt.Errorf("row %d has %d values for %d settings", i+1, n, settings)
		}
	}
	for _, at := range s.Order {
		if at < 0 || at >= len(s.Rows) {
			return fmt.Errorf("the order refers to row %d of %d", at+1, len(s.Rows))
		}
	}
	for i := range s.Levels {
		l := &s.Levels[i]
		if n := len(l.Values); n != settings {
			return fmt.Errorf("level %d has %d values for %d settings", i+1, n, settings)
		}
		if n := len(l.Interval); n != 0 && n != 2 {
			return fmt.Errorf("the interval of level %d has %d ends", i+1, n)
		}
	}
	at := map[string]*int{"peak": s.Peak, "best": s.Best, "fails_from": s.FailsFrom}
	if s.Base != nil {
		at["base"] = &s.Base.Level
	}
	for _, name := range []string{"peak", "best", "fails_from", "base"} {
		if level := at[name]; level != nil && (*level < 0 || *level >= len(s.Levels)) {
			return fmt.Errorf("%s refers to level %d of %d", name, *level+1, len(s.Levels))
		}
	}
	return nil
}

func (c *Comparison) shape() error {
	figures := len(c.Figures)
	for i := range c.Launches {
		l := &c.Launches[i]
		if l.First < 0 || l.First > 1 {
			return fmt.Errorf("launch %d starts with side %d of 2", i+1, l.First+1)
		}
		if l.Others != nil && !(*l.Others >= 0 && *l.Others <= 1) {
			return fmt.Errorf("launch %d: the CPU share of other programs, %.4g, is not between 0 and 1", i+1, *l.Others)
		}
		for side := range l.Values {
			if n := len(l.Values[side]); n != 0 && n != figures {
				return fmt.Errorf("launch %d has %d values of side %d for %d metrics", i+1, n, side+1, figures)
			}
		}
	}
	for i := range c.Rows {
		if at := c.Rows[i].Figure; at < 0 || at >= figures {
			return fmt.Errorf("row %d refers to metric %d of %d", i+1, at+1, figures)
		}
	}
	return nil
}
