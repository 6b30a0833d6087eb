#include "monitor/local.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sock.h"
#include "monitor/reading.h"

enum {
  CHILDREN_MAX = 1024, /* the rest is left out */
  WAITS_MAX = 256,     /* with more threads, none */
  LISTENING = 10       /* state in /proc/net/tcp */
};

typedef unsigned long long count; /* for scanf() */

/* ---- which process ---- */

/* Of the listening socket; 0: none. */
static count listener_in(const char *file, unsigned port)
{
  FILE *f = fopen(file, "re");
  char line[512];
  count found = 0;

  while (f && found == 0 && fgets(line, sizeof(line), f)) {
    unsigned here, state;
    count inode;

    if (sscanf(line,
               " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*u "
               "%*u %llu",
               &here, &state, &inode) == 3 &&
        here == port && state == LISTENING)
      found = inode;
  }
  if (f)
    (void)fclose(f);
  return found;
}

static bool local_has_socket(const char *pid, count inode)
{
  char path[PATH_MAX], wanted[64], link[64];
  struct dirent *e;
  bool found = false;
  DIR *dir;

  (void)snprintf(wanted, sizeof(wanted), "socket:[%llu]", inode);
  (void)snprintf(path, sizeof(path), "/proc/%s/fd", pid);
  dir = opendir(path);
  while (dir && !found && (e = readdir(dir)) != NULL) {
    const ssize_t n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link) - 1);

    if (n > 0) {
      link[n] = '\0';
      found = strcmp(link, wanted) == 0;
    }
  }
  if (dir)
    (void)closedir(dir);
  return found;
}

/* The lowest pid that has it: children inherit. */
static pid_t local_owner_of(count inode)
{
  DIR *dir = opendir("/proc");
  struct dirent *e;
  long found = 0;

  while (dir && (e = readdir(dir)) != NULL) {
    const long pid = isdigit((unsigned char)e->d_name[0])
                       ? strtol(e->d_name, NULL, 10)
                       : 0;

    if (pid > 0 && (found == 0 || pid < found) &&
        local_has_socket(e->d_name, inode))
      found = pid;
  }
  if (dir)
    (void)closedir(dir);
  return (pid_t)found;
}

pid_t local_listener(unsigned port)
{
  count inode = listener_in("/proc/net/tcp", port);

  if (inode == 0)
    inode = listener_in("/proc/net/tcp6", port);
  return inode > 0 ? local_owner_of(inode) : 0;
}

pid_t local_server(int fd)
{
  const unsigned port = fd >= 0 ? sock_peer_port(fd) : 0;

  if (fd < 0 || !sock_is_local(fd))
    return 0;
  return port > 0 ? local_listener(port) : sock_peer(fd);
}

/* ---- its use ---- */

/* Reads as little as possible: a server can have hundreds of processes, and
 * each millisecond on a busy machine delays others. */

struct process {
  pid_t pid;
  unsigned threads; /* 0: gone */
};

/* A small file of a process; false: empty or missing. */
static bool local_read_text(const char *root, pid_t pid, const char *name,
                            char *text, size_t size)
{
  char path[PATH_MAX];
  ssize_t n = -1;
  int fd;

  (void)snprintf(path, sizeof(path), "%s/proc/%ld/%s", root, (long)pid, name);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0) {
    n = read(fd, text, size - 1);
    (void)close(fd);
  }
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

static void local_add(struct server_reading *r, enum server_metric f,
                      double value)
{
  r->has[f] = true;
  r->value[f] += value;
}

/* sscanf() takes as long as the system does. */
static void local_skip_words(const char **at, int n)
{
  while (n-- > 0) {
    *at += strspn(*at, " ");
    *at += strcspn(*at, " ");
  }
}

static count local_next_number(const char **at)
{
  char *end;
  const count n = strtoull(*at, &end, 10);

  *at = end;
  return n;
}

/* Returns the number of threads. */
static unsigned local_add_cpu(const char *root, pid_t pid,
                              struct server_reading *ret)
{
  const double tick_ns = (double)NS_PER_S / (double)sysconf(_SC_CLK_TCK);
  char line[1024];
  const char *at;
  count ticks = 0;
  unsigned threads;

  if (!local_read_text(root, pid, "stat", line, sizeof(line)))
    return 0;
  at = strrchr(line, ')'); /* names can have blanks */
  if (!at)
    return 0;
  at++;
  local_skip_words(&at, 11);
  for (int i = 0; i < 4; i++) /* its own, and those of children that ended */
    ticks += local_next_number(&at);
  local_skip_words(&at, 2);
  threads = (unsigned)local_next_number(&at);
  if (threads > 0)
    local_add(ret, SERVER_CPU_NS, (double)ticks * tick_ns);
  return threads;
}

static void local_add_bytes(struct server_reading *ret, enum server_metric f,
                            const char *text, const char *name)
{
  const char *at = strstr(text, name); /* with the line end before it */

  if (!at)
    return;
  at += strlen(name);
  local_add(ret, f, (double)local_next_number(&at));
}

/* Other users cannot read it. */
static void local_add_io(const char *root, pid_t pid,
                         struct server_reading *ret)
{
  char text[512];

  if (!local_read_text(root, pid, "io", text, sizeof(text)))
    return;
  local_add_bytes(ret, SERVER_READ_BYTES, text, "\nread_bytes:");
  local_add_bytes(ret, SERVER_WRITTEN_BYTES, text, "\nwrite_bytes:");
}

/* Wait for a CPU, and how often the thread got one. */
static void local_add_wait(const char *root, pid_t pid, const char *name,
                           struct server_reading *ret)
{
  char text[128];
  const char *at = text;

  if (!local_read_text(root, pid, name, text, sizeof(text)))
    return;
  local_skip_words(&at, 1);
  local_add(ret, SERVER_CPU_WAIT_NS, (double)local_next_number(&at));
  local_add(ret, SERVER_SWITCHES, (double)local_next_number(&at));
}

static void local_add_waits(const char *root, const struct process *p,
                            struct server_reading *ret)
{
  char name[64], path[PATH_MAX];
  struct dirent *e;
  DIR *dir;

  if (p->threads == 1) {
    local_add_wait(root, p->pid, "schedstat", ret);
    return;
  }
  (void)snprintf(path, sizeof(path), "%s/proc/%ld/task", root, (long)p->pid);
  dir = opendir(path);
  while (dir && (e = readdir(dir)) != NULL) {
    (void)snprintf(name, sizeof(name), "task/%.20s/schedstat", e->d_name);
    if (isdigit((unsigned char)e->d_name[0]))
      local_add_wait(root, p->pid, name, ret);
  }
  if (dir)
    (void)closedir(dir);
}

/* ---- is it the right one? ---- */

static const char *local_after_name(char *line, const char **name)
{
  char *end = strrchr(line, ')');
  char *begin = strchr(line, '(');

  if (!begin || !end || end < begin)
    return NULL;
  *end = '\0';
  *name = begin + 1;
  return end + 1;
}

bool local_is_of_age(const char *root, pid_t pid, double age_s)
{
  enum {
    OFF_S = 3 /* servers begin to count after their start */
  };
  char path[PATH_MAX], line[1024];
  const char *name, *at;
  double up = 0, began;
  FILE *f;

  if (pid <= 0 || !local_read_text(root, pid, "stat", line, sizeof(line)))
    return false;
  (void)snprintf(path, sizeof(path), "%s/proc/uptime", root);
  f = fopen(path, "re");
  if (f && fscanf(f, "%lf", &up) != 1)
    up = 0;
  if (f)
    (void)fclose(f);
  at = local_after_name(line, &name);
  if (!at || up <= 0)
    return false;
  local_skip_words(&at, 19);
  began = (double)local_next_number(&at) / (double)sysconf(_SC_CLK_TCK);
  return up - began > age_s - OFF_S && up - began < age_s + OFF_S;
}

pid_t local_parent(const char *root, pid_t pid)
{
  char line[1024], above[1024];
  const char *name, *parent_name, *at;
  pid_t parent;

  if (pid <= 0 || !local_read_text(root, pid, "stat", line, sizeof(line)))
    return 0;
  at = local_after_name(line, &name);
  if (!at)
    return 0;
  local_skip_words(&at, 1);
  parent = (pid_t)local_next_number(&at);
  if (parent <= 0 ||
      !local_read_text(root, parent, "stat", above, sizeof(above)) ||
      !local_after_name(above, &parent_name) || strcmp(name, parent_name) != 0)
    return 0;
  return parent;
}

/* The process and its children; returns how many. */
static size_t local_list(const char *root, pid_t server,
                         struct process all[1 + CHILDREN_MAX])
{
  char path[PATH_MAX];
  size_t n = 1;
  FILE *f;
  long child;

  all[0].pid = server;
  (void)snprintf(path, sizeof(path), "%s/proc/%ld/task/%ld/children", root,
                 (long)server, (long)server);
  f = fopen(path, "re");
  while (f && n <= CHILDREN_MAX && fscanf(f, "%ld", &child) == 1)
    all[n++].pid = (pid_t)child;
  if (f)
    (void)fclose(f);
  return n;
}

void local_read(const char *root, pid_t server, struct server_reading *ret)
{
  struct process all[1 + CHILDREN_MAX];
  const size_t n = local_list(root, server, all);
  unsigned threads = 0;

  for (size_t i = 0; i < n; i++) {
    all[i].threads = local_add_cpu(root, all[i].pid, ret);
    if (all[i].threads > 0)
      local_add_io(root, all[i].pid, ret);
    threads += all[i].threads;
  }
  for (size_t i = 0; i < n && threads <= WAITS_MAX; i++) {
    if (all[i].threads > 0)
      local_add_waits(root, &all[i], ret);
  }
}
