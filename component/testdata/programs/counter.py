"""A canister in Python."""

from collections import Counter

import wit_world

total = 0


class WitWorld(wit_world.WitWorld):
    def add(self, amount):
        global total
        total += amount
        print(f"total {total}", flush=True)
        return total

    def fail(self, amount):
        self.add(amount)
        raise RuntimeError("no more")

    def words(self, text):
        return sorted(Counter(text.split(" ")).items())
