/*
 * program.h - options -> plan -> command -> exit status.
 */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

/* Returns the exit status. */
int program_main(int argc, char **argv);

#endif
