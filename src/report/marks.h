/*
 * marks.h - moments with a text on the time axis of a run.
 *
 * A thread adds marks; any thread may read the first marks_count().  All
 * functions accept NULL: no marks.
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
  MARKS_MAX = 1000, /* others are only counted */
  MARK_TEXT = 256,  /* bytes with the terminator; longer texts are cut */
};

struct marks *marks_new(void); /* NULL: out of memory */
void marks_free(struct marks *m);

/* Origin of times; before the first mark. */
void marks_begin(struct marks *m, uint64_t base_ns);

/* One line as valid UTF-8 without control characters.  False: blank, or not
 * kept. */
bool marks_add(struct marks *m, const char *line, size_t len, uint64_t now_ns);

/* In order of time. */
unsigned marks_count(const struct marks *m);
const char *mark_text(const struct marks *m, unsigned i);
/* Since the measured start; negative in the warm-up. */
double mark_at_s(const struct marks *m, unsigned i);
/* Up to this moment of the program's clock. */
unsigned marks_until(const struct marks *m, uint64_t at_ns);

/* Not kept: too many. */
uint64_t marks_lost(const struct marks *m);

void marks_write(struct strbuf *b, const struct marks *m);

/* The fifo of --mark.  A thread waits for lines, so a mark has its moment, and
 * a run without marks costs nothing. */
struct mark_fifo;

/* --mark without FIFO: found by the process number. */
#define MARK_AUTO "auto"

/* Opens `where`, or a place of mark_path() with MARK_AUTO; a fifo that was made
 * is removed at the end.  `print`: print marks as they come. */
int mark_fifo_new(struct mark_fifo **ret, const char *where, bool print,
                  struct leave *leave, struct err *err);
void mark_fifo_free(struct mark_fifo *f); /* NULL is allowed */

const char *mark_fifo_path(const struct mark_fifo *f);
const struct marks *
mark_fifo_marks(const struct mark_fifo *f); /* NULL for NULL */

/* False: not taken. */
bool mark_fifo_send(const struct mark_fifo *f, const char *text, size_t len);

/* Place `which` of the fifo of a process; false: no more, or too long. */
bool mark_path(char *ret, size_t size, unsigned which, long pid);

/* Reads from the start of the load to the last report; before reporters that
 * show marks. */
extern const struct reporter mark_reporter;

#endif
