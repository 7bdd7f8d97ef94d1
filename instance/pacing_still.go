package instance

// still answers everyone at once and leaves the time to clients: an instance that gets the same messages in the same
// order behaves the same each time, however slow its users are.
var still = mode{
	name: "still", says: "a round as soon as there is work; time stands still until a client moves it",
	rounds: byDriver,
}
