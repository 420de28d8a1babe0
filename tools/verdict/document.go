package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// document is what is read of a run document. Fields that a program does not write yet stay empty.
type document struct {
	Phases []struct {
		Name       string
		Started    time.Time
		DurationNS int64 `json:"duration_ns"`
	}
	Totals struct {
		Scheduled, OK, Failed, Unsent, Unfinished int64
		RatePerS                                  float64 `json:"rate_per_s"`
		ResponseTime                              times   `json:"response_time"`
		SendDelay                                 times   `json:"send_delay"`
	}
	Generator struct {
		CPUUserNS      int64   `json:"cpu_user_ns"`
		CPUSystemNS    int64   `json:"cpu_system_ns"`
		CPUShare       float64 `json:"cpu_share"`
		GCShare        float64 `json:"gc_share"`
		RunDelayNS     *int64  `json:"run_delay_ns"`
		ThrottledNS    *int64  `json:"throttled_ns"`
		OwnDelayP99NS  int64   `json:"own_delay_p99_ns"`
		OwnLate        *int64  `json:"own_late"`
		OwnTimeNS      int64   `json:"own_time_ns"`
		ResponseTimeNS int64   `json:"response_time_ns"`
		Hiccups        *struct {
			Gaps   int64
			GapsNS int64 `json:"gaps_ns"`
			LongNS int64 `json:"long_ns"`
		}
		Stamps *struct{ Used, Missing, Refused int64 }
		Unseen []string
	}
	Verdict struct {
		Validity string
		Reasons  []string
		Rules    int
	}
}

// times is a summary of times, in ns.
type times struct {
	Count int64  `json:"count"`
	P50   *int64 `json:"p50_ns"`
	P99   *int64 `json:"p99_ns"`
	Max   int64  `json:"max_ns"`
	Mean  int64  `json:"mean_ns"`
	Free  *times `json:"free"`
}

// readDocument takes the document from what a run printed. An exit status that tells of the
// verdict is no error.
func readDocument(out io.Reader, ended error, errs string) (*document, error) {
	d := &document{}
	if err := json.NewDecoder(out).Decode(d); err != nil {
		return nil, fmt.Errorf("no document (%v, %v): %s", err, ended, errs)
	}
	return d, nil
}
