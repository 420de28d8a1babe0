package sweep

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// axis is a setting with the places of its values in the order of the levels.
type axis struct {
	setdoc.Vary
	place map[string]int
	loads map[string]float64 // of a numeric setting alone
}

// axisOf sorts numbers by what they are, and names as they were given. A value that rows have and the setting has not
// comes last, so that no row is lost.
func axisOf(v setdoc.Vary, rows []setdoc.Row, at int) axis {
	values := slices.Clone(v.Values)
	for _, r := range rows {
		if s := valueAt(r, at); !slices.Contains(values, s) {
			values = append(values, s)
		}
	}
	v.Setting = units.Clean(v.Setting) // it stands in sentences
	a := axis{Vary: v, place: map[string]int{}}
	if v.Numeric {
		a.loads = numbers(values)
	}
	if a.loads != nil {
		slices.SortStableFunc(values, func(x, y string) int { return cmp.Compare(a.loads[x], a.loads[y]) })
	}
	for i, s := range values {
		if _, twice := a.place[s]; !twice {
			a.place[s] = i
		}
	}
	return a
}

func valueAt(r setdoc.Row, at int) string {
	if at < len(r.Values) {
		return r.Values[at]
	}
	return ""
}

// numbers are what values say, all in one unit: as numbers, shares, lengths of time in ns or sizes in bytes; nil where
// they are no numbers. "1m" alone would be a minute and a megabyte.
func numbers(values []string) map[string]float64 {
	readings := []func(string) (float64, error){
		func(s string) (float64, error) { return strconv.ParseFloat(s, 64) },
		func(s string) (float64, error) { n, err := setting.ParseCount[int64](s); return float64(n), err },
		setting.ParseShare,
		func(s string) (float64, error) { d, err := setting.ParseDuration(s); return float64(d), err },
		func(s string) (float64, error) { n, err := setting.ParseSize(s); return float64(n), err },
	}
	for _, read := range readings {
		all := map[string]float64{}
		for _, s := range values {
			if v, err := read(s); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
				all[s] = v
			}
		}
		if len(all) == len(values) && len(all) > 0 {
			return all
		}
	}
	return nil
}
