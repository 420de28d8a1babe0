package show

import "github.com/plimsoll/plimsoll/internal/report"

// PlanFlags are what a command repeats.
var PlanFlags = append([]report.PlanFlag{{At: "concurrency"}, {At: "min_effect"}}, planFlags...)
