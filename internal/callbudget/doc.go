// Package callbudget counts the instructions of calls, for methods that have a budget.
//
// What a call takes is what its canister is charged for the messages that serve it: the message that begins the call, the
// callbacks of the calls that it makes, and their cleanups. What those calls cause in other canisters counts in the
// budgets of the methods called there.
//
// It owns the budgets with the counts, and the sentences about those that are exceeded. It must not know networks and
// messages: counts come from the caller. A call that takes more than its budget goes on.
package callbudget
