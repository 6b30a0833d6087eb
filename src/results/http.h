/*
 * http.h - a small HTTP server: one thread, a few readers at a time.
 *
 * GET and HEAD are answered, if the Host header is right (http_host.h), and a
 * connection ends with its answer, unless that is a
 * stream.  Several readers are served at a time.  A reader that takes longer
 * than two seconds is dropped, or earlier if another one needs its place.  A
 * stream lasts until the server stops, or its reader takes nothing for ten
 * seconds though there is something.
 */
#ifndef BENCH_RESULTS_HTTP_H
#define BENCH_RESULTS_HTTP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct address;
struct err;

enum {
  HTTP_READERS = 64,   /* at the same time */
  HTTP_FEED = 1 << 16, /* about as much a stream gets at once */
};

struct http_request {
  const char *path;   /* without the part after a `?` */
  const char *accept; /* the value of that header; "": there is none */
};

struct http_content {
  const char *type; /* of `body`; static */
  struct strbuf body;
  bool stream; /* what follows comes from `feed` */
};

/* What a server does; all is called on its thread. */
struct http_service {
  /* Returns false if there is nothing at that path. */
  bool (*answer)(void *arg, const struct http_request *request,
                 struct http_content *ret);
  /* [opt] Add what a stream has not got yet, and move `*at` on, which is 0 in
   * the beginning.  Returns false if that was the last of it. */
  bool (*feed)(void *arg, uint64_t *at, struct strbuf *out);
  /* [opt] Called once in such a period. */
  void (*tick)(void *arg);
  uint64_t period_ns;
};

struct http_server;

struct http {
  int listener; /* -1: not open */
  int wake[2];  /* a pipe: a byte in it ends the thread */
  pthread_t thread;
  bool running;
  struct http_server *server; /* owned; the thread's data */

  const char *names; /* borrowed; of http_open() */

  /* The arguments of http_start(). */
  const struct http_service *service;
  void *arg;
};

/* Listen at the address; `text` is the user's form of it, `names` are further
 * names of this machine, with commas between them. */
int http_open(struct http *h, const struct address *where, const char *text,
              const char *names, struct err *err);
/* From now on requests are answered. */
int http_start(struct http *h, const struct http_service *service, void *arg,
               struct err *err);
/* Streams get what is left for them.  This waits only for readers of streams
 * that take it. */
void http_stop(struct http *h);

#endif
