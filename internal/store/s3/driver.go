package s3

import "github.com/plimsoll/plimsoll/internal/store"

// Driver is what others know of this store.
func Driver() store.Driver {
	return store.Driver{
		Name: "s3", Schemes: []string{"s3"}, Aliases: []string{"s3a", "s3n"},
		Forms: "s3://BUCKET/KEY  s3a://", About: "Amazon S3 and compatible stores (--endpoint)",
		Knows: store.Settings(), Naming: store.Literal, Open: Open,
	}
}
