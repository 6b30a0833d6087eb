#include "base/machine/sampler.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/machine/proc.h"
#include "base/minmax.h"

enum {
  THREADS_MAX = 64
};

typedef unsigned long long count; /* for scanf() */

static void sampler_read_disk(const char *root, const char *device,
                              struct system_counts *ret)
{
  count reads, read_sectors, writes, written_sectors, busy_ms;
  FILE *f = proc_open(root, "/proc/diskstats");
  char line[512], name[64];

  while (f && fgets(line, sizeof(line), f)) {
    if (sscanf(line,
               "%*u %*u %63s %llu %*u %llu %*u %llu %*u %llu %*u %*u %llu",
               name, &reads, &read_sectors, &writes, &written_sectors,
               &busy_ms) != 6 ||
        strcmp(name, device) != 0)
      continue;
    ret->has_disk = true;
    ret->reads = reads;
    ret->writes = writes;
    ret->read_sectors = read_sectors;
    ret->written_sectors = written_sectors;
    ret->busy_ms = busy_ms;
  }
  if (f)
    (void)fclose(f);
}

static void sampler_read_net(const char *root, struct system_counts *ret)
{
  count received, sent;
  FILE *f = proc_open(root, "/proc/net/dev");
  char line[512];

  while (f && fgets(line, sizeof(line), f)) {
    char *colon = strchr(line, ':');
    const char *name = line + strspn(line, " ");

    if (!colon || sscanf(colon + 1, "%llu %*u %*u %*u %*u %*u %*u %*u %llu",
                         &received, &sent) != 2)
      continue;
    *colon = '\0';
    ret->has_net = true;
    if (strcmp(name, "lo") == 0) {
      ret->loopback += received;
    } else {
      ret->received += received;
      ret->sent += sent;
    }
  }
  if (f)
    (void)fclose(f);
}

/* In the order of their creation. */
static void sampler_read_waited(const char *root, struct system_counts *ret)
{
  char path[PATH_MAX];
  struct dirent *e;
  DIR *dir;
  int n = 0;

  (void)snprintf(path, sizeof(path), "%s/proc/self/task", root);
  dir = opendir(path);
  while (dir && n < THREADS_MAX && (e = readdir(dir)) != NULL) {
    count waited;
    FILE *f;

    if (e->d_name[0] == '.')
      continue;
    n++;
    f = proc_open(root, "/proc/self/task/%s/schedstat", e->d_name);
    if (f && fscanf(f, "%*u %llu", &waited) == 1) {
      ret->has_waited = true;
      ret->waited_ns += waited;
    }
    if (f)
      (void)fclose(f);
  }
  if (dir)
    (void)closedir(dir);
}

void sampler_read(const char *root, const char *device,
                  struct system_counts *ret)
{
  memset(ret, 0, sizeof(*ret));
  cpu_read_ticks(&ret->cpu, root, NULL);
  ret->own_ns = clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
  sampler_read_waited(root, ret);
  if (device[0] != '\0')
    sampler_read_disk(root, device, ret);
  sampler_read_net(root, ret);
}

void sampler_start(struct sampler *w, const char *root, const char *device,
                   uint64_t now_ns)
{
  memset(w, 0, sizeof(*w));
  (void)snprintf(w->root, sizeof(w->root), "%s", root);
  (void)snprintf(w->device, sizeof(w->device), "%s", device);
  sampler_read(w->root, w->device, &w->last);
  pressure_read(w->root, &w->last_pressure);
  w->last_ns = now_ns;
}

static void sampler_fill_cpu(struct system_use *u,
                             const struct system_counts *now,
                             const struct system_counts *last)
{
  const double user = (double)grown_u64(now->cpu.user, last->cpu.user);
  const double system = (double)grown_u64(now->cpu.system, last->cpu.system);
  const double idle = (double)grown_u64(now->cpu.idle, last->cpu.idle);
  const double iowait = (double)grown_u64(now->cpu.iowait, last->cpu.iowait);
  const double steal = (double)grown_u64(now->cpu.steal, last->cpu.steal);
  const double all = user + system + idle + iowait + steal;
  const double own = (double)grown_u64(now->own_ns, last->own_ns);
  const double ns = (double)u->period_ns;

  u->has_cpu = now->cpu.known && last->cpu.known && all > 0.0;
  if (!u->has_cpu)
    return;
  u->user = user / all;
  u->system = system / all;
  u->idle = idle / all;
  u->iowait = iowait / all;
  u->steal = steal / all;
  if (u->period_ns == 0)
    return;
  u->switches_per_s = (double)grown_u64(now->cpu.switches, last->cpu.switches) *
                      (double)NS_PER_S / ns;
  u->others =
    ((user + system) / (double)sysconf(_SC_CLK_TCK) * (double)NS_PER_S - own) /
    ns;
}

static void sampler_fill_disk(struct system_use *u,
                              const struct system_counts *now,
                              const struct system_counts *last)
{
  const double ms = (double)u->period_ns / (double)NS_PER_MS;

  u->has_disk = now->has_disk && last->has_disk;
  u->reads = grown_u64(now->reads, last->reads);
  u->writes = grown_u64(now->writes, last->writes);
  u->read_bytes = SYSTEM_SECTOR *
                  grown_u64(now->read_sectors, last->read_sectors);
  u->written_bytes = SYSTEM_SECTOR *
                     grown_u64(now->written_sectors, last->written_sectors);
  if (ms > 0.0)
    u->busy = (double)grown_u64(now->busy_ms, last->busy_ms) / ms;
  if (u->busy > 1.0)
    u->busy = 1.0;
}

void sampler_next(struct sampler *w, uint64_t now_ns, struct system_use *ret)
{
  const struct system_counts *last = &w->last;
  struct pressure_counts pressure;
  struct system_counts now;

  sampler_read(w->root, w->device, &now);
  pressure_read(w->root, &pressure);
  memset(ret, 0, sizeof(*ret));
  ret->period_ns = grown_u64(now_ns, w->last_ns);
  sampler_fill_cpu(ret, &now, last);
  sampler_fill_disk(ret, &now, last);
  ret->has_waited = now.has_waited && last->has_waited && ret->period_ns > 0;
  if (ret->has_waited)
    ret->waiting = (double)grown_u64(now.waited_ns, last->waited_ns) /
                   (double)ret->period_ns;
  ret->has_net = now.has_net && last->has_net;
  ret->received_bytes = grown_u64(now.received, last->received);
  ret->sent_bytes = grown_u64(now.sent, last->sent);
  ret->loopback_bytes = grown_u64(now.loopback, last->loopback);
  pressure_between(&w->last_pressure, &pressure, ret->period_ns,
                   &ret->pressure);
  w->last = now;
  w->last_pressure = pressure;
  w->last_ns = now_ns;
}
