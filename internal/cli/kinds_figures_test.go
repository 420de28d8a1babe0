package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
)

// Of each figure of each kind it is said whether more of it is better: a comparison that took it the other way round
// would call the better side worse. Whoever adds a figure has to look.
func TestOfWhichFiguresMoreIsBetter(t *testing.T) {
	t.Parallel()
	common := "bytes bytes_rate ok rate"
	for kind, want := range map[string]string{
		"http": common + " answers download download.p10 download.p50 download.slowest flow.completed upload upload.p10 upload.p50 " +
			"upload.slowest",
		"ws":        common + " deliveries fanout.rate heartbeats room.rate",
		"chat":      common + " fanout.rate room.rate",
		"bandwidth": "bytes bytes_rate download download.files ok rate upload upload.files",
		"updates":   common + " applied in_time",
		"overhead":  common,
	} {
		known := reportKind(kind).Known(kind)
		var more []string
		for _, one := range figure.List(known) {
			name := one.Name
			if known.Mixed && len(one.Labels) > 0 && !one.Own {
				name += "{operation=x}"
			}
			spec, err := figure.Parse(name, known)
			if err != nil {
				t.Errorf("%s: %s: %v", kind, name, err)
				continue
			}
			if !spec.LessIsBetter() {
				more = append(more, one.Name)
			}
		}
		slices.Sort(more)
		names := strings.Fields(want)
		slices.Sort(names)
		if !slices.Equal(more, names) {
			t.Errorf("%s: more is better of %q, want %q", kind, more, names)
		}
	}
	for status, want := range map[string]bool{"": true, "{status=200}": true, "{status=3xx}": true, "{status=404}": false,
		"{status=5xx}": false} {
		if spec, err := figure.Parse("answers"+status, reportKind("http").Known("http")); err != nil || !spec.LessIsBetter() != want {
			t.Errorf("answers%s: more is better: %v, want %v; %v", status, !spec.LessIsBetter(), want, err)
		}
	}
}
