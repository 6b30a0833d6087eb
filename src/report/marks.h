/*
 * marks.h - what the experimenter did during a run: moments with a text, on the
 * time axis of all outputs.
 *
 * One thread adds marks; any thread may read those that marks_count() has
 * counted.  All functions accept NULL, which has no marks.
 */
#ifndef BENCH_REPORT_MARKS_H
#define BENCH_REPORT_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/reporter.h"

struct err;
struct leave;
struct marks;
struct strbuf;

enum {
  MARKS_MAX = 1000, /* further ones are only counted */
  MARK_TEXT = 256,  /* bytes, with the terminator; longer texts are cut */
};

struct marks *marks_new(void); /* NULL: not enough memory */
void marks_free(struct marks *m);

/* Times count from here on.  Called before the first mark. */
void marks_begin(struct marks *m, uint64_t base_ns);

/* Add what was written in one line.  The text becomes valid UTF-8 without
 * control characters.  A line of blanks is no mark; false: none was kept. */
bool marks_add(struct marks *m, const char *line, size_t len, uint64_t now_ns);

/* Mark i is older than mark i + 1. */
unsigned marks_count(const struct marks *m);
const char *mark_text(const struct marks *m, unsigned i);
/* Since the measured start; below 0: in the warm-up. */
double mark_at_s(const struct marks *m, unsigned i);
/* The number of marks up to this moment of the program's clock. */
unsigned marks_until(const struct marks *m, uint64_t at_ns);

/* Those that were not kept, because there were too many. */
uint64_t marks_lost(const struct marks *m);

/* Write all of them as text, followed by an empty line. */
void marks_write(struct strbuf *b, const struct marks *m);

/*
 * The fifo from which a run takes marks.  A thread waits for lines, so a mark
 * has the moment at which it was written, and a run that nobody marks pays
 * nothing.
 */
struct mark_fifo;

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
