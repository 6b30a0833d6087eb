/*
 * http.h - a small server over HTTP: one thread, a few readers at a time.
 *
 * Only GET is answered, and a connection ends with its answer.  Readers are
 * served beside each other.  One that takes longer than two seconds is dropped,
 * and earlier when another one needs its place.
 */
#ifndef BENCH_RESULTS_HTTP_H
#define BENCH_RESULTS_HTTP_H

#include <pthread.h>
#include <stdbool.h>

#include "base/strbuf.h"

struct address;
struct err;

enum {
  HTTP_READERS = 16 /* at a time */
};

struct http_request {
  const char *path;   /* without what follows a `?` */
  const char *accept; /* the value of that header; "": there is none */
};

struct http_content {
  const char *type; /* of `body`; static */
  struct strbuf body;
};

/* False: there is nothing at that path.  Called on the server's thread. */
typedef bool http_answer(void *arg, const struct http_request *request,
                         struct http_content *ret);

struct http_server;

struct http {
  int listener; /* -1: not open */
  int wake[2];  /* a pipe: what is written there ends the thread */
  pthread_t thread;
  bool running;
  struct http_server *server; /* owned; the thread's */

  /* Given to http_start(). */
  http_answer *answer;
  void *arg;
};

/* Take the port; `text` is how the user wrote it. */
int http_open(struct http *h, const struct address *where, const char *text,
              struct err *err);
/* Requests are answered from now on. */
int http_start(struct http *h, http_answer *answer, void *arg, struct err *err);
/* Does not wait for a reader that is slow. */
void http_stop(struct http *h);

#endif
