package search

// Line searches for the load at which a probe is as likely to meet a condition as not, with a server that is not the
// same at each probe. It doubles the load until a probe fails, or halves it until one does not, and goes on by
// probabilistic bisection. The zero value with Start, Lowest and Highest is ready.
type Line struct {
	Start           float64 // the first load to try
	Lowest, Highest float64 // it stays within these
	Whole           bool    // loads are whole numbers, such as of clients
	Within          float64 // half of the interval's width, a share of the load; 0: 0.045
	Most            int     // probes behind the doubling; 0: 60
}

// Found is what a Line has found.
type Found struct {
	Ending    string // as setdoc has it: LineFound and the like; "" while it goes on
	Load      float64
	Low, High float64 // 98 %
	Spread    float64 // of the logarithm
	Probes    int     // behind the doubling
	Drift     []int   // the probes, from 0 on, before which all earlier ones were forgotten
}

// Next is the load to try; false when there is nothing more to find.
func (l *Line) Next() (load float64, ok bool) { return 0, false }

// Took takes what a probe at a load found.
func (l *Line) Took(load float64, met bool) {}

// Found is what is known so far.
func (l *Line) Found() Found { return Found{} }
