package known

import (
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/az"
	"github.com/plimsoll/plimsoll/internal/store/disk"
	"github.com/plimsoll/plimsoll/internal/store/gs"
	"github.com/plimsoll/plimsoll/internal/store/hdfs"
	"github.com/plimsoll/plimsoll/internal/store/s3"
	"github.com/plimsoll/plimsoll/internal/store/sftp"
	"github.com/plimsoll/plimsoll/internal/store/web"
)

// Drivers are those of all stores, in the order in which people are told of them.
func Drivers() store.Drivers {
	return store.Drivers{
		s3.Driver(),
		gs.Driver(),
		az.Driver(),
		hdfs.Driver(),
		sftp.Driver(),
		web.Driver(),
		disk.FileDriver(),
		disk.MemoryDriver(),
	}
}
