"""The test of docs/python.md: canisterd in the place of PocketIC's server (POCKET_IC_BIN)."""

import os

from pocket_ic import PocketIC

EXAMPLES = os.environ["CANISTERD_EXAMPLES"]

pic = PocketIC()
with open(f"{EXAMPLES}/motoko/greeter.did") as interface, open(f"{EXAMPLES}/motoko/greeter.wasm", "rb") as module:
    greeter = pic.create_and_install_canister_with_candid(interface.read(), module.read())

assert greeter.greet("Ada") == ["Hello, Ada!"]
assert greeter.count() == [1]

pic.advance_time(7 * 24 * 3600 * 10**9)
pic.tick()
assert greeter.count() == [1]
print("greeted")
