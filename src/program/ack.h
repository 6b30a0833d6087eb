/*
 * ack.h - the acknowledgement log of a run.
 */
#ifndef BENCH_PROGRAM_ACK_H
#define BENCH_PROGRAM_ACK_H

struct ack_log;
struct job;
struct program;

/* --ack-log is given for something that has no such log: complain.  Returns the
 * exit status. */
int program_check_ack(struct program *p);

/* Open the log that --ack-log asks for; *ret stays NULL without.  Returns the
 * exit status. */
int program_open_ack(const struct job *job, struct ack_log **ret);

/* Print what is in the log; it may be NULL.  Returns the exit status. */
int program_end_ack(const struct job *job, struct ack_log *log);

#endif
