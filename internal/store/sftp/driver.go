package sftp

import "github.com/plimsoll/plimsoll/internal/store"

// Driver is what others know of this store.
func Driver() store.Driver {
	return store.Driver{
		Name: "sftp", Schemes: []string{"sftp"},
		Forms: "sftp://USER@HOST/PATH", About: "a file server over SSH",
		Knows: []store.Setting{store.SettingRetries, store.SettingTimeout, store.SettingSilence}, Open: Open,
	}
}
