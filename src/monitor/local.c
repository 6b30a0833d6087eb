/*
 * local.c - the processes of a server that runs on this machine.
 */
#include "monitor/local.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sock.h"
#include "monitor/reading.h"
#include "os/os.h"

enum {
  CHILDREN_MAX = 1024, /* takes about 50 ms; of more, the rest is left out */
  WAITS_MAX = 256,     /* of so many threads: about 4 ms; of more, none */
  LISTENING = 10       /* a state in /proc/net/tcp */
};

typedef unsigned long long count; /* a type that scanf has */

static FILE *open_at(const char *root, pid_t pid, const char *name)
{
  char path[PATH_MAX];

  (void)snprintf(path, sizeof(path), "%s/proc/%ld/%s", root, (long)pid, name);
  return fopen(path, "re");
}

/* ---- which process ---- */

static unsigned peer_port(int fd)
{
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
    struct sockaddr_storage room;
  } peer;
  socklen_t len = sizeof(peer);

  memset(&peer, 0, sizeof(peer));
  if (getpeername(fd, &peer.any, &len) < 0)
    return 0;
  if (peer.any.sa_family == AF_INET)
    return ntohs(peer.v4.sin_port);
  return peer.any.sa_family == AF_INET6 ? ntohs(peer.v6.sin6_port) : 0;
}

/* The inode of the socket that listens at the port; 0: there is none. */
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

static bool has_socket(const char *pid, count inode)
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

/* The lowest number of a process that has it: its children inherit it. */
static pid_t owner_of(count inode)
{
  DIR *dir = opendir("/proc");
  struct dirent *e;
  long found = 0;

  while (dir && (e = readdir(dir)) != NULL) {
    const long pid = isdigit((unsigned char)e->d_name[0])
                       ? strtol(e->d_name, NULL, 10)
                       : 0;

    if (pid > 0 && (found == 0 || pid < found) && has_socket(e->d_name, inode))
      found = pid;
  }
  if (dir)
    (void)closedir(dir);
  return (pid_t)found;
}

pid_t local_server(int fd)
{
  const unsigned port = fd >= 0 ? peer_port(fd) : 0;
  count inode;

  if (fd < 0 || !sock_is_local(fd))
    return 0;
  if (port == 0)
    return os_peer(fd);
  inode = listener_in("/proc/net/tcp", port);
  if (inode == 0)
    inode = listener_in("/proc/net/tcp6", port);
  return inode > 0 ? owner_of(inode) : 0;
}

/* ---- what it has used ---- */

static void add(struct server_reading *r, enum server_figure f, double value)
{
  r->has[f] = true;
  r->value[f] += value;
}

/* False: it is no process any more. */
static bool add_cpu(const char *root, pid_t pid, struct server_reading *ret)
{
  const double tick_ns = (double)NS_PER_S / (double)sysconf(_SC_CLK_TCK);
  FILE *f = open_at(root, pid, "stat");
  char line[1024];
  const char *end;
  count user, system, child_user, child_system;
  bool ok;

  if (!f)
    return false;
  ok = fgets(line, sizeof(line), f) != NULL;
  (void)fclose(f);
  end = ok ? strrchr(line, ')') : NULL; /* names may have blanks */
  ok = end && sscanf(end + 1,
                     " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu "
                     "%llu %llu",
                     &user, &system, &child_user, &child_system) == 4;
  if (ok)
    add(ret, SERVER_CPU_NS,
        (double)(user + system + child_user + child_system) * tick_ns);
  return ok;
}

/* Other users may not read it. */
static void add_io(const char *root, pid_t pid, struct server_reading *ret)
{
  FILE *f = open_at(root, pid, "io");
  char line[128];
  count n;

  while (f && fgets(line, sizeof(line), f)) {
    if (sscanf(line, "read_bytes: %llu", &n) == 1)
      add(ret, SERVER_READ_BYTES, (double)n);
    else if (sscanf(line, "write_bytes: %llu", &n) == 1)
      add(ret, SERVER_WRITTEN_BYTES, (double)n);
  }
  if (f)
    (void)fclose(f);
}

static void add_process(const char *root, pid_t pid, struct server_reading *ret)
{
  if (add_cpu(root, pid, ret))
    add_io(root, pid, ret);
}

/* How long a thread has waited for a processor. */
static void add_wait(const char *root, pid_t pid, const char *thread,
                     struct server_reading *ret)
{
  char name[64];
  FILE *f;
  count waited;

  (void)snprintf(name, sizeof(name), "task/%.20s/schedstat", thread);
  f = open_at(root, pid, name);
  if (f && fscanf(f, "%*u %llu", &waited) == 1)
    add(ret, SERVER_CPU_WAIT_NS, (double)waited);
  if (f)
    (void)fclose(f);
}

/* Of all threads of a process.  *left: so many more may be read; below 0: there
 * are too many. */
static void add_waits(const char *root, pid_t pid, int *left,
                      struct server_reading *ret)
{
  char path[PATH_MAX];
  struct dirent *e;
  DIR *dir;

  (void)snprintf(path, sizeof(path), "%s/proc/%ld/task", root, (long)pid);
  dir = opendir(path);
  while (dir && *left >= 0 && (e = readdir(dir)) != NULL) {
    if (isdigit((unsigned char)e->d_name[0]) && --*left >= 0)
      add_wait(root, pid, e->d_name, ret);
  }
  if (dir)
    (void)closedir(dir);
}

void local_read(const char *root, pid_t server, struct server_reading *ret)
{
  char name[64];
  FILE *f;
  long child;
  int n = 0, left = WAITS_MAX;

  add_process(root, server, ret);
  add_waits(root, server, &left, ret);
  (void)snprintf(name, sizeof(name), "task/%ld/children", (long)server);
  f = open_at(root, server, name);
  while (f && n++ < CHILDREN_MAX && fscanf(f, "%ld", &child) == 1) {
    add_process(root, (pid_t)child, ret);
    add_waits(root, (pid_t)child, &left, ret);
  }
  if (f)
    (void)fclose(f);
  if (left < 0)
    ret->has[SERVER_CPU_WAIT_NS] = false;
}
