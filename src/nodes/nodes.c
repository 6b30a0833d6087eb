#include "nodes/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/beside.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "lua/find/search.h"
#include "nodes/cluster.h"
#include "nodes/engine.h"
#include "nodes/keeper.h"
#include "nodes/pack.h"
#include "nodes/post.h"
#include "opt/file.h"
#include "run/peers.h"
#include "run/plan.h"

/* ---- meetings ---- */

/*
 * After a signal: the launcher sends SIGTERM to all ranks when interrupted or
 * when a rank has died, and kills a second later. The others wait a little
 * longer than rank 0.
 */
#define FIRST_PATIENCE_NS (700 * NS_PER_MS)
#define OTHERS_PATIENCE_NS (850 * NS_PER_MS)

static struct cluster *peers_cluster_of(void *ctx)
{
  return ((struct nodes *)ctx)->cluster;
}

/* On the thread of the post. */
static void peers_stop_arrived(void *arg, const struct post_message *l)
{
  const struct peers_listener *listener = arg;
  int32_t number = 0;

  if (l->len == sizeof(number))
    memcpy(&number, l->bytes, sizeof(number));
  listener->stopped(listener->arg, number);
}

static void peers_on_listen(void *ctx, const struct peers_listener *listener)
{
  struct nodes *ranks = ctx;

  ranks->events = (struct post_events){
    .arg = (void *)(uintptr_t)listener,
    .stop = peers_stop_arrived,
  };
  post_listen(cluster_post(ranks->cluster), listener ? &ranks->events : NULL);
}

static int peers_on_start(void *ctx, bool ready, uint64_t *ret_ns,
                          struct err *err)
{
  return cluster_start(peers_cluster_of(ctx), ready, ret_ns, err);
}

static void peers_on_started(void *ctx, uint64_t now_ns)
{
  cluster_started(peers_cluster_of(ctx), now_ns);
}

static void peers_on_stop(void *ctx, int signal)
{
  struct nodes *ranks = ctx;

  cluster_tell_stop(ranks->cluster, signal);
  if (signal != 0)
    post_hurry(cluster_post(ranks->cluster),
               clock_now_ns() +
                 (ranks->rank == 0 ? FIRST_PATIENCE_NS : OTHERS_PATIENCE_NS));
}

static void peers_on_finish(void *ctx)
{
  cluster_finish(peers_cluster_of(ctx));
}

static void peers_mark_name(const struct nodes *ranks, const char *folder,
                            unsigned rank, struct strbuf *out)
{
  strbuf_clear(out);
  strbuf_addf(out, "%s/.bench-%llx-%u", folder[0] != '\0' ? folder : ".",
              (unsigned long long)ranks->token, rank);
}

/* Ranks that see each other's marks share the folder. */
static void peers_on_divide_folder(void *ctx, const char *folder,
                                   unsigned *ret_part, unsigned *ret_parts)
{
  struct nodes *ranks = ctx;
  struct strbuf name = { 0 };
  int fd;

  *ret_part = 0;
  *ret_parts = 1;
  peers_mark_name(ranks, folder, ranks->rank, &name);
  fd = open(strbuf_str(&name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  cluster_meet(ranks->cluster);
  for (unsigned i = 0; fd >= 0 && i < ranks->size; i++) {
    if (i == ranks->rank)
      continue;
    peers_mark_name(ranks, folder, i, &name);
    if (access(strbuf_str(&name), F_OK) < 0)
      continue;
    ++*ret_parts;
    *ret_part += i < ranks->rank;
  }
  cluster_meet(ranks->cluster);
  if (fd >= 0) {
    peers_mark_name(ranks, folder, ranks->rank, &name);
    (void)close(fd);
    (void)unlink(strbuf_str(&name));
  }
  strbuf_done(&name);
}

_Static_assert((int)PEERS_GONE == (int)CLUSTER_GONE, "the same word");

static void peers_on_vote(void *ctx, unsigned char own, unsigned char *all)
{
  cluster_vote(peers_cluster_of(ctx), own, all);
}

void nodes_peers_init(struct peers *peers, struct nodes *ranks)
{
  *peers = (struct peers){
    .ctx = ranks,
    .listen = peers_on_listen,
    .start = peers_on_start,
    .started = peers_on_started,
    .stop = peers_on_stop,
    .finish = peers_on_finish,
    .divide_folder = peers_on_divide_folder,
    .vote = peers_on_vote,
  };
}

/* Before the command line is parsed: a rank alone must not wait. */
static bool nodes_wants_off(int argc, char **argv)
{
  bool off = false;

  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--cluster=", 10) == 0)
      off = strcmp(argv[i] + 10, "off") == 0;
  }
  return off;
}

static void nodes_warn_of_binding(const struct launch *launch)
{
  unsigned all;
  const unsigned own = engine_bound_cpus(launch, &all);

  if (own > 0)
    log_msg(LOG_WARNING,
            "mpirun has bound this process to %u of %u CPUs; threads "
            "need all of them: mpirun --bind-to none",
            own, all);
}

static void nodes_free_ranks(struct nodes *ranks)
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
  mem_free_secret(ranks->password);
  free(ranks);
}

/* Messages name their rank; only rank 0 prints text. */
static void nodes_be_quiet(const struct nodes *ranks)
{
  FILE *nowhere = fopen("/dev/null", "we");
  struct strbuf origin = { 0 };

  if (nowhere) /* else there are two reports */
    log_set_text(nowhere);
  strbuf_addf(&origin, "process %u on %s: ", ranks->rank,
              cluster_host(ranks->cluster, ranks->rank));
  log_set_origin(strbuf_str(&origin));
  strbuf_done(&origin);
}

/* By mpirun. A value can be a password, and is not shown. */
static void nodes_warn_of_arguments(const struct nodes *ranks, int argc,
                                    char **argv)
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

static int nodes_receive(struct nodes *ranks, bool *ret_alone, bool *ret_go,
                         struct err *err)
{
  const void *bytes = NULL;
  size_t len = 0;
  int rc = cluster_plan(ranks->cluster, &bytes, &len, err);

  if (rc < 0)
    return rc;
  ranks->shared = true;
  return nodes_share_read(ranks, bytes, len, ret_alone, ret_go, err);
}

static int nodes_join_run(struct nodes *ranks, const struct launch *launch,
                          struct err *err)
{
  const struct cluster_link *link = NULL;
  char folder[PATH_MAX];
  int rc;

  (void)beside_program(folder, ""); /* "" on failure */
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

int nodes_join(struct nodes **ret, int argc, char **argv, bool *ret_go,
               struct err *err)
{
  const struct launch launch = launch_find(getenv);
  struct nodes *ranks;
  bool alone = false;
  int rc;

  *ret = NULL;
  *ret_go = true;
  if (!launch.engine || nodes_wants_off(argc, argv))
    return 0;
  ranks = calloc(1, sizeof(*ranks));
  if (!ranks)
    return err_set(err, -ENOMEM, "not enough memory");
  if (launch.kills)
    ranks->keeper = keeper_leave_behind();
  rc = nodes_join_run(ranks, &launch, err);
  if (rc < 0) {
    nodes_free_ranks(ranks);
    return rc;
  }
  *ret = ranks;
  if (ranks->rank == 0) {
    ranks->argc = argc;
    ranks->argv = argv;
    ranks->token = (uint64_t)time(NULL) << 24 ^ (uint64_t)getpid();
  } else {
    nodes_be_quiet(ranks);
    rc = nodes_receive(ranks, &alone, ret_go, err);
    if (rc == 0 && alone) {
      log_set_text(NULL);
      log_set_origin("");
      (void)nodes_leave(ranks, 0);
      *ret = NULL;
      return 0;
    }
  }
  if (rc == 0 && *ret_go) {
    nodes_warn_of_binding(&launch);
    if (ranks->rank > 0)
      nodes_warn_of_arguments(ranks, argc, argv);
  }
  return rc;
}

static int nodes_record_file(struct nodes *ranks, const char *path,
                             const char *text, size_t len)
{
  struct nodes_file *more = realloc(ranks->files,
                                    (ranks->n_files + 1) * sizeof(*more));

  if (!more)
    return -ENOMEM;
  ranks->files = more;
  more[ranks->n_files] = (struct nodes_file){ .path = mem_strdup(path) };
  strbuf_add(&more[ranks->n_files].text, text, len);
  if (!more[ranks->n_files].path || more[ranks->n_files].text.failed)
    return -ENOMEM;
  ranks->n_files++;
  return 0;
}

int nodes_load(void *arg, const char *path, char **ret_text, size_t *ret_len)
{
  return nodes_load_as(arg, path, path, ret_text, ret_len);
}

int nodes_load_as(struct nodes *ranks, const char *name, const char *path,
                  char **ret_text, size_t *ret_len)
{
  int rc;

  if (ranks->rank == 0) {
    rc = opt_file_load(path, ret_text, ret_len);
    if (rc == 0) {
      rc = nodes_record_file(ranks, name, *ret_text, *ret_len);
      if (rc < 0)
        free(*ret_text);
    }
    return rc;
  }
  for (size_t i = 0; i < ranks->n_files; i++) {
    const struct nodes_file *f = &ranks->files[i];

    if (strcmp(f->path, name) != 0)
      continue;
    *ret_text = mem_strndup(strbuf_str(&f->text), f->text.len);
    *ret_len = f->text.len;
    return *ret_text ? 0 : -ENOMEM;
  }
  return -ENOENT;
}

static void nodes_say_who(const struct nodes *ranks, const struct plan *plan)
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

static int nodes_send(struct nodes *ranks, enum share_kind kind,
                      struct err *err)
{
  struct strbuf b = { 0 };
  int rc;

  nodes_share_write(ranks, kind, &b);
  rc = b.failed ? err_set(err, -ENOMEM, "not enough memory to share the plan")
                : cluster_share(ranks->cluster, strbuf_str(&b), b.len, err);
  strbuf_done(&b);
  ranks->shared = rc == 0;
  return rc;
}

int nodes_share(struct nodes *ranks, const struct resolved *what,
                const struct plan *plan, struct err *err)
{
  int rc;

  if (!ranks || ranks->rank > 0)
    return 0;
  ranks->seed = plan->seed;
  if (what) {
    ranks->has_script = true;
    ranks->what = *what; /* borrowed */
  }
  rc = nodes_send(ranks, SHARE_RUN, err);
  if (rc == 0)
    nodes_say_who(ranks, plan);
  return rc;
}

void nodes_let_go(struct nodes **ranks)
{
  struct err ignored;

  (void)nodes_send(*ranks, SHARE_ALONE, &ignored);
  (*ranks)->shared = true;
  (void)nodes_leave(*ranks, 0);
  *ranks = NULL;
}

int nodes_part(const struct nodes *ranks, unsigned threads,
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

int nodes_leave(struct nodes *ranks, int status)
{
  struct err ignored;
  int all;

  if (ranks->rank == 0 && !ranks->shared)
    (void)nodes_send(ranks, SHARE_END, &ignored);
  if (ranks->rank == 0 && cluster_any_lost(ranks->cluster))
    log_msg(LOG_WARNING,
            "the run is over; if mpirun does not end, interrupt it: without "
            "the options in docs/cluster.md it can wait minutes for a machine "
            "that cannot be reached");
  log_flush();
  if (ranks->keeper > 0) {
    keeper_ignore_death(false);
    if (keeper_is_gone(ranks->keeper)) /* the launcher cannot be reached */
      cluster_mark_lost(ranks->cluster, ranks->rank);
  }
  all = cluster_leave(ranks->cluster, status);
  /* The engine must see one status. */
  if (ranks->rank > 0)
    all = 0;
  nodes_free_ranks(ranks);
  return all;
}

/* Folders belong to each machine. */
static const char *const shared_names[] = { "BENCH_COMPAT", "BENCH_DSN",
                                            "LUA_PATH" };
static const char *const shared_prefixes[] = { "BENCH_MYSQL_", "BENCH_PGSQL_",
                                               "PG", "MYSQL_" };

/* NAME=VALUE. Entries without a value, which exec() allows, cannot be unset. */
static bool nodes_share_is_shared(const char *entry)
{
  const size_t len = strcspn(entry, "=");

  if (entry[len] == '\0')
    return false;
  for (size_t i = 0; i < ARRAY_SIZE(shared_names); i++) {
    if (strlen(shared_names[i]) == len &&
        strncmp(entry, shared_names[i], len) == 0)
      return true;
  }
  for (size_t i = 0; i < ARRAY_SIZE(shared_prefixes); i++) {
    if (strncmp(entry, shared_prefixes[i], strlen(shared_prefixes[i])) == 0)
      return true;
  }
  return false;
}

static void nodes_share_write_environment(struct strbuf *out)
{
  uint64_t n = 0;

  for (char **e = environ; *e; e++)
    n += nodes_share_is_shared(*e);
  pack_u64(out, n);
  for (char **e = environ; *e; e++) {
    if (nodes_share_is_shared(*e))
      pack_text(out, *e);
  }
}

/* `text` may be NULL. */
static void nodes_share_pack_opt_text(struct strbuf *out, const char *text)
{
  pack_u64(out, text != NULL);
  if (text)
    pack_text(out, text);
}

static void nodes_share_write_script(const struct nodes *ranks,
                                     struct strbuf *out)
{
  const struct resolved *w = &ranks->what;

  pack_u64(out, ranks->has_script);
  if (!ranks->has_script)
    return;
  pack_u64(out, (uint64_t)w->kind);
  nodes_share_pack_opt_text(out, w->path);
  nodes_share_pack_opt_text(out, w->script_path);
  nodes_share_pack_opt_text(out, w->module);
  nodes_share_pack_opt_text(out, w->folder);
  nodes_share_pack_opt_text(out, w->short_name);
  pack_bytes(out, strbuf_str(&ranks->bundle.script), ranks->bundle.script.len);
  pack_u64(out, ranks->bundle.n);
  for (size_t i = 0; i < ranks->bundle.n; i++) {
    const struct bundle_module *m = &ranks->bundle.of[i];

    pack_text(out, m->name);
    pack_text(out, m->path);
    pack_bytes(out, strbuf_str(&m->text), m->text.len);
  }
}

void nodes_share_write(const struct nodes *ranks, enum share_kind kind,
                       struct strbuf *out)
{
  pack_u64(out, (uint64_t)kind);
  if (kind != SHARE_RUN)
    return;
  pack_u64(out, ranks->seed);
  pack_u64(out, ranks->token);
  pack_u64(out, (uint64_t)ranks->argc);
  for (int i = 0; i < ranks->argc; i++)
    pack_text(out, ranks->argv[i]);
  nodes_share_write_environment(out);
  nodes_share_pack_opt_text(out, ranks->password);
  pack_u64(out, ranks->n_files);
  for (size_t i = 0; i < ranks->n_files; i++) {
    pack_text(out, ranks->files[i].path);
    pack_bytes(out, strbuf_str(&ranks->files[i].text),
               ranks->files[i].text.len);
  }
  nodes_share_write_script(ranks, out);
}

/* Owned by the caller; NULL sets u->failed. */
static char *nodes_share_read_text(struct unpack *u)
{
  size_t len;
  const char *at = unpack_bytes(u, &len);
  char *text = u->failed ? NULL : mem_strndup(at, len);

  if (!text)
    u->failed = true;
  return text;
}

static char *nodes_share_read_opt_text(struct unpack *u)
{
  return unpack_u64(u) == 1 ? nodes_share_read_text(u) : NULL;
}

/* Each item takes a byte at least. */
static size_t nodes_share_read_count(struct unpack *u)
{
  const uint64_t n = unpack_u64(u);

  if (n <= (size_t)(u->end - u->at))
    return (size_t)n;
  u->failed = true;
  return 0;
}

static void nodes_share_read_arguments(struct nodes *ranks, struct unpack *u)
{
  const size_t n = nodes_share_read_count(u);

  ranks->argv = calloc(n + 1, sizeof(*ranks->argv));
  if (!ranks->argv)
    u->failed = true;
  for (size_t i = 0; i < n && !u->failed; i++) {
    ranks->argv[i] = nodes_share_read_text(u);
    ranks->argc += ranks->argv[i] != NULL;
  }
}

static void nodes_share_forget_own(void)
{
  for (char **e = environ; *e;) {
    char *name;

    if (!nodes_share_is_shared(*e)) {
      e++;
      continue;
    }
    name = mem_strndup(*e, strcspn(*e, "="));
    if (!name || unsetenv(name) < 0)
      e++;
    else
      e = environ; /* unsetenv() moves entries */
    free(name);
  }
}

static void nodes_share_read_environment(struct unpack *u)
{
  const size_t n = nodes_share_read_count(u);

  nodes_share_forget_own();
  for (size_t i = 0; i < n && !u->failed; i++) {
    char *entry = nodes_share_read_text(u);
    char *equals = entry ? strchr(entry, '=') : NULL;

    if (equals) {
      *equals = '\0';
      if (setenv(entry, equals + 1, 1) < 0)
        u->failed = true;
    }
    free(entry);
  }
}

static void nodes_share_read_files(struct nodes *ranks, struct unpack *u)
{
  const size_t n = nodes_share_read_count(u);

  ranks->files = calloc(n + 1, sizeof(*ranks->files));
  if (!ranks->files)
    u->failed = true;
  for (size_t i = 0; i < n && !u->failed; i++) {
    struct nodes_file *f = &ranks->files[ranks->n_files++];
    const void *bytes;
    size_t len;

    f->path = nodes_share_read_text(u);
    bytes = unpack_bytes(u, &len);
    strbuf_add(&f->text, bytes, len);
    u->failed |= f->text.failed;
  }
}

static void nodes_share_read_modules(struct nodes *ranks, struct unpack *u)
{
  const size_t n = nodes_share_read_count(u);

  for (size_t i = 0; i < n && !u->failed; i++) {
    char *name = nodes_share_read_text(u), *path = nodes_share_read_text(u);
    size_t len;
    const void *bytes = unpack_bytes(u, &len);

    if (u->failed || bundle_add(&ranks->bundle, name, path, bytes, len) < 0)
      u->failed = true;
    free(name);
    free(path);
  }
}

static void nodes_share_read_script(struct nodes *ranks, struct unpack *u)
{
  struct resolved *w = &ranks->what;
  const void *bytes;
  size_t len;

  ranks->has_script = unpack_u64(u) == 1;
  if (!ranks->has_script)
    return;
  w->kind = (enum resolve_kind)unpack_u64(u);
  w->path = nodes_share_read_opt_text(u);
  w->script_path = nodes_share_read_opt_text(u);
  w->module = nodes_share_read_opt_text(u);
  w->folder = nodes_share_read_opt_text(u);
  w->short_name = nodes_share_read_opt_text(u);
  bytes = unpack_bytes(u, &len);
  strbuf_add(&ranks->bundle.script, bytes, len);
  nodes_share_read_modules(ranks, u);
}

int nodes_share_read(struct nodes *ranks, const void *bytes, size_t len,
                     bool *ret_alone, bool *ret_go, struct err *err)
{
  struct unpack u = unpack_start(bytes, len);
  const uint64_t kind = unpack_u64(&u);

  *ret_go = kind == SHARE_RUN;
  *ret_alone = kind == SHARE_ALONE;
  if (kind == SHARE_ALONE)
    *ret_go = true;
  if (kind != SHARE_RUN)
    return 0;
  ranks->seed = unpack_u64(&u);
  ranks->token = unpack_u64(&u);
  nodes_share_read_arguments(ranks, &u);
  nodes_share_read_environment(&u);
  ranks->password = nodes_share_read_opt_text(&u);
  nodes_share_read_files(ranks, &u);
  nodes_share_read_script(ranks, &u);
  if (u.failed || ranks->bundle.script.failed)
    return err_set(err, -EPROTO, "what process 0 has sent cannot be read");
  return 0;
}

int split_threads(unsigned threads, unsigned rank, unsigned ranks,
                  struct split_threads *ret)
{
  unsigned all;

  if (__builtin_mul_overflow(threads, ranks, &all) || all > INT_MAX)
    return -ERANGE;
  ret->all = all;
  ret->first = rank * threads;
  return 0;
}
