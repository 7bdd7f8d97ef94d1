package ic0

import (
	"unicode/utf8"

	"github.com/canisterd/canisterd/intercanister"
)

// responseFunctions answer the call context.
func responseFunctions() []function {
	return []function{
		// msg_reply_data_append(src, size) appends bytes to the reply. It traps after a response ("the call is already
		// replied."), and if the reply exceeds maxReply, in queries maxQueryReply ("application payload size …
		// cannot be larger than …").
		{name: "msg_reply_data_append", params: "pp", where: answering, cost: sendingBytesOf(1), body: func(x *Execution, s []uint64) {
			if x.Responded {
				x.misuse("ic0.msg_reply_data_append: the call is already replied.")
			}
			x.checkAnswer("msg_reply_data_append", "Consider checking the response size and returning an error if it is too long.", uint64(len(x.reply)), s[1])
			x.reply = append(x.reply, x.heap("msg.reply", s[0], s[1])...)
		}},
		// msg_reply() responds with what was appended. A second response traps: "the call is already replied".
		{name: "msg_reply", where: answering, cost: flat(plain), body: func(x *Execution, _ []uint64) {
			if x.Responded {
				x.misuse("ic0.msg_reply: the call is already replied")
			}
			x.respond(intercanister.Response{Reply: x.reply})
		}},
		// msg_reject(src, size) responds with a reject of code 4 and drops what was appended. It traps after a
		// response, if the text exceeds the limits of a reply, and if it is not UTF-8 ("invalid UTF-8 string
		// provided").
		{name: "msg_reject", params: "pp", where: answering, cost: sendingBytesOf(1), body: func(x *Execution, s []uint64) {
			if x.Responded {
				x.misuse("ic0.msg_reject: the call is already replied")
			}
			x.checkAnswer("msg_reject", "Try truncating the error messages that are too long.", 0, s[1])
			text := x.heap("ic0.msg_reject", s[0], s[1])
			if !utf8.Valid(text) {
				x.misuse("ic0.msg_reject: invalid UTF-8 string provided")
			}
			x.respond(intercanister.Response{Reject: &intercanister.Reject{
				Code: intercanister.CanisterReject, Error: intercanister.CanisterRejectedMessage, Text: intercanister.Elide(string(text)),
			}})
		}},
	}
}

func (x *Execution) checkAnswer(function, suggestion string, have, more uint64) {
	limit := uint64(maxReply)
	if !x.Context.Replicated() {
		limit = maxQueryReply
	}
	if size := have + more; size > limit || size < have {
		if size < have {
			size = 1<<64 - 1
		}
		x.refuse(Advice(suggestion, function+"-payload-too-large"), "ic0.%s: application payload size (%d) cannot be larger than %d.", function, size, limit)
	}
}

// respond answers the call context. The cycles it still offers stay available until the end of the execution, which
// refunds the rest.
func (x *Execution) respond(r intercanister.Response) {
	response := x.recycled.response
	if x.recycled.response = nil; response == nil {
		response = new(intercanister.Response)
	}
	*response = r
	x.Response, x.Responded, x.reply = response, true, nil
}
