// Command plimsoll measures what a client really gets from a networked service.
package main

import (
	"context"
	"os"

	"github.com/plimsoll/plimsoll/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), cli.OSEnv()))
}
