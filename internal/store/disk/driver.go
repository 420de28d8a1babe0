package disk

import "github.com/plimsoll/plimsoll/internal/store"

// FileDriver is what others know of the files of this machine.
func FileDriver() store.Driver {
	return store.Driver{
		Name: "file", Schemes: []string{"file"}, Forms: "file:/PATH", About: "a local file system",
		Local: true, Open: OpenFile,
	}
}

// MemoryDriver is what others know of the memory of this process as a store.
func MemoryDriver() store.Driver {
	return store.Driver{
		Name: "mem", Schemes: []string{"mem"}, Forms: "mem:",
		About:  "memory: the speed of Plimsoll itself",
		Naming: store.Literal, Open: OpenMemory,
	}
}
