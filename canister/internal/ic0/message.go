package ic0

// messageFunctions read the message and its call context.
func messageFunctions() []function {
	return []function{
		// msg_arg_data_size() is the length of the argument, in bytes; in a reply callback, of the reply.
		{name: "msg_arg_data_size", results: "p", where: withArgument, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Message.Payload))
		}},
		// msg_arg_data_copy(dst, offset, size) copies bytes of the argument, or of the reply, to the heap.
		{name: "msg_arg_data_copy", params: "ppp", where: withArgument, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.msg_arg_data_copy", "payload", s[0], s[1], s[2], x.Message.Payload)
		}},
		// msg_caller_size() is the length of the caller's principal, in bytes: 0 to 29. Timers, heartbeats and
		// transforms are called by the management canister, whose principal is empty.
		{name: "msg_caller_size", results: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.Message.Caller.Len())
		}},
		// msg_caller_copy(dst, offset, size) copies bytes of the caller's principal.
		{name: "msg_caller_copy", params: "ppp", where: anywhere, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			var id [32]byte
			x.copyOut("ic0.msg_caller_copy", "id", s[0], s[1], s[2], x.Message.Caller.Append(id[:0]))
		}},
		// msg_caller_info_data_size() is the length of the signer's information on the caller, in bytes; 0 unless the
		// request was signed by a canister and has sender_info.
		{name: "msg_caller_info_data_size", results: "p", where: withCallerInfo, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Message.CallerInfo))
		}},
		// msg_caller_info_data_copy(dst, offset, size) copies bytes of it.
		{name: "msg_caller_info_data_copy", params: "ppp", where: withCallerInfo, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.msg_caller_info_data_copy", "info", s[0], s[1], s[2], x.Message.CallerInfo)
		}},
		// msg_caller_info_signer_size() is the length of the principal of the canister that signed, in bytes; 0 without
		// sender_info.
		{name: "msg_caller_info_signer_size", results: "p", where: withCallerInfo, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Message.Signer))
		}},
		// msg_caller_info_signer_copy(dst, offset, size) copies bytes of that principal.
		{name: "msg_caller_info_signer_copy", params: "ppp", where: withCallerInfo, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.msg_caller_info_signer_copy", "signer", s[0], s[1], s[2], x.Message.Signer)
		}},
		// msg_reject_code() is the code of the reject, 1 to 6; 0 after a reply.
		{name: "msg_reject_code", results: "i", where: afterResponse, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.rejectCode())
		}},
		// msg_reject_msg_size() is the length of the reject's text, in bytes.
		{name: "msg_reject_msg_size", results: "p", where: rejected, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.rejectText()))
		}},
		// msg_reject_msg_copy(dst, offset, size) copies bytes of the reject's text, which is UTF-8.
		{name: "msg_reject_msg_copy", params: "ppp", where: rejected, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyText("ic0.msg_reject_msg_copy", "msg", s[0], s[1], s[2], x.rejectText())
		}},
		// msg_deadline() is the deadline of the caller's best-effort call, in ns since 1970; 0 for a guaranteed
		// response, for ingress and for queries.
		{name: "msg_deadline", results: "l", where: withDeadline, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = x.Message.Deadline
		}},
		// msg_method_name_size() is the length of the name of the method that ingress wants to call, in bytes.
		{name: "msg_method_name_size", results: "p", where: of(InspectMessage), cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Message.Method))
		}},
		// msg_method_name_copy(dst, offset, size) copies bytes of that name.
		{name: "msg_method_name_copy", params: "ppp", where: of(InspectMessage), cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyText("ic0.msg_method_name_copy", "payload", s[0], s[1], s[2], x.Message.Method)
		}},
		// accept_message() admits the ingress message. A second call traps: "the function was already called."
		{name: "accept_message", where: of(InspectMessage), cost: flat(plain), body: func(x *Execution, _ []uint64) {
			if x.Admitted {
				x.misuse("ic0.accept_message: the function was already called.")
			}
			x.Admitted = true
		}},
	}
}

func (x *Execution) rejectCode() int32 {
	if r := x.Message.Reject; r != nil {
		return int32(r.Code)
	}
	return 0
}

func (x *Execution) rejectText() string {
	if r := x.Message.Reject; r != nil {
		return r.Message()
	}
	return ""
}
