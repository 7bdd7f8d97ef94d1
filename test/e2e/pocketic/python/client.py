"""PocketIC's Python client, unmodified, with canisterd as its server (POCKET_IC_BIN). Every
method it has is used."""

import functools
import gzip
import os
import tempfile

import ic
from pocket_ic import PocketIC, SubnetConfig, SubnetKind
from pocket_ic.pocket_ic_server import PocketICServer

FIXTURES = os.environ["CANISTERD_FIXTURES"]
INTERFACE = "service : { add: (n: nat) -> (nat); get: () -> (nat) query; inc: () -> (nat); }"
NUMBER = {"type": ic.candid.Types.Nat, "value": 5}

used = set()
CLASSES = (PocketIC, PocketICServer, SubnetConfig)


def noted(method):
    @functools.wraps(method)
    def call(*arguments, **named):
        used.add(method.__name__)
        return method(*arguments, **named)

    return call


def methods(of):
    return [name for name, value in vars(of).items() if callable(value) and not name.startswith("_")]


for of in CLASSES:
    for name in methods(of):
        setattr(of, name, noted(getattr(of, name)))


with open(os.path.join(FIXTURES, "counter.wasm"), "rb") as file:
    WASM = file.read()


def refused(text, do):
    try:
        do()
    except (ValueError, ConnectionError, KeyError) as error:
        assert text in str(error), error
        return
    raise AssertionError(f"nobody says {text}")


def calls():
    pic = PocketIC()
    canister = pic.create_and_install_canister_with_candid(INTERFACE, WASM)
    assert canister.add(5) == [5], "add"
    assert canister.get() == [5], "get"
    pic.set_sender(ic.Principal.self_authenticating(b"user"))
    assert canister.inc() == [6], "inc"
    pic.set_anonymous_sender()
    id = canister.canister_id
    assert ic.decode(bytes(pic.update_call(id, "inc", ic.encode([]))))[0]["value"] == 7
    assert ic.decode(bytes(pic.query_call(id, "get", ic.encode([]))))[0]["value"] == 7
    assert ic.decode(bytes(pic.update_call_with_effective_principal(id, None, "inc", ic.encode([]))))[0]["value"] == 8
    assert pic.update_raw(id, "add", ic.encode([NUMBER]), [ic.candid.Types.Nat], id)[0]["value"] == 13
    assert pic.query_raw(id, "get", ic.encode([]), [ic.candid.Types.Nat], id)[0]["value"] == 13
    refused("CanisterMethodNotFound", lambda: pic.update_call(id, "missing", b""))
    refused("does not belong to any subnet", lambda: pic.query_call(ic.Principal.from_str("rno2w-sqaaa-aaaaa-aaacq-cai"), "get", b""))
    assert pic.server.list_instances()[-1] == "Available"


def canisters():
    pic = PocketIC(SubnetConfig(nns=True, application=1))
    id = pic.create_canister()
    assert pic.check_canister_exists(id)
    assert pic.get_cycles_balance(id) == 100_000_000_000_000
    assert pic.add_cycles(id, 2**70) == 100_000_000_000_000 + 2**70
    pic.install_code(id, WASM, [])
    kinds = {kind: subnet for subnet, kind in pic.topology().items()}
    assert set(kinds) == {SubnetKind.NNS, SubnetKind.APPLICATION}
    assert str(pic.get_subnet(id)) == str(kinds[SubnetKind.APPLICATION])
    assert len(pic.get_root_key()) > 96
    there = pic.create_canister(subnet=kinds[SubnetKind.NNS])
    assert str(pic.get_subnet(there)) == str(kinds[SubnetKind.NNS])
    ledger = ic.Principal.from_str("ryjl3-tyaaa-aaaaa-aaaba-cai")
    assert str(pic.create_canister(canister_id=ledger)) == str(ledger)
    refused("CanisterAlreadyInstalled", lambda: pic.create_canister(canister_id=ledger))
    content = bytes([7]) * 70_000
    pic.set_stable_memory(id, content)
    assert pic.get_stable_memory(id) == content + bytes(2 * 65_536 - len(content))
    pic.set_stable_memory(id, gzip.compress(content[:10]), compression="gzip")
    assert pic.get_stable_memory(id) == content[:10] + bytes(65_526)


def time():
    pic = PocketIC()
    begin = 1_620_328_630_000_000_001
    assert pic.get_time()["nanos_since_epoch"] == begin
    pic.tick()
    assert pic.get_time()["nanos_since_epoch"] == begin + 1
    pic.set_time(1_700_000_000_000_000_000)
    pic.advance_time(5)
    assert pic.get_time()["nanos_since_epoch"] == 1_700_000_000_000_000_005
    refused("SettingTimeIntoPast", lambda: pic.set_time(0))


def states():
    config = SubnetConfig()
    config.add_subnet_with_state(SubnetKind.NNS, tempfile.gettempdir())
    refused("message", lambda: PocketIC(config))  # the client expects errors in another form here


for part in (calls, canisters, time, states):
    part()
    print(f"{part.__name__}: passed")
for name in sorted({name for of in CLASSES for name in methods(of)}):
    assert name in used, f"{name} was not used"
    print(f"method: {name}")
print("every method: passed")
