package show

// PlanFlags are what a command repeats.
var PlanFlags = planFlags
