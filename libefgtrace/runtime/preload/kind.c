/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which MPI the process has, and the runtime that was built for it: libefgtrace-runtime-MPI.so in the
 * folder of the preloaded library, where MPI is as config/mpi.sh says it:
 *
 *   openmpi4, openmpi5 ..   Open MPI, whose major versions differ in what there is of MPI 4
 *   mpich                   MPICH and those that keep to its ABI: MVAPICH, Intel MPI, Cray MPICH
 *   abi                     libmpi_abi, the ABI of the MPI 5 standard, of whichever library
 *
 * A runtime is linked with no MPI library, since those of one ABI have different file names: it
 * finds the one that the process has, which is therefore made visible to the whole process.
 */
#define _GNU_SOURCE /* dladdr */
#include "kind.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/launcher.h"
#include "site.h"
#include "wrap.h"

#define NAME 16       /* bytes of the name of a kind, with its final zero */
#define VERSION 16384 /* of the text of any library: MPICH wants 8192, Open MPI 256 */

static char folder[PATH_MAX]; /* that we were loaded from, with its last slash */

/* A relative path in LD_PRELOAD is good only until the program changes its directory, so this
 * is a constructor too. */
__attribute__((constructor)) static void find_folder(void)
{
    Dl_info self;
    if (*folder || !dladdr(folder, &self) || !self.dli_fname)
        return;
    char path[PATH_MAX];
    const char *name = self.dli_fname;
    if (*name != '/') {
        if (!realpath(name, path))
            return;
        name = path;
    }
    const char *slash = strrchr(name, '/');
    if (slash && slash + 1 - name < PATH_MAX)
        memcpy(folder, name, (size_t)(slash + 1 - name)); /* the rest is zeros */
}

/* What the library says of itself, its first line up to a comma; "" if it says nothing. */
static const char *version_of(const void *function)
{
    static char text[VERSION];
    int length;
    int (*get)(char *, int *) = (int (*)(char *, int *))function;
    if (!get || get(text, &length) != MPI_SUCCESS)
        return "";
    for (char *tab = text; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

static bool is_of_abi(const void *function)
{
    Dl_info module;
    const char *slash = dladdr(function, &module) ? strrchr(module.dli_fname, '/') : NULL;
    return slash && strncmp(slash, "/libmpi_abi.so", 14) == 0;
}

/* "" for one that nobody knows. */
static void name_kind(const void *function, const char *version, char name[NAME])
{
    static const char *const family[] = {"MPICH", "MVAPICH", "Intel(R) MPI"};
    const char *open = strstr(version, "Open MPI v");

    *name = '\0';
    if (is_of_abi(function)) {
        strcpy(name, "abi");
    } else if (open) {
        snprintf(name, NAME, "openmpi%d", atoi(open + 10));
    } else {
        for (size_t i = 0; i < sizeof family / sizeof *family; i++)
            if (strstr(version, family[i]))
                strcpy(name, "mpich");
    }
}

/* What is the same on all ranks is said by one. */
static void say_unknown(const char *version)
{
    if (efg_launcher_is_first() && !efg_site_is_on())
        dprintf(STDERR_FILENO,
                "efgtrace: the program's MPI library%s%s%s is none that efgtrace can be built for: Open MPI, "
                "MPICH and what has its ABI; this process runs untraced\n",
                *version ? ", " : "", version, *version ? "," : "");
}

static void say_missing(const char *version, const char *path)
{
    if (efg_launcher_is_first() && !efg_site_is_on())
        dprintf(STDERR_FILENO,
                "efgtrace: the program's MPI library is %s, and there is no %s; build it with "
                "`make MPICC=mpicc`, where that is the compiler of this MPI; this process runs untraced\n",
                version, path);
}

/* There are runtimes for other MPIs; without any the installation is broken, perhaps on this node only. */
static bool has_others(void)
{
    char pattern[PATH_MAX + 32];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%slibefgtrace-runtime-*.so", folder);
    bool has = glob(pattern, GLOB_NOSORT, NULL, &found) == 0;
    globfree(&found);
    return has;
}

/* RTLD_NOLOAD: it stays as it is, but for who sees it. */
static void show_to_all(const void *function)
{
    Dl_info module;
    if (dlsym(RTLD_DEFAULT, "PMPI_Get_library_version") != function && dladdr(function, &module))
        dlopen(module.dli_fname, RTLD_NOLOAD | RTLD_LAZY | RTLD_GLOBAL);
}

const struct efg_runtime *efg_kind_load(const void *get_version)
{
    char path[PATH_MAX + NAME + 32], name[NAME];
    const char *version = version_of(get_version);

    name_kind(get_version, version, name);
    if (!*name) {
        say_unknown(version);
        return NULL;
    }
    find_folder();
    snprintf(path, sizeof path, "%slibefgtrace-runtime-%s.so", folder, name);
    if (access(path, F_OK) != 0 && has_others()) {
        say_missing(version, path);
        return NULL;
    }
    show_to_all(get_version);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *symbol = library ? dlsym(library, EFG_RUNTIME_SYMBOL) : NULL;
    if (!symbol && !efg_site_is_on())
        dprintf(STDERR_FILENO, "efgtrace: %s; this process runs untraced\n", dlerror());
    return symbol;
}
