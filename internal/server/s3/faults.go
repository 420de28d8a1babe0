package s3

import "github.com/plimsoll/plimsoll/internal/server"

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
	seed := server.Draws(f.Seed)
	if f.ErrorRate > 0 || f.ResetRate > 0 {
		picked := server.Pick(seed.Draw(number, drawKind), f.ErrorRate, f.ResetRate)
		d.fail, d.reset = picked == faultError, picked == faultReset
	}
	if f.CorruptRate > 0 {
		d.corrupt = seed.Draw(number, drawCorrupt) < f.CorruptRate
		d.where = seed.Draw(number, drawWhere)
	}
	return d
}

// stalls counts the requests that bring an object's data and reports whether this is the one
// that stands still.
func (s *Server) stalls(x *request) bool {
	return (x.name == "PutObject" || x.name == "UploadPart") && s.puts.Add(1) == int64(s.cfg.StallPart)
}
