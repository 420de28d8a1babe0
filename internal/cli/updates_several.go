package cli

import (
	"context"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func runGrid(context.Context, *Env, *updatesOptions) error {
	return fault.New(fault.Usage, "--grid is not there yet")
}

func runMax(context.Context, *Env, *updatesOptions) error {
	return fault.New(fault.Usage, "--max is not there yet")
}
