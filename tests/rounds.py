# SPDX-License-Identifier: BSD-3-Clause
"""Programs of loops with few rounds in one another, which count by themselves what is called in a first one.

usage: rounds.py make SEED             a program in C: random loops, and calls of MPI_Barrier, one a line
       rounds.py check PRINTED GRAPH   whether what it has PRINTED is what the GRAPH (JSON of efgtrace graph) says

Which of the loops are recognised depends on the compiler; what is said of one must be true. `check` prints how many
lines have calls in a first round, and how many of these are wrong, or have another number of calls.
"""
import collections
import json
import random
import sys

BEGIN = """#include <mpi.h>
#include <stdio.h>
#ifdef __clang__
#define LOOP _Pragma("clang loop unroll(disable)")
#else
#define LOOP _Pragma("GCC unroll 1")
#endif
static long calls[2000], firsts[2000];
static volatile int zero;
static int turns; /* so that a second round does not come as often as a first one */
/* What the compiler cannot tell apart from any other number. */
static inline long any(long v) { __asm__ volatile("" : "+r"(v)); return v; }
static void call(int line, int is_first)
{
    calls[line]++;
    firsts[line] += is_first;
    MPI_Barrier(MPI_COMM_SELF);
}
#define hide(p) __asm__ volatile("" : : "r"(p) : "memory")
static char table[8][64];
__attribute__((noinline)) static char *block(void) { return table[zero]; }
__attribute__((noinline)) static void nothing(void) { zero = 0; }""".split("\n")
END = """    for (int i = 0; i < 2000; i++)
        if (calls[i])
            printf("%d %ld %ld\\n", i, calls[i], firsts[i]);
    return MPI_Finalize();
}""".split("\n")


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = [line.replace("static void call", "static inline __attribute__((always_inline)) void call")
                      for line in BEGIN]
        self.variables = 0

    def put(self, indent, text):
        self.lines.append("    " * indent + text)

    def loop(self, depth, indent, functions):
        r, rounds, begin = self.random, self.random.randint(2, 8), self.random.randint(-3, 5)
        v = "v%d" % self.variables
        self.variables += 1
        kind = r.choice(["int", "long"])
        head, tail, first, value = r.choice(r.choice([[
            (f"LOOP for ({kind} {v} = {begin}; {v} < {begin + rounds}; {v}++) {{", "}", begin, v),
            (f"LOOP for ({kind} {v} = {begin}; {v} <= {begin + 3 * rounds - 3}; {v} += 3) {{", "}", begin, v),
            (f"LOOP for ({kind} {v} = {rounds}; {v} > 0; {v}--) {{", "}", rounds, v),
            (f"LOOP for ({kind} {v} = {begin}; {v} != {begin + 2 * rounds}; {v} += 2) {{", "}", begin, v),
            (f"{{ {kind} {v} = 0; LOOP do {{", f"}} while (++{v} < {rounds}); }}", 0, v),
            (f"{{ {kind} {v} = {rounds}; LOOP while ({v}-- > 1) {{", "} }", rounds - 1, v),
            (f"LOOP for ({kind} {v} = 0; {v} < {rounds} + zero; {v}++) {{", "}", 0, v),
        ], [
            (f"LOOP for (int {v} = 0; {v} < {rounds}; {v}++) {{", "}", "(long)table", f"(long)table[{v}]"),
            (f"LOOP for (char *{v} = table[0]; {v} < table[{rounds - 1}]; {v} += 32) {{", "}", "(long)table",
             f"(long){v}"),
            (f"{{ char *p{v} = block(); LOOP for (char *{v} = p{v}; {v} != p{v} + {rounds * 64}; {v} += 64) {{",
             "} }", f"(long)p{v}", f"(long){v}"),
            (f"{{ char p{v}[8][64]; LOOP for (int {v} = 0; {v} < {rounds}; {v}++) {{ hide(p{v});", "} }",
             f"(long)p{v}", f"(long)p{v}[{v}]"),
        ]]))
        self.put(indent, head)
        self.put(indent + 1, f"if (any({value}) != {first} && ++turns % 3 == 0) break;")
        self.body(depth - 1, indent + 1, functions, f"any({value}) == {first}")
        self.put(indent, tail)

    def body(self, depth, indent, functions, first):
        for _ in range(self.random.randint(1, 3)):
            what = self.random.random()
            if depth > 0 and what < 0.45:
                self.loop(depth, indent, functions)
            elif functions and what < 0.6:
                self.put(indent, "f%d();" % self.random.randrange(functions))
            elif what < 0.7:
                self.put(indent, "if (zero) nothing();")
            else:
                self.put(indent, f"call({len(self.lines) + 1}, {first});")

    def make(self):
        functions = self.random.randint(1, 3)
        for i in range(functions):
            self.put(0, "__attribute__((noinline)) static void f%d(void) {" % i)
            self.body(2, 1, i, "0")
            self.put(1, "zero = 0;")
            self.put(0, "}")
        self.put(0, "int main(int argc, char **argv) {")
        self.put(1, "MPI_Init(&argc, &argv);")
        self.put(1, "for (int step = 0; step < 25; step++) {")
        self.body(2, 2, functions, "0")
        self.put(2, "f%d();" % (functions - 1))
        self.put(1, "}")
        return "\n".join(self.lines + END)


def check(printed, graph):
    calls, firsts = collections.Counter(), collections.Counter()
    for node in json.load(open(graph))["nodes"]:
        # call() is inlined: the line is that of the function around it
        path = [frame for frame in node["path"] if frame["offset"] == node["path"][0]["offset"]]
        if node["call"] == "MPI_Barrier":
            calls[path[-1]["line"]] += node["count"]
            firsts[path[-1]["line"]] += node["count"] if "first_round_of" in path[-1] else 0
    marked = wrong = 0
    for line, count, first in (map(int, text.split()) for text in open(printed)):
        marked += firsts[line] > 0
        wrong += calls[line] != count or (firsts[line] > 0 and firsts[line] != first)
    print(marked, wrong)


if sys.argv[1] == "make":
    print(Program(int(sys.argv[2])).make())
else:
    check(*sys.argv[2:])
