package s3

// kind is a fault that one request suffers.
type kind struct {
	name string // the metric's label
	flag string
	rate func(*Faults) float64
}

// The faults with a rate. Errors and resets share out the interval of one draw, so that each
// rate is kept exactly; corrupt answers have a draw of their own.
const (
	faultError = iota
	faultReset
	faultCorrupt
	faultStall
	faultFailPart
	faultFull
	faultCount
)

var kinds = [...]kind{
	faultError:   {"error", "--error-rate", func(f *Faults) float64 { return f.ErrorRate }},
	faultReset:   {"reset", "--reset-rate", func(f *Faults) float64 { return f.ResetRate }},
	faultCorrupt: {"corrupt", "--corrupt-rate", func(f *Faults) float64 { return f.CorruptRate }},
}

var faultLabels = [faultCount]string{"error", "reset", "corrupt", "stall", "fail-part", "full"}

// decision is what happens to one request.
type decision struct {
	fail, reset, corrupt bool
	where                float64 // in [0, 1): which byte is flipped
}

// The independent draws of a decision.
const (
	drawKind = iota
	drawCorrupt
	drawWhere
)

// decide is a pure function of the seed and the request's number.
func (f *Faults) decide(number uint64) decision {
	var d decision
	if f.ErrorRate > 0 || f.ResetRate > 0 {
		u := f.draw(number, drawKind)
		d.fail = u < f.ErrorRate
		d.reset = !d.fail && u < f.ErrorRate+f.ResetRate
	}
	if f.CorruptRate > 0 {
		d.corrupt = f.draw(number, drawCorrupt) < f.CorruptRate
		d.where = f.draw(number, drawWhere)
	}
	return d
}

// draw is a number in [0, 1) that depends on nothing but its arguments and the seed.
func (f *Faults) draw(number, stream uint64) float64 {
	x := scramble(f.Seed)
	x = scramble(x ^ scramble(number))
	x = scramble(x ^ scramble(stream))
	return float64(x>>11) / (1 << 53)
}

// scramble is one step of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014): neighbouring inputs give unrelated outputs.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// stalls counts the requests that bring an object's data and reports whether this is the one
// that stands still.
func (s *Server) stalls(x *exchange) bool {
	if s.cfg.StallPart == 0 || x.name != "PutObject" && x.name != "UploadPart" {
		return false
	}
	return s.puts.Add(1) == int64(s.cfg.StallPart)
}
