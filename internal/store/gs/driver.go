package gs

import "github.com/plimsoll/plimsoll/internal/store"

// Driver is what others know of this store.
func Driver() store.Driver {
	return store.Driver{
		Name: "gs", Schemes: []string{"gs"},
		Forms: "gs://BUCKET/KEY", About: "Google Cloud Storage",
		Knows: []store.Setting{store.SettingEndpoint, store.SettingPartSize, store.SettingRetries,
			store.SettingTimeout, store.SettingSilence, store.SettingCA, store.SettingInsecure},
		Naming: store.Literal, Open: Open,
	}
}
