package az

import "github.com/plimsoll/plimsoll/internal/store"

// Driver is what others know of this store.
func Driver() store.Driver {
	return store.Driver{
		Name: "az", Schemes: []string{"az", "abfs"}, Aliases: []string{"abfss", "wasb", "wasbs"},
		Forms: "az://CONTAINER/KEY  abfs://CONTAINER@ACCOUNT.dfs.core.windows.net/KEY", About: "Azure",
		Knows: []store.Setting{store.SettingEndpoint, store.SettingPartSize, store.SettingRetries,
			store.SettingTimeout, store.SettingSilence, store.SettingCA, store.SettingInsecure},
		Naming: store.Literal, UserIsContainer: true, Open: Open,
	}
}
