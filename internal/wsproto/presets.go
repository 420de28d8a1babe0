package wsproto

import (
	"embed"
	"path"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// The files of the presets: each begins with a comment of one line that says what it speaks, and to which servers.
// package state: the compiler puts embedded files into a variable of the package; nobody changes it.
//
//go:embed presets/*.yaml
var presets embed.FS

// Preset is a protocol file that is here already.
type Preset struct {
	Name  string
	About string // what it speaks, and to which servers, on one line
	File  []byte // which people may copy, and change
}

// Presets lists those that there are, that of the reference first.
func Presets() []Preset {
	var all []Preset
	for _, name := range strings.Fields("chat echo socketio stomp mqtt graphql phoenix centrifugo signalr") {
		data, err := presets.ReadFile(path.Join("presets", name+".yaml"))
		if err != nil {
			panic(err) // it is of this program, and its test reads each
		}
		first, _, _ := strings.Cut(string(data), "\n")
		all = append(all, Preset{Name: name, About: strings.TrimPrefix(first, "# "), File: data})
	}
	return all
}

// LoadPreset reads the preset of a name.
func LoadPreset(name string, o Options) (*Protocol, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return Load(p.Name+".yaml", p.File, o)
		}
		names = append(names, p.Name)
	}
	err := fault.New(fault.Usage, "unknown preset %q", name)
	if near := fault.Nearest(name, names); near != "" {
		return nil, err.Hint("did you mean %s? Known presets: %s", near, strings.Join(names, ", "))
	}
	return nil, err.Hint("known presets: %s; to use a file, write its path, for example ./%s.yaml", strings.Join(names,
		", "), name)
}
