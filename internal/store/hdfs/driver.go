package hdfs

import "github.com/plimsoll/plimsoll/internal/store"

// Driver is what others know of this store.
func Driver() store.Driver {
	return store.Driver{
		Name: "hdfs", Schemes: []string{"hdfs"},
		Forms: "hdfs://NAMENODE:8020/PATH", About: "HDFS",
		Knows:  []store.Setting{store.SettingRetries, store.SettingTimeout, store.SettingSilence},
		Naming: store.Literal, Open: Open,
	}
}
