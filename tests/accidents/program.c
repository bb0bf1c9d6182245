/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small job with a main loop, to which something happens: program [ACCIDENT [STEPS]]. A step
 * is an exchange around the ring and a sum. What happens, happens after half of the steps.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, size, steps = 200;
static const char *accident = "";

static void step(void)
{
    int out = rank, in = -1, sum = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (in != (rank + size - 1) % size || sum != size * (size - 1) / 2)
        MPI_Abort(MPI_COMM_WORLD, 99);
    usleep(200);
}

static int last(void)
{
    return rank == size - 1;
}

/* --- the ways to end --- */

static void end_exit(void)
{
    exit(3);
}
static void end_quick(void)
{
    _exit(4);
}
static void end_abort(void)
{
    last() ? abort() : (void)pause();
}
static void end_mpi_abort(void)
{
    last() ? (void)MPI_Abort(MPI_COMM_WORLD, 7) : (void)pause();
}
static void end_kill(void)
{
    last() ? (void)raise(SIGKILL) : (void)pause();
}
static void end_term(void)
{
    last() ? (void)raise(SIGTERM) : (void)pause();
}
static void end_exec(void)
{
    execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
}

static void end_crash(void)
{
    if (!last())
        pause();
    *(volatile int *)8 = 0;
}

static void leave(int number)
{
    (void)number;
    exit(6);
}

static void end_term_handled(void)
{
    signal(SIGTERM, leave);
    raise(SIGTERM);
}

/* --- what it does with processes --- */

static void wait_for(pid_t child, int wanted)
{
    int status = -1;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != wanted)
        MPI_Abort(MPI_COMM_WORLD, 98);
}

static void fork_exit(void)
{
    pid_t child = fork();
    if (child == 0)
        exit(9);
    wait_for(child, 9);
}

static void fork_exec(void)
{
    pid_t child = fork();
    if (child == 0)
        end_exec();
    wait_for(child, 5);
}

static void call_shell(void)
{
    if (system("ls / | grep -q tmp") != 0)
        MPI_Abort(MPI_COMM_WORLD, 97);
}

static void spawn(void)
{
    char self[4096], *arguments[] = {"child", NULL};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    MPI_Comm children;
    int got = 0;
    self[length > 0 ? length : 0] = '\0';
    MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    if (rank == 0)
        MPI_Recv(&got, 1, MPI_INT, 0, 5, children, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&children);
}

static void be_child(void)
{
    MPI_Comm parent;
    MPI_Comm_get_parent(&parent);
    if (rank == 0)
        MPI_Send(&size, 1, MPI_INT, 0, 5, parent);
    MPI_Comm_disconnect(&parent);
}

static void connect_accept(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, other;
    int out = rank, in = -1;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank == 0)
        MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Bcast(port, sizeof port, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank % 2 == 0)
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &other);
    else
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &other);
    for (int i = 0; i < 20; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, 0, 3, &in, 1, MPI_INT, 0, 3, other, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&other);
    MPI_Comm_free(&half);
    if (rank == 0)
        MPI_Close_port(port);
}

/* --- signals --- */

static sigjmp_buf back;
static volatile int handled;

static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void call_mpi(int number)
{
    int flag;
    (void)number;
    handled++;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Out of what is between two calls, as MPI allows. */
static void jump_out(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    signal(SIGALRM, jump);
    if (sigsetjmp(back, 1) == 0) {
        setitimer(ITIMER_REAL, &soon, NULL);
        for (;;)
            pause();
    }
}

static void interrupt(void)
{
    struct itimerval often = {{.tv_usec = 500}, {.tv_usec = 500}}, never = {0};
    MPI_Request request = MPI_REQUEST_NULL;
    int flag;
    signal(SIGALRM, call_mpi);
    setitimer(ITIMER_REAL, &often, NULL);
    while (handled < 50)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    setitimer(ITIMER_REAL, &never, NULL);
}

/* --- the surroundings --- */

static void limit(int what, rlim_t to)
{
    struct rlimit limit;
    getrlimit(what, &limit);
    limit.rlim_cur = to;
    setrlimit(what, &limit);
}

static void limit_files(void)
{
    limit(RLIMIT_FSIZE, 1000);
}
static void limit_files_0(void)
{
    limit(RLIMIT_FSIZE, 0);
}

/* No more than 32 MB of addresses beyond those that are taken. */
static void limit_memory(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu", &pages) == 1)
        limit(RLIMIT_AS, pages * (rlim_t)sysconf(_SC_PAGESIZE) + (32 << 20));
    if (file)
        fclose(file);
}

static void (*before_end)(void); /* what is done before MPI ends */

/* But for what MPI itself can do with: with less it crashes in MPI_Finalize, where nobody traces. */
static void use_up_memory(void)
{
    limit_memory();
    for (size_t bytes = 1 << 20; bytes >= 1 << 16; bytes /= 2)
        while (malloc(bytes)) {
        }
}

static void use_up_memory_last(void)
{
    before_end = use_up_memory;
}

static void use_up_files(void)
{
    limit(RLIMIT_NOFILE, 256);
    while (open("/dev/null", O_RDONLY) >= 0) {
    }
}

/* What this job writes, away under its feet; the folder is named by the test. */
static void remove_folder(void)
{
    if (rank == 0 && system("rm -rf \"$ACCIDENT_FOLDER\"") != 0)
        MPI_Abort(MPI_COMM_WORLD, 96);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The logs that this job writes, to no bytes; they are mapped. */
static void cut_logs(void)
{
    if (rank == 0 &&
        system("[ -z \"$ACCIDENT_FOLDER\" ] || truncate -s 0 \"$ACCIDENT_FOLDER\"/logs/*.log") != 0)
        MPI_Abort(MPI_COMM_WORLD, 94);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ACCIDENT_MODULES: a folder with that of tests/accidents/module.c under many names. */
static void load_modules(void)
{
    for (int i = 0; i < 600; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%d.so", getenv("ACCIDENT_MODULES"), i);
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        void (*call)(void) = module ? (void (*)(void))dlsym(module, "call") : NULL;
        if (!call)
            MPI_Abort(MPI_COMM_WORLD, 95);
        call();
        if (i % 3 == 0)
            dlclose(module);
    }
}

/* Nothing but time. */
static void rest(void)
{
    usleep(800000);
}

static void close_streams(void)
{
    fclose(stderr);
    close(2);
}

static void *wait_a_moment(void *unused)
{
    usleep(100000);
    MPI_Finalize();
    exit(0);
    return unused;
}

static void end_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_a_moment, NULL);
    pthread_exit(NULL);
}

static void enlarge_environment(void)
{
    static char value[100001];
    char name[40];
    memset(value, 'x', sizeof value - 1);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "ACCIDENT_%d", i);
        setenv(name, value, 1);
    }
}

static const struct {
    const char *name;
    void (*happens)(void);
} accidents[] = {
    {"exit", end_exit},
    {"_exit", end_quick},
    {"abort", end_abort},
    {"MPI_Abort", end_mpi_abort},
    {"kill", end_kill},
    {"SIGTERM", end_term},
    {"SIGTERM handled", end_term_handled},
    {"exec", end_exec},
    {"crash", end_crash},
    {"fork and exit", fork_exit},
    {"fork and exec", fork_exec},
    {"system", call_shell},
    {"spawn", spawn},
    {"child", be_child},
    {"connect", connect_accept},
    {"longjmp", jump_out},
    {"handler calls MPI", interrupt},
    {"file size 1000", limit_files},
    {"file size 0", limit_files_0},
    {"memory limited", limit_memory},
    {"memory used up", use_up_memory_last},
    {"files used up", use_up_files},
    {"folder removed", remove_folder},
    {"logs cut", cut_logs},
    {"modules", load_modules},
    {"rest", rest},
    {"stderr closed", close_streams},
    {"main thread ends", end_thread},
};

static void happen(void)
{
    for (size_t i = 0; i < sizeof accidents / sizeof *accidents; i++)
        if (!strcmp(accidents[i].name, accident))
            accidents[i].happens();
}

int main(int argc, char **argv)
{
    int provided;
    accident = argc > 1 ? argv[1] : "";
    steps = argc > 2 ? atoi(argv[2]) : steps;
    if (!strcmp(accident, "large environment"))
        enlarge_environment();
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < steps; i++) {
        step();
        if (i == steps / 2)
            happen();
    }
    if (rank == 0)
        printf("ok %s\n", accident);
    fflush(stdout);
    if (before_end)
        before_end();
    MPI_Finalize();
    return 0;
}
