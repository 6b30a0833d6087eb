/*
 * inherited.h - mends what a program inherits from its parent, if something is
 * wrong with it.
 */
#ifndef BENCH_PROGRAM_INHERITED_H
#define BENCH_PROGRAM_INHERITED_H

#include <stdbool.h>

enum {
  INHERITED_STACK_KIB = 256 /* half of it is in use at most */
};

/*
 * Call this first in main().  It opens /dev/null for each of the descriptors 0
 * to 2 that is closed.  Otherwise, the next file or socket would get that
 * number and receive what is printed.  It also stops SIGXFSZ from ending the
 * program, so that the call fails with EFBIG and can be reported.  False:
 * /dev/null cannot be opened: errno says why.
 */
bool inherited_mend(void);

/* Is the stack large enough for all that the first thread does?  Without that,
 * it would end by a signal, and the results with it. */
bool inherited_stack_suffices(void);

/*
 * From here on, the program outlives the readers of what it prints: a write
 * fails with EPIPE.  A parent that ignores SIGPIPE has asked for that already.
 */
void inherited_outlive_readers(void);

#endif
