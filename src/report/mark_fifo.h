/*
 * mark_fifo.h - the fifo from which a run takes marks.
 *
 * A thread waits for lines, so a mark has the moment at which it was written,
 * and a run that nobody marks pays nothing.
 */
#ifndef BENCH_REPORT_MARK_FIFO_H
#define BENCH_REPORT_MARK_FIFO_H

#include <stdbool.h>
#include <stddef.h>

#include "report/reporter.h"

struct err;
struct leave;
struct mark_fifo;
struct marks;

/* The value of --mark that makes a fifo which is found by the number of the
 * process. */
#define MARK_AUTO "auto"

/*
 * Open the fifo `where`, or one that mark_path() finds with MARK_AUTO.  If it
 * does not exist, it is made, and removed at the end.  `print`: a mark is
 * printed when it comes.
 */
int mark_fifo_new(struct mark_fifo **ret, const char *where, bool print,
                  struct leave *leave, struct err *err);
void mark_fifo_free(struct mark_fifo *f); /* `f` may be NULL */

const char *mark_fifo_path(const struct mark_fifo *f);
const struct marks *mark_fifo_marks(const struct mark_fifo *f); /* NULL: NULL */

/* Place number `which` where the fifo of a process may be; false: there are no
 * more, or the name is too long. */
bool mark_path(char *ret, size_t size, unsigned which, long pid);

/* Reads from the start of the load up to the last report.  It comes before the
 * reporters that show marks.  ctx: struct mark_fifo */
extern const struct reporter mark_reporter;

#endif
