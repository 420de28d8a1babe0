package delta

import (
	"encoding/binary"
	"iter"
	"slices"
)

// AppendSet appends the packed form of a set of these elements, which may come in any order
// and repeatedly. It sorts elements in place.
func AppendSet[S ~string | ~[]byte](dst []byte, elements ...S) []byte {
	slices.SortFunc(elements, func(a, b S) int { return compareBytes(a, b) })
	for i, e := range elements {
		if i > 0 && compareBytes(elements[i-1], e) == 0 {
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(e)))
		dst = append(dst, e...)
	}
	return dst
}

// compareBytes compares without a copy: the conversion of what is only compared makes none.
func compareBytes[S ~string | ~[]byte](a, b S) int {
	switch {
	case string(a) < string(b):
		return -1
	case string(a) > string(b):
		return 1
	}
	return 0
}

// Elements are the elements of a packed set, in ascending order. They share its memory. Of a
// value that is no set (see IsSet) it gives those before the place that is wrong.
func Elements(value []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) { eachElement(value, yield) } // apart, so that this one is inlined
}

func eachElement(value []byte, yield func([]byte) bool) {
	for len(value) > 0 {
		length, n := uvarint(value)
		if n <= 0 || length > uint64(len(value)-n) {
			return
		}
		end := uint64(n) + length
		if !yield(value[n:end:end]) {
			return
		}
		value = value[end:]
	}
}

// IsSet says whether a value is a set in the packed form.
func IsSet(value []byte) bool {
	var before []byte
	for first := true; len(value) > 0; first = false {
		length, n := uvarint(value)
		if n <= 0 || length > uint64(len(value)-n) {
			return false
		}
		end := uint64(n) + length
		element := value[n:end]
		if !first && string(before) >= string(element) {
			return false
		}
		before, value = element, value[end:]
	}
	return true
}
