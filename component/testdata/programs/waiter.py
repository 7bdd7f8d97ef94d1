"""Waits for several times at once: a component in Python with an asynchronous function."""

import asyncio
import wit_world
from wit_world.imports import monotonic_clock

SECOND = 1_000_000_000


class WitWorld(wit_world.WitWorld):
    async def wait(self, name: str, seconds: list[int]) -> list[str]:
        start = monotonic_clock.now()

        async def timer(n: int) -> str:
            await monotonic_clock.wait_for(n * SECOND)
            return f"{name} waited {(monotonic_clock.now() - start) // SECOND} of {n} s"

        return list(await asyncio.gather(*[timer(n) for n in seconds]))
