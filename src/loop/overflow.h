/*
 * overflow.h - the end of a process whose stack is full.
 */
#ifndef BENCH_LOOP_OVERFLOW_H
#define BENCH_LOOP_OVERFLOW_H

/*
 * From now on, an overflow of this thread's stack, or of a fiber's, ends the
 * process with a line that names the option, and exit status 1.  Other faults
 * stay as they are.  No effect where a sanitizer reports faults.
 */
void overflow_watch(void);

#endif
