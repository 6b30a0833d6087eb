/*
 * doctor.h - checks what a run needs before it is started: the machine, a
 * folder, a database.
 *
 * Nothing is changed; the functions only add findings.
 */
#ifndef BENCH_DOCTOR_DOCTOR_H
#define BENCH_DOCTOR_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

struct db_process;
struct findings;

struct machine_needs {
  unsigned workers;  /* threads or clients */
  unsigned carriers; /* threads that carry them; 0: each has its own */
  bool clients;      /* --clients says how many there are, not --threads */
  uint64_t files;    /* files that the run opens; 0: not known */
};

/*
 * Check limits of the process, processors and memory, and measure the load of
 * other programs for about a second.
 */
void doctor_machine(struct findings *to, const struct machine_needs *needs);

struct folder_needs {
  const char *folder;
  uint64_t files, bytes; /* of all test_file.0 and so on together */
  bool direct;           /* with direct I/O */
};

/*
 * Check the folder of a file test: the file system, the files or the room for
 * them, and whether files can be opened for direct I/O.
 */
void doctor_folder(struct findings *to, const struct folder_needs *needs);

/* Is there room for the bytes that `prepare` writes?  `advice` is printed if
 * there is not; static. */
void doctor_space(struct findings *to, const char *folder, uint64_t bytes,
                  const char *advice);

/*
 * Connect with the options of `db`, and check the server: version, durability,
 * limits, tables.  Messages about a failed connection are logged.
 */
void doctor_database(struct findings *to, struct db_process *db);

#endif
