#include "base/machine/processes.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine/cpu.h"
#include "base/minmax.h"
#include "base/os/os.h"

enum {
  PROCESSES_MAX = 4096, /* takes about 50 ms */
  KERNEL_THREAD = 0x00200000,
};

static const char *const mysql_servers[] = { "mariadbd", "mysqld",
                                             "tidb-server", "tikv-server",
                                             NULL };
static const char *const pgsql_servers[] = { "postgres", "postmaster",
                                             "cockroach", "yb-tserver", NULL };
static const char *const proxies[] = { "pgbouncer", "proxysql",    "maxscale",
                                       "pgcat",     "odyssey",     "pgpool",
                                       "haproxy",   "mysqlrouter", "vtgate",
                                       NULL };

static bool processes_is_one_of(const char *name, const char *const *list)
{
  while (*list && strcmp(*list, name) != 0)
    list++;
  return *list != NULL;
}

static bool processes_serves(const char *name, const char *driver)
{
  return processes_is_one_of(name, proxies) ||
         (strcmp(driver, "pgsql") != 0 &&
          processes_is_one_of(name, mysql_servers)) ||
         (strcmp(driver, "mysql") != 0 &&
          processes_is_one_of(name, pgsql_servers));
}

/* NULL: unknown, or only forwards. */
static const struct process *
processes_listener(const struct processes *n,
                   const struct tested_server *server)
{
  for (size_t i = 0; i < n->n && server->pid > 0; i++) {
    if (n->of[i].pid == server->pid)
      return processes_is_one_of(n->of[i].name, proxies) ? NULL : &n->of[i];
  }
  return NULL;
}

static struct process *processes_add(struct processes *n)
{
  struct process *more;

  if (n->n == n->room) {
    more = realloc(n->of, 2 * (n->room + 32) * sizeof(*more));
    if (!more)
      return NULL; /* not counted */
    n->of = more;
    n->room = 2 * (n->room + 32);
  }
  n->of[n->n] = (struct process){ 0 };
  return &n->of[n->n++];
}

/* 0 if negative; UINT64_MAX at the end. sscanf() takes most of a short run for
 * hundreds of lines. */
static uint64_t processes_next_number(const char **at)
{
  const char *p = *at + strspn(*at, " ");
  const bool negative = *p == '-';
  uint64_t n = 0;

  p += negative;
  if (!isdigit((unsigned char)*p))
    return UINT64_MAX;
  for (; isdigit((unsigned char)*p); p++)
    n = 10 * n + (uint64_t)(*p - '0');
  *at = p;
  return negative ? 0 : n;
}

/* Of /proc/PID/stat. Names can contain blanks and parentheses. */
static void processes_add_line(struct processes *n, int pid, char *line)
{
  enum {
    PARENT,
    FLAGS = 5,
    USER = 10,
    CHILD_SYSTEM = 13,
    FIELDS
  };
  const uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
  char *name = strchr(line, '('), *end = strrchr(line, ')');
  uint64_t field[FIELDS], ticks = 0;
  struct process *here;
  const char *at;

  if (!name || !end || end < name || strlen(end) < 4)
    return;
  *end = '\0';
  at = end + 3; /* behind the state */
  for (int i = 0; i < FIELDS; i++) {
    field[i] = processes_next_number(&at);
    if (field[i] == UINT64_MAX)
      return;
  }
  if (field[FLAGS] & KERNEL_THREAD)
    return;
  here = processes_add(n);
  if (!here)
    return;
  here->pid = pid;
  here->parent = (int)field[PARENT];
  (void)snprintf(here->name, sizeof(here->name), "%s", name + 1);
  for (int i = USER; i <= CHILD_SYSTEM; i++)
    ticks += field[i];
  here->used_ns = ticks * tick_ns;
}

static void processes_add_process(struct processes *n, int proc,
                                  const char *pid)
{
  char path[NAME_MAX + sizeof("/stat")], line[1024];
  ssize_t len;
  int fd;

  (void)snprintf(path, sizeof(path), "%s/stat", pid);
  fd = os_open(proc, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0)
    return;
  len = read(fd, line, sizeof(line) - 1);
  (void)close(fd);
  if (len <= 0)
    return;
  line[len] = '\0';
  processes_add_line(n, (int)strtol(pid, NULL, 10), line);
}

void processes_read(struct processes *ret, const char *root)
{
  const long self = (long)getpid();
  char path[PATH_MAX];
  struct dirent *e;
  unsigned seen = 0;
  DIR *dir;

  *ret = (struct processes){ 0 };
  (void)snprintf(path, sizeof(path), "%s/proc", root);
  dir = opendir(path);
  while (dir && (e = readdir(dir)) != NULL) {
    if (!isdigit((unsigned char)e->d_name[0]) ||
        strtol(e->d_name, NULL, 10) == self)
      continue;
    if (++seen > PROCESSES_MAX) {
      processes_done(ret);
      break;
    }
    processes_add_process(ret, dirfd(dir), e->d_name);
  }
  if (dir)
    (void)closedir(dir);
}

void processes_done(struct processes *n)
{
  free(n->of);
  *n = (struct processes){ 0 };
}

/* The processes of one name, of the server or others. */
struct sum {
  const char *name;
  bool serves;
  uint64_t before_ns, after_ns;
};

struct sums {
  const struct tested_server *server;
  const struct process *listener;
  struct sum *of; /* owned */
  size_t n;
};

static void sum_up(struct sums *s, const struct processes *n, bool after)
{
  const struct tested_server *server = s->server;

  for (size_t i = 0; i < n->n; i++) {
    const struct process *p = &n->of[i];
    const bool is_server = server->here &&
                           (s->listener
                              ? p->pid == server->pid ||
                                  p->parent == server->pid
                              : server->driver &&
                                  processes_serves(p->name, server->driver));
    struct sum *to = s->of;

    while (to < s->of + s->n &&
           (to->serves != is_server || strcmp(to->name, p->name) != 0))
      to++;
    if (to == s->of + s->n)
      s->of[s->n++] = (struct sum){ .name = p->name, .serves = is_server };
    *(after ? &to->after_ns : &to->before_ns) += p->used_ns;
  }
}

void processes_between(const struct processes *before,
                       const struct processes *after,
                       const struct tested_server *server, const char *own_name,
                       struct machine_use *ret)
{
  struct sums s = { .server = server,
                    .listener = processes_listener(after, server) };
  uint64_t most_server = 0, max = 0;

  if (before->n == 0 || after->n == 0)
    return;
  s.of = calloc(before->n + after->n, sizeof(*s.of));
  if (!s.of)
    return;
  sum_up(&s, before, false);
  sum_up(&s, after, true);
  for (size_t i = 0; i < s.n; i++) {
    const struct sum *sum = &s.of[i];
    const uint64_t used = grown_u64(sum->after_ns, sum->before_ns);

    if (sum->serves) {
      ret->server_ns += used;
      if (used > most_server)
        (void)snprintf(ret->server, sizeof(ret->server), "%s", sum->name);
      most_server = used > most_server ? used : most_server;
      continue;
    }
    if (strcmp(sum->name, own_name) == 0)
      ret->sibling_ns += used;
    if (used > max)
      (void)snprintf(ret->busiest, sizeof(ret->busiest), "%s", sum->name);
    max = used > max ? used : max;
  }
  free(s.of);
}
