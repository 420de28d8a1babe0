package sets

import (
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// amount is a figure in its unit, without it.
func amount(f setdoc.Figure, x float64) string {
	switch unit := figure.Unit(f.Unit); unit {
	case figure.BytesPerSec:
		return units.Digits3(x / 1e6)
	case figure.Time, figure.Bytes, figure.Share:
		return unit.Text(x)
	}
	return units.PerSecond(x)
}

// whole is a figure as a whole number, as far as there is one.
func whole(x float64) int64 {
	const most = 1 << 62
	if math.IsNaN(x) {
		return 0
	}
	return int64(math.Round(max(-most, min(x, most))))
}

// unitOf is what stands behind an amount, or above a column of them; "" where the amount says it.
func unitOf(f setdoc.Figure) string {
	switch figure.Unit(f.Unit) {
	case figure.BytesPerSec:
		return "MB/s"
	case figure.PerSecond:
		return units.Clean(f.Of) + "/s"
	}
	return ""
}

// figureText is a figure with its unit.
func figureText(f setdoc.Figure, x float64) string {
	text, unit := amount(f, x), unitOf(f)
	switch unit {
	case "":
		return text
	case "/s":
		return text + unit
	}
	return text + " " + unit
}

// figureName is what a figure is called: the throughput, or its name where it is none.
func figureName(f setdoc.Figure) string {
	switch unit := figure.Unit(f.Unit); {
	case unit == figure.PerSecond || unit == figure.BytesPerSec || f.Name == "":
		return "throughput"
	}
	return units.Clean(f.Name)
}

func (v *View) figure(x *float64) string {
	if x == nil {
		return units.Dash
	}
	return figureText(v.sweep.Figure, *x)
}

// cell is a figure in a column whose head has its unit.
func (v *View) cell(x *float64) string {
	if x == nil {
		return units.Dash
	}
	return amount(v.sweep.Figure, *x)
}

// head is what stands above a column of the figure.
func (v *View) head() string {
	if unit := unitOf(v.sweep.Figure); unit != "" && unit != "/s" {
		return unit
	}
	return figureName(v.sweep.Figure)
}

// interval formats the confidence interval of a level: "1,190–1,290".
func (v *View) interval(of *setdoc.Level) string {
	if len(of.Interval) != 2 || of.Throughput == nil {
		return ""
	}
	return spanOf(amount(v.sweep.Figure, *of.Throughput), amount(v.sweep.Figure, of.Interval[0]),
		amount(v.sweep.Figure, of.Interval[1]))
}

// with formats the value of a level and its confidence interval: "1,240 requests/s (95% CI 1,190–1,290)".
func (v *View) with(l *setdoc.Level) string {
	text := v.figure(l.Throughput)
	if interval := v.interval(l); interval != "" {
		text += " (95% CI " + interval + ")"
	}
	return text
}

// spanOf formats an interval beside its value: "11.9–13.0" beside "12.4 ms". The ends keep their units where these are
// not those of the value.
func spanOf(value, low, high string) string {
	_, unit, known := strings.Cut(value, " ")
	l, lowUnit, lowKnown := strings.Cut(low, " ")
	h, highUnit, highKnown := strings.Cut(high, " ")
	if known && lowKnown && highKnown && unit == lowUnit && unit == highUnit {
		return l + "–" + h
	}
	if lowKnown && highKnown && lowUnit == highUnit {
		return l + "–" + h + " " + highUnit
	}
	return low + "–" + high
}

// name is a level by its settings: "clients 8", "clients 8, rooms 2".
func (v *View) name(values []string) string {
	var parts []string
	for i, vary := range v.sweep.Vary {
		parts = append(parts, vary.Setting+" "+values[i])
	}
	return units.Clean(strings.Join(parts, ", "))
}

// short is a level as the first column of a table has it, whose head names the settings.
func short(values []string) string { return units.Clean(strings.Join(values, " × ")) }

// settings is the head of that column.
func (v *View) settings() string {
	var parts []string
	for _, vary := range v.sweep.Vary {
		parts = append(parts, vary.Setting)
	}
	return units.Clean(strings.Join(parts, " × "))
}

// level is the level that an index means, or nil.
func (v *View) level(at *int) *setdoc.Level {
	if at == nil {
		return nil
	}
	return &v.sweep.Levels[*at]
}

// share is a share of 1 that may be absent.
func share(x *float64) string {
	if x == nil {
		return units.Dash
	}
	return units.Percent(*x)
}

// signed is a share of 1 with its sign.
func signed(x float64) string {
	if x > 0 {
		return "+" + units.Percent(x)
	}
	return signedShare(x)
}
