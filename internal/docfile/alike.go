package docfile

import (
	"encoding/json"
	"math"
	"slices"
)

// Alike compares values by the documents that they make, numbers within a share of the larger: whether what follows
// from a document is what the document says. What is absent is as good as zero.
func Alike(x, y any, room float64) bool {
	var a, b any
	for _, v := range []struct{ from, into any }{{x, &a}, {y, &b}} {
		text, err := json.Marshal(v.from)
		if err != nil || json.Unmarshal(text, v.into) != nil {
			return false // a figure that no document holds
		}
	}
	return AlikeRead(a, b, room)
}

// AlikeRead is Alike of values as a document is read into an any.
func AlikeRead(x, y any, room float64) bool {
	switch a := x.(type) {
	case map[string]any:
		b, is := y.(map[string]any)
		if !is {
			return false
		}
		for _, names := range []map[string]any{a, b} { // what is absent is 0
			for name := range names {
				if !AlikeRead(OrZero(a[name], b[name]), OrZero(b[name], a[name]), room) {
					return false
				}
			}
		}
		return true
	case []any:
		b, is := y.([]any)
		return is && slices.EqualFunc(a, b, func(v, w any) bool { return AlikeRead(v, w, room) })
	case float64:
		b, is := y.(float64)
		return is && math.Abs(a-b) <= room*max(math.Abs(a), math.Abs(b))+1e-9*room
	}
	return x == y
}

// OrZero is a value, or the zero for another that has none beside it.
func OrZero(v, other any) any {
	if _, number := other.(float64); v == nil && number {
		return 0.0
	}
	return v
}
