"""Greets people: a component in Python."""

import random
import wit_world
from wit_world import exports
from wit_world.exports.people import Person, Greeting_Short, Greeting_Long, Greeting_None_
from componentize_py_types import Err

class WitWorld(wit_world.WitWorld):
    def random_numbers(self, count):
        return [random.randrange(100) for _ in range(count)]

class People(exports.People):
    def greet(self, who, times):
        if not who.name:
            raise Err("a person without a name")
        if times is None:
            return Greeting_Short(f"Hello, {who.name}")
        return Greeting_Long([f"Hello, {who.name}"] * times)
