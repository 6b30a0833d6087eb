/*
 * overflow.h - the end of a process whose stack is full.
 */
#ifndef BENCH_LOOP_OVERFLOW_H
#define BENCH_LOOP_OVERFLOW_H

/*
 * From now on, a stack of the calling thread that overflows, its own or that of
 * one of its fibers, ends the process with a line that names the option, and
 * with exit status 1.  Every other fault does what it always does.  Without it
 * the signal ends the process, as it does where a sanitizer reports faults.
 */
void overflow_watch(void);

#endif
