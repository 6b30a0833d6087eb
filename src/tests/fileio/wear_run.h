/*
 * wear_run.h - in a run that writes: what the device wrote, beside what the
 * test wrote.
 */
#ifndef BENCH_TESTS_FILEIO_WEAR_RUN_H
#define BENCH_TESTS_FILEIO_WEAR_RUN_H

struct facts;
struct fileio;
struct worker;

/* Find the device of the open files, and begin to count. */
void wear_run_begin(struct fileio *fio);

/* A worker has ended without an error, its final fsyncs included. */
void wear_run_worker_ended(struct fileio *fio, const struct worker *w);

/* Print the line after the report; not under the name sysbench. */
void wear_run_tell(const struct fileio *fio);

void wear_run_facts(const struct fileio *fio, struct facts *to);

#endif
