package wsproto

import (
	"testing"
)

func TestPresetsLoad(t *testing.T) {
	for _, p := range Presets() {
		if _, err := LoadPreset(p.Name, Options{}); err != nil {
			t.Error(err)
		}
	}
}
