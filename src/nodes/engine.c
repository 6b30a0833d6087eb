#include "nodes/engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/parse.h"
#include "base/strbuf.h"

#define PLUGIN "bench_mpi.so"

#ifdef STATIC_PROGRAM
#define ABSENT "a static program cannot open the MPI plug-in %s in %s: use"
#else
#define ABSENT "the MPI plug-in %s is not installed in %s: install"
#endif

/* `package` is a part of the name bench-%s. */
static const struct {
  const char *name, *rank, *size, *package, *plugin;
  bool kills;
} engines[] = {
  { "Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi",
    "bench_openmpi.so", false },
  { "MPICH", "PMI_RANK", "PMI_SIZE", "mpich", "bench_mpich.so", true },
};

static bool engine_read_number(char *(*get)(const char *name), const char *name,
                               unsigned *ret)
{
  const char *text = get(name);
  int64_t n;

  if (!text || parse_int(text, &n) < 0 || n < 0 || n > INT_MAX)
    return false;
  *ret = (unsigned)n;
  return true;
}

struct launch launch_find(char *(*get)(const char *name))
{
  const char *bound = get("OMPI_MCA_orte_bound_at_launch");
  struct launch l = { .bound = bound && strcmp(bound, "1") == 0 };

  for (size_t i = 0; i < ARRAY_SIZE(engines); i++) {
    if (engine_read_number(get, engines[i].rank, &l.rank) &&
        engine_read_number(get, engines[i].size, &l.size) && l.size > 1 &&
        l.rank < l.size) {
      l.engine = engines[i].name;
      l.package = engines[i].package;
      l.plugin = engines[i].plugin;
      l.kills = engines[i].kills;
      l.parent = getppid();
      return l;
    }
  }
  return (struct launch){ .size = 1 };
}

/* NULL: absent, or `why` has the reason. */
static void *engine_open_at(const char *folder, const char *name,
                            struct strbuf *why)
{
  struct strbuf path = { 0 };
  void *module = NULL;

  strbuf_addf(&path, "%s/%s", folder, name);
  if (!path.failed && access(strbuf_str(&path), R_OK) == 0) {
    /* MPI libraries have modules that look up their symbols. */
    module = dlopen(strbuf_str(&path), RTLD_NOW | RTLD_GLOBAL);
    if (!module)
      strbuf_addf(why, "%s%s", why->len > 0 ? "; " : "", dlerror());
  }
  strbuf_done(&path);
  return module;
}

static int engine_ask(void *module, const struct cluster_link **ret,
                      struct err *err)
{
  const struct cluster_link *(*get)(void);
  void *symbol = dlsym(module, CLUSTER_LINK_SYMBOL);
  const struct cluster_link *link;

  memcpy(&get, &symbol, sizeof(get));
  link = symbol ? get() : NULL;
  if (!link || link->version != CLUSTER_LINK_VERSION)
    return err_set(err, -ENOTSUP,
                   "the MPI plug-in is of another version than the program");
  *ret = link;
  return 0;
}

int engine_open(const struct launch *launch, const char *folder,
                const char *libdir, const struct cluster_link **ret,
                struct err *err)
{
  const char *const of_engine = launch->plugin;
  struct strbuf why = { 0 };
  void *module = NULL;
  int rc;

  if (folder[0] != '\0') {
    module = engine_open_at(folder, ".libs/" PLUGIN, &why);
    if (!module)
      module = engine_open_at(folder, of_engine, &why);
    if (!module)
      module = engine_open_at(folder, PLUGIN, &why);
  }
  if (!module)
    module = engine_open_at(libdir, of_engine, &why);
  if (!module)
    module = engine_open_at(libdir, PLUGIN, &why);
  if (module)
    rc = engine_ask(module, ret, err);
  else if (why.len > 0)
    rc = err_set(err, -ENOENT, "the MPI plug-in cannot be opened: %s",
                 strbuf_str(&why));
  else
    rc = err_set(err, -ENOENT,
                 ABSENT " the package bench-%s (Debian, Ubuntu), or build "
                        "bench where mpicc is installed (docs/cluster.md)",
                 of_engine, libdir, launch->package);
  strbuf_done(&why);
  return rc;
}

static unsigned engine_cpus_of(pid_t pid)
{
  cpu_set_t set;

  if (sched_getaffinity(pid, sizeof(set), &set) < 0)
    return 0;
  return (unsigned)CPU_COUNT(&set);
}

unsigned engine_bound_cpus(const struct launch *launch, unsigned *ret_all)
{
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  const unsigned own = engine_cpus_of(0),
                 parent = engine_cpus_of(launch->parent);

  *ret_all = online > 0 ? (unsigned)online : own;
  if (own == 0 || own >= *ret_all)
    return 0;
  return own < parent || launch->bound ? own : 0;
}
