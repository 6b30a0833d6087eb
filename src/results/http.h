/*
 * http.h - a small HTTP server: one thread, a few readers at a time.
 *
 * Only GET is answered, and a connection ends with its answer.  Several readers
 * are served at a time.  A reader that takes longer than two seconds is
 * dropped, or earlier if another one needs its place.
 */
#ifndef BENCH_RESULTS_HTTP_H
#define BENCH_RESULTS_HTTP_H

#include <pthread.h>
#include <stdbool.h>

#include "base/strbuf.h"

struct address;
struct err;

enum {
  HTTP_READERS = 16 /* at the same time */
};

struct http_request {
  const char *path;   /* without the part after a `?` */
  const char *accept; /* the value of that header; "": there is none */
};

struct http_content {
  const char *type; /* of `body`; static */
  struct strbuf body;
};

/* Returns false if there is nothing at that path.  Called on the server's
 * thread. */
typedef bool http_answer(void *arg, const struct http_request *request,
                         struct http_content *ret);

struct http_server;

struct http {
  int listener; /* -1: not open */
  int wake[2];  /* a pipe: a byte in it ends the thread */
  pthread_t thread;
  bool running;
  struct http_server *server; /* owned; the thread's data */

  /* The arguments of http_start(). */
  http_answer *answer;
  void *arg;
};

/* Listen at the address; `text` is the user's form of it. */
int http_open(struct http *h, const struct address *where, const char *text,
              struct err *err);
/* From now on requests are answered. */
int http_start(struct http *h, http_answer *answer, void *arg, struct err *err);
/* This does not wait for a slow reader. */
void http_stop(struct http *h);

#endif
