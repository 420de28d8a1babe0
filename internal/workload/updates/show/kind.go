package show

import (
	"encoding/json"
	"net/url"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// shown is the report of a run; its detail is empty where the document has none that can be read.
type shown struct {
	*report.View
	detail *rundoc.UpdatesDetail
}

// Kind is how runs of this kind are shown.
func Kind() report.Kind {
	words := report.Words{One: "batch", Many: "batches", Short: "batches"}
	return report.Kind{
		Words: words,
		Show: func(v *report.View) report.Shown {
			d := v.Run.Updates()
			if d == nil {
				d = &rundoc.UpdatesDetail{}
			}
			return &shown{v, d}
		},
		Own:      "plimsoll updates nats://YOUR-HOST:4222/TOPIC",
		Demo:     ofOwnBroker,
		Less:     lessLoad,
		Next:     next,
		CSV:      writeCSV,
		Figures:  figures(),
		Headline: headline(),
		Listed:   listed,
		Pace:     func(l report.Live) string { return words.Rate(l.Rate) + " published" },
	}
}

// planned is what the plan of a run says of its topic and its load.
type planned struct {
	URL  string `json:"url"`
	KV   urls   `json:"kv"`
	Load struct {
		RatePerS float64 `json:"rate_per_s"`
	} `json:"load"`
}

// urls are one or several, as the plan has them.
type urls []string

// UnmarshalJSON reads a text, or a list of them.
func (u *urls) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*u = urls{one}
		return nil
	}
	var all []string
	err := json.Unmarshal(text, &all)
	*u = all
	return err
}

// ofOwnBroker reports whether the run's topic was at the broker of the server that was started for it.
func ofOwnBroker(run *rundoc.Run) bool {
	var p planned
	if json.Unmarshal(run.Plan, &p) != nil || p.URL == "" {
		return true
	}
	topic, err := url.Parse(p.URL)
	return err == nil && topic.Host == ""
}
