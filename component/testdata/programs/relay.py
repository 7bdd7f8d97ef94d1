"""A canister in Python that calls other canisters."""

import asyncio

from componentize_py_types import Err
from wit_world import exports
from wit_world.imports import calls
from wit_world.imports.types import Cycles

OPTIONS = calls.Options(cycles=Cycles(low=0, high=0), timeout_seconds=None)


class Api(exports.Api):
    async def deposit_each(self, bank, amounts):
        async def deposit(amount):
            argument = b"DIDL\x00\x01\x78" + amount.to_bytes(8, "little")
            try:
                await calls.call(bank, "deposit", argument, OPTIONS)
                return True
            except Err as refused:
                print(f"{amount}: {refused.value.message}", flush=True)
                return False

        return sum(await asyncio.gather(*map(deposit, amounts)))
