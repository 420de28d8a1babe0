// Package command has what commands are made with: flags of settings, checks of arguments, and output as JSON or in
// columns. What a command does is with the command.
//
// It is the edge between internal/setting and cobra, before anything runs. Nothing of it is kept: each call belongs to
// one goroutine.
package command
