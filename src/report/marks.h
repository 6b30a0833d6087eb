/*
 * marks.h - moments with a text on the time axis of a run.
 *
 * One thread adds marks; any thread can read the first marks_count().  NULL
 * means no marks.
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
  MARKS_MAX = 1000, /* more are only counted */
  MARK_TEXT = 256,  /* bytes with the terminator; longer texts are cut */
};

struct marks *marks_new(void); /* NULL: out of memory */
void marks_free(struct marks *m);

/* Sets the origin of times, before the first mark. */
void marks_begin(struct marks *m, uint64_t base_ns);

/* Adds one line as valid UTF-8 without control characters.  False: blank, or
 * too many marks. */
bool marks_add(struct marks *m, const char *line, size_t len, uint64_t now_ns);

/* Marks are ordered by time. */
unsigned marks_count(const struct marks *m);
const char *mark_text(const struct marks *m, unsigned i);
/* Since the measured start; negative in the warm-up. */
double mark_at_s(const struct marks *m, unsigned i);
/* How many are not later than `at_ns`. */
unsigned marks_until(const struct marks *m, uint64_t at_ns);

/* Number of marks beyond MARKS_MAX. */
uint64_t marks_lost(const struct marks *m);

void marks_write(struct strbuf *b, const struct marks *m);

/* The fifo of --mark.  A thread waits for lines, so each mark has its exact
 * time. */
struct mark_fifo;

/* --mark without FIFO: the process number gives the path. */
#define MARK_AUTO "auto"

/* Opens `where`; with MARK_AUTO, a place of mark_path().  Removes a fifo that
 * it made, at the end. */
int mark_fifo_new(struct mark_fifo **ret, const char *where, bool print,
                  struct leave *leave, struct err *err);
void mark_fifo_free(struct mark_fifo *f);

const char *mark_fifo_path(const struct mark_fifo *f);
const struct marks *mark_fifo_marks(const struct mark_fifo *f);

/* False: not sent. */
bool mark_fifo_send(const struct mark_fifo *f, const char *text, size_t len);

/* Place number `which` for the fifo of a process; false: no more, or too
 * long. */
bool mark_path(char *ret, size_t size, unsigned which, long pid);

/* Put it before reporters that show marks.  Reads from the start of the load to
 * the last report. */
extern const struct reporter mark_reporter;

#endif
