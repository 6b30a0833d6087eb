/*
 * doctor.h - checks the machine, a folder and a database before a run; changes
 * nothing, adds findings.
 */
#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

struct db_process;
struct findings;

struct machine_needs {
  unsigned workers;  /* threads or clients */
  unsigned carriers; /* that carry clients; 0: one each */
  bool clients;      /* set by --clients, not --threads */
  uint64_t files;    /* of the run; 0: not known */
};

/* Limits, CPUs, memory; measures the load of other programs for a second. */
void doctor_machine(struct findings *to, const struct machine_needs *needs);

struct folder_needs {
  const char *folder;
  uint64_t files, bytes; /* all files together */
  bool direct;           /* O_DIRECT */
};

/* File system, files or room for them, direct I/O. */
void doctor_folder(struct findings *to, const struct folder_needs *needs);

/* For `prepare`; `advice` (static) is printed without room. */
void doctor_space(struct findings *to, const char *folder, uint64_t bytes,
                  const char *advice);

/* Connects as the run would, and checks version, durability, limits, tables.
 * Failed connections are logged. */
void doctor_database(struct findings *to, struct db_process *db);

#endif
