/* Communicators of every kind are made, used once and freed in each step.
 *
 * 100 steps: dup, idup, dup_with_info, create, create_group, split, split_type, cart_create,
 * cart_sub, graph_create, dist_graph_create, dist_graph_create_adjacent, intercomm_create,
 * intercomm_merge; on each one an Allreduce; compute. True iterations: ITERATIONS (100).
 *
 * programs.sh: steps=100 second=full window=maybe */
#include "program.h"

/* Sums one per rank over the communicator (over the other group of an intercommunicator), and
 * frees it. */
static void use(const struct program *p, MPI_Comm comm, int members, const char *kind)
{
    int one = 1, sum = 0;

    if (comm == MPI_COMM_NULL)
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    program_expect(p, sum == members, kind);
    MPI_Comm_free(&comm);
}

static void copies(const struct program *p)
{
    MPI_Comm comm;
    MPI_Request request;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    use(p, comm, p->size, "dup");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
    use(p, comm, p->size, "dup_with_info");
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(p, comm, p->size, "idup");
}

static void groups(const struct program *p)
{
    int range[1][3] = {{1, p->size - 1, 1}}; /* all but rank 0 */
    MPI_Group world, group;
    MPI_Comm comm;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
    use(p, comm, p->size - 1, "create");
    if (p->rank > 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &comm);
        use(p, comm, p->size - 1, "create_group");
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static void splits(const struct program *p)
{
    MPI_Comm comm;

    MPI_Comm_split(MPI_COMM_WORLD, p->rank % 2, -p->rank, &comm);
    use(p, comm, (p->size + 1 - p->rank % 2) / 2, "split");
    MPI_Comm_split(MPI_COMM_WORLD, p->rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
    use(p, comm, p->size - 1, "split without rank 0");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    use(p, comm, p->size, "split_type");
}

static void topologies(const struct program *p)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {1, 0}, one = 1;
    int left = program_left(p), right = program_right(p);
    int *index = malloc((size_t)p->size * sizeof(int)), *edges = malloc((size_t)p->size * sizeof(int));
    MPI_Comm cart, comm;

    MPI_Dims_create(p->size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &cart);
    MPI_Cart_sub(cart, keep, &comm);
    use(p, comm, dims[0], "cart_sub");
    use(p, cart, p->size, "cart_create");

    for (int r = 0; r < p->size; r++) {
        index[r] = r + 1;
        edges[r] = (r + 1) % p->size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, p->size, index, edges, 0, &comm);
    use(p, comm, p->size, "graph_create");
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &p->rank, &one, &right, &one, MPI_INFO_NULL, 0, &comm);
    use(p, comm, p->size, "dist_graph_create");
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0, &comm);
    use(p, comm, p->size, "dist_graph_create_adjacent");
    free(index);
    free(edges);
}

static void intercommunicators(const struct program *p)
{
    int odd = p->rank % 2;
    MPI_Comm half, inter, merged;

    MPI_Comm_split(MPI_COMM_WORLD, odd, p->rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - odd, 5, &inter);
    MPI_Intercomm_merge(inter, odd, &merged);
    use(p, merged, p->size, "intercomm_merge");
    use(p, inter, (p->size + odd) / 2, "intercomm_create"); /* the size of the other half */
    use(p, half, (p->size + 1 - odd) / 2, "half");
}

int main(int argc, char **argv)
{
    struct program p = program_init(argc, argv, 100, 3000);

    program_expect(&p, p.size > 1, "needs two ranks");
    for (int step = 0; step < p.iterations; step++) {
        copies(&p);
        groups(&p);
        splits(&p);
        topologies(&p);
        intercommunicators(&p);
        program_compute(&p);
    }
    return program_end(&p, "steps");
}
