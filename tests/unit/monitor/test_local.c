/*
 * test_local.c - what the processes of a server on this machine have used, read
 * from a small tree of files.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "monitor/local.h"
#include "monitor/reading.h"
#include "tests/unit/tap.h"

enum {
  SERVER = 70,
  CHILD = 71,
};

static char root[256];

static void make_root(void)
{
  const char *tmp = getenv("TMPDIR");
  const int n = snprintf(root, sizeof(root), "%s/bench-local-XXXXXX",
                         tmp && *tmp ? tmp : "/tmp");

  MUST(n > 0 && (size_t)n < sizeof(root));
  MUST(mkdtemp(root));
}

/* A file of a process, with the folders above it. */
static void put(int pid, const char *name, const char *text)
{
  char path[512];
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s/proc/%d/%s", root, pid, name);
  for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')) != NULL; p++) {
    *p = '\0';
    (void)mkdir(path, 0700);
    *p = '/';
  }
  f = fopen(path, "w");
  MUST(f);
  (void)fputs(text, f);
  (void)fclose(f);
}

static struct server_reading read_now(void)
{
  struct server_reading r = { 0 };

  local_read(root, SERVER, &r);
  return r;
}

/* It has so many threads more, which have waited a second each. */
static void put_threads(int first, int n)
{
  for (int i = first; i < first + n; i++) {
    char name[64];

    (void)snprintf(name, sizeof(name), "task/%d/schedstat", i);
    put(SERVER, name, "5 1000000000 9\n");
  }
}

/* Process 90 is a server with a session 91 and a helper 92 that is another
 * program; all began 100 s after the system, which is up for 150 s. */
static void check_session(void)
{
  const int at[] = { 90, 91, 92 };
  const char *const name[] = { "a (server", "a (server", "helper" };
  char line[128], path[300];
  FILE *f;

  for (int i = 0; i < 3; i++) {
    (void)snprintf(line, sizeof(line),
                   "%d (%s) S %d 1 1 0 -1 0 1 1 1 1 0 0 0 0 20 0 1 0 %ld 9\n",
                   at[i], name[i], i == 0 ? 1 : 90, 100 * sysconf(_SC_CLK_TCK));
    put(at[i], "stat", line);
  }
  (void)snprintf(path, sizeof(path), "%s/proc/uptime", root);
  f = fopen(path, "w");
  MUST(f);
  (void)fputs("150.00 200.00\n", f);
  (void)fclose(f);
  OK(local_is_of_age(root, 91, 50), "the age that the server reports");
  OK(!local_is_of_age(root, 91, 40) && !local_is_of_age(root, 91, 60),
     "another process with its number, in another container");
  OK(!local_is_of_age(root, 99, 50), "no such process");
  OK(local_parent(root, 91) == 90, "a session is a child of the server");
  OK(local_parent(root, 92) == 0, "a parent with another name is no server");
  OK(local_parent(root, 90) == 0, "and no parent is none");
}

int main(void)
{
  struct server_reading r;
  char command[sizeof(root) + 16];

  make_root();
  r = read_now();
  OK(!r.has[SERVER_CPU_NS] && !r.has[SERVER_CPU_WAIT_NS],
     "a process that is gone has nothing");
  put(SERVER, "stat",
      "70 (a ) name) S 1 1 1 0 -1 0 1 1 1 1 200 100 30 20 20 0 4 0\n");
  put(SERVER, "io",
      "rchar: 9\nread_bytes: 4096\nwrite_bytes: 100\n"
      "cancelled_write_bytes: 5\n");
  put(SERVER, "task/70/schedstat", "7 500000000 9\n");
  put(SERVER, "task/70/children", "71 ");
  put(CHILD, "stat", "71 (worker) S 70 1 1 0 -1 0 1 1 1 1 50 0 0 0 20 0 1 0\n");
  put(CHILD, "io", "rchar: 9\nread_bytes: 4\nwrite_bytes: 11\n");
  put(CHILD, "schedstat", "7 250000000 9\n");
  put_threads(80, 3);
  r = read_now();
  OK(r.value[SERVER_CPU_NS] ==
       400 * ((double)NS_PER_S / (double)sysconf(_SC_CLK_TCK)),
     "processor time of the process, its children, and those that have ended");
  OK(r.value[SERVER_READ_BYTES] == 4100 && r.value[SERVER_WRITTEN_BYTES] == 111,
     "bytes");
  OK(r.has[SERVER_CPU_WAIT_NS] && r.value[SERVER_CPU_WAIT_NS] == 3.75e9,
     "waits for processors are those of all threads");
  OK(r.has[SERVER_SWITCHES] && r.value[SERVER_SWITCHES] == 45,
     "and so is how often they were given one");
  put(SERVER, "stat",
      "70 (a ) name) S 1 1 1 0 -1 0 1 1 1 1 200 100 30 20 20 0 404 0\n");
  put_threads(1000, 400);
  r = read_now();
  OK(!r.has[SERVER_CPU_WAIT_NS] && !r.has[SERVER_SWITCHES] &&
       r.has[SERVER_CPU_NS],
     "of very many threads there is no such figure, and no part of one");
  check_session();
  (void)snprintf(command, sizeof(command), "rm -r '%s'", root);
  return system(command) != 0 || TAP_EXIT();
}
