package web

import "github.com/plimsoll/plimsoll/internal/store"

// Driver is what others know of this store.
func Driver() store.Driver {
	return store.Driver{
		Name: "http", Schemes: []string{"http", "https"},
		Forms: "http://HOST/PATH  https://", About: "any server with PUT and GET",
		Knows: []store.Setting{store.SettingRetries, store.SettingTimeout, store.SettingSilence,
			store.SettingCA, store.SettingInsecure},
		Naming: store.Escaped, Open: Open,
	}
}
