/*
 * ranks.c - joining the other ranks, the share of a rank, and leaving.
 */
#include "ranks/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "cluster/cluster.h"
#include "cluster/engine.h"
#include "cluster/keeper.h"
#include "cluster/split.h"
#include "lua/find/search.h"
#include "opt/file.h"
#include "ranks/share.h"
#include "run/plan.h"

/* Look at the command line before it is parsed: a rank that was told to go
 * alone must not wait for others. */
static bool wants_off(int argc, char **argv)
{
  bool off = false;

  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--cluster=", 10) == 0)
      off = strcmp(argv[i] + 10, "off") == 0;
  }
  return off;
}

static void warn_of_binding(const struct launch *launch)
{
  unsigned all;
  const unsigned own = engine_bound_cpus(launch, &all);

  if (own > 0)
    log_msg(LOG_WARNING,
            "mpirun has bound this process to %u of %u processors; threads "
            "need all of them: mpirun --bind-to none",
            own, all);
}

static void free_ranks(struct ranks *ranks)
{
  for (size_t i = 0; i < ranks->n_files; i++) {
    free(ranks->files[i].path);
    strbuf_done(&ranks->files[i].text);
  }
  free(ranks->files);
  if (ranks->rank > 0) {
    for (int i = 0; i < ranks->argc; i++)
      free(ranks->argv[i]);
    free(ranks->argv);
    resolved_done(&ranks->what);
  }
  bundle_done(&ranks->bundle);
  if (ranks->password)
    explicit_bzero(ranks->password, strlen(ranks->password));
  free(ranks->password);
  free(ranks);
}

/* Messages of the other ranks name their rank.  Only rank 0 prints text. */
static void be_quiet(const struct ranks *ranks)
{
  FILE *nowhere = fopen("/dev/null", "we");
  struct strbuf origin = { 0 };

  if (nowhere) /* otherwise there are two reports */
    log_set_text(nowhere);
  strbuf_addf(&origin, "process %u on %s: ", ranks->rank,
              cluster_host(ranks->cluster, ranks->rank));
  log_set_origin(strbuf_str(&origin));
  strbuf_done(&origin);
}

/* mpirun can give each process another command line.  A value may be a
 * password, so the warning has none. */
static void warn_of_arguments(const struct ranks *ranks, int argc, char **argv)
{
  for (int i = 1; i < argc || i < ranks->argc; i++) {
    const char *own = i < argc ? argv[i] : "";
    const char *theirs = i < ranks->argc ? ranks->argv[i] : "";

    if (strcmp(own, theirs) == 0)
      continue;
    if (*own == '\0')
      own = theirs;
    log_msg(LOG_WARNING,
            "the arguments of this process differ from those of process 0 "
            "('%.*s' is the first one): all processes use those of process 0",
            (int)strcspn(own, "="), own);
    return;
  }
}

static int receive(struct ranks *ranks, bool *ret_alone, bool *ret_go,
                   struct err *err)
{
  const void *bytes = NULL;
  size_t len = 0;
  int rc = cluster_plan(ranks->cluster, &bytes, &len, err);

  if (rc < 0)
    return rc;
  ranks->shared = true;
  return ranks_share_read(ranks, bytes, len, ret_alone, ret_go, err);
}

static int join(struct ranks *ranks, const struct launch *launch,
                struct err *err)
{
  const struct cluster_link *link = NULL;
  char folder[PATH_MAX];
  int rc;

  (void)beside_program(folder, ""); /* on failure it is "" */
  rc = engine_open(launch, folder, search_libdir(), &link, err);
  if (rc == 0)
    rc = cluster_join(&ranks->cluster, link, launch->size, PACKAGE_VERSION,
                      err);
  if (rc < 0) {
    if (err->text[0] != '\0')
      err_prefix(err,
                 "launched by %s as one of %u processes (--cluster=off lets "
                 "each do a run of its own)",
                 launch->engine, launch->size);
    return rc;
  }
  ranks->rank = cluster_rank(ranks->cluster);
  ranks->size = cluster_size(ranks->cluster);
  return 0;
}

int ranks_join(struct ranks **ret, int argc, char **argv, bool *ret_go,
               struct err *err)
{
  const struct launch launch = launch_find(getenv);
  struct ranks *ranks;
  bool alone = false;
  int rc;

  *ret = NULL;
  *ret_go = true;
  if (!launch.engine || wants_off(argc, argv))
    return 0;
  ranks = calloc(1, sizeof(*ranks));
  if (!ranks)
    return err_set(err, -ENOMEM, "not enough memory");
  if (launch.kills)
    ranks->keeper = keeper_leave_behind();
  rc = join(ranks, &launch, err);
  if (rc < 0) {
    free_ranks(ranks);
    return rc;
  }
  *ret = ranks;
  if (ranks->rank == 0) {
    ranks->argc = argc;
    ranks->argv = argv;
    ranks->token = (uint64_t)time(NULL) << 24 ^ (uint64_t)getpid();
  } else {
    be_quiet(ranks);
    rc = receive(ranks, &alone, ret_go, err);
    if (rc == 0 && alone) {
      log_set_text(NULL);
      log_set_origin("");
      (void)ranks_leave(ranks, 0);
      *ret = NULL;
      return 0;
    }
  }
  if (rc == 0 && *ret_go) {
    warn_of_binding(&launch);
    if (ranks->rank > 0)
      warn_of_arguments(ranks, argc, argv);
  }
  return rc;
}

static int record_file(struct ranks *ranks, const char *path, const char *text,
                       size_t len)
{
  struct ranks_file *more = realloc(ranks->files,
                                    (ranks->n_files + 1) * sizeof(*more));

  if (!more)
    return -ENOMEM;
  ranks->files = more;
  more[ranks->n_files] = (struct ranks_file){ .path = mem_strdup(path) };
  strbuf_add(&more[ranks->n_files].text, text, len);
  if (!more[ranks->n_files].path || more[ranks->n_files].text.failed)
    return -ENOMEM;
  ranks->n_files++;
  return 0;
}

int ranks_load(void *arg, const char *path, char **ret_text, size_t *ret_len)
{
  return ranks_load_as(arg, path, path, ret_text, ret_len);
}

int ranks_load_as(struct ranks *ranks, const char *name, const char *path,
                  char **ret_text, size_t *ret_len)
{
  int rc;

  if (ranks->rank == 0) {
    rc = opt_file_load(path, ret_text, ret_len);
    if (rc == 0) {
      rc = record_file(ranks, name, *ret_text, *ret_len);
      if (rc < 0)
        free(*ret_text);
    }
    return rc;
  }
  for (size_t i = 0; i < ranks->n_files; i++) {
    const struct ranks_file *f = &ranks->files[i];

    if (strcmp(f->path, name) != 0)
      continue;
    *ret_text = mem_strndup(strbuf_str(&f->text), f->text.len);
    *ret_len = f->text.len;
    return *ret_text ? 0 : -ENOMEM;
  }
  return -ENOENT;
}

static void say_who(const struct ranks *ranks, const struct plan *plan)
{
  const char *who = plan_worker_word(plan);
  const unsigned hosts = cluster_hosts(ranks->cluster);

  if (log_get_level() < LOG_NOTICE)
    return;
  log_flush();
  (void)fprintf(stderr,
                "cluster: %u processes on %u host%s (%s), %u %s%s each, "
                "%u %ss in all\n",
                ranks->size, hosts, hosts == 1 ? "" : "s",
                cluster_engine(ranks->cluster), plan->threads, who,
                plan->threads == 1 ? "" : "s", ranks->size * plan->threads,
                who);
}

int ranks_share(struct ranks *ranks, const struct resolved *what,
                const struct plan *plan, struct err *err)
{
  struct strbuf b = { 0 };
  int rc;

  if (!ranks || ranks->rank > 0)
    return 0;
  ranks->seed = plan->seed;
  if (what) {
    ranks->has_script = true;
    ranks->what = *what; /* borrowed */
  }
  ranks_share_write(ranks, SHARE_RUN, &b);
  rc = b.failed ? err_set(err, -ENOMEM, "not enough memory to share the plan")
                : cluster_share(ranks->cluster, strbuf_str(&b), b.len, err);
  strbuf_done(&b);
  ranks->shared = rc == 0;
  if (rc == 0)
    say_who(ranks, plan);
  return rc;
}

void ranks_let_go(struct ranks **ranks)
{
  struct strbuf b = { 0 };
  struct err ignored;

  ranks_share_write(*ranks, SHARE_ALONE, &b);
  (void)cluster_share((*ranks)->cluster, strbuf_str(&b), b.len, &ignored);
  strbuf_done(&b);
  (*ranks)->shared = true;
  (void)ranks_leave(*ranks, 0);
  *ranks = NULL;
}

int ranks_part(const struct ranks *ranks, unsigned threads,
               const struct peers *peers, struct plan_part *ret,
               struct err *err)
{
  struct split_threads all;

  if (split_threads(threads, ranks->rank, ranks->size, &all) < 0)
    return err_set(err, -ERANGE, "%u processes with --threads=%u are too many",
                   ranks->size, threads);
  *ret = (struct plan_part){
    .part = ranks->rank,
    .parts = ranks->size,
    .first_thread = all.first,
    .all_threads = all.all,
    .peers = peers,
    .seed = ranks->rank > 0 ? &ranks->seed : NULL,
  };
  return 0;
}

int ranks_leave(struct ranks *ranks, int status)
{
  struct strbuf b = { 0 };
  struct err ignored;
  int all;

  if (ranks->rank == 0 && !ranks->shared) {
    ranks_share_write(ranks, SHARE_END, &b);
    (void)cluster_share(ranks->cluster, strbuf_str(&b), b.len, &ignored);
    strbuf_done(&b);
  }
  if (ranks->rank == 0 && cluster_any_lost(ranks->cluster))
    log_msg(LOG_WARNING,
            "the run is over; if mpirun does not end, interrupt it: without "
            "the options in docs/cluster.md it can wait minutes for a machine "
            "that cannot be reached");
  log_flush();
  if (ranks->keeper > 0) {
    keeper_ignore_death(false);
    if (keeper_is_gone(
          ranks->keeper)) /* then the way to the launcher is gone, too */
      cluster_mark_lost(ranks->cluster, ranks->rank);
  }
  all = cluster_leave(ranks->cluster, status);
  /* The engine must see one status, and print one message about it. */
  if (ranks->rank > 0)
    all = 0;
  free_ranks(ranks);
  return all;
}
