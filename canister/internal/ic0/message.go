package ic0

// messageFunctions read what the message and its call context say.
func messageFunctions() []function {
	return []function{
		{name: "msg_arg_data_size", results: "p", where: withArgument, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Payload))
		}},
		{name: "msg_arg_data_copy", params: "ppp", where: withArgument, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.msg_arg_data_copy", "payload", s[0], s[1], s[2], x.Payload)
		}},
		{name: "msg_caller_size", results: "p", where: anywhere, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.Caller.Len())
		}},
		{name: "msg_caller_copy", params: "ppp", where: anywhere, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			var id [32]byte
			x.copyOut("ic0.msg_caller_copy", "id", s[0], s[1], s[2], x.Caller.Append(id[:0]))
		}},
		{name: "msg_caller_info_data_size", results: "p", where: withCallerInfo, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.CallerInfo))
		}},
		{name: "msg_caller_info_data_copy", params: "ppp", where: withCallerInfo, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.msg_caller_info_data_copy", "info", s[0], s[1], s[2], x.CallerInfo)
		}},
		{name: "msg_caller_info_signer_size", results: "p", where: withCallerInfo, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Signer))
		}},
		{name: "msg_caller_info_signer_copy", params: "ppp", where: withCallerInfo, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyOut("ic0.msg_caller_info_signer_copy", "signer", s[0], s[1], s[2], x.Signer)
		}},
		{name: "msg_reject_code", results: "i", where: afterResponse, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(x.RejectCode)
		}},
		{name: "msg_reject_msg_size", results: "p", where: rejected, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.RejectText))
		}},
		{name: "msg_reject_msg_copy", params: "ppp", where: rejected, cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyText("ic0.msg_reject_msg_copy", "msg", s[0], s[1], s[2], x.RejectText)
		}},
		{name: "msg_deadline", results: "l", where: withDeadline, cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = x.Deadline
		}},
		{name: "msg_method_name_size", results: "p", where: of(InspectMessage), cost: flat(plain), body: func(x *Execution, s []uint64) {
			s[0] = uint64(len(x.Method))
		}},
		{name: "msg_method_name_copy", params: "ppp", where: of(InspectMessage), cost: bytesOf(2), body: func(x *Execution, s []uint64) {
			x.copyText("ic0.msg_method_name_copy", "payload", s[0], s[1], s[2], x.Method)
		}},
		{name: "accept_message", where: of(InspectMessage), cost: flat(plain), body: func(x *Execution, _ []uint64) {
			if x.Admitted {
				x.misuse("ic0.accept_message: the function was already called.")
			}
			x.Admitted = true
		}},
	}
}
