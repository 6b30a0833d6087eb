/*
 * machine_tool.c - `bench machine`: a sweep over short runs of different tests.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/err.h"
#include "base/fmt.h"
#include "base/log.h"
#include "base/machine/cgroup.h"
#include "base/machine/space.h"
#include "base/os/os.h"
#include "base/strbuf.h"
#include "opt/optset.h"
#include "opt/suggest.h"
#include "results/outname.h"
#include "tools/child.h"
#include "tools/sweep.h"
#include "tools/tool.h"

enum {
  MACHINE_PARTS_MAX = 16,
  MACHINE_ARGS_MAX = 10,
  MACHINE_ARG_SIZE = 64,
};

struct machine_wish {
  double time_s;       /* of all parts together */
  unsigned cpus;       /* allowed */
  const char *folder;  /* NULL: no files */
  uint64_t file_bytes; /* of all files */
  bool direct;         /* direct I/O works */
};

/* Parts point into each other: do not copy. */
struct machine_parts {
  struct sweep_part of[MACHINE_PARTS_MAX];
  size_t n;
  const char *args[MACHINE_PARTS_MAX][MACHINE_ARGS_MAX];
  char made[MACHINE_PARTS_MAX][3][MACHINE_ARG_SIZE];
};

/* ---- parts ---- */

enum {
  OPTIONS_MAX = 4, /* of a row */
  WEIGHTS = 120,   /* total, with the time between runs */
};

struct row {
  const char *name;
  const char *args[OPTIONS_MAX]; /* test and options */
  unsigned weight;               /* of WEIGHTS */
  bool two_cpus;
  bool all_cpus; /* one thread per CPU */
  bool files;    /* needs the folder */
  bool direct;   /* O_DIRECT, if allowed */
};

static const struct row rows[] = {
  { .name = "cpu kernels",
    .args = { "cpu", "--cpu-kernel=all" },
    .weight = 21 },
  { .name = "cpu scaling",
    .args = { "cpu", "--cpu-scaling" },
    .weight = 8,
    .two_cpus = true },
  { .name = "memory bandwidth",
    .args = { "memory", "--memory-test=bandwidth" },
    .weight = 14,
    .all_cpus = true },
  { .name = "memory latency",
    .args = { "memory", "--memory-test=latency" },
    .weight = 22 },
  { .name = "memory pairs",
    .args = { "memory", "--memory-test=pairs" },
    .weight = 6,
    .two_cpus = true },
  { .name = "threads handoff",
    .args = { "threads", "--thread-test=handoff" },
    .weight = 6 },
  { .name = "mutex",
    .args = { "mutex", "--mutex-kind=pthread", "--mutex-num=1" },
    .weight = 5,
    .all_cpus = true },
  { .name = "fileio wal",
    .args = { "fileio", "--file-test-mode=wal", "--file-num=4" },
    .weight = 14,
    .files = true },
  { .name = "fileio random reads",
    .args = { "fileio", "--file-test-mode=rndrd", "--file-num=4" },
    .weight = 14,
    .files = true,
    .direct = true },
};

static bool machine_parts_is_wanted(const struct row *row,
                                    const struct machine_wish *wish)
{
  return (!row->two_cpus || wish->cpus > 1) && (!row->files || wish->folder);
}

static void machine_parts_add(struct machine_parts *p, const struct row *row,
                              const struct machine_wish *wish)
{
  const char **args = p->args[p->n];
  char(*made)[MACHINE_ARG_SIZE] = p->made[p->n];
  size_t n = 0;

  for (size_t i = 0; i < OPTIONS_MAX && row->args[i]; i++)
    args[n++] = row->args[i];
  (void)snprintf(made[0], sizeof(made[0]), "--time=%.3f",
                 wish->time_s * row->weight / WEIGHTS);
  args[n++] = made[0];
  if (row->all_cpus) {
    (void)snprintf(made[1], sizeof(made[1]), "--threads=%u", wish->cpus);
    args[n++] = made[1];
  }
  if (row->files) {
    (void)snprintf(made[2], sizeof(made[2]), "--file-total-size=%llu",
                   (unsigned long long)wish->file_bytes);
    args[n++] = made[2];
  }
  if (row->direct && wish->direct)
    args[n++] = "--file-extra-flags=direct";
  args[n] = NULL;
  assert(n < MACHINE_ARGS_MAX && p->n < MACHINE_PARTS_MAX);
  p->of[p->n++] = (struct sweep_part){ .name = row->name,
                                       .args = args,
                                       .folder = row->files ? wish->folder
                                                            : NULL,
                                       .prepares = row->files };
}

/* `wish` is borrowed. */
static void machine_parts_make(struct machine_parts *ret,
                               const struct machine_wish *wish)
{
  ret->n = 0;
  for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
    if (machine_parts_is_wanted(&rows[i], wish))
      machine_parts_add(ret, &rows[i], wish);
  }
}

/* ---- the tool ---- */

enum {
  USUAL_S = 120,
};

struct machine_cfg {
  const char *file_dir;
  uint64_t file_bytes;
};

static const struct opt machine_opts[] = {
  {
    OPT_STRING(struct machine_cfg, file_dir),
    .name = "file-dir",
    .def = ".",
    .flags = OPT_NOT_EMPTY | OPT_PATH,
    .show_as = "=FOLDER",
    .expected = "the name of a folder",
    .help = "where files are written and read, in a folder that is removed at "
            "the end",
  },
  {
    OPT_SIZE(struct machine_cfg, file_bytes),
    .name = "file-total-size",
    .def = "256M",
    .min = 1048576,
    .max = INT64_C(1) << 50,
    .help = "size of all these files together",
  },
  OPT_END,
};

static const char *const usable[] = { "json", "time" };

static int machine_tool_check_options(const struct tool_args *args,
                                      struct err *err)
{
  for (size_t i = 0; i < args->set->n; i++) {
    const struct opt_entry *e = args->set->entries[i];
    bool known = e->section == OPT_SECTION_TEST || !e->given ||
                 e->source != OPT_SOURCE_CMDLINE;

    for (size_t k = 0; k < ARRAY_SIZE(usable); k++)
      known = known || opt_name_equal(usable[k], e->row->name);
    if (!known)
      return err_set(err, -EINVAL,
                     "--%.60s has no effect on machine, which takes --json, "
                     "--time, --file-dir and --file-total-size",
                     e->row->name);
  }
  if (args->n_files > 1 ||
      (args->n_files == 1 && strcmp(args->files[0], "run") != 0))
    return err_set(err, -EINVAL,
                   "machine takes no argument '%.100s' (expected options)",
                   args->files[args->n_files - 1]);
  return 0;
}

static int machine_tool_take_time(const struct tool_args *args, double *ret_s,
                                  struct err *err)
{
  const struct opt_entry *e = optset_find(args->set, "time");

  *ret_s = e->given && e->source == OPT_SOURCE_CMDLINE ? args->time_s : USUAL_S;
  if (*ret_s <= 0)
    return err_set(err, -EINVAL,
                   "--time=0 is not a limit, and machine needs one (expected "
                   "seconds for all parts together, such as 120)");
  return 0;
}

static bool machine_tool_allows_direct(const char *folder)
{
  struct strbuf path = { 0 };
  int fd = -1;

  strbuf_addf(&path, "%s/direct", folder);
  if (!path.failed)
    fd = os_open(AT_FDCWD, strbuf_str(&path),
                 O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
  if (fd >= 0)
    (void)close(fd);
  (void)unlink(strbuf_str(&path));
  strbuf_done(&path);
  return fd >= 0;
}

static int machine_tool_check_room(const char *folder, uint64_t bytes,
                                   struct err *err)
{
  const struct space s = space_look_at("", folder);
  const uint64_t left = space_free(&s);
  char need[FMT_SIZE_SIZE], have[FMT_SIZE_SIZE];

  if (left == SPACE_UNKNOWN || bytes <= left)
    return 0;
  return err_set(err, -ENOSPC, "%s needed in '%.400s', %s %s",
                 fmt_size(need, bytes), folder, fmt_size(have, left),
                 space_words(&s));
}

/* False: no folder. */
static bool machine_tool_make_folder(const char *below,
                                     struct machine_wish *wish, char **ret)
{
  struct err err = { "" };
  int rc = machine_tool_check_room(below, wish->file_bytes, &err);

  if (rc == 0)
    rc = child_scratch_in(below, "bench-machine", ret, &err);
  if (rc < 0) {
    log_msg(LOG_WARNING,
            "fileio is not measured: %s; choose another --file-dir%s", err.text,
            rc == -ENOSPC ? ", or a smaller --file-total-size" : "");
    return false;
  }
  wish->folder = *ret;
  wish->direct = machine_tool_allows_direct(*ret);
  if (!wish->direct)
    log_msg(LOG_WARNING,
            "files in '%s' cannot be read past the page cache, so random reads "
            "are those of memory; choose a folder on a disk with --file-dir",
            below);
  return true;
}

static int machine_tool_run_machine(const struct tool_args *args,
                                    struct err *err)
{
  const struct machine_cfg *cfg = args->cfg;
  const char *json = args->results->json;
  struct machine_wish wish = { .cpus = cgroup_cpus_allowed(),
                               .file_bytes = cfg->file_bytes };
  struct machine_parts parts;
  struct sweep_input in = {
    .cfg = args->sweep,
    .set = args->set,
    .argc = args->argc,
    .argv = args->argv,
    .json = outname_is_stdout(json) ? "-" : json,
    .summary = "",
  };
  char *folder = NULL;
  bool whole;
  int status;

  if (machine_tool_check_options(args, err) < 0 ||
      machine_tool_take_time(args, &wish.time_s, err) < 0)
    return TOOL_BAD_INPUT;
  whole = machine_tool_make_folder(cfg->file_dir, &wish, &folder);
  machine_parts_make(&parts, &wish);
  in.parts = parts.of;
  in.n_parts = parts.n;
  status = sweep_run(&in);
  child_scratch_remove(folder);
  return status == TOOL_OK && !whole ? TOOL_FAILED : status;
}

const struct tool tool_machine = {
  .name = "machine",
  .summary = "measure CPUs, memory, threads and files in two minutes",
  .usage = "[--json=FILE] [--time=120] [--file-dir=DIR]",
  .opts = machine_opts,
  .cfg_size = sizeof(struct machine_cfg),
  .run = machine_tool_run_machine,
};
