/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call paths, at every call against what libunwind finds at the same moment. Programs of random
 * functions run again and again: the same paths, so that they are remembered, with other
 * frame sizes each time, so that what is remembered does not hold.
 */
#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include <alloca.h>
#include <dlfcn.h>
#include <libunwind.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

#include "levels.h"
#include "runtime/base/clock.h"
#include "runtime/base/memory.h"
#include "runtime/stack/callpath.h"
#include "runtime/stack/memo.h"
#include "runtime/stack/modules.h"
#include "runtime/stack/walk.h"

#define DEPTH 64
#define LIMIT (DEPTH + 7) /* addresses in which these frames are looked for */
#define PROGRAMS 40
#define STACK ((size_t)256 << 10)
#define NOINLINE __attribute__((noinline))

static __thread uint64_t choices, sizes; /* states of the random numbers */
static int checks;                       /* atomic */

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*state >> 33);
}

/* --- Comparison --- */

static uintptr_t address_of(const struct efg_frame *f)
{
    return efg_modules_get(f->module)->base + f->offset + 1;
}

static int is_in_module(void *address)
{
    Dl_info info;
    return dladdr((char *)address - 1, &info) != 0;
}

/* Walks of the main thread: one remembers its steps, the other one does not. */
static struct {
    struct efg_walk again, anew;
    uint64_t generation;
    pthread_t thread;
} walks;

static void forget_walks(void)
{
    efg_walk_forget(&walks.again);
    efg_walk_forget(&walks.anew);
    walks.generation = efg_modules_generation();
}

/* A walk by known steps is, word by word, the one that is made without them. */
static void assert_same_walk(const uintptr_t *frame)
{
    struct efg_walk *again = &walks.again, *anew = &walks.anew;

    if (walks.generation != efg_modules_generation())
        forget_walks();
    efg_steps_fini(&anew->steps);
    int found = efg_walk(anew, frame, DEPTH);
    assert_int_equal(efg_walk(again, frame, DEPTH), found);
    if (found != 0)
        return;
    assert_int_equal(again->is_lasting, anew->is_lasting);
    assert_int_equal(again->count, anew->count);
    assert_memory_equal(again->address, anew->address, anew->count * sizeof *anew->address);
    assert_int_equal(again->word_count, anew->word_count);
    assert_memory_equal(again->word, anew->word, anew->word_count * sizeof *anew->word);
}

/* The path with number ID is that of the COUNT addresses but the first, which is in the
 * function that called for both. */
static void assert_same(uint32_t id, void *const *address, int count)
{
    assert_int_not_equal(id, 0);
    struct efg_path path = efg_callpath_get(id);
    uint32_t at = 1;
    for (int i = 1; i < count && i < LIMIT && at < DEPTH; i++) {
        if (at < path.depth && address_of(&path.frames[at]) == (uintptr_t)address[i])
            at++;
        else
            assert_false(is_in_module(address[i]));
    }
    assert_int_equal(path.depth, at);
}

/* The path of its caller, as a wrapper finds it. */
static NOINLINE uint32_t find(uint64_t *hash)
{
    uint32_t id = efg_callpath_find(__builtin_frame_address(0), hash);
    __asm__ volatile("" ::: "memory"); /* no tail call */
    return id;
}

static NOINLINE void check(void)
{
    void *address[DEPTH + 16];
    uint64_t hash;
    uint32_t id = find(&hash);
    int count = unw_backtrace(address, DEPTH + 16);

    assert_same(id, address, count);
    assert_int_equal(hash, efg_callpath_get(id).hash);
    int number = __atomic_fetch_add(&checks, 1, __ATOMIC_RELAXED);
    if (number % 4 == 0 && pthread_equal(pthread_self(), walks.thread))
        assert_same_walk(__builtin_frame_address(0));
}

/* --- Functions of all kinds, which call each other --- */

typedef void function(int depth);
static function go;
static __thread jmp_buf *target;

/* Something behind a call, so that it is none in tail position. */
#define AFTER __asm__ volatile("" ::: "memory")
#define USE(room) __asm__ volatile("" ::"r"(room) : "memory")

static NOINLINE void small(int depth)
{
    go(depth);
    AFTER;
}

static NOINLINE void large(int depth)
{
    char room[600];
    USE(room);
    go(depth);
    USE(room);
}

static NOINLINE void tail(int depth)
{
    go(depth);
}

static NOINLINE void with_alloca(int depth)
{
    char *room = alloca(next(&sizes) % 5 * 16 + 1);
    USE(room);
    go(depth);
    USE(room);
}

static NOINLINE void with_array(int depth)
{
    char room[next(&sizes) % 200 + 1];
    USE(room);
    go(depth);
    USE(room);
}

/* gcc finds the frame of such a function by memory that holds its address. */
static NOINLINE void aligned(int depth)
{
    char *more = alloca(next(&sizes) % 3 * 16 + 1);
    _Alignas(64) char room[64];
    USE(more);
    USE(room);
    go(depth);
    USE(room);
}

/* Nine arguments: some are on the stack of the caller. */
static NOINLINE void aligned_with(int a, int b, int c, int d, int e, int f, int g, int h, int depth)
{
    _Alignas(128) char room[128] = {(char)(a + b + c + d + e + f + g + h)};
    USE(room);
    go(depth);
    USE(room);
}

static NOINLINE void many_arguments(int depth)
{
    aligned_with(1, 2, 3, 4, 5, 6, 7, 8, depth);
    AFTER;
}

static NOINLINE void recursive(int depth)
{
    if (depth > 1 && next(&choices) % 4)
        recursive(depth - 1);
    else
        go(depth);
    AFTER;
}

static __thread int sort_depth;

static int compare(const void *a, const void *b)
{
    int depth = sort_depth;
    sort_depth = 0;
    if (depth)
        go(depth);
    return *(const int *)a - *(const int *)b;
}

static NOINLINE void through_libc(int depth)
{
    int values[2] = {2, 1};
    sort_depth = depth;
    qsort(values, 2, sizeof *values, compare);
    AFTER;
}

static __thread int signal_depth;

static void handle(int number)
{
    (void)number;
    go(signal_depth);
    AFTER;
}

static NOINLINE void by_signal(int depth)
{
    signal_depth = depth;
    raise(SIGUSR1);
    AFTER;
}

static NOINLINE void by_trap(int depth)
{
    signal_depth = depth;
#ifdef __x86_64__
    __asm__ volatile("int3");
#else
    raise(SIGTRAP);
#endif
    AFTER;
}

static NOINLINE void jumps(int depth)
{
    go(depth);
    if (target)
        longjmp(*target, 1);
}

static NOINLINE void jumped_to(int depth)
{
    jmp_buf here, *volatile outer = target;
    if (!setjmp(here)) {
        target = &here;
        jumps(depth);
    }
    target = outer;
    check();
}

static void (*catch_in)(void (*callee)(void *), void *argument);
static void (*throw_from)(void);

static NOINLINE void thrown_from(void *depth)
{
    go(*(int *)depth);
    throw_from();
    AFTER;
}

static NOINLINE void caught(int depth)
{
    jmp_buf *outer = target;
    target = NULL; /* not out of the frames between */
    catch_in(thrown_from, &depth);
    target = outer;
    check();
}

/* Code without unwind information, with and without a frame pointer. */
#ifdef __x86_64__
void bare_frame(function *callee, int depth);
void bare(function *callee, int depth);
__asm__(".text\n"
        ".globl bare_frame\n.type bare_frame, @function\n"
        "bare_frame: push %rbp\n mov %rsp, %rbp\n mov %rdi, %rax\n mov %esi, %edi\n"
        " call *%rax\n pop %rbp\n ret\n.size bare_frame, .-bare_frame\n"
        ".globl bare\n.type bare, @function\n"
        "bare: sub $24, %rsp\n mov %rdi, %rax\n mov %esi, %edi\n"
        " call *%rax\n add $24, %rsp\n ret\n.size bare, .-bare\n");
#else
static NOINLINE void bare_frame(function *callee, int depth)
{
    callee(depth);
    AFTER;
}
#define bare bare_frame
#endif

static NOINLINE void by_bare_frame(int depth)
{
    bare_frame(go, depth);
    AFTER;
}

static NOINLINE void by_bare(int depth)
{
    bare(go, depth);
    AFTER;
}

static function *const all[] = {small,   large,     tail,          with_alloca, with_array,     aligned,
                                small,   recursive, through_libc,  jumped_to,   many_arguments, by_signal,
                                by_trap, caught,    by_bare_frame, by_bare};
static __thread unsigned kinds; /* set of indices of ALL that the program may use */

static function *choose(void)
{
    unsigned i;
    do
        i = next(&choices) % (sizeof all / sizeof *all);
    while (!(kinds >> i & 1));
    return all[i];
}

static NOINLINE void go(int depth)
{
    if (next(&choices) % 3 == 0)
        check();
    if (depth > 0)
        choose()(depth - 1);
    if (depth <= 0 || next(&choices) % 3 == 0)
        check();
}

#define FIXED 0x0047 /* small, large, tail */
#define SIZED 0x04ff /* also frames of any size, and recursion */
#define LIBC 0x1fff  /* also sorting, jumps, signals */
#define ALL 0xffff   /* also exceptions, code without unwind information */

static void run_program(unsigned used, uint64_t number)
{
    kinds = used;
    choices = number % PROGRAMS;
    go((int)(next(&choices) % 24));
}

static void run_until(unsigned used, int count)
{
    int end = checks + count;
    for (uint64_t number = 0; checks < end; number++)
        run_program(used, number);
}

/* --- Tests --- */

static void test_fixed_frames(void **state)
{
    (void)state;
    run_until(FIXED, 100000);
}

static void test_frames_of_any_size(void **state)
{
    (void)state;
    run_until(SIZED, 100000);
}

static void test_libc_jumps_signals(void **state)
{
    (void)state;
    run_until(LIBC, 50000);
}

static void test_exceptions_bare_code(void **state)
{
    (void)state;
    run_until(ALL, 50000);
}

static void *run_in_thread(void *seed)
{
    sizes = (uintptr_t)seed;
    for (uint64_t i = 0; i < 1000; i++)
        run_program(SIZED, i);
    return NULL;
}

static void test_threads_leave_nothing(void **state)
{
    pthread_t thread[4];
    uint64_t memory = 0;
    (void)state;

    for (int round = 0; round < 3; round++) {
        for (uintptr_t i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, run_in_thread, (void *)i), 0);
        for (int i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
        if (round > 0) /* by now all paths were seen */
            assert_int_equal(efg_memory.used, memory);
        memory = efg_memory.used;
    }
}

/* An entry is found if it has the words of WALK, from FRAME, and not with another one in any place. */
static void compare_all_words(struct efg_memo *memo, const uintptr_t *frame, struct efg_walk *walk)
{
    for (uint32_t i = 0; i <= walk->word_count; i++) {
        struct efg_word *word = i < walk->word_count ? &walk->word[i] : &(struct efg_word){NULL, 0};
        word->value++;
        efg_memo_clear(memo);
        efg_memo_add(memo, frame, walk, 700, 7, 70, NULL, 0);
        for (int k = 0; k < 2; k++)
            assert_int_equal(efg_memo_recall(memo, frame, walk, 700)->path, 7);
        assert_true(!efg_memo_predict(memo->hand, frame) == (i < walk->word_count));
        word->value--;
    }
}

/* The second call from the same place is remembered, and all of the way to it is compared. */
static void test_remembers(void **state)
{
    struct efg_memo *memo = malloc(sizeof *memo);
    struct efg_memo_hand hand;
    struct efg_walk *walk = calloc(1, sizeof *walk);
    const uintptr_t *frame = __builtin_frame_address(0);
    (void)state;

    efg_memo_init(memo, &hand);
    assert_null(efg_memo_predict(&hand, frame));
    if (efg_walk(walk, frame, DEPTH) != 0)
        skip(); /* not on this processor */
    assert_null(efg_memo_recall(memo, frame, walk, 700));
    efg_memo_add(memo, frame, walk, 700, 7, 70, NULL, 0);
    assert_null(efg_memo_predict(&hand, frame)); /* it has not come after itself yet */
    assert_int_equal(efg_memo_recall(memo, frame, walk, 700)->path, 7);
    for (int i = 0; i < 3; i++)
        assert_int_equal(efg_memo_predict(&hand, frame)->path, 7);
    compare_all_words(memo, frame, walk);
    memo->stack_end = frame; /* as if it were another stack: then it is compared in order */
    compare_all_words(memo, frame, walk);
    efg_memo_fini(memo);
    efg_walk_forget(walk);
    free(memo);
    free(walk);
}

static bool is_in_program(void *address)
{
    Dl_info info, own;

    return dladdr((char *)address - 1, &info) && dladdr(is_in_program, &own) &&
           info.dli_fbase == own.dli_fbase;
}

static bool is_compared(const struct efg_walk *walk, const void *address)
{
    for (uint32_t i = 0; i < walk->word_count; i++)
        if ((const void *)walk->word[i].value == address)
            return true;
    return false;
}

/* A walk has words up to the return address in main, or, if it is not IS_IN_MAIN, up to the last one. */
static void *check_words(void *is_in_main)
{
    struct efg_walk *walk = calloc(1, sizeof *walk);

    assert_non_null(walk);
    if (efg_walk(walk, __builtin_frame_address(0), EFG_WALK_DEPTH) == 0) {
        uint32_t last = walk->count;
        while (last > 0 && !is_compared(walk, walk->address[last - 1]))
            last--;
        assert_true(last > 0 && last <= walk->word_count);
        assert_true(is_in_main ? last < walk->count - 1 : last == walk->count);
        assert_true(!is_in_main || is_in_program(walk->address[last - 1]));
        assert_true(!is_in_main || !is_in_program(walk->address[last]));
    }
    efg_walk_forget(walk);
    free(walk);
    return NULL;
}

/* Who has called main is not compared. In another thread, all is. */
static void test_compares_up_to_main(void **state)
{
    pthread_t thread;
    (void)state;

    check_words(&thread);
    assert_int_equal(pthread_create(&thread, NULL, check_words, NULL), 0);
    pthread_join(thread, NULL);
}

/* A loop of two rounds and what follows it: after one pass, all of it is expected. */
static void test_expects_the_end_of_a_loop(void **state)
{
    static const uint32_t pass[] = {1, 1, 2}, passes = 3, length = sizeof pass / sizeof *pass;
    struct efg_memo *memo = malloc(sizeof *memo);
    struct efg_memo_hand hand;
    struct efg_walk *walk = calloc(1, sizeof *walk); /* of no words: its frame is all of it */
    const uintptr_t *frame = __builtin_frame_address(0);
    (void)state;

    efg_memo_init(memo, &hand);
    for (uint32_t i = 0; i < passes * length; i++) {
        uint32_t path = pass[i % length];
        const struct efg_memo_entry *e = efg_memo_predict(&hand, frame + path);
        if (i > length)
            assert_non_null(e);
        if (!e && !efg_memo_recall(memo, frame + path, walk, path))
            efg_memo_add(memo, frame + path, walk, path, path, path, NULL, 0);
        assert_true(!e || e->path == path);
        assert_null(efg_memo_predict(&hand, frame)); /* which changes nothing */
    }
    efg_memo_fini(memo);
    free(memo);
    free(walk);
}

/* Bounded, whatever comes: what it does not know has to come often before it forgets. */
static void test_remembers_so_much(void **state)
{
    struct efg_memo *memo = malloc(sizeof *memo);
    struct efg_memo_hand hand;
    struct efg_walk *walk = calloc(1, sizeof *walk);
    const uintptr_t *frame = __builtin_frame_address(0);
    uint32_t entries, i = 1;
    (void)state;

    efg_memo_init(memo, &hand);
    walk->count = walk->word_count = 16;
    do {
        entries = memo->entries;
        efg_memo_add(memo, frame + i, walk, i, i, i, NULL, 0);
        i++;
    } while (memo->entries > entries);
    assert_in_range(entries, 1000, 100000);
    uint32_t last = i - 1;
    assert_null(efg_memo_recall(memo, frame + last, walk, last));
    assert_int_equal(efg_memo_recall(memo, frame + 1, walk, 1)->path, 1);
    assert_int_equal(efg_memo_recall(memo, frame + entries, walk, entries)->path, entries);
    for (; memo->entries == entries; i++)
        efg_memo_add(memo, frame + i, walk, i, i, i, NULL, 0);
    assert_int_equal(memo->entries, 1);
    assert_true(i - last > entries);
    assert_int_equal(efg_memo_recall(memo, frame + i - 1, walk, i - 1)->path, i - 1);
    assert_null(efg_memo_recall(memo, frame + 1, walk, 1));
    assert_true(efg_memo_memory(memo) <= EFG_MEMO_BLOCKS * EFG_MEMO_BLOCK);
    efg_memo_fini(memo);
    free(memo);
    free(walk);
}

/* --- Many paths --- */

typedef void visit(unsigned number);

static NOINLINE void check_number(unsigned number)
{
    check();
    USE(number);
}

/* A path for each number of four digits. */
EFG_LEVEL(level1, check_number, 1)
EFG_LEVEL(level2, level1, 10)
EFG_LEVEL(level3, level2, 100)
EFG_LEVEL(level4, level3, 1000)

/* In no order, so that nothing can be foreseen, and more than the memo holds. There are ten
 * calls in each of four functions: so many more places are all that a walk has to know of. */
static void test_many_paths(void **state)
{
    uint64_t chance = 1;
    (void)state;

    forget_walks();
    uint32_t paths = efg_callpath_count();
    for (int i = 0; i < 60000; i++)
        level4(next(&chance) % 10000);
    assert_in_range(efg_callpath_count() - paths, 9900, 10000);
    assert_in_range(walks.again.steps.count, 40, 100);
    for (int i = 0; i < 40000; i++) /* few again */
        level4(next(&chance) % 10 * 1111);
}

static NOINLINE void find_only(unsigned number)
{
    uint64_t hash;

    (void)number;
    find(&hash);
}

/* What a new path takes is told once. */
static void test_new_paths_take_time(void **state)
{
    static const volatile unsigned rounds = 3; /* so that one call is one */
    uint64_t spent[3];
    (void)state;

    efg_callpath_spent();
    for (unsigned i = 0; i < rounds; i++) {
        find_only(0);
        spent[i] = efg_callpath_spent();
    }
    assert_in_range(spent[0], 1, efg_clock_cpu());
    assert_int_equal(spent[1] + spent[2], 0);
}

EFG_LEVEL(add1, find_only, 1)
EFG_LEVEL(add2, add1, 10)
EFG_LEVEL(add3, add2, 100)
EFG_LEVEL(add4, add3, 1000)
EFG_LEVEL(add5, add4, 10000)

static void *add_paths(void *is_over)
{
    for (unsigned i = 0; i < 100000; i++)
        add5(i);
    __atomic_store_n((int *)is_over, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* What is saved while other threads go on has all paths that there are: a path that is counted is
 * there, whoever looks. */
static void test_counted_is_there(void **state)
{
    int is_over = 0, missing = 0;
    uint32_t before = efg_callpath_count();
    pthread_t thread;
    (void)state;

    assert_int_equal(pthread_create(&thread, NULL, add_paths, &is_over), 0);
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        uint32_t count = efg_callpath_count();
        struct efg_path path = count ? efg_callpath_get(count) : (struct efg_path){.hash = 1};
        missing += !path.hash || (path.depth && !path.frames);
    }
    pthread_join(thread, NULL);
    assert_int_equal(missing, 0);
    assert_in_range(efg_callpath_count() - before, 99900, 100010);
}

/* With no memory to remember more, what is remembered is forgotten all the time; paths are not.
 */
static void test_little_memory(void **state)
{
    uint64_t limit = efg_memory.limit, memory = 0;
    uint32_t paths = 0;
    (void)state;

    /* All of the paths are there after the first round, which no compiler may take for other
     * code than the second one. */
    for (volatile int round = 0; round < 2; round++) {
        if (round == 1) {
            paths = efg_callpath_count();
            memory = efg_memory.used;
            efg_memory.limit = efg_memory.used;
            assert_false(efg_memory_may_remember(0));
            forget_walks();
        }
        run_until(SIZED, 50000);
        for (unsigned i = 0; i < 10000; i++)
            level4(i);
    }
    assert_int_equal(efg_callpath_count(), paths);
    assert_int_equal(efg_callpath_depth(), DEPTH);
    /* What is found by has tables that fill within the room that there is. */
    assert_in_range(efg_memory.used, 0, memory + memory / 16);
    assert_in_range(walks.again.steps.room, 1, 1000);
    efg_memory.limit = limit;
}

/* Below the aligned frame there is room in which return addresses of the call before are left.
 */
static NOINLINE void widely_aligned(int depth)
{
    char *more = alloca((size_t)depth + 1);
    _Alignas(1024) char room[1024];
    USE(more);
    USE(room);
    check();
    USE(room);
}

static NOINLINE void hop(int depth)
{
    if (depth > 0)
        hop(depth - 1);
    else
        widely_aligned(depth);
    AFTER;
}

/* Many paths by one call. */
static NOINLINE void call_in_turn(void)
{
    static function *volatile const function_in_turn[] = {hop, widely_aligned};
    char *room = alloca(next(&sizes) % 64 * 16 + 1);
    USE(room);
    for (int i = 0; i < 12; i++)
        function_in_turn[i % 2](i % 5);
    USE(room);
}

static void test_realigned_stacks(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++)
        call_in_turn();
}

/* --- Stacks that come and go --- */

static ucontext_t main_context, coroutine[2];

static void run_coroutine(int me)
{
    for (uint64_t i = 0; i < 400; i++) {
        run_program(SIZED, i);
        swapcontext(&coroutine[me], &coroutine[1 - me]);
    }
}

static void start_coroutine(int me, void *stack, size_t size)
{
    getcontext(&coroutine[me]);
    coroutine[me].uc_stack.ss_sp = stack;
    coroutine[me].uc_stack.ss_size = size;
    coroutine[me].uc_link = &main_context;
    makecontext(&coroutine[me], (void (*)(void))run_coroutine, 1, me);
}

/* SIZE bytes at AT become readable and writable, or neither; nobody else gets the place. */
static void set_access(char *at, size_t size, int access)
{
    void *mapped = mmap(at, size, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    assert_ptr_equal(mapped, at);
}

/* Two coroutines in turn, on stacks of SIZE bytes at these places, which are unmapped then.
 * What is remembered of a larger stack lies above the end of a smaller one. */
static void run_on(char *const *place, size_t size)
{
    for (int i = 0; i < 2; i++) {
        set_access(place[i], size, PROT_READ | PROT_WRITE);
        start_coroutine(i, place[i], size);
    }
    swapcontext(&main_context, &coroutine[0]);
    for (int i = 0; i < 2; i++)
        set_access(place[i], size, PROT_NONE);
}

static void test_stacks_that_go(void **state)
{
    char *room = mmap(NULL, 4 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *const place[] = {room, room + 2 * STACK};
    (void)state;

    assert_ptr_not_equal(room, MAP_FAILED);
    for (int round = 0; round < 4; round++)
        for (size_t less = 0; less < 4; less++)
            run_on(place, STACK - less * 4096);
    munmap(room, 4 * STACK);
}

static __thread uintptr_t frame_of[2];

static NOINLINE void descend(int depth)
{
    if (depth < 2)
        frame_of[depth] = (uintptr_t)__builtin_frame_address(0);
    if (depth > 0)
        descend(depth - 1);
    if (depth < 45) /* the others are not come to again */
        check();
}

static void run_descend(int depth)
{
    descend(depth);
}

static void descend_on(char *stack, size_t size, int depth)
{
    set_access(stack, size, PROT_READ | PROT_WRITE);
    getcontext(&coroutine[0]);
    coroutine[0].uc_stack.ss_sp = stack;
    coroutine[0].uc_stack.ss_size = size;
    coroutine[0].uc_link = &main_context;
    makecontext(&coroutine[0], (void (*)(void))run_descend, 1, depth);
    swapcontext(&main_context, &coroutine[0]);
    set_access(stack, size, PROT_NONE);
}

/* The second stack begins where the first one had the 256th function. What was remembered there
 * lies in part above the second stack, where nothing can be read. */
static void *run_on_smaller(void *unused)
{
    size_t size = 4 * STACK;
    char *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(room, MAP_FAILED);
    descend(1);
    size_t less = 256 * (frame_of[1] - frame_of[0]); /* whole pages, as frames are by 16 */
    assert_true(less < size / 2);
    descend_on(room, size, 300);
    descend_on(room, size - less, 40);
    munmap(room, size);
    return unused;
}

/* In a thread, which has nothing to remember yet and so forgets nothing. */
static void test_smaller_stack_at_the_place(void **state)
{
    pthread_t thread;
    (void)state;

    assert_int_equal(pthread_create(&thread, NULL, run_on_smaller, NULL), 0);
    pthread_join(thread, NULL);
}

/* --- Modules that come and go --- */

struct seen {
    uint32_t path;
    int agrees; /* with what libgcc finds, which remembers nothing, as libunwind does */
};

static int (*libc_backtrace)(void **address, int size); /* there is one in libunwind, too */

static NOINLINE void note_path(void *seen)
{
    struct seen *s = seen;
    void *address[LIMIT];
    uint64_t hash;

    s->path = find(&hash);
    int count = libc_backtrace(address, LIMIT);
    struct efg_path path = efg_callpath_get(s->path);
    s->agrees = (uint32_t)count == path.depth;
    for (int i = 1; i < count && s->agrees; i++)
        s->agrees = address_of(&path.frames[i]) == (uintptr_t)address[i];
}

static void *load(const char *name)
{
    char path[4096] = "";
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    assert_true(length > 0);
    strcpy(strrchr(path, '/') + 1, name);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module)
        fail_msg("%s", dlerror());
    return module;
}

static void *function_of(void *module, const char *name)
{
    void *found = dlsym(module, name);
    assert_non_null(found);
    return found;
}

/* Compilers must not make several calls of one: each has a path of its own. */
static volatile int times = 4;

typedef void caller(void (*callee)(void *), void *argument);

/* The path of a call from a module of that NAME, which is loaded for it; *PLACE is where. */
static NOINLINE uint32_t path_in(const char *name, void **place, int is_at_end)
{
    struct seen seen = {0, 0};
    void *module = load(name);
    caller *call;

    *place = *(void **)&(void *){function_of(module, "plugin")};
    *(void **)&call = *place;
    for (int i = 0; i < times; i++) {
        uint32_t before = seen.path;
        call(note_path, &seen);
        assert_true(seen.agrees);
        assert_true(i == 0 || seen.path == before);
    }
    if (is_at_end) {
        *(void **)&call = function_of(module, "plugin_at_end");
        call(note_path, &seen);
    }
    dlclose(module);
    assert_true(seen.agrees);
    return seen.path;
}

/* Where libunwind walks, it takes the frames for those of the module before. */
#ifdef __x86_64__
#define OTHER_FRAMES(name) name,
#else
#define OTHER_FRAMES(name)
#endif

/* The modules NAME, up to NULL, one after the other at the same place, again and again. */
static void load_in_turn(const char *const *name, int is_at_end)
{
    uint32_t path[8];
    void *first = NULL, *place;

    for (int round = 0; round < times; round++) {
        for (int i = 0; name[i]; i++) {
            uint32_t found = path_in(name[i], &place, is_at_end);
            first = first ? first : place;
            assert_ptr_equal(place, first); /* or this tests nothing */
            assert_true(round == 0 || found == path[i]);
            path[i] = found;
            for (int j = 0; j < i; j++)
                assert_int_not_equal(path[i], path[j]);
        }
    }
}

/* The same code at the same place, and then in frames of another size. */
static void test_modules_that_go(void **state)
{
    static const char *const name[] = {"plugin-a.so", "plugin-b.so", OTHER_FRAMES("plugin-c.so") NULL};
    (void)state;

    load_in_turn(name, 0);
    load_in_turn(name, 1);
}

/* Such whose end nobody announces. */
static void test_modules_without_start_files(void **state)
{
    static const char *const name[] = {"plugin-d.so", "plugin-e.so", OTHER_FRAMES("plugin-f.so") NULL};
    (void)state;

    load_in_turn(name, 0);
    load_in_turn(name, 1);
}

static int set_up(void **state)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_NODEFER};
    (void)state;

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
    void *thrower = load("thrower.so");
    *(void **)&catch_in = function_of(thrower, "catch_in");
    *(void **)&throw_from = function_of(thrower, "throw_from");
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&libc_backtrace = function_of(libc, "backtrace");
    walks.thread = pthread_self();
    return efg_callpath_init(DEPTH, true, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    forget_walks();
    return 0;
}

EFG_LEVEL(short1, find_only, 1)
EFG_LEVEL(short2, short1, 10)
EFG_LEVEL(short3, short2, 100)

static void assert_outermost(uint32_t id, uint32_t of, uint32_t depth)
{
    struct efg_path path = efg_callpath_get(id), whole = efg_callpath_get(of);

    assert_int_equal(path.depth, depth);
    for (uint32_t i = 0; i < depth; i++) {
        const struct efg_frame *a = &path.frames[i], *b = &whole.frames[whole.depth - depth + i];
        assert_int_equal(a->module, b->module);
        assert_int_equal(a->offset, b->offset);
    }
}

/* The last one: from then on all paths are short. */
static void test_shorter(void **state)
{
    static const volatile unsigned rounds = 2, numbers = 1000; /* no short loops */
    uint32_t before = efg_callpath_count(), first = before + 1, cut;
    uint64_t hash;
    (void)state;

    for (unsigned i = 0; i < numbers; i++)
        short3(i);
    assert_int_equal(efg_callpath_count(), before + 1000);
    uint32_t whole = efg_callpath_get(first).depth, depth = whole - 4; /* those that they have in common */
    assert_in_range(whole, 5, DEPTH);
    assert_in_range(efg_callpath_longest(), whole, DEPTH);
    cut = efg_callpath_cut(first, depth, &hash);
    assert_outermost(cut, first, depth);
    assert_int_equal(hash, efg_callpath_get(cut).hash);
    for (uint32_t id = first; id < first + 1000; id++)
        assert_int_equal(efg_callpath_cut(id, depth, &hash), cut);

    uint64_t memory = efg_memory.used;
    depth = efg_callpath_limit(depth);
    assert_int_equal(depth, efg_callpath_depth());
    assert_in_range(depth, 1, whole - 4);
    assert_in_range(efg_memory.used, 0, memory); /* frames are shared */
    cut = efg_callpath_cut(first, depth, &hash);
    before = efg_callpath_count();
    for (unsigned i = 0; i < rounds; i++)
        for (unsigned k = 0; k < numbers; k += 37)
            short3(k);
    assert_in_range(efg_callpath_count(), before, before + 1); /* this call of short3 is another one */
    if (efg_callpath_count() > before)
        assert_int_equal(efg_callpath_get(before + 1).depth, depth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remembers),
        cmocka_unit_test(test_compares_up_to_main),
        cmocka_unit_test(test_expects_the_end_of_a_loop),
        cmocka_unit_test(test_remembers_so_much),
        cmocka_unit_test(test_fixed_frames),
        cmocka_unit_test(test_frames_of_any_size),
        cmocka_unit_test(test_libc_jumps_signals),
        cmocka_unit_test(test_exceptions_bare_code),
        cmocka_unit_test(test_realigned_stacks),
        cmocka_unit_test(test_many_paths),
        cmocka_unit_test(test_new_paths_take_time),
        cmocka_unit_test(test_counted_is_there),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_threads_leave_nothing),
        cmocka_unit_test(test_stacks_that_go),
        cmocka_unit_test(test_smaller_stack_at_the_place),
        cmocka_unit_test(test_modules_that_go),
        cmocka_unit_test(test_modules_without_start_files),
        cmocka_unit_test(test_shorter),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
