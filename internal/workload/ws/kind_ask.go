package ws

import (
	"fmt"
	"io"
	"slices"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// ask is what may be asked for instead of a run.
type ask struct {
	Check bool
	List  bool   // the presets
	Show  string // a preset's text
}

func (a *ask) settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Switch(&a.Check, "inspect", "no load: connect once, send each message once, and show every frame "+
			"and the rule that matches it").Formerly("check"),
		setting.Switch(&a.List, "protocols", "list the presets and exit"),
		setting.Text(&a.Show, "show-protocol", "preset", "print a preset and exit").
			Offer(presetNames()...),
	}
}

// alone refuses several of them.
func (a *ask) alone() error {
	n := 0
	for _, asked := range []bool{a.Check, a.List, a.Show != ""} {
		if asked {
			n++
		}
	}
	if n > 1 {
		return usage("--inspect, --protocols and --show-protocol cannot be combined").
			Hint("use one of them")
	}
	return nil
}

// prints reports whether something is to be printed, and nothing done.
func (a *ask) prints() bool { return a.List || a.Show != "" }

// print writes what was asked for.
func (a *ask) print(w io.Writer) error {
	text, err := "", error(nil)
	if a.List {
		for _, p := range wsproto.Presets() {
			text += fmt.Sprintf("%-11s %s\n", p.Name, p.About)
		}
	} else if text, err = presetText(a.Show); err != nil {
		return err
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fault.New(fault.RunFailed, "cannot write the protocol: %w", err)
	}
	return nil
}

// presetText is a preset as a file has it.
func presetText(name string) (string, error) {
	if at := slices.Index(presetNames(), name); at >= 0 {
		return string(wsproto.Presets()[at].File), nil
	}
	_, err := wsproto.LoadPreset(name, wsproto.Options{})
	return "", err
}

// presetNames are the names of the presets.
func presetNames() (names []string) {
	for _, p := range wsproto.Presets() {
		names = append(names, p.Name)
	}
	return names
}
