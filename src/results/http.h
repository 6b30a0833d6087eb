/*
 * http.h - a server of one text over HTTP, for one reader at a time.
 */
#ifndef BENCH_RESULTS_HTTP_H
#define BENCH_RESULTS_HTTP_H

#include <pthread.h>
#include <stdbool.h>

struct address;
struct err;
struct strbuf;

struct http {
  int listener; /* -1: not open */
  int wake[2];  /* a pipe: what is written there ends the thread */
  pthread_t thread;
  bool running;

  /* Given to http_start(); called on the server's thread. */
  const char *type; /* of the content */
  void (*content)(void *arg, struct strbuf *out);
  void *arg;
};

/* Take the port; `text` is how the user wrote it. */
int http_open(struct http *h, const struct address *where, const char *text,
              struct err *err);
/* GET / and GET /metrics are answered from now on. */
int http_start(struct http *h, const char *type,
               void (*content)(void *arg, struct strbuf *out), void *arg,
               struct err *err);
/* Does not wait for a reader that is slow. */
void http_stop(struct http *h);

#endif
