/*
 * test_sync_remote.c - the log of acknowledged writes at a listener that was
 * too slow for some of it: what the end says of the records that are missing.
 */
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ack/listener.h"
#include "ack/wire.h"
#include "base/err.h"
#include "base/mem.h"
#include "tests/fileio/sync_log.h"
#include "tests/unit/tap.h"

enum {
  RECORDS = 4,                  /* of a piece */
  FAR = (256 << 20) / (32 * 4), /* so many pieces are too many */
};

static int stop[2];

static void *serve(void *arg)
{
  struct err err = { "" };

  (void)ack_listener_serve(arg, stop[0], &err);
  return NULL;
}

static void fill(struct sync_log_record *piece, int n)
{
  for (int i = 0; i < n; i++) {
    piece[i].kind = SYNC_LOG_WRITTEN;
    atomic_store_explicit(&piece[i].check, 1, memory_order_release);
  }
}

/* A log of two pieces with six records, of which four or two are complete; the
 * second piece was left out.  Returns what the end says. */
static int end_of(const char *address, bool left_out, int complete,
                  struct err *err)
{
  _Atomic uint64_t count = 0;
  const size_t bytes = (FAR + 2) * sizeof(void *);
  struct sync_log_record *_Atomic *of = mem_pages(bytes);
  const struct sync_pieces pieces = {
    .of = of, .most = FAR + 2, .records = RECORDS, .count = &count
  };
  const struct sync_log_header header = { .run = 1 };
  struct sync_remote *r = NULL;
  int rc;

  if (!of || sync_remote_new(&r, address, &header, &pieces, err) < 0 ||
      sync_remote_make(r, 0, err) < 0) {
    printf("Bail out! %s\n", err->text);
    exit(1);
  }
  fill(of[0], complete);
  if (left_out) {
    OK(sync_remote_make(r, FAR, err) == 0 && of[FAR] == sync_remote_nothing(r),
       "there is no room for a piece");
    of[1] = sync_remote_nothing(r);
  }
  atomic_store(&count, left_out ? 6 : 4);
  rc = sync_remote_end(r, err);
  sync_remote_free(r);
  mem_pages_free((void *)of, bytes);
  return rc;
}

int main(void)
{
  const struct sockaddr_in at = { .sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  char folder[] = "/tmp/test_sync_remote.XXXXXX", address[32], command[64];
  const struct ack_listener_cfg cfg = { .where = (const struct sockaddr *)&at,
                                        .len = sizeof(at),
                                        .folder = folder,
                                        .token_file = "",
                                        .log_limit = ACK_WIRE_FILE_BYTES,
                                        .dir_limit = ACK_WIRE_FILE_BYTES,
                                        .quiet_ns = UINT64_MAX,
                                        .out = tmpfile() };
  struct ack_listener *l = NULL;
  struct err err = { "" };
  pthread_t thread;

  if (!mkdtemp(folder) || !cfg.out || pipe(stop) < 0 ||
      ack_listener_open(&l, &cfg, &err) < 0 ||
      pthread_create(&thread, NULL, serve, l) != 0) {
    printf("Bail out! no listener: %s\n", err.text);
    return 1;
  }
  (void)snprintf(address, sizeof(address), "127.0.0.1:%u",
                 ack_listener_port(l));
  OK(end_of(address, false, 4, &err) == 0, "all is there");
  OK(end_of(address, true, 4, &err) == -ENOBUFS &&
       strstr(err.text, "has gaps, 2 of 6 records are not there"),
     "what was left out is missing");
  OK(end_of(address, false, 2, &err) == -EPIPE &&
       strstr(err.text, "is not complete, 2 of 4 records are not there"),
     "what was never completed is missing");
  (void)!write(stop[1], "x", 1);
  (void)pthread_join(thread, NULL);
  ack_listener_free(l);
  (void)fclose(cfg.out);
  (void)snprintf(command, sizeof(command), "rm -r %s", folder);
  OK(system(command) == 0, "there were files");
  return TAP_EXIT();
}
