package search

import "math"

const (
	loads   = 600
	spreads = 12
	// From servers that are the same at each probe, for which a load of 1% more is the difference, to those at which
	// nothing better than ±10% can be had in 60 probes.
	leastSpread, mostSpread = 0.004, 0.3
	// A probe far below the line fails in one of 50, as by a pause of the machine, and one far above it meets the
	// condition in one of 100.
	falselyMet, meaningful = 0.01, 0.97
)

// posterior is what is believed of the load at which half of the probes meet the condition, and of the spread over
// which they go from all to none: of each cell, the product of what it gave the probes.
type posterior struct {
	low, step float64 // of the logarithm of the load
	cells     []float64
	normal    []float64 // of each spread, the normal distribution at −loads … loads steps: it takes long to work out
}

func newPosterior(low, high float64) posterior {
	p := posterior{low: math.Log(low), step: math.Log(high/low) / loads}
	p.normal = make([]float64, 0, spreads*steps)
	for j := range spreads {
		for i := range steps {
			p.normal = append(p.normal, math.Erfc(-float64(i-loads)*p.step/spreadAt(j)/math.Sqrt2)/2)
		}
	}
	return p.nothing()
}

const steps = 2*loads + 1

// nothing is what is believed of the same loads before the first probe.
func (p posterior) nothing() posterior {
	p.cells = make([]float64, loads*spreads)
	for i := range p.cells {
		p.cells[i] = 1.0 / (loads * spreads)
	}
	return p
}

// ends are the loads at both ends of what is thought possible.
func (p *posterior) ends() (low, high float64) {
	return math.Exp(p.low), math.Exp(p.low + p.step*loads)
}

func spreadAt(i int) float64 {
	return leastSpread * math.Pow(mostSpread/leastSpread, float64(i)/(spreads-1))
}

// take weighs each cell by how likely it made what a probe found.
func (p *posterior) take(load float64, met bool) {
	// The first cell's distance from the load, in steps; it is the same part of a step for all cells.
	first := (p.middle(0)-math.Log(load))/p.step + loads
	whole, sum := math.Floor(first), 0.0
	part := first - whole
	certain, scale := falselyMet, meaningful
	if !met {
		certain, scale = 1-falselyMet, -meaningful
	}
	for j := range spreads {
		cells, normal := p.cells[j*loads:(j+1)*loads], p.normal[j*steps:(j+1)*steps]
		for i := range cells {
			at := min(max(int(whole)+i, 0), steps-2)
			cells[i] *= certain + scale*(normal[at]+part*(normal[at+1]-normal[at]))
			sum += cells[i]
		}
	}
	for i := range p.cells {
		p.cells[i] /= sum
	}
}

// tempered is what is believed where the probes tell as much as a share of them would, were these independent.
func (p posterior) tempered(share float64) posterior {
	if share == 1 {
		return p
	}
	q, sum := p.nothing(), 0.0
	for i, c := range p.cells {
		q.cells[i] = math.Pow(c, share)
		sum += q.cells[i]
	}
	for i := range q.cells {
		q.cells[i] /= sum
	}
	return q
}

// middle is the logarithm of the load in the middle of a cell.
func (p *posterior) middle(i int) float64 { return p.low + (float64(i)+0.5)*p.step }

// column is what is believed of a load, whatever the spread.
func (p *posterior) column(i int) (sum float64) {
	for j := range spreads {
		sum += p.cells[j*loads+i]
	}
	return sum
}

// quantile is the load below which the line lies with a probability.
func (p *posterior) quantile(q float64) float64 {
	sum := 0.0
	for i := range loads {
		c := p.column(i)
		if sum+c >= q && c > 0 {
			return math.Exp(p.low + p.step*(float64(i)+(q-sum)/c))
		}
		sum += c
	}
	return math.Exp(p.low + p.step*loads)
}

// below is the probability that the line lies below a load.
func (p *posterior) below(load float64) (sum float64) {
	at := (math.Log(load) - p.low) / p.step
	for i := range loads {
		sum += p.column(i) * min(max(at-float64(i), 0), 1)
	}
	return sum
}

// above is the probability that the line of p lies above that of q, which is about the same loads.
func (p *posterior) above(q posterior) (sum float64) {
	lower := 0.0
	for i := range loads {
		own := q.column(i)
		sum += p.column(i) * (lower + own/2)
		lower += own
	}
	return sum
}

// spread is the mean of its logarithm, as a spread.
func (p *posterior) spread() float64 {
	sum := 0.0
	for j := range spreads {
		for i := range loads {
			sum += p.cells[j*loads+i] * math.Log(spreadAt(j))
		}
	}
	return math.Exp(sum)
}
