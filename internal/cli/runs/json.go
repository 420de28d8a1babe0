package runs

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/saved"
)

// line is an entry as the list has it in JSON.
type line struct {
	*saved.Entry
	dir string // of the saved runs
}

// MarshalJSON writes the entry with what its kind alone has as a field of its own.
func (l line) MarshalJSON() ([]byte, error) {
	own := map[string]any{}
	if l.OwnName != "" {
		own[l.OwnName] = l.Own
	}
	started := &l.Started
	if started.IsZero() {
		started = nil
	}
	file := l.File
	if file == "" {
		file = saved.RunFile
	}
	return joinObjects(
		struct {
			ID       string     `json:"id"`
			Path     string     `json:"path"`
			Workload string     `json:"workload,omitempty"`
			Started  *time.Time `json:"started,omitempty"`
			Target   string     `json:"target,omitempty"`
			RatePerS *float64   `json:"rate_per_s,omitempty"`
			P99NS    *int64     `json:"p99_ns,omitempty"`
		}{l.ID, filepath.Join(l.dir, l.ID, file), l.Workload, started, l.Target, l.RatePerS, l.P99NS},
		own,
		struct {
			Verdict string   `json:"verdict,omitempty"`
			Error   string   `json:"error,omitempty"`
			Kind    string   `json:"kind,omitempty"`
			Load    string   `json:"load,omitempty"`
			Labels  []string `json:"labels,omitempty"`
			Missed  []string `json:"thresholds_missed,omitempty"`
		}{l.Verdict, l.Error, l.Kind, l.Load, l.Labels, l.Missed},
	)
}

// joinObjects is one object of the fields of several, in their order.
func joinObjects(objects ...any) ([]byte, error) {
	var fields [][]byte
	for _, o := range objects {
		text, err := json.Marshal(o)
		if err != nil {
			return nil, err
		}
		if text = text[1 : len(text)-1]; len(text) > 0 {
			fields = append(fields, text)
		}
	}
	return slices.Concat([]byte{'{'}, bytes.Join(fields, []byte{','}), []byte{'}'}), nil
}
