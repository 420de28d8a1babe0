package fanout

// mark is what names an attempt of a message: TAG-INDEX-CLIENT.SEQ.
type mark struct{ index, client, seq uint64 }

// parse reads a mark of this run; false if it is none.
func (f *Fanout) parse(text []byte) (mark, bool) {
	if len(text) < len(f.head) || string(text[:len(f.head)]) != f.head {
		return mark{}, false
	}
	var m mark
	rest := text[len(f.head):]
	var ok bool
	if m.index, rest, ok = number(rest); !ok || len(rest) == 0 || rest[0] != '-' {
		return mark{}, false
	}
	if m.client, rest, ok = number(rest[1:]); !ok || len(rest) == 0 || rest[0] != '.' {
		return mark{}, false
	}
	m.seq, rest, ok = number(rest[1:])
	return m, ok && len(rest) == 0
}

// number reads a decimal number without leading zeros.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		if i == 19 { // beyond what fits for sure
			return 0, nil, false
		}
		n = n*10 + uint64(b[i]-'0')
	}
	return n, b[i:], i > 0 && (b[0] != '0' || i == 1)
}
