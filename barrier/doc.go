// Package barrier holds the rules of barriers as pure state machines: named barriers of a
// block (who has arrived, when a phase is complete, what misuses it) and the rendezvous of
// a warp's lanes. What a completed phase orders is the race detector's business, who is
// woken the engine's.
package barrier
