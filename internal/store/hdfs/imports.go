package hdfs

import (
	_ "github.com/colinmarc/hdfs/v2"
)
