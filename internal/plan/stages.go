package plan

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/setting"
)

// ParseClientStages reads the stages of a closed model: "10s:50,1m:50,10s:0" adds clients until there are 50 after
// 10 s, keeps them for a minute, and removes them over 10 s.
func ParseClientStages(s string) ([]ClientStage, error) {
	if strings.TrimSpace(s) == "" {
		return nil, errors.New("no stage given: write stages as 10s:50,1m:50,10s:0")
	}
	var stages []ClientStage
	for i, text := range strings.Split(s, ",") {
		stage, err := parseClientStage(text)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i+1, err)
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

func parseClientStage(s string) (ClientStage, error) {
	length, number, found := strings.Cut(s, ":")
	if !found {
		return ClientStage{}, fmt.Errorf("%q has no colon: write a duration and the number of clients at its "+
			"end, as in 10s:50", s)
	}
	d, err := setting.ParseDuration(length)
	if err != nil {
		return ClientStage{}, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || n < 0 || n > maxClients {
		return ClientStage{}, fmt.Errorf("%q is not a number of clients from 0 to %d", number, maxClients)
	}
	if err := checkStage(Stage{Duration: d}); err != nil {
		return ClientStage{}, err
	}
	return ClientStage{Duration: d, Clients: n}, nil
}

// FormatClientStages writes stages as ParseClientStages reads them.
func FormatClientStages(stages []ClientStage) string {
	parts := make([]string, len(stages))
	for i, s := range stages {
		parts[i] = s.Duration.String() + ":" + strconv.Itoa(s.Clients)
	}
	return strings.Join(parts, ",")
}

// ActiveFrom returns the first time at or after at, since the start of the window, at which client number i (from 0) is
// one of the clients that the stages ask for. It returns false if there is none.
func (l *Load) ActiveFrom(i int, at time.Duration) (time.Duration, bool) {
	number, start := float64(l.StartClients), time.Duration(0)
	for _, s := range l.ClientStages {
		from, to, end := number, float64(s.Clients), start+s.Duration
		// The number of clients at t is from + slope × (t − start); client i is one of them while that is above i.
		slope := (to - from) / float64(s.Duration)
		now := max(at, start)
		switch {
		case now >= end:
		case from+slope*float64(now-start) > float64(i):
			return now, true
		case to > float64(i):
			return max(now, start+time.Duration(math.Ceil((float64(i)-from)/slope))), true
		}
		number, start = to, end
	}
	return 0, false
}

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
		return Stage{}, fmt.Errorf("%q has no colon: write a duration and the rate at its end, as in 10s:2000", s)
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
		return fmt.Errorf("its duration is %v: it must be above 0", s.Duration)
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
