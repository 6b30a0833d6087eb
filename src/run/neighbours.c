/*
 * neighbours.c - which other programs used the processors.
 */
#include "run/neighbours.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "report/life.h"

enum {
  PROCESSES_MAX = 4096, /* takes about 50 ms */
  KERNEL_THREAD = 0x00200000,
};

/* Programs that answer statements, or forward them. */
static const char *const servers[] = {
  "mariadbd",    "mysqld",    "postgres",    "postmaster",
  "tidb-server", "cockroach", "pgbouncer",   "proxysql",
  "maxscale",    "pgcat",     "tikv-server", "yb-tserver",
};

static bool is_server(const char *name)
{
  for (size_t i = 0; i < sizeof(servers) / sizeof(servers[0]); i++) {
    if (strcmp(servers[i], name) == 0)
      return true;
  }
  return false;
}

static struct neighbour *find(const struct neighbours *n, const char *name)
{
  for (size_t i = 0; i < n->n; i++) {
    if (strcmp(n->of[i].name, name) == 0)
      return &n->of[i];
  }
  return NULL;
}

static void add(struct neighbours *n, const char *name, uint64_t used_ns)
{
  struct neighbour *here = find(n, name), *more;

  if (!here) {
    more = realloc(n->of, (n->n + 1) * sizeof(*more));
    if (!more)
      return; /* then it is not named */
    n->of = more;
    here = &n->of[n->n++];
    *here = (struct neighbour){ 0 };
    (void)snprintf(here->name, sizeof(here->name), "%s", name);
  }
  here->used_ns += used_ns;
}

/* Read a line of /proc/PID/stat.  Names may contain blanks and parentheses. */
static void add_line(struct neighbours *n, char *line)
{
  const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
  char *name = strchr(line, '('), *end = strrchr(line, ')');
  unsigned long long user, system;
  long long child_user, child_system;
  unsigned flags;

  if (!name || !end || end < name)
    return;
  *end = '\0';
  if (sscanf(end + 1,
             " %*c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %lld %lld",
             &flags, &user, &system, &child_user, &child_system) != 5 ||
      flags & KERNEL_THREAD)
    return;
  add(n, name + 1,
      (user + system + (unsigned long long)(child_user + child_system)) *
        tick_ns);
}

static void add_process(struct neighbours *n, const char *root, const char *pid)
{
  char path[PATH_MAX], line[1024];
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s/proc/%s/stat", root, pid);
  f = fopen(path, "re");
  if (!f)
    return;
  if (fgets(line, sizeof(line), f))
    add_line(n, line);
  (void)fclose(f);
}

void neighbours_read(struct neighbours *ret, const char *root)
{
  const long self = (long)getpid();
  char path[PATH_MAX];
  struct dirent *e;
  unsigned seen = 0;
  DIR *dir;

  *ret = (struct neighbours){ 0 };
  (void)snprintf(path, sizeof(path), "%s/proc", root);
  dir = opendir(path);
  while (dir && (e = readdir(dir)) != NULL) {
    if (!isdigit((unsigned char)e->d_name[0]) ||
        strtol(e->d_name, NULL, 10) == self)
      continue;
    if (++seen > PROCESSES_MAX) {
      neighbours_done(ret);
      break;
    }
    add_process(ret, root, e->d_name);
  }
  if (dir)
    (void)closedir(dir);
}

void neighbours_done(struct neighbours *n)
{
  free(n->of);
  *n = (struct neighbours){ 0 };
}

void neighbours_between(const struct neighbours *before,
                        const struct neighbours *after, const char *own_name,
                        struct machine_use *ret)
{
  uint64_t most_server = 0, max = 0;

  for (size_t i = 0; i < after->n && before->n > 0; i++) {
    const struct neighbour *now = &after->of[i];
    const struct neighbour *then = find(before, now->name);
    const uint64_t base = then ? then->used_ns : 0;
    const uint64_t used = now->used_ns > base ? now->used_ns - base : 0;

    if (is_server(now->name)) {
      ret->server_ns += used;
      if (used > most_server)
        (void)snprintf(ret->server, sizeof(ret->server), "%s", now->name);
      most_server = used > most_server ? used : most_server;
      continue;
    }
    if (strcmp(now->name, own_name) == 0)
      ret->sibling_ns += used;
    if (used > max)
      (void)snprintf(ret->busiest, sizeof(ret->busiest), "%s", now->name);
    max = used > max ? used : max;
  }
}
