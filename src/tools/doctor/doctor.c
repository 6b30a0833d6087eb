#include "tools/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/facts.h"
#include "base/fmt.h"
#include "base/machine/cgroup.h"
#include "base/machine/cpu.h"
#include "base/machine/disk.h"
#include "base/machine/env.h"
#include "base/machine/proc.h"
#include "base/machine/space.h"
#include "base/minmax.h"
#include "base/os/os.h"
#include "base/strbuf.h"
#include "base/thread.h"
#include "db/conn.h"
#include "db/dialect.h"
#include "db/env.h"
#include "db/env_conns.h"
#include "db/look.h"
#include "db/process.h"
#include "results/jobj.h"

void findings_add(struct findings *f, enum finding_level level,
                  const char *subject, const char *advice, const char *fmt, ...)
{
  struct finding *one = &f->of[f->n];
  va_list ap;

  if (f->n == FINDINGS_MAX)
    return;
  f->n++;
  one->level = level;
  one->subject = subject;
  one->advice = advice;
  va_start(ap, fmt);
  (void)vsnprintf(one->text, sizeof(one->text), fmt, ap);
  va_end(ap);
  /* Servers' texts can have line ends. */
  for (char *at = one->text; *at; at++) {
    if ((unsigned char)*at < ' ' || *at == '\x7f')
      *at = ' ';
  }
}

size_t findings_count(const struct findings *f, enum finding_level level)
{
  size_t n = 0;

  for (size_t i = 0; i < f->n; i++)
    n += f->of[i].level == level;
  return n;
}

static const char *const words[] = { "ok", "warn", "fail" };

static json_t *doctor_finding_json(const struct finding *one)
{
  struct jobj o = jobj_new();

  jobj_text(&o, "level", words[one->level]);
  jobj_text(&o, "subject", one->subject);
  jobj_text(&o, "text", one->text);
  if (one->advice)
    jobj_text(&o, "advice", one->advice);
  else
    jobj_null(&o, "advice");
  return jobj_take(&o);
}

json_t *findings_json(const struct findings *f)
{
  struct jobj o = jobj_new();
  json_t *list = json_array();

  for (size_t i = 0; list && i < f->n; i++) {
    if (!jobj_array_add(list, doctor_finding_json(&f->of[i]))) {
      json_decref(list);
      list = NULL;
    }
  }
  for (size_t i = 0; i < ARRAY_SIZE(words); i++)
    jobj_int(&o, words[i], findings_count(f, (enum finding_level)i));
  jobj_add(&o, "findings", list);
  return jobj_take(&o);
}

void findings_print(const struct findings *f, struct strbuf *out)
{

  for (size_t i = 0; i < f->n; i++) {
    const struct finding *one = &f->of[i];

    strbuf_addf(out, "%-4s  %-12s  %s", words[one->level], one->subject,
                one->text);
    if (one->advice)
      strbuf_addf(out, "; %s", one->advice);
    strbuf_adds(out, "\n");
  }
  strbuf_addf(out, "\n%zu ok, %zu to check, %zu failed\n",
              findings_count(f, FINDING_OK), findings_count(f, FINDING_WARN),
              findings_count(f, FINDING_FAIL));
}

/* ---- client ---- */

enum {
  STATES_MAX = 16, /* per CPU */
  LINE_SIZE = 65536 /* CPUs in /proc/interrupts */,
  SLEEPS = 21,
};

/* CPU time of other programs. */
#define NOISE 0.1
#define SLOW_STATE_US 50
/* Per second; some microseconds each are some percent of a CPU. */
#define MANY_IRQS 5000.0
#define SLEEP_NS (100 * NS_PER_US)
#define LATE_NS (100 * NS_PER_US)

#define CPU "/sys/devices/system/cpu"

/* ---- settings of CPUs ---- */

void doctor_governors(struct findings *to, const char *root,
                      const cpu_set_t *cpus)
{
  unsigned known = 0, others = 0;
  char text[64], other[64] = "";

  for (unsigned i = 0; i < CPUS_MAX; i++) {
    if (!CPU_ISSET(i, cpus))
      continue;
    if (!proc_line(text, sizeof(text), root,
                   CPU "/cpu%u/cpufreq/scaling_governor", i))
      continue;
    known++;
    if (strcmp(text, "performance") == 0)
      continue;
    others++;
    (void)snprintf(other, sizeof(other), "%s", text);
  }
  if (others > 0)
    findings_add(to, FINDING_WARN, "governor",
                 "cpupower frequency-set -g performance",
                 "%s changes the frequency of %u CPU%s with the load", other,
                 others, others == 1 ? "" : "s");
  else if (known > 0)
    findings_add(to, FINDING_OK, "governor", NULL, "performance");
}

/* The enabled one with the longest exit latency. */
struct idle_state {
  unsigned long latency_us;
  char name[32];
  bool known;
};

static void client_look_at_states(struct idle_state *worst, const char *root,
                                  unsigned cpu)
{
  for (unsigned i = 0; i < STATES_MAX; i++) {
    uint64_t latency, disabled = 0;
    char name[32];

    if (!proc_number(&latency, root, CPU "/cpu%u/cpuidle/state%u/latency", cpu,
                     i))
      return;
    (void)proc_number(&disabled, root, CPU "/cpu%u/cpuidle/state%u/disable",
                      cpu, i);
    (void)proc_line(name, sizeof(name), root, CPU "/cpu%u/cpuidle/state%u/name",
                    cpu, i);
    if (disabled || (worst->known && latency <= worst->latency_us))
      continue;
    worst->known = true;
    worst->latency_us = (unsigned long)latency;
    (void)snprintf(worst->name, sizeof(worst->name), "%s", name);
  }
}

void doctor_idle_states(struct findings *to, const char *root,
                        const cpu_set_t *cpus)
{
  struct idle_state worst = { .known = false };

  for (unsigned i = 0; i < CPUS_MAX; i++) {
    if (CPU_ISSET(i, cpus))
      client_look_at_states(&worst, root, i);
  }
  if (!worst.known)
    return;
  if (worst.latency_us > SLOW_STATE_US)
    findings_add(to, FINDING_WARN, "idle states",
                 "cpupower idle-set -D 10 (cpupower idle-set -E undoes it)",
                 "an idle CPU can take %lu us to wake up (state %s)",
                 worst.latency_us, worst.name);
  else
    findings_add(to, FINDING_OK, "idle states", NULL,
                 "CPUs wake up within %lu us", worst.latency_us);
}

/* ---- load and interrupts ---- */

static void client_read_ticks(struct client_counts *c, const char *root)
{
  struct cpu_ticks ticks;

  cpu_read_ticks(&ticks, root, NULL);
  c->stolen = ticks.steal;
  c->busy = ticks.user + ticks.system;
  c->all = c->busy + ticks.idle + ticks.iowait + ticks.steal;
}

struct columns {
  unsigned cpu[CPUS_MAX];
  size_t n;
};

static void client_read_columns(struct columns *c, const char *line)
{
  unsigned cpu;

  c->n = 0;
  while ((line = strstr(line, "CPU")) && c->n < CPUS_MAX) {
    if (sscanf(line, "CPU%u", &cpu) == 1)
      c->cpu[c->n++] = cpu;
    line += 3;
  }
}

/* "24: 100 0 PCI-MSI 1-edge eth0"; false: not of a device. */
static bool client_read_irq(struct client_irq *ret, char *line,
                            const struct columns *columns,
                            const cpu_set_t *cpus)
{
  char *p, *end;
  size_t len;

  ret->number = (unsigned)strtoul(line, &p, 10);
  if (p == line || *p != ':')
    return false;
  ret->count = 0;
  p++;
  for (size_t i = 0; i < columns->n; i++) {
    const unsigned long long n = strtoull(p, &end, 10);

    if (end == p)
      break;
    if (columns->cpu[i] < CPUS_MAX && CPU_ISSET(columns->cpu[i], cpus))
      ret->count += n;
    p = end;
  }
  p[strcspn(p, "\n")] = '\0';
  len = strlen(p);
  while (len > 0 && p[len - 1] == ' ')
    p[--len] = '\0';
  end = strrchr(p, ' ');
  (void)snprintf(ret->name, sizeof(ret->name), "%s", end ? end + 1 : p);
  return true;
}

static bool client_add_irq(struct client_counts *c,
                           const struct client_irq *irq)
{
  struct client_irq *more = realloc(c->irqs, (c->n_irqs + 1) * sizeof(*more));

  if (!more)
    return false;
  c->irqs = more;
  c->irqs[c->n_irqs++] = *irq;
  return true;
}

static void client_read_irqs(struct client_counts *c, const char *root,
                             const cpu_set_t *cpus)
{
  struct columns *columns = calloc(1, sizeof(*columns));
  char *line = malloc(LINE_SIZE);
  FILE *f = proc_open(root, "/proc/interrupts");
  struct client_irq irq;

  if (f && line && columns && fgets(line, LINE_SIZE, f)) {
    client_read_columns(columns, line);
    while (fgets(line, LINE_SIZE, f)) {
      if (client_read_irq(&irq, line, columns, cpus) &&
          !client_add_irq(c, &irq))
        break;
    }
  }
  if (f)
    (void)fclose(f);
  free(line);
  free(columns);
}

void client_counts_read(struct client_counts *ret, const char *root,
                        const cpu_set_t *cpus)
{
  *ret = (struct client_counts){ 0 };
  client_read_ticks(ret, root);
  client_read_irqs(ret, root, cpus);
}

void client_counts_done(struct client_counts *c)
{
  free(c->irqs);
  *c = (struct client_counts){ 0 };
}

void doctor_load(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, const cpu_set_t *cpus)
{
  double all, busy, stolen;

  if (after->all <= before->all)
    return;
  all = (double)(after->all - before->all);
  busy = (double)(after->busy - before->busy) / all;
  stolen = (double)(after->stolen - before->stolen) / all;
  if (stolen > NOISE)
    findings_add(
      to, FINDING_WARN, "noise",
      "use a machine without other guests, or expect results that vary",
      "the hypervisor took %.0f%% of the CPU time", 100 * stolen);
  if (busy > NOISE)
    findings_add(to, FINDING_WARN, "noise",
                 "stop them, or expect results that vary",
                 "other programs use %.0f%% of the CPUs", 100 * busy);
  else
    findings_add(to, FINDING_OK, "noise", NULL,
                 "other programs use %.0f%% of the CPUs; the run can use %d",
                 100 * busy, CPU_COUNT(cpus));
}

static uint64_t client_count_of(const struct client_counts *c, unsigned number)
{
  for (size_t i = 0; i < c->n_irqs; i++) {
    if (c->irqs[i].number == number)
      return c->irqs[i].count;
  }
  return 0;
}

void doctor_irqs(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, double seconds)
{
  const struct client_irq *busiest = NULL;
  double most = 0;

  for (size_t i = 0; i < after->n_irqs; i++) {
    const struct client_irq *irq = &after->irqs[i];
    const uint64_t old = client_count_of(before, irq->number);
    const double rate = irq->count > old ? (double)(irq->count - old) / seconds
                                         : 0;

    if (rate > most) {
      most = rate;
      busiest = irq;
    }
  }
  if (busiest && most > MANY_IRQS)
    findings_add(
      to, FINDING_WARN, "interrupts",
      "move it by /proc/irq/N/smp_affinity_list, or keep the run off its CPUs "
      "(taskset)",
      "interrupt %u (%s) comes %.0f times a second to the CPUs of the run",
      busiest->number, busiest->name, most);
  else if (after->n_irqs > 0)
    findings_add(to, FINDING_OK, "interrupts", NULL,
                 "no device interrupts the CPUs often");
}

/* ---- wake-ups ---- */

static uint64_t doctor_wakeup_ns(void)
{
  uint64_t late[SLEEPS];

  thread_exact_timers(true); /* as workers do */
  for (int i = 0; i < SLEEPS; i++) {
    const uint64_t until = clock_now_ns() + SLEEP_NS;
    uint64_t now;

    thread_sleep_until(until);
    now = clock_now_ns();
    late[i] = now > until ? now - until : 0;
  }
  thread_exact_timers(false);
  qsort(late, SLEEPS, sizeof(late[0]), order_u64);
  return late[SLEEPS / 2];
}

void doctor_wakeups(struct findings *to, uint64_t late_ns)
{
  const double us = (double)late_ns / (double)NS_PER_US;

  if (late_ns > LATE_NS)
    findings_add(to, FINDING_WARN, "wake-ups",
                 "check governor, idle states and load; with --rate, this is "
                 "part of all latencies",
                 "a sleeping thread wakes up %.0f us late", us);
  else
    findings_add(to, FINDING_OK, "wake-ups", NULL,
                 "a sleeping thread wakes up %.0f us late", us);
}

enum {
  FILES_SPARE = 64,   /* for other files */
  THREADS_SPARE = 16, /* for other threads */
};

/* of memory */
#define SHORT_OF_MEMORY 0.1

static void machine_allowed(cpu_set_t *ret)
{
  CPU_ZERO(ret);
  if (sched_getaffinity(0, sizeof(*ret), ret) < 0)
    CPU_SET(0, ret);
}

/* Sleeps for a second. */
static void machine_look_at_others(struct findings *to, const cpu_set_t *cpus)
{
  struct client_counts before, after;
  const uint64_t from_ns = clock_now_ns();
  double seconds;

  client_counts_read(&before, "", cpus);
  thread_sleep_until(from_ns + NS_PER_S);
  client_counts_read(&after, "", cpus);
  seconds = (double)(clock_now_ns() - from_ns) / (double)NS_PER_S;
  doctor_load(to, &before, &after, cpus);
  doctor_irqs(to, &before, &after, seconds);
  client_counts_done(&before);
  client_counts_done(&after);
}

static void machine_look_at_limit(struct findings *to, int which,
                                  const char *subject, const char *command,
                                  uint64_t needed, const char *advice)
{
  struct rlimit limit;

  if (getrlimit(which, &limit) < 0)
    return;
  if (limit.rlim_max == RLIM_INFINITY)
    findings_add(to, FINDING_OK, subject, NULL, "no limit");
  else if ((uint64_t)limit.rlim_max < needed)
    findings_add(to, FINDING_FAIL, subject, advice,
                 "%s allows %llu, the run needs about %" PRIu64, command,
                 (unsigned long long)limit.rlim_max, needed);
  else
    findings_add(to, FINDING_OK, subject, NULL,
                 "%s allows %llu, the run needs about %" PRIu64, command,
                 (unsigned long long)limit.rlim_max, needed);
}

static void machine_look_at_cpus(struct findings *to, unsigned threads,
                                 unsigned clients)
{
  const unsigned cpus = cgroup_cpus_allowed();
  const double quota = cgroup_read("").cpus;

  if (quota > 0 && quota < cpus)
    findings_add(
      to, FINDING_WARN, "processors",
      "raise the limit of the container: it can slow the client down",
      "%u, of which the control group allows %.4g", cpus, quota);
  else if (clients > 0)
    findings_add(to, FINDING_OK, "processors", NULL,
                 "%u for %u client%s on %u thread%s", cpus, clients,
                 fmt_plural(clients), threads, fmt_plural(threads));
  else
    findings_add(to, FINDING_OK, "processors", NULL, "%u for %u thread%s", cpus,
                 threads, fmt_plural(threads));
}

static void machine_look_at_memory(struct findings *to)
{
  const struct cgroup_limits group = cgroup_read("");
  struct facts f = { 0 };
  const struct fact *total, *left;

  env_host(&f, "");
  total = facts_find(&f, "memory.total_bytes");
  left = facts_find(&f, "memory.available_bytes");
  if (total && left && total->integer > 0) {
    const bool less = group.memory_bytes > 0 &&
                      group.memory_bytes < (uint64_t)total->integer;
    const uint64_t whole = less ? group.memory_bytes : (uint64_t)total->integer;
    const uint64_t unused = min_u64((uint64_t)left->integer, group.memory_left);
    const double share = (double)unused / (double)whole;
    char some[FMT_SIZE_SIZE], all[FMT_SIZE_SIZE];

    findings_add(to, share < SHORT_OF_MEMORY ? FINDING_WARN : FINDING_OK,
                 "memory",
                 share >= SHORT_OF_MEMORY ? NULL
                 : less                   ? "raise the limit of the container"
                                          : "stop programs that use it",
                 "%s of %s%s are available", fmt_size(some, unused),
                 fmt_size(all, whole), less ? " of the control group" : "");
  }
  facts_done(&f);
}

void doctor_machine(struct findings *to, const struct machine_needs *needs)
{
  static const char fewer_clients[] = "raise the limit, or use fewer --clients";
  static const char fewer_threads[] = "raise the limit, or use fewer --threads";
  const bool carried = needs->carriers > 0;
  const unsigned threads = carried ? needs->carriers : needs->workers;
  cpu_set_t cpus;

  machine_look_at_cpus(to, threads, carried ? needs->workers : 0);
  machine_allowed(&cpus);
  doctor_governors(to, "", &cpus);
  doctor_idle_states(to, "", &cpus);
  machine_look_at_memory(to);
  machine_look_at_limit(to, RLIMIT_NOFILE, "open files", "ulimit -n",
                        needs->files + FILES_SPARE,
                        needs->clients ? fewer_clients : fewer_threads);
  machine_look_at_limit(to, RLIMIT_NPROC, "processes", "ulimit -u",
                        (uint64_t)threads + THREADS_SPARE, fewer_threads);
  doctor_wakeups(to, doctor_wakeup_ns());
  machine_look_at_others(to, &cpus);
}

/* ---- folder ---- */

#define MIB (1024.0 * 1024)

void doctor_space(struct findings *to, const char *folder, uint64_t bytes,
                  const char *advice)
{
  const struct space space = space_look_at("", folder);
  const uint64_t left = space_free(&space);

  if (left == SPACE_UNKNOWN)
    return;
  if (left < bytes)
    findings_add(to, FINDING_FAIL, "space", advice,
                 "prepare needs %.0f MiB in '%.200s', %.0f MiB are free",
                 (double)bytes / MIB, folder, (double)left / MIB);
  else
    findings_add(to, FINDING_OK, "space", NULL,
                 "prepare needs %.0f MiB, %.0f MiB are free",
                 (double)bytes / MIB, (double)left / MIB);
}

static void doctor_folder_look_at_files(struct findings *to,
                                        const struct folder_needs *needs)
{
  const uint64_t each = needs->files > 0 ? needs->bytes / needs->files : 0;
  uint64_t good = 0;

  for (uint64_t i = 0; i < needs->files; i++) {
    struct stat st;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/test_file.%" PRIu64, needs->folder,
                   i);
    good += stat(path, &st) == 0 && (uint64_t)st.st_size >= each;
  }
  if (good == needs->files) {
    findings_add(to, FINDING_OK, "files", NULL, "all %" PRIu64 " are there",
                 needs->files);
    return;
  }
  findings_add(to, FINDING_FAIL, "files",
               "run the prepare command with the same options",
               "%" PRIu64 " of %" PRIu64 " are missing or too small",
               needs->files - good, needs->files);
  doctor_space(to, needs->folder, (needs->files - good) * each,
               "make room, or choose another --file-dir or a smaller "
               "--file-total-size");
}

/* Leaves nothing behind. */
static int doctor_folder_open_probe(const char *folder, int flags)
{
#ifdef O_TMPFILE
  return os_open(AT_FDCWD, folder, O_TMPFILE | O_RDWR | O_CLOEXEC | flags,
                 0600);
#else
  char name[PATH_MAX];
  int fd, code;

  (void)snprintf(name, sizeof(name), "%s/bench-XXXXXX", folder);
  fd = mkostemp(name, O_CLOEXEC);
  if (fd < 0)
    return -1;
  (void)close(fd);
  fd = os_open(AT_FDCWD, name, O_RDWR | O_CLOEXEC | flags, 0);
  code = errno;
  (void)unlink(name);
  errno = code;
  return fd;
#endif
}

static void doctor_folder_look_at_direct(struct findings *to,
                                         const char *folder, bool wanted)
{
  const int fd = doctor_folder_open_probe(folder, O_DIRECT);

  if (fd >= 0) {
    (void)close(fd);
    findings_add(to, FINDING_OK, "direct I/O", NULL,
                 "files can be opened with O_DIRECT");
  } else if (errno == EINVAL && wanted) {
    findings_add(to, FINDING_FAIL, "direct I/O",
                 "choose another --file-dir, or leave direct out of "
                 "--file-extra-flags",
                 "the file system does not support O_DIRECT");
  } else if (errno == EINVAL) {
    findings_add(to, FINDING_WARN, "direct I/O", NULL,
                 "the file system does not support O_DIRECT, so reads can come "
                 "from memory");
  } else if (wanted) {
    findings_add(to, FINDING_WARN, "direct I/O", NULL, "not checked: %s",
                 strerror(errno));
  }
}

void doctor_folder(struct findings *to, const struct folder_needs *needs)
{
  struct disk d = { 0 };

  if (access(needs->folder, W_OK | X_OK) < 0) {
    findings_add(to, FINDING_FAIL, "folder", "choose another --file-dir",
                 "'%.200s': %s", needs->folder, strerror(errno));
    return;
  }
  disk_find(&d, needs->folder);
  findings_add(to, FINDING_OK, "folder", NULL, "'%.100s' is on %s%s%s%s",
               needs->folder, *d.fs_type ? d.fs_type : "an unknown file system",
               *d.device ? ", device " : "", d.device,
               d.rotational_known && d.rotational ? ", a rotating disk" : "");
  doctor_folder_look_at_files(to, needs);
  doctor_folder_look_at_direct(to, needs->folder, needs->direct);
}

static void database_put_fact(void *ctx, const char *key, const char *value)
{
  facts_text(ctx, key, value);
}

static const char *database_text_of(const struct facts *f, const char *key,
                                    const char *otherwise)
{
  const struct fact *one = facts_find(f, key);

  return one && one->type == FACT_TEXT ? one->text : otherwise;
}

static void database_look_at_server(struct findings *to, struct conn *c)
{
  const struct driver *d = c->driver;
  struct strbuf target = { 0 }, name = { 0 };
  struct facts f = { 0 };
  const char *version, *comment, *snapshot;

  if (d->about)
    d->about(c->session, database_put_fact, &f);
  if (d->server_settings)
    d->server_settings(c->session, database_put_fact, &f);
  d->target(c->session, &target);
  version = database_text_of(&f, "server_version", "");
  comment = database_text_of(&f, "version_comment", "");
  facts_server_name(d->name, version, &name);
  findings_add(to, FINDING_OK, "server", NULL, "%s%s%s%s, %s",
               strbuf_str(&name), *comment ? " (" : "", comment,
               *comment ? ")" : "", strbuf_str(&target));
  strbuf_done(&name);
  snapshot = database_text_of(&f, "innodb_snapshot_isolation", "");
  if (strcmp(snapshot, "ON") == 0)
    findings_add(
      to, FINDING_OK, "isolation", NULL,
      "innodb_snapshot_isolation = ON: transactions that change the "
      "same rows at repeatable-read fail and restart; see --isolation");
  strbuf_done(&target);
  facts_done(&f);
}

static void database_look_at_durability(struct findings *to, struct conn *c)
{
  struct strbuf gaps = { 0 };
  struct facts f = { 0 };
  bool usual;

  if (!c->driver->server_settings || !c->driver->durable)
    return;
  c->driver->server_settings(c->session, database_put_fact, &f);
  if (f.n == 0)
    return;
  if (process_gaps(c->driver->durable, &f, &gaps, &usual) > 0)
    findings_add(to, usual ? FINDING_OK : FINDING_WARN, "durability",
                 usual ? NULL : "writes are faster than on a durable server",
                 "%s", strbuf_str(&gaps));
  else
    findings_add(to, FINDING_OK, "durability", NULL,
                 "a COMMIT waits for the disk");
  strbuf_done(&gaps);
  facts_done(&f);
}

/* Other servers can refuse. */
static void database_look_at_statements(struct findings *to, struct conn *c)
{
  static const struct {
    const char *driver, *sql; /* 0: not counted; 1: counted */
    const char *missing[3];   /* by the number; NULL: nothing */
  } of[] = {
    { "pgsql",
      "SELECT CASE WHEN current_setting('pg_stat_statements.max', true) IS "
      "NULL THEN 0 WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE "
      "extname = 'pg_stat_statements') THEN 1 ELSE 2 END",
      { "pg_stat_statements is not loaded; set shared_preload_libraries = "
        "'pg_stat_statements', restart, and CREATE EXTENSION "
        "pg_stat_statements",
        NULL,
        "this database has no extension pg_stat_statements; CREATE EXTENSION "
        "pg_stat_statements" } },
    { "mysql",
      "SELECT @@performance_schema",
      { "performance_schema is off; start the server with "
        "performance_schema=ON" } },
  };
  const struct dialect *d = process_dialect(c->env->process);
  uint64_t n;

  for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
    if (strcmp(c->driver->name, of[i].driver) == 0 && (!d || d->server_stats) &&
        look_at_number(c, of[i].sql, &n) && n < 3 && of[i].missing[n])
      findings_add(to, FINDING_WARN, "statistics", NULL,
                   "statements of the server will be missing, since %s",
                   of[i].missing[n]);
  }
}

static uint64_t database_superuser_slots(struct conn *c,
                                         const struct driver_limit *l)
{
  uint64_t n;

  return strcmp(c->driver->name, "pgsql") == 0 &&
             strcmp(l->setting, "max_connections") == 0 &&
             look_at_number(
               c, "SELECT current_setting('superuser_reserved_connections')",
               &n)
           ? min_u64(n, l->used)
           : 0;
}

static void database_look_at_limits(struct findings *to, struct conn *c,
                                    const struct run_facts *facts)
{
  struct driver_limit limit[DRIVER_LIMITS] = { { 0 } };
  const size_t n = c->driver->limits
                     ? c->driver->limits(c->session, facts, limit)
                     : 0;

  for (size_t i = 0; i < n; i++) {
    const struct driver_limit *l = &limit[i];
    const uint64_t left = l->allowed > l->used ? l->allowed - l->used : 0;
    const bool enough = left >= l->needed;
    const uint64_t reserved = database_superuser_slots(c, l);
    char kept[64] = "";

    if (reserved > 0)
      (void)snprintf(kept, sizeof(kept),
                     "of which %" PRIu64 " %s reserved and ", reserved,
                     reserved == 1 ? "is" : "are");
    findings_add(to,
                 enough    ? FINDING_OK
                 : l->hard ? FINDING_FAIL
                           : FINDING_WARN,
                 l->subject, enough ? NULL : l->advice,
                 "%s is %" PRIu64 ", %s%" PRIu64 " in use, the run needs up to "
                 "%" PRIu64,
                 l->setting, l->allowed, kept, l->used - reserved, l->needed);
  }
}

static unsigned database_count_unknown(const struct tables_look *look)
{
  unsigned n = 0;

  for (unsigned i = 0; i < look->n; i++)
    n += !look->of[i].known;
  return n;
}

enum {
  NAMES_SIZE = 48
};

static const char *database_tables_name(const struct tables_look *look,
                                        char text[NAMES_SIZE])
{
  if (look->n == 1)
    return "sbtest1";
  (void)snprintf(text, NAMES_SIZE, "sbtest1 to sbtest%u", look->n);
  return text;
}

static void database_look_at_rows(struct findings *to,
                                  const struct tables_look *look,
                                  const struct run_facts *facts)
{
  struct strbuf lines = { 0 };
  char names[NAMES_SIZE];
  const char *line;

  look_warn(look, facts, &lines);
  line = strbuf_str(&lines);
  if (*line == '\0')
    findings_add(to, FINDING_OK, "tables", NULL,
                 "%s: the highest ids are close to the %" PRIu64 " of %s",
                 database_tables_name(look, names), facts->rows,
                 facts->rows_option);
  while (*line) {
    const size_t len = strcspn(line, "\n");

    findings_add(to, FINDING_WARN, "tables", "use the --table-size of prepare",
                 "%.*s", (int)len, line);
    line += len + (line[len] == '\n');
  }
  strbuf_done(&lines);
}

static void database_look_at_the_tables(struct findings *to, struct conn *c,
                                        const struct run_facts *facts)
{
  struct strbuf line = { 0 };
  struct tables_look look;
  char names[NAMES_SIZE];
  unsigned unknown;

  if (!facts->bundled || (facts->rows == 0 && !facts->indexed) ||
      !(c->driver->caps & DRIVER_KEEPS_ROWS))
    return;
  look_at_tables(c, facts, &look);
  unknown = database_count_unknown(&look);
  if (unknown > 0)
    findings_add(to, FINDING_FAIL, "tables",
                 "run the prepare command with the same options",
                 "%u of %u (%s) cannot be read", unknown, look.n,
                 database_tables_name(&look, names));
  else if (facts->rows > 0)
    database_look_at_rows(to, &look, facts);
  if (facts->indexed && process_has_indexes(c->env->process))
    look_at_indexes(c, &look);
  look_unindexed(&look, &line);
  if (line.len > 0)
    findings_add(to, FINDING_WARN, "indexes",
                 "create it, or give --create-secondary=off", "%s",
                 strbuf_str(&line));
  strbuf_done(&line);
}

/* A pooler can give two connections different sessions for some time. */
static bool database_has_own_session(struct conn *c, struct conn *other)
{
  enum {
    TURNS = 5
  };
  static const bool is_other[TURNS] = { false, true, false, false, true };
  uint64_t first[2] = { 0 }, id;

  for (unsigned i = 0; i < TURNS; i++) {
    if (!look_at_backend(is_other[i] ? other : c, &id))
      return true; /* not known */
    if (i < 2)
      first[i] = id;
    else if (id != first[is_other[i]])
      return false;
  }
  return first[0] != first[1];
}

static void database_look_at_pooler(struct findings *to,
                                    struct driver_handle *h, struct conn *c)
{
  struct conn *other = c->driver->backend_query ? conn_open(h, NULL) : NULL;
  static const char begin[] = "BEGIN";

  if (!other)
    return;
  if (database_has_own_session(c, other))
    findings_add(to, FINDING_OK, "sessions", NULL,
                 "each connection has its own session on the server");
  else
    findings_add(to, FINDING_WARN, "sessions",
                 "use --db-ps-mode=unnamed or simple if prepared statements "
                 "fail",
                 "a pooler in between shares the sessions of the server");
  (void)conn_query(other, begin, sizeof(begin) - 1);
  if (other->pub.error != DB_ERROR_NONE)
    findings_add(to, FINDING_FAIL, "transactions",
                 "let the pooler share sessions by transaction (pool_mode)",
                 "BEGIN is refused: %s", conn_failure(other)->text);
  conn_free(other);
}

static void database_look_at(struct findings *to, struct driver_handle *h,
                             struct conn *c, const struct run_facts *facts)
{
  const uint64_t until_ns = conn_ask(c);

  database_look_at_server(to, c);
  database_look_at_durability(to, c);
  database_look_at_limits(to, c, facts);
  database_look_at_statements(to, c);
  if (clock_now_ns() < until_ns)
    database_look_at_the_tables(to, c, facts);
  if (clock_now_ns() < until_ns)
    database_look_at_pooler(to, h, c);
  if (!conn_asked(c, until_ns))
    findings_add(to, FINDING_FAIL, "answers",
                 "see --db-query-timeout and --db-connect-timeout",
                 "the server lets clients in, and does not answer in time");
}

void doctor_database(struct findings *to, struct db_process *db)
{
  struct db_env env = { .process = db, .rng = 1 };
  struct driver_handle *h;
  struct conn *c = NULL;

  h = env_driver(&env, NULL);
  if (h)
    c = conn_open(h, NULL);
  if (c) {
    database_look_at(to, h, c, &db->facts);
    conn_free(c);
  } else {
    findings_add(to, FINDING_FAIL, "server",
                 "see the error message, and the options of the driver",
                 "no connection");
  }
  env_done(&env);
}
