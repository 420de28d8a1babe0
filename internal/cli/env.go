package cli

import "github.com/plimsoll/plimsoll/internal/run"

// Env is what a command needs of the process that it runs in.
type Env = run.Env

// OSEnv is the Env of the running process.
func OSEnv() Env { return run.OSEnv() }
