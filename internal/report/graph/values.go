package graph

import (
	"math"
	"strconv"
)

// Values are figures; what is not finite is not known.
type Values []float64

// MarshalJSON writes what is not known as null, which JSON has no number for.
func (v Values) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, f := range v {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			out = append(out, "null"...)
			continue
		}
		out = strconv.AppendFloat(out, f, 'g', -1, 64)
	}
	return append(out, ']'), nil
}
