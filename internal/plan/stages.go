package plan

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// ParseStages reads the stages of an open model: "10s:2000,30s:2000,10s:0" is a rise to
// 2000 operations per second over 10 s, 30 s at that rate, and 10 s down to nothing.
func ParseStages(s string) ([]Stage, error) {
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("no stage given: write stages as 10s:2000,30s:2000,10s:0")
	}
	var stages []Stage
	for i, text := range strings.Split(s, ",") {
		stage, err := parseStage(text)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

func parseStage(s string) (Stage, error) {
	length, rate, found := strings.Cut(s, ":")
	if !found {
		return Stage{}, fmt.Errorf("%q lacks a colon: a stage is a duration and the rate at its end, as in 10s:2000", s)
	}
	d, err := setting.ParseDuration(length)
	if err != nil {
		return Stage{}, err
	}
	r, err := strconv.ParseFloat(strings.TrimSpace(rate), 64)
	if err != nil {
		return Stage{}, fmt.Errorf("%q is not a rate: write operations per second, as in 10s:2000", rate)
	}
	if err := checkStage(Stage{Duration: d, Rate: r}); err != nil {
		return Stage{}, err
	}
	return Stage{Duration: d, Rate: r}, nil
}

func checkStage(s Stage) error {
	if s.Duration <= 0 {
		return fmt.Errorf("its duration is %v: it must be longer than nothing", s.Duration)
	}
	if s.Duration > MaxTime {
		return fmt.Errorf("its duration is %v: at most %v", s.Duration, MaxTime)
	}
	if !(s.Rate >= 0 && s.Rate <= maxRate) {
		return fmt.Errorf("its rate is %v: it must be from 0 to %d operations per second", s.Rate, int64(maxRate))
	}
	return nil
}

// FormatStages writes stages as ParseStages reads them.
func FormatStages(stages []Stage) string {
	parts := make([]string, len(stages))
	for i, s := range stages {
		parts[i] = s.Duration.String() + ":" + strconv.FormatFloat(s.Rate, 'f', -1, 64)
	}
	return strings.Join(parts, ",")
}
