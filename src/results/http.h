/*
 * http.h - a small HTTP server on one thread.
 *
 * Answers GET, HEAD and POST with a valid Host header and closes the
 * connection, except for streams.  Drops a reader after two seconds, or earlier
 * if its place is needed.  A stream lasts until the server stops, or its reader
 * takes nothing for ten seconds.
 */
#ifndef BENCH_RESULTS_HTTP_H
#define BENCH_RESULTS_HTTP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"

struct address;
struct err;

/*
 * Checks the Host header against DNS rebinding: a page of another site lets its
 * name resolve to an address of this machine to read the answers, so its
 * requests carry that name.
 */

/* Separated by commas? */
bool http_host_are_names(const char *names);

enum {
  HTTP_READERS = 64,
  HTTP_FEED = 1 << 16, /* about the most per write to a stream */
};

struct http_request {
  bool posts;         /* without a body; otherwise GET or HEAD */
  const char *path;   /* without "?" and the rest */
  const char *accept; /* or "" */
  const char *token;  /* X-Bench-Token, or "" */
};

struct http_content {
  const char *type; /* of `body`; static */
  struct strbuf body;
  bool stream;        /* `feed` adds to it */
  const char *status; /* [opt] instead of 200 */
};

/* Called on the server's thread. */
struct http_service {
  /* False: not found. */
  bool (*answer)(void *arg, const struct http_request *request,
                 struct http_content *ret);
  /* [opt] Adds the news after *at (first 0), and moves *at.  False: the end. */
  bool (*feed)(void *arg, uint64_t *at, struct strbuf *out);
  /* [opt] once per period */
  void (*tick)(void *arg);
  uint64_t period_ns;
  bool takes_posts;
};

struct http_server;

struct http {
  int listener; /* -1: closed */
  int wake[2];  /* a byte ends the thread */
  pthread_t thread;
  bool running;
  struct http_server *server; /* owned; of the thread */

  const char *names;

  const struct http_service *service;
  void *arg;
};

/* `text`: the address as typed; `names`: other names of this machine, with
 * commas. */
int http_open(struct http *h, const struct address *where, const char *option,
              const char *text, const char *names, struct err *err);
int http_start(struct http *h, const struct http_service *service, void *arg,
               struct err *err);
/* Streams get the rest.  WAITS for readers that take it. */
void http_stop(struct http *h);

#endif
