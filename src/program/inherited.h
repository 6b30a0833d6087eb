/*
 * inherited.h - what a program inherits from whoever starts it, and what may be
 * wrong with that.
 */
#ifndef BENCH_PROGRAM_INHERITED_H
#define BENCH_PROGRAM_INHERITED_H

#include <stdbool.h>

/*
 * First of all in main(): open /dev/null for each of the descriptors 0 to 2
 * that is closed.  The next file or socket would get its number otherwise, and
 * with it what is printed.  Signals that would end the program where an error
 * of a call can be reported (SIGXFSZ: EFBIG) do so no more.  False: /dev/null
 * cannot be opened, and there is nowhere to say so.
 */
bool inherited_mend(void);

#endif
