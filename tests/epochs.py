# SPDX-License-Identifier: BSD-3-Clause
"""One-sided communication of a trace that waiting.py reads: what its calls need, by the definitions in
efgtrace/waits/waits.h, in the simplest way."""
from collections import defaultdict, namedtuple

Epoch = namedtuple('Epoch', 'begun ended calls exclusive')     # calls; None: not in the trace

BEGIN = 'MPI_Win_start', 'MPI_Win_post', 'lock', 'exclusive'
END = 'MPI_Win_complete', 'MPI_Win_wait', 'MPI_Win_test', 'unlock'
TARGETS = 'MPI_Win_post', 'MPI_Win_wait', 'MPI_Win_test'


def fold(acts):
    """[(call, act)] of an origin and a target, as epochs: of start or post, of locks."""
    epochs, one = [], None
    for call, act in acts:
        if act in BEGIN:
            epochs += [one] if one else []
            one = [act, call, None, []]
        if act in END and not one:
            one = [act, None, None, []]
        if one:
            one[3].append(call)
        if act in END:
            epochs.append([one[0], one[1], call, one[3]])
            one = None
    epochs += [one] if one else []
    locks = [Epoch(*epoch[1:], epoch[0] == 'exclusive') for epoch in epochs if 'MPI' not in epoch[0]]
    return [Epoch(*epoch[1:], False) for epoch in epochs if 'MPI' in epoch[0]], locks


def early(call, other):
    return bool(call and other and call.end < other.begin)


def pairs(mine, its):
    """The epochs of the origin, with those of the target."""
    def shifted(shift):
        return [(one, its[i + shift]) for i, one in enumerate(mine) if 0 <= i + shift < len(its)]
    return min(map(shifted, (0, 1, -1)), key=lambda both: sum(
        early(one.ended, other.begun) or early(other.ended, one.ended) for one, other in both))


def needs(trace, accesses):
    """What the calls need that have used a window, ACCESSES: [(call, act, own rank, other rank)]."""
    sides, locks, posts = defaultdict(list), defaultdict(list), defaultdict(list)
    for call, act, own, other in sorted(accesses, key=lambda access: access[0].begin):
        sides[(other, own, True) if act in TARGETS else (own, other, False)].append((call, act))
    for (origin, target, is_exposure), acts in sides.items():
        if is_exposure:
            continue
        mine, held = fold(acts)
        locks[target] += held
        for one, other in pairs(mine, fold(sides.get((origin, target, True), []))[0]):
            meet(trace, one, other, posts)
    for call, those in posts.items():
        last = max(those, key=lambda post: post.begin)
        if call.end > last.begin:
            call.needs.append(('late post', last))
    for held in locks.values():
        contend(trace, sorted((one for one in held if one.ended), key=lambda one: one.ended.end),
                [one for one in held if not one.ended])


def meet(trace, one, other, posts):
    if other.begun:
        for call in one.calls:
            posts[call].append(other.begun)
    if one.ended and other.begun:
        trace.meet_in(one.ended, other.begun)
        one.ended.all.append(other.begun)
    if one.ended and other.ended:
        trace.meet_in(other.ended, one.ended)
        other.ended.all.append(one.ended)
        other.ended.needs.append(('late complete', one.ended))
        trace.probed(other.ended, one.ended)


def contend(trace, held, holding):
    for i, one in enumerate(held + holding[:1]):
        before = [other for other in held[:i] if one.exclusive or other.exclusive]
        for call in one.calls if before else []:
            unlock = before[-1].ended
            if call.begin < unlock.begin < call.end:
                call.needs.append(('wait for a lock', unlock))
                trace.meet_in(call, unlock)
