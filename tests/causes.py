# SPDX-License-Identifier: BSD-3-Clause
"""What made ranks wait, the critical path, and the time without messages, of a trace that waiting.py has read:
by the definitions in efgtrace/waits/waits.h, in the simplest way."""
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict

COMPUTATION, MPI = 0, 1


def pieces(call):
    """What the time since the call before is made of: (begin, end, what)."""
    until = call.begin + call.wait()[0]
    return ((call.since, call.begin, (call.site, COMPUTATION)), (call.begin, until, 'waiting'),
            (until, call.end, (call.site, MPI)))


def spent(thread, since, until):
    """{what: time} of a thread between two moments; and {call: its waiting}."""
    times, waits = Counter(), {}
    for call in thread.calls[bisect_right(thread.ends, since):]:
        if call.since >= until:
            break
        for begin, end, what in pieces(call):
            time = max(0, min(end, until) - max(begin, since))
            times[what] += time
            if what == 'waiting' and time:
                waits[call] = time
    return times, waits


def met(trace, call, late):
    """Since when they go different ways."""
    meets, last, moment = trace.meets[call.thread, late.thread], None, None
    for mine, other in reversed(meets[:bisect_left(meets, call.number, key=lambda pair: pair[0].number)]):
        if last is not None and mine is not last:
            return moment
        both = max(mine.begin, other.begin)
        if (other.number < late.number and mine.window == call.window and other.window == late.window
                and both <= call.begin):
            last, moment = mine, max(moment or 0, both)
    return moment or max(one.thread.windows[one.window][0] for one in (call, late))


def causes(trace):
    """{(rank, function, part): [direct, indirect]}, and what is not known."""
    calls = [call for me in sorted(trace.threads) for call in trace.threads[me].calls]
    for meets in trace.meets.values():
        meets.sort(key=lambda pair: pair[0].number)
    place = {call: i for i, call in enumerate(calls)}
    waits = sorted((call for call in calls if call.wait()[0]), key=lambda call: (call.begin + call.wait()[0], place[call]))
    passed, over, caused, unknown = Counter(), set(), defaultdict(lambda: [0, 0]), 0
    for call in reversed(waits):
        waited, _, late = call.wait()
        own = waited if call.span or not call.thread.iterations else 0
        over.add(call)
        if late is None:
            unknown += own + passed[call]
            continue
        since = met(trace, call, late)
        mine, _ = spent(call.thread, since, call.begin)
        its, its_waits = spent(late.thread, since, late.begin)
        more = {what: its[what] - mine[what] for what in its if its[what] > mine[what]}
        everything = sum(more.values())
        if not everything:
            unknown += own + passed[call]
        for what, time in more.items():
            share = time / everything
            if what != 'waiting':
                (function, _), part = what
                caused[late.thread.rank, function, part][0] += share * own
                caused[late.thread.rank, function, part][1] += share * passed[call]
                continue
            for other, part in its_waits.items():
                time = share * (own + passed[call]) * part / its['waiting']
                if other in over:
                    unknown += time
                else:
                    passed[other] += time
    return caused, unknown


def path(trace):
    """{(rank, part): time} on the critical path."""
    times = Counter()
    for window in range(max(len(thread.windows) for thread in trace.threads.values())):
        threads = [trace.threads[me] for me in sorted(trace.threads) if len(trace.threads[me].windows) > window]
        thread = max(threads, key=lambda one: one.windows[window][1])
        now = thread.windows[window][1]
        while True:
            place = bisect_right(thread.ends, now)
            before = thread.calls[place - 1] if place else None
            if not before or before.window != window:
                times[thread.rank, COMPUTATION] += now - thread.windows[window][0]
                break
            times[thread.rank, COMPUTATION] += now - before.end
            thread, now, time = step(before)
            times[before.thread.rank, MPI] += time
    return times


def step(call):
    """From the end of CALL to the moment and the thread where the path goes on; the time in CALL."""
    waited, _, late = call.wait()
    until = call.begin + waited
    if waited and late and late.begin <= until and late.window == call.window:
        return late.thread, late.begin, call.end - until
    return call.thread, call.begin, call.end - call.begin


def ideal(trace):
    """How long all windows take if each call ends as soon as what it needs has begun; each iteration, on
    the thread where it takes longest; and the calls that count, by thread and function."""
    firsts, lasts = defaultdict(list), defaultdict(list)
    for thread in trace.threads.values():
        for window, (begin, _) in enumerate(thread.windows):
            firsts[window].append(begin)
    calls = [call for thread in trace.threads.values() for call in thread.calls]
    moments = [(call.begin, False, call) for call in calls] + [(call.end, True, call) for call in calls]
    moments.sort(key=lambda moment: moment[:2])
    begins, ends, changed = Counter(), Counter(), True
    while changed:      # the second time to make sure: nothing depends on what comes later
        changed = False
        for _, is_end, call in moments:
            before = call.thread.calls[call.number - 1] if call.number else None
            if is_end:
                time, times = max([begins[call]] + [begins[other] for other in call.ideal()]), ends
            elif before and before.window == call.window:
                time, times = ends[before] + call.begin - call.since, begins
            else:
                time, times = call.begin - min(firsts[call.window]), begins
            changed |= times[call] != time
            times[call] = time
    for thread in trace.threads.values():
        for window, (begin, end) in enumerate(thread.windows):
            last = [call for call in thread.calls if call.window == window][-1:]
            lasts[window].append(ends[last[0]] + end - last[0].end if last else end - min(firsts[window]))
    functions = Counter()
    for call in calls:
        if call.span or not call.thread.iterations:
            functions[call.thread.rank, call.thread.number, call.function] += ends[call] - begins[call]
    iterations = defaultdict(int)
    for thread in trace.threads.values():
        calls = defaultdict(list)
        for call in thread.calls:
            calls[call.span].append(call)
        for key, begin, end in thread.iterations:
            mine = calls[key]
            time = (ends[mine[-1]] - begins[mine[0]] + mine[0].begin - begin + end - mine[-1].end
                    if mine else end - begin)
            iterations[key] = max(iterations[key], time)
    return sum(max(moments) for moments in lasts.values()), iterations, functions
