package known

import (
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/topic/kafka"
	"github.com/plimsoll/plimsoll/internal/topic/nats"
	"github.com/plimsoll/plimsoll/internal/topic/pubsub"
	"github.com/plimsoll/plimsoll/internal/topic/redis"
	"github.com/plimsoll/plimsoll/internal/topic/sqs"
)

// Drivers are those of all transports, in the order in which people are told of them.
func Drivers() topic.Drivers {
	return topic.Drivers{
		nats.Driver(),
		redis.Driver(),
		kafka.Driver(),
		sqs.Driver(),
		pubsub.Driver(),
	}
}
