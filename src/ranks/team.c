/*
 * team.c - joining a team, the share of a process, and parting.
 */
#include "ranks/team.h"

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
#include "lua/search.h"
#include "opt/file.h"
#include "ranks/share.h"
#include "run/plan.h"

/* What the command line says before it is parsed: a process that was told to
 * go alone must not wait for others. */
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

static void free_team(struct team *team)
{
  for (size_t i = 0; i < team->n_files; i++) {
    free(team->files[i].path);
    strbuf_done(&team->files[i].text);
  }
  free(team->files);
  if (team->rank > 0) {
    for (int i = 0; i < team->argc; i++)
      free(team->argv[i]);
    free(team->argv);
    resolved_done(&team->what);
  }
  bundle_done(&team->bundle);
  free(team);
}

/* What the others say names them; their text is that of process 0. */
static void be_quiet(const struct team *team)
{
  FILE *nowhere = fopen("/dev/null", "we");
  struct strbuf origin = { 0 };

  if (nowhere) /* else there are two reports */
    log_set_text(nowhere);
  strbuf_addf(&origin, "process %u on %s: ", team->rank,
              cluster_host(team->cluster, team->rank));
  log_set_origin(strbuf_str(&origin));
  strbuf_done(&origin);
}

static int receive(struct team *team, bool *ret_alone, bool *ret_go,
                   struct err *err)
{
  const void *bytes;
  size_t len;
  int rc = cluster_plan(team->cluster, &bytes, &len, err);

  if (rc < 0)
    return rc;
  team->shared = true;
  return share_read(team, bytes, len, ret_alone, ret_go, err);
}

static int join(struct team *team, const struct launch *launch, struct err *err)
{
  const struct cluster_link *link;
  char folder[PATH_MAX];
  int rc;

  (void)beside_program(folder, ""); /* or "" */
  rc = engine_open(folder, search_libdir(), &link, err);
  if (rc == 0)
    rc = cluster_join(&team->cluster, link, launch->size, PACKAGE_VERSION, err);
  if (rc < 0) {
    if (err->text[0] != '\0')
      err_prefix(err,
                 "launched by %s as one of %u processes (--cluster=off lets "
                 "each do a run of its own)",
                 launch->engine, launch->size);
    return rc;
  }
  team->rank = cluster_rank(team->cluster);
  team->size = cluster_size(team->cluster);
  return 0;
}

int team_join(struct team **ret, int argc, char **argv, bool *ret_go,
              struct err *err)
{
  const struct launch launch = launch_find(getenv);
  struct team *team;
  bool alone = false;
  int rc;

  *ret = NULL;
  *ret_go = true;
  if (!launch.engine || wants_off(argc, argv))
    return 0;
  team = calloc(1, sizeof(*team));
  if (!team)
    return err_set(err, -ENOMEM, "not enough memory");
  if (launch.kills)
    team->keeper = keeper_leave_behind();
  rc = join(team, &launch, err);
  if (rc < 0) {
    free_team(team);
    return rc;
  }
  *ret = team;
  if (team->rank == 0) {
    team->argc = argc;
    team->argv = argv;
    team->token = (uint64_t)time(NULL) << 24 ^ (uint64_t)getpid();
  } else {
    be_quiet(team);
    rc = receive(team, &alone, ret_go, err);
    if (rc == 0 && alone) {
      log_set_text(NULL);
      log_set_origin("");
      (void)team_leave(team, 0);
      *ret = NULL;
      return 0;
    }
  }
  if (rc == 0 && *ret_go)
    warn_of_binding(&launch);
  return rc;
}

static int record_file(struct team *team, const char *path, const char *text,
                       size_t len)
{
  struct team_file *more = realloc(team->files,
                                   (team->n_files + 1) * sizeof(*more));

  if (!more)
    return -ENOMEM;
  team->files = more;
  more[team->n_files] = (struct team_file){ .path = mem_strdup(path) };
  strbuf_add(&more[team->n_files].text, text, len);
  if (!more[team->n_files].path || more[team->n_files].text.failed)
    return -ENOMEM;
  team->n_files++;
  return 0;
}

int team_load(void *arg, const char *path, char **ret_text, size_t *ret_len)
{
  struct team *team = arg;
  int rc;

  if (team->rank == 0) {
    rc = opt_file_load(path, ret_text, ret_len);
    if (rc == 0) {
      rc = record_file(team, path, *ret_text, *ret_len);
      if (rc < 0)
        free(*ret_text);
    }
    return rc;
  }
  for (size_t i = 0; i < team->n_files; i++) {
    const struct team_file *f = &team->files[i];

    if (strcmp(f->path, path) != 0)
      continue;
    *ret_text = mem_strndup(strbuf_str(&f->text), f->text.len);
    *ret_len = f->text.len;
    return *ret_text ? 0 : -ENOMEM;
  }
  return -ENOENT;
}

static void say_who(const struct team *team, unsigned threads)
{
  const unsigned hosts = cluster_hosts(team->cluster);

  if (log_get_level() < LOG_NOTICE)
    return;
  log_flush();
  (void)fprintf(stderr,
                "cluster: %u processes on %u host%s (%s), %u thread%s each, "
                "%u threads in all\n",
                team->size, hosts, hosts == 1 ? "" : "s",
                cluster_engine(team->cluster), threads, threads == 1 ? "" : "s",
                team->size * threads);
}

int team_share(struct team *team, const struct resolved *what,
               const struct plan *plan, struct err *err)
{
  struct strbuf b = { 0 };
  int rc;

  if (!team || team->rank > 0)
    return 0;
  team->seed = plan->seed;
  if (what) {
    team->has_script = true;
    team->what = *what; /* borrowed */
  }
  share_write(team, SHARE_RUN, &b);
  rc = b.failed ? err_set(err, -ENOMEM, "not enough memory to share the plan")
                : cluster_share(team->cluster, strbuf_str(&b), b.len, err);
  strbuf_done(&b);
  team->shared = rc == 0;
  if (rc == 0)
    say_who(team, plan->threads);
  return rc;
}

void team_let_go(struct team **team)
{
  struct strbuf b = { 0 };
  struct err ignored;

  share_write(*team, SHARE_ALONE, &b);
  (void)cluster_share((*team)->cluster, strbuf_str(&b), b.len, &ignored);
  strbuf_done(&b);
  (*team)->shared = true;
  (void)team_leave(*team, 0);
  *team = NULL;
}

int team_divide(const struct team *team, struct plan *plan, struct err *err)
{
  struct split_threads threads;

  if (split_threads(plan->threads, team->rank, team->size, &threads) < 0)
    return err_set(err, -ERANGE, "%u processes with --threads=%u are too many",
                   team->size, plan->threads);
  plan->first_thread = threads.first;
  plan->all_threads = threads.all;
  plan->part = team->rank;
  plan->parts = team->size;
  plan->rate /= team->size;
  if (plan->events != PLAN_NO_LIMIT)
    plan->events = split_count(plan->events, team->rank, team->size);
  if (team->rank > 0)
    plan->seed = team->seed;
  return 0;
}

int team_leave(struct team *team, int status)
{
  struct strbuf b = { 0 };
  struct err ignored;
  int all;

  if (team->rank == 0 && !team->shared) {
    share_write(team, SHARE_END, &b);
    (void)cluster_share(team->cluster, strbuf_str(&b), b.len, &ignored);
    strbuf_done(&b);
  }
  log_flush();
  if (team->keeper > 0) {
    keeper_ignore_death(false);
    if (keeper_is_gone(team->keeper)) /* and so is the way to the launcher */
      cluster_mark_lost(team->cluster, team->rank);
  }
  all = cluster_leave(team->cluster, status);
  /* The engine shall see one status, and one message of it. */
  if (team->rank > 0)
    all = 0;
  free_team(team);
  return all;
}
