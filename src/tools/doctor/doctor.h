/*
 * doctor.h - checks the machine, a folder and a database before a run; changes
 * nothing, adds findings.
 */
#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct db_process;
struct findings;
struct strbuf;

enum finding_level {
  FINDING_OK,
  FINDING_WARN,
  FINDING_FAIL, /* the run would fail */
};

struct finding {
  enum finding_level level;
  const char *subject; /* static: "server" */
  const char *advice;  /* static; [opt] */
  char text[320];
};

enum {
  FINDINGS_MAX = 64 /* more are dropped */
};

/* {0} is empty. */
struct findings {
  size_t n;
  struct finding of[FINDINGS_MAX];
};

void findings_add(struct findings *f, enum finding_level level,
                  const char *subject, const char *advice, const char *fmt, ...)
  PRINTF_LIKE(5, 6);

size_t findings_count(const struct findings *f, enum finding_level level);

/* NULL: out of memory. */
json_t *findings_json(const struct findings *f);

void findings_print(const struct findings *f, struct strbuf *out);

/*
 * What costs latency on this machine.
 *
 * Files are read below `root` ("": the system); unreadable files give no
 * finding.
 */

struct client_irq {
  unsigned number;
  uint64_t count;
  char name[48]; /* device */
};

struct client_counts {
  /* Ticks of all programs; 0: unknown. */
  uint64_t busy, stolen, all;
  struct client_irq *irqs; /* owned */
  size_t n_irqs;
};

void doctor_governors(struct findings *to, const char *root,
                      const cpu_set_t *cpus);

void doctor_idle_states(struct findings *to, const char *root,
                        const cpu_set_t *cpus);

void client_counts_read(struct client_counts *ret, const char *root,
                        const cpu_set_t *cpus);
void client_counts_done(struct client_counts *c);

/* Readings were `seconds` apart; this program slept between. */
void doctor_load(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, const cpu_set_t *cpus);
void doctor_irqs(struct findings *to, const struct client_counts *before,
                 const struct client_counts *after, double seconds);

/* The median delay of sleeps of some milliseconds, in ns. */
void doctor_wakeups(struct findings *to, uint64_t late_ns);

struct machine_needs {
  unsigned workers;  /* threads or clients */
  unsigned carriers; /* that carry clients; 0: one each */
  bool clients;      /* set by --clients, not --threads */
  uint64_t files;    /* 0: unknown */
};

/* Measures the load of other programs for a second. */
void doctor_machine(struct findings *to, const struct machine_needs *needs);

struct folder_needs {
  const char *folder;
  uint64_t files, bytes; /* all files together */
  bool direct;
};

void doctor_folder(struct findings *to, const struct folder_needs *needs);

/* For `prepare`; `advice` (static) is printed without room. */
void doctor_space(struct findings *to, const char *folder, uint64_t bytes,
                  const char *advice);

/* Connects as the run would.  Failed connections are logged. */
void doctor_database(struct findings *to, struct db_process *db);

#endif
