// MPI before main and after it, and exceptions through the loop.
//
// A static object asks MPI_Initialized in its constructor (before any constructor of a
// preloaded library need have run) and MPI_Finalized in its destructor. 1000 steps: Sendrecv,
// compute, Allreduce; every 10th step throws through a frame that has just called MPI, and main
// catches. True iterations: ITERATIONS (1000).
//
// programs.sh: steps=500 iterations=500
#include <cstdlib>
#include <stdexcept>

#define OMPI_SKIP_MPICXX 1 // the C++ bindings, long withdrawn, do not compile without warnings
#include "program.h"

namespace
{

struct Early {
    Early()
    {
        int flag = -1;
        if (MPI_Initialized(&flag) != MPI_SUCCESS || flag)
            std::abort();
    }
    ~Early()
    {
        int flag = 0;
        if (MPI_Finalized(&flag) != MPI_SUCCESS || !flag)
            std::_Exit(1);
    }
} early;

struct Guard { // counts that the unwinding runs destructors
    int &count;
    ~Guard()
    {
        count++;
    }
};

void step(const program &p, int number, int &unwound)
{
    Guard guard{unwound};
    program_ring(&p, number);
    program_compute(&p);
    if (number % 10 == 9)
        throw std::runtime_error("every tenth step");
}

} // namespace

int main(int argc, char **argv)
{
    program p = program_init(argc, argv, 1000, 1000);
    int thrown = 0, unwound = 0;

    for (int number = 0; number < p.iterations; number++) {
        try {
            step(p, number, unwound);
        } catch (const std::runtime_error &) {
            thrown++;
        }
        program_sum(&p);
    }
    program_expect(&p, thrown == p.iterations / 10 && unwound == p.iterations, "exceptions");
    return program_end(&p, "steps");
}
