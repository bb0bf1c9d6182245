/* Long iterations that compute between their calls, so that ranks sample in the middle of them.
 *
 * 16 steps of 200 ms: a sum, then 10 times 5 messages around the ring, each at a place of its own, and
 * computing. True iterations: ITERATIONS (16). They are recorded before the ranks agree; the sum begins each
 * step, and the calls behind it are no sign that the loop is over.
 *
 * programs.sh: steps=16 iterations=16 matched=0.98 */
#include "program.h"

#define MESSAGES(p)         \
    do {                    \
        program_ring(p, 1); \
        program_ring(p, 2); \
        program_ring(p, 3); \
        program_ring(p, 4); \
        program_ring(p, 5); \
        program_compute(p); \
    } while (0)

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 16, 20000);

    for (int step = 0; step < p.iterations; step++) {
        program_sum(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
        MESSAGES(&p);
    }
    return program_end(&p, "steps");
}
