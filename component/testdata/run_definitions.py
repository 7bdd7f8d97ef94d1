"""Runs programs with the specification's executable definitions, for TestProgramsGiveTheTracesOfTheDefinitions.

The argument is the path of design/mvp/canonical-abi/definitions.py. The test decides what core code does, what the host
does and how each choice is made: this program only calls the definitions, as component/testdata/valid/workers.wat does
the built-in functions. Both talk in lines over standard input and output.
"""

import importlib.util
import queue
import sys
import threading
from functools import partial

spec = importlib.util.spec_from_file_location("definitions", sys.argv[1])
d = importlib.util.module_from_spec(spec)
sys.modules["definitions"] = d
spec.loader.exec_module(d)

U32, STREAM, FUTURE = d.U32Type(), d.StreamType(d.U8Type()), d.FutureType(d.U8Type())
TASK = d.FuncType([U32], [U32], async_=True)
PLAIN = d.FuncType([U32], [U32], async_=False)
STREAMING = d.FuncType([U32, STREAM], [U32], async_=True)
AWAITING = d.FuncType([U32, FUTURE], [U32], async_=True)
TYPES = {"s": TASK, "c": TASK, "k": TASK, "p": PLAIN, "t": STREAMING, "v": AWAITING}
KINDS = {"s": 0, "c": 1, "k": 2, "p": 3, "t": 4, "v": 5}


def say(*words):
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def ask(*words):
    say(*words)
    sys.stdout.flush()
    return sys.stdin.readline().split()


class Abandoned(BaseException):
    pass


running = threading.local()


class Coroutine:
    """A function of the definitions that may block. It takes the place of their continuations, in which a trap would
    block the program for ever."""

    def __init__(self, function):
        self.resumed, self.stopped, self.thread = queue.SimpleQueue(), queue.SimpleQueue(), None
        current.coroutines.append(self)
        threading.Thread(target=self.run, args=[function], daemon=True).start()

    def run(self, function):
        running.coroutine = self
        try:
            self.stopped.put((None, function(self.wait()), None))
        except Abandoned:
            pass
        except BaseException as fault:
            self.stopped.put((None, None, fault))

    def wait(self):
        message = self.resumed.get()
        if message is None:
            raise Abandoned()
        self.thread, cancelled = message
        return cancelled

    def resume(self, cancelled, thread):
        self.resumed.put((thread, cancelled))
        blocked, switch_to, fault = self.stopped.get()
        if fault is not None:
            raise fault
        return blocked, switch_to

    def block(self, switch_to):
        self.stopped.put((self, switch_to, None))
        return self.wait()


d.cont_new, d.resume = Coroutine, Coroutine.resume
d.block = lambda switch_to: running.coroutine.block(switch_to)
d.current_thread = lambda: running.coroutine.thread


# Two assertions of the definitions do not hold for all programs.
#
# The readable end of a future may be dropped while a write waits, which ends with DROPPED. Streams have the same function
# without the assertion.
d.SharedFutureImpl.drop = d.SharedStreamImpl.drop


# A synchronous subtask.cancel asserts that the subtask has ended, but it takes the event that the subtask has started, if
# that was not delivered yet.
def wait_for_end(subtask):
    subtask.has_sync_waiter = True
    d.current_thread().wait_until(subtask.resolved)
    subtask.has_sync_waiter = False


d.Subtask.wait_for_pending_event = wait_for_end


# Choices. The definitions make them with the module random.


def identity(thread, handle=0):
    index = 0 if thread is thread.task.implicit_thread else thread.index
    return [thread.task.inst.number, thread.task.number, index, handle]


class Choices:
    def choice(self, threads):
        maker = sys._getframe(1).f_code.co_name
        if maker == "canon_lift":
            # A decision of the package: a synchronous function that is blocked resumes no thread that needs exclusive
            # use (async/during-sync-call-no-exclusive-resume.wast).
            threads = [t for t in threads if not (t is t.task.implicit_thread and t.task.ft.async_ and t.task.needs_exclusive())]
            d.trap_if(not threads)
        kind = "cancelled" if maker == "request_cancellation" else "thread"
        return threads[self.of(kind, [identity(t) for t in threads])]

    def shuffle(self, waitables):
        pending = [w for w in waitables if w.has_pending_event()]
        thread = d.current_thread()
        handles = thread.task.inst.handles.array
        first = pending[self.of("event", [identity(thread, handles.index(w)) for w in pending])]
        waitables.remove(first)
        waitables.insert(0, first)

    def randint(self, *_):
        return int(ask("w", *identity(sys._getframe(1).f_locals["self"]))[0])

    def of(self, kind, options):
        if len(options) == 1:
            return 0
        return int(ask("c", kind, *sum(options, []))[0])


d.random = Choices()


class Task(d.Task):
    def __init__(self, ft, opts, inst, on_start, on_resolve):
        d_task.__init__(self, ft, opts, inst, on_start, on_resolve)
        inst.calls += 1
        self.number = inst.calls


d_task, d.Task = d.Task, Task


class Worker:
    """An instance of the component Worker."""

    def __init__(self, world, number, root):
        self.inst = d.ComponentInstance(world.store, root)
        self.inst.number, self.inst.calls = number, 0
        self.memory = d.MemInst(bytearray(65536), "i32")
        self.functions = {f: world.store.lift(self.core(f), TYPES[f], self.options(f), self.inst) for f in TYPES}
        targets = [w.functions for w in world.workers[:2]]
        self.operations = [None, *self.builtins(), self.fill, self.load]
        for n in range(2):
            for f in TYPES:
                for asynchronous in ([False] if f == "p" else [True, False]):
                    callee = targets[n][f] if n < len(targets) else None
                    self.operations.append(self.lower(callee, TYPES[f], asynchronous))
        self.operations += [self.lower(world.host_function, TASK, a) for a in (True, False)]

    def options(self, f):
        callback = {"c", "t", "v"} & {f} and self.callback
        return d.CanonicalOptions(memory=None if f in "sp" else self.memory, async_=f not in "sp", callback=callback or None)

    def lower(self, callee, ft, asynchronous):
        opts = d.CanonicalOptions(memory=self.memory, async_=asynchronous)
        core = callee and self.inst.store.lower(callee, ft, opts, self.inst)
        count = len(ft.params) + asynchronous
        return lambda *args: core(list(args[:count]))

    def core(self, f):
        def run(args):
            result = self.enter(KINDS[f], args[0], args[1] if len(args) > 1 else 0)
            return [] if f == "k" else [result]

        return run

    def enter(self, kind, script, end):
        activation = int(ask("b", self.inst.number, kind, script, end)[0])
        d.canon_context_set("i32", 0, activation)
        return self.run(activation)

    def callback(self, event):
        [activation] = d.canon_context_get("i32", 0)
        say("e", activation, *map(int, event))
        return [self.run(activation)]

    def run(self, activation):
        result = 0
        while True:
            code, a, b, c = map(int, ask("s", activation, result))
            if code == 0:
                return a
            results = self.operations[code](a, b, c)
            result = int(results[0]) if results else 0

    def thread(self, args):
        self.enter(6, args[0], 0)
        return []

    def get(self, _):
        return d.CoreFuncRef(d.CoreFuncType(["i32"], []), self.thread)

    def event(self, canon, cancellable):
        def run(index, pointer, _):
            [code] = canon(cancellable, self.memory, index, pointer)
            load = lambda at: int.from_bytes(self.memory.bytes[at : at + 4], "little")
            return [int(code) | load(pointer) << 4 | load(pointer + 4) << 32]

        return run

    def ends(self, t, length):
        name = "stream" if t is STREAM else "future"
        get = lambda action: getattr(d, f"canon_{name}_{action}")
        yield lambda *_: get("new")(t)
        for action in ("read", "write"):
            for asynchronous in (True, False):
                opts = d.CanonicalOptions(memory=self.memory, async_=asynchronous)
                yield lambda *args, action=action, opts=opts: get(action)(t, opts, *args[:length])
        for action in ("cancel_read", "cancel_write"):
            for asynchronous in (True, False):
                yield lambda i, *_, action=action, asynchronous=asynchronous: self.cancel(get(action), t, asynchronous, i)
        for action in ("drop_readable", "drop_writable"):
            yield lambda i, *_, action=action: get(action)(t, i)

    def cancel(self, canon, t, asynchronous, i):
        # A decision of the package: a copy that is cancelled after a part of it was made is cancelled, not completed
        # (async/cancel-stream.wast).
        handles = self.inst.handles.array
        end = handles[i] if i < len(handles) else None
        event = isinstance(end, d.CopyEnd) and end.pending_event
        if event and len(event.args) == 2:
            end.pending_event = partial(event.func, d.CopyResult.CANCELLED, event.args[1])
        return canon(t, asynchronous, i)

    def builtins(self):
        """The built-in functions, in the order of the table of operations."""
        returned = d.LiftOptions(memory=self.memory)
        yield lambda a, *_: d.canon_task_return([U32], returned, [a])
        yield lambda *_: d.canon_task_cancel()
        yield lambda *_: d.canon_backpressure_inc()
        yield lambda *_: d.canon_backpressure_dec()
        yield lambda *_: d.canon_waitable_set_new()
        for canon in (d.canon_waitable_set_wait, d.canon_waitable_set_poll):
            for cancellable in (False, True):
                yield self.event(canon, cancellable)
        yield lambda a, *_: d.canon_waitable_set_drop(a)
        yield lambda a, b, _: d.canon_waitable_join(a, b)
        yield lambda a, *_: d.canon_subtask_cancel(False, a)
        yield lambda a, *_: d.canon_subtask_cancel(True, a)
        yield lambda a, *_: d.canon_subtask_drop(a)
        yield from self.ends(STREAM, 3)
        yield from self.ends(FUTURE, 2)
        yield lambda a, *_: d.canon_thread_new_indirect(d.CoreFuncType(["i32"], []), self, 0, a)
        yield lambda a, *_: d.canon_thread_resume_later(a)
        for name, count in (("suspend", 0), ("yield", 0), ("suspend_then_resume", 1), ("yield_then_resume", 1),
                            ("suspend_then_promote", 1), ("yield_then_promote", 1)):
            canon = getattr(d, "canon_thread_" + name)
            for cancellable in (False, True):
                yield lambda *args, canon=canon, count=count, cancellable=cancellable: canon(cancellable, *args[:count])
        yield lambda *_: d.canon_thread_index()
        yield lambda *_: d.canon_context_get("i32", 1)
        yield lambda a, *_: d.canon_context_set("i32", 1, a)

    def fill(self, pointer, value, length):
        self.memory.bytes[pointer : pointer + length] = bytes([value & 255]) * length

    def load(self, pointer, *_):
        return [int.from_bytes(self.memory.bytes[pointer : pointer + 4], "little")]


class World:
    """The instances of a program, and the host that calls them."""

    def __init__(self):
        self.coroutines = []
        self.store = d.Store()
        self.host_calls, self.cancelled, self.returned, self.calls = [], [], [], []
        root = d.ComponentInstance(self.store)
        self.workers = []
        for n in range(3):
            self.workers.append(Worker(self, n, root))

    def host_function(self, on_start, on_resolve, caller):
        [script] = on_start()
        say("h", script)
        number = len(self.host_calls)
        self.host_calls.append(on_resolve)
        return lambda _: self.cancelled.append(number)

    def call(self, worker, function, script):
        number = len(self.calls)
        resolve = lambda result: self.returned.append((number, -1 if result is None else result[0]))
        self.calls.append(None)
        self.calls[number] = self.store.invoke(self.workers[worker].functions[function], lambda: [script], resolve)

    def tick(self):
        progress = any(t.ready() for t in self.store.waiting)
        self.store.tick()
        return progress

    def run(self):
        progress = False
        while True:
            returned, cancelled = self.returned, self.cancelled
            self.returned, self.cancelled = [], []
            words = [w for pair in sorted(returned) for w in pair]
            action, *args = ask("n", int(progress), len(returned), *words, *sorted(cancelled))
            progress = False
            if action == "end":
                return
            if action == "call":
                self.call(int(args[0]), args[1], int(args[2]))
            elif action == "tick":
                progress = self.tick()
            elif action == "resolve":
                self.host_calls[int(args[0])]([int(args[1])])
            elif action == "drop":
                self.host_calls[int(args[0])](None)
            elif action == "cancel":
                self.calls[int(args[0])](None)

    def abandon(self):
        for coroutine in self.coroutines:
            coroutine.resumed.put(None)


while begin := sys.stdin.readline():
    d.DETERMINISTIC_PROFILE = begin.strip() == "deterministic"
    current = World()
    try:
        current.run()
    except d.Trap:
        say("t")
    except AssertionError as e:
        place = e.__traceback__
        while place.tb_next:
            place = place.tb_next
        say("a", f"{place.tb_frame.f_code.co_name}:{place.tb_lineno}")
    sys.stdout.flush()
    current.abandon()
