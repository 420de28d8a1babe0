package aws

// maxAgent is what is kept of a client's name for itself: those of SDKs have 100 to 250 bytes.
const maxAgent = 512

// agents makes texts of what a connection's client calls itself, and allocates only when that
// changes. SDKs have a feature or two of the call in it, so it seldom does.
type agents struct {
	raw  []byte
	text string
}

// name is the text of a header's value: without what has a meaning in a line of the trace, or
// none in any text.
func (a *agents) name(value []byte) string {
	value = value[:min(len(value), maxAgent)]
	if string(value) == string(a.raw) {
		return a.text
	}
	a.raw = append(a.raw[:0], value...)
	text := make([]byte, len(value))
	for i, b := range value {
		if b < ' ' || b > '~' || b == ',' || b == '"' {
			b = '_'
		}
		text[i] = b
	}
	a.text = string(text)
	return a.text
}
