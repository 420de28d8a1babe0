package known

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDrivers holds what transports say of themselves.
func TestDrivers(t *testing.T) {
	want := []string{"nats", "nats+js", "redis", "rediss", "kafka", "awssnssqs", "gcppubsub"}
	if diff := cmp.Diff(want, Drivers().Schemes()); diff != "" {
		t.Error(diff)
	}
	secret := map[string]bool{"ca": true, "cert": true, "key": true, "creds": true, "sasl": true, "profile": true,
		"endpoint": true}
	for _, scheme := range want {
		d, ok := Drivers().Find(scheme)
		if !ok || d.Open == nil {
			t.Errorf("%s: %v, %+v", scheme, ok, d)
		}
		for _, name := range d.Public {
			if secret[name] {
				t.Errorf("%s: the option %s is shown", scheme, name)
			}
		}
	}
	if _, ok := Drivers().Find("mqtt"); ok {
		t.Error("mqtt is known")
	}
}
