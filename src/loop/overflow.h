/*
 * overflow.h - the end of a process whose stack is full.
 */
#ifndef BENCH_LOOP_OVERFLOW_H
#define BENCH_LOOP_OVERFLOW_H

/*
 * An overflow of this thread's stack, or a fiber's, will end the process with
 * exit status 1 and a line that names the option.  Other faults stay as they
 * are.  No effect under a sanitizer.
 */
void overflow_watch(void);

#endif
