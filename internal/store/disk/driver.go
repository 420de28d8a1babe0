package disk

import "github.com/plimsoll/plimsoll/internal/store"

// FileDriver is what others know of the files of this machine.
func FileDriver() store.Driver {
	return store.Driver{
		Name: "file", Schemes: []string{"file"}, Forms: "file:/PATH", About: "a filesystem of this machine",
		Local: true, Open: OpenFile,
	}
}

// MemoryDriver is what others know of the memory of this process as a store.
func MemoryDriver() store.Driver {
	return store.Driver{
		Name: "mem", Schemes: []string{"mem"}, Forms: "mem:",
		About:  "memory: how fast this program itself can be",
		Naming: store.Literal, Open: OpenMemory,
	}
}
