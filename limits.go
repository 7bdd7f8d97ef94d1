package canisterd

// envelopeBytes is the size of the envelope of a signed call without its method and argument: calls here have no
// signature, and pay for it too. Ours; as in the control API.
const envelopeBytes = 200
