package rundoc

// Validity says whether the numbers of a run can be trusted.
type Validity string

// The verdicts, from best to worst.
const (
	Valid   Validity = "valid"   // nothing found
	Suspect Validity = "suspect" // believe it with care; exit 0
	Invalid Validity = "invalid" // do not use it; exit 4
)

// Verdict is the judgement of a run, with its reasons.
type Verdict struct {
	Validity Validity `json:"validity"`
	Reasons  []string `json:"reasons"`
}
