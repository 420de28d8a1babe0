package comparisons

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// exact is by how much figures may differ, as a share: in their last digits, on another kind of processor.
const exact = 1e-6

// RereadMember says which values of a launch are not those of the document of its run; nil where all are.
func RereadMember(c *setdoc.Comparison, run *rundoc.Run, known figure.Known) (wrong []string) {
	var rows []row
	for _, f := range c.Figures {
		spec, err := figure.Parse(f.Name, known)
		if err != nil {
			return nil // of a figure that this program does not know
		}
		rows = append(rows, row{spec: spec, Compared: f})
	}
	for at := range c.Launches {
		l := &c.Launches[at]
		for side, id := range l.Members {
			if id != run.ID || len(l.Values[side]) == 0 {
				continue
			}
			for i, v := range valuesOf(rows, c.Way, run, false) {
				had := l.Values[side][i]
				if had.Merged || had.Launches > 1 {
					continue // of several runs
				}
				if !docfile.Alike(had.Value, v.Value, exact) || had.Of != v.Of {
					wrong = append(wrong, fmt.Sprintf("%.40s of %s in launch %d does not match its run", c.Figures[i].Name,
						letter(side), at+1))
				}
			}
		}
	}
	return wrong
}
