// Package actors runs threads of control as actors: one for every warp (or CUDA thread)
// of a resident slot, one for each slot's block, one for the shared memory of a device
// and one that coordinates a launch. It is the only package that knows the actor
// library.
//
// Determinism comes from the mailbox, not from a dispatcher: every actor has a mailbox
// that reports to its device's loop, and the loop, on the goroutine of the caller,
// serves one message at a time in the order that a seeded policy chooses. No actor ever
// blocks, and no goroutine is started.
package actors

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	cmap "github.com/orcaman/concurrent-map"
)

// system is the one actor system of the process: making one costs milliseconds. It keeps no
// goroutine, so nothing has to be shut down.
var system = sync.OnceValue(func() *actor.ActorSystem {
	quiet := slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	// The system's registry is made of a thousand concurrent maps. One loop uses it, so
	// shards buy nothing but milliseconds and megabytes at the start.
	cmap.SHARD_COUNT = 1
	return actor.NewActorSystem(
		actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return quiet }),
		// A dead letter starts a goroutine for this long; none is expected.
		actor.WithDeadLetterThrottleInterval(time.Millisecond),
		actor.WithDeadLetterRequestLogging(false),
	)
})

// stop is the only supervision there is: a panic in an actor is a bug of ours, and an
// actor that starts afresh would hide it.
var stop = actor.NewOneForOneStrategy(0, 0, func(any) actor.Directive { return actor.StopDirective })
