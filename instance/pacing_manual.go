package instance

// manual leaves rounds and time to clients.
var manual = mode{
	name: "manual", says: "a round only when a client asks for one; time stands still meanwhile",
	rounds: byClients,
}
