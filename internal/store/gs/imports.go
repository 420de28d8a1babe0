package gs

import (
	_ "cloud.google.com/go/storage"
)
