package rundoc

import "strings"

// Validity says whether the numbers of a run can be trusted.
type Validity string

// The verdicts, from best to worst.
const (
	Valid   Validity = "valid"                // nothing found
	Seen    Validity = "valid as far as seen" // nothing found, by fewer watches than there are; Unseen names the others
	Suspect Validity = "suspect"              // believe it with care; exit 0
	Invalid Validity = "invalid"              // do not use it; exit 4
)

// Rules is the number of the rules of Judge: of its laws, its doubts and their thresholds. It is raised
// by a change after which a document may get another verdict.
const Rules = 2

// Verdict is the judgement of a run, with its reasons.
type Verdict struct {
	Validity Validity `json:"validity"`
	Reasons  []string `json:"reasons"`
	// Unseen names the watches that were not to be had on this system, each with the reason.
	Unseen []string `json:"unseen,omitempty"`
	// Rules is the number of the rules that it was found by. It is absent in documents of before the
	// rules had one.
	Rules int `json:"rules,omitempty"`
}

// Broken reports whether the verdict says that a law is broken.
func (v *Verdict) Broken() bool {
	return v.Validity == Invalid && len(v.Reasons) > 0 && strings.HasPrefix(v.Reasons[0], brokenLaw)
}

// Threshold is a goal of a run, and whether it was met. It is held against the raw figure, the generator's own delay
// included: that is what was measured.
type Threshold struct {
	Expr  string  `json:"threshold"` // in its plain form: "p99<50ms"
	Unit  string  `json:"unit"`      // of the figures: "ns", "per_s", "bytes_per_s", "share" (0 to 1), "count", "bytes"
	Limit float64 `json:"limit"`
	// Value is the raw figure, and Free the one without the generator's own delay, each nil where it is not known or
	// does not exist.
	Value *float64 `json:"value,omitempty"`
	Free  *float64 `json:"free,omitempty"`
	Met   bool     `json:"met"`
	// Why says why there is no value: such a threshold is not met, and the measurement could not tell.
	Why string `json:"why,omitempty"`
}
