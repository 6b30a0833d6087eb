/*
 * line_parts.h - what a session that several clients share consists of, and its
 * figures.  See line.h for the queue, and lane.h for what is done with it.
 */
#ifndef BENCH_DB_LINE_PARTS_H
#define BENCH_DB_LINE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "db/driver.h"
#include "db/outcome.h"

struct db_env;
struct line_place;

/* A statement that was prepared in a session of the line, and is not used any
 * more. */
struct line_closing {
  struct line_closing *next;
  struct prepared *prepared; /* owned */
  unsigned generation;       /* of the session that has it */
};

/* The thread of the line writes them, others read. */
struct line_figures {
  _Atomic uint64_t statements; /* in what counts */
  _Atomic uint64_t sends;      /* that carried them */
};

/* What is said of a session. */
struct lane_words {
  char target[128]; /* where it goes */
  char reason[256]; /* why it could not be opened, and the same in lines */
  char message[768];
};

/*
 * A session and the clients that share it.  It belongs to the thread that
 * carries them.  A helper thread that opens the session works for the client
 * that has the line alone; a lock protects what others need meanwhile, and the
 * thread that breaks connections.
 */
struct line {
  const struct driver *driver; /* NULL: it was not used yet */
  struct session *session;     /* owned; constant once it is there */
  struct line_place *first, *last;
  struct line_place *alone; /* has it alone */
  unsigned depth;           /* ... so many times */

  bool open;           /* the session is to be closed before it is opened */
  bool broken;         /* and of no use until then */
  unsigned generation; /* counts successful connects */
  struct outcome why;  /* broken: the loss, as its first witness saw it */
  char why_text[256];

  bool opening;              /* another thread may use the session */
  _Atomic unsigned failures; /* to open it; relaxed */
  struct outcome failed;     /* the last one, and its words */
  char failed_text[512];
  struct lane_words failed_words;
  char said[256]; /* to the user, of a first connect */

  bool begun;       /* requests can be added: see driver_pipe.h */
  bool reading;     /* the first one reads, and may wait for bytes */
  uint64_t sends;   /* those that the driver has counted, as seen last */
  uint64_t came_ns; /* when the bytes that were read last had come */
  struct line_figures figures;

  pthread_mutex_t lock; /* protects the rest, and shutdown() of the driver */
  bool cuttable;        /* the session may be shut down */
  unsigned users;       /* clients that have it open */
  struct line_closing *closing;
} CACHE_ALIGNED;

/* All lines of a process: client c has that of its thread. */
struct lines {
  unsigned carriers, clients, depth;
  unsigned each;   /* lines per thread, of which the last may be unused */
  unsigned n;      /* lines that have clients */
  struct line *of; /* owned */
};

/* False: no memory. */
bool lines_init(struct lines *l, unsigned carriers, unsigned clients,
                unsigned depth);
/* Their sessions are closed. */
void lines_done(struct lines *l);
/* Connections that so many clients of so many threads have. */
unsigned lines_count(unsigned carriers, unsigned clients, unsigned depth);

/* A figure grows; the thread of the line does it. */
static inline void line_figure(_Atomic uint64_t *figure, uint64_t n)
{
  atomic_store_explicit(figure,
                        atomic_load_explicit(figure, memory_order_relaxed) + n,
                        memory_order_relaxed);
}

/* That of a client; NULL: there are none. */
static inline struct line *lines_find(const struct lines *l, unsigned client)
{
  return l->of ? &l->of[client % l->carriers * l->each +
                        client / l->carriers / l->depth]
               : NULL;
}

struct line_sum {
  uint64_t statements, sends;
};
struct line_sum lines_sum(const struct lines *l);

#endif
