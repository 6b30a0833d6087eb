/*
 * cluster_meet.c - all ranks wait for each other: during the work, and at its
 * end.
 */
#include "cluster/cluster_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/wait.h"
#include "cluster/post.h"

#define LOOK_NS (20 * NS_PER_MS)

static void gather_votes(struct cluster *c, unsigned char *all)
{
  for (unsigned i = 1; i < c->size; i++) {
    struct post_message *l = post_receive(c->post, POST_MEET, i, WAIT_FOREVER);

    all[i] = l && l->len == 1 ? l->bytes[0] : CLUSTER_GONE;
    free(l);
  }
  (void)post_send_all(c->post, POST_MEET, all, c->size);
}

void cluster_vote(struct cluster *c, unsigned char own, unsigned char *all)
{
  struct post_message *l;

  memset(all, CLUSTER_GONE, c->size);
  all[c->rank] = own;
  if (c->rank == 0) {
    gather_votes(c, all);
    return;
  }
  (void)post_send(c->post, 0, POST_MEET, &own, 1);
  l = post_receive(c->post, POST_MEET, 0, WAIT_FOREVER);
  if (l && l->len == c->size)
    memcpy(all, l->bytes, c->size);
  free(l);
}

void cluster_meet(struct cluster *c)
{
  unsigned char *all = malloc(c->size);

  if (all) /* otherwise there is nothing to wait for */
    cluster_vote(c, 0, all);
  free(all);
}

void cluster_tell_stop(struct cluster *c, int why)
{
  const int32_t number = why;

  if (c->rank == 0)
    (void)post_send_all(c->post, POST_STOP, &number, sizeof(number));
  else
    (void)post_send(c->post, 0, POST_STOP, &number, sizeof(number));
}

/* Wait for a message without content, the loss of the rank, or a signal. */
static void await_word(struct cluster *c, enum post_kind kind, unsigned from)
{
  struct post_message *l = NULL;

  while (!l && !post_hurried(c->post) && !post_lost(c->post, from) &&
         !post_leaving(c->post, from))
    l = post_receive(c->post, kind, from, clock_now_ns() + LOOK_NS);
  free(l);
}

void cluster_finish(struct cluster *c)
{
  if (c->rank == 0) {
    for (unsigned i = 1; i < c->size; i++)
      await_word(c, POST_IDLE, i);
    (void)post_send_all(c->post, POST_ALL_IDLE, NULL, 0);
  } else {
    (void)post_send(c->post, 0, POST_IDLE, NULL, 0);
    await_word(c, POST_ALL_IDLE, 0);
  }
  post_set_pace(c->post, PACE_NORMAL);
}
