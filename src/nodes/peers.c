/*
 * peers.c - the meetings of a run with its peers.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "nodes/cluster.h"
#include "nodes/nodes.h"
#include "nodes/post.h"
#include "nodes/report.h"

/*
 * After a signal.  The launcher sends SIGTERM to all ranks when a user
 * interrupts it or when a rank has died, and kills them a second later.  Rank 0
 * waits this long for the others, and they wait a little longer for rank 0.
 */
#define FIRST_PATIENCE_NS (700 * NS_PER_MS)
#define OTHERS_PATIENCE_NS (850 * NS_PER_MS)

static struct cluster *cluster_of(void *ctx)
{
  return ((struct nodes *)ctx)->cluster;
}

/* Called on the thread of the post. */
static void stop_arrived(void *arg, const struct post_message *l)
{
  const struct peers_listener *listener = arg;
  int32_t number = 0;

  if (l->len == sizeof(number))
    memcpy(&number, l->bytes, sizeof(number));
  listener->stopped(listener->arg, number);
}

static void on_listen(void *ctx, const struct peers_listener *listener)
{
  struct nodes *ranks = ctx;

  ranks->events = (struct post_events){
    .arg = (void *)(uintptr_t)listener,
    .stop = stop_arrived,
  };
  post_listen(cluster_post(ranks->cluster), listener ? &ranks->events : NULL);
}

static int on_start(void *ctx, bool ready, uint64_t *ret_ns, struct err *err)
{
  return cluster_start(cluster_of(ctx), ready, ret_ns, err);
}

static void on_started(void *ctx, uint64_t now_ns)
{
  cluster_started(cluster_of(ctx), now_ns);
}

static void on_stop(void *ctx, int signal)
{
  struct nodes *ranks = ctx;

  cluster_tell_stop(ranks->cluster, signal);
  if (signal != 0)
    post_hurry(cluster_post(ranks->cluster),
               clock_now_ns() +
                 (ranks->rank == 0 ? FIRST_PATIENCE_NS : OTHERS_PATIENCE_NS));
}

static void on_finish(void *ctx)
{
  cluster_finish(cluster_of(ctx));
}

/* ---- folders ---- */

static void mark_name(const struct nodes *ranks, const char *folder,
                      unsigned rank, struct strbuf *out)
{
  strbuf_clear(out);
  strbuf_addf(out, "%s/.bench-%llx-%u", folder[0] != '\0' ? folder : ".",
              (unsigned long long)ranks->token, rank);
}

/* Each rank puts a mark into the folder.  Ranks whose marks are seen share
 * it. */
static void on_divide_folder(void *ctx, const char *folder, unsigned *ret_part,
                             unsigned *ret_parts)
{
  struct nodes *ranks = ctx;
  struct strbuf name = { 0 };
  int fd;

  *ret_part = 0;
  *ret_parts = 1;
  mark_name(ranks, folder, ranks->rank, &name);
  fd = open(strbuf_str(&name), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  cluster_meet(ranks->cluster);
  for (unsigned i = 0; fd >= 0 && i < ranks->size; i++) {
    if (i == ranks->rank)
      continue;
    mark_name(ranks, folder, i, &name);
    if (access(strbuf_str(&name), F_OK) < 0)
      continue;
    ++*ret_parts;
    *ret_part += i < ranks->rank;
  }
  cluster_meet(ranks->cluster);
  if (fd >= 0) {
    mark_name(ranks, folder, ranks->rank, &name);
    (void)close(fd);
    (void)unlink(strbuf_str(&name));
  }
  strbuf_done(&name);
}

/* ---- words ---- */

_Static_assert((int)PEERS_GONE == (int)CLUSTER_GONE, "the same word");

static void on_vote(void *ctx, unsigned char own, unsigned char *all)
{
  cluster_vote(cluster_of(ctx), own, all);
}

void nodes_peers_init(struct peers *peers, struct nodes *ranks)
{
  *peers = (struct peers){
    .ctx = ranks,
    .listen = on_listen,
    .start = on_start,
    .started = on_started,
    .stop = on_stop,
    .finish = on_finish,
    .divide_folder = on_divide_folder,
    .vote = on_vote,
  };
}
