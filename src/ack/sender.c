#include "ack/sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "ack/wire.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/minmax.h"
#include "base/thread.h"
#include "base/wait.h"

#define LOOK_NS (10 * NS_PER_MS)
#define RETRY_NS (200 * NS_PER_MS)

/* A batch that takes longer than SLOW_NS makes the next one smaller; one under
 * FAST_NS, larger. */
#define SLOW_NS NS_PER_S
#define FAST_NS (NS_PER_S / 8)

enum {
  LEAST_BYTES = 1 << 16, /* of a batch; the header of a log fits */
};

bool ack_bytes_have_room(const struct ack_bytes *b, size_t n)
{
  return b->len + sizeof(struct ack_frame) + n <=
         sizeof(struct ack_batch) + b->room;
}

void ack_bytes_put(struct ack_bytes *b, uint64_t offset, const void *bytes,
                   size_t n)
{
  struct ack_frame f = { 0 };

  if (b->frame_at > 0)
    memcpy(&f, b->of + b->frame_at, sizeof(f));
  if (b->frame_at == 0 || f.offset + f.bytes != offset) {
    f = (struct ack_frame){ .offset = offset };
    b->frame_at = b->len;
    b->len += sizeof(f);
  }
  f.bytes += (uint32_t)n;
  memcpy(b->of + b->frame_at, &f, sizeof(f));
  memcpy(b->of + b->len, bytes, n);
  b->len += n;
}

uint64_t ack_bytes_begin(struct ack_bytes *b, uint64_t chunk, uint64_t end)
{
  static const char zeros[8];

  for (; chunk < end && ack_bytes_have_room(b, sizeof(zeros)); chunk++)
    ack_bytes_put(b, chunk * ACK_WIRE_CHUNK, zeros, sizeof(zeros));
  return chunk;
}

static bool sender_is_empty(const struct ack_bytes *b)
{
  return b->len == sizeof(struct ack_batch);
}

static bool sender_fill(struct ack_sender *s, bool ending)
{
  const bool beat = clock_now_ns() - s->sent_ns >=
                    (uint64_t)ACK_WIRE_HEARTBEAT_MS * NS_PER_MS;
  bool more;

  s->bytes.len = sizeof(struct ack_batch);
  s->bytes.frame_at = 0;
  more = s->source.fill(s->source.arg, &s->bytes, beat, ending);
  if (!sender_is_empty(&s->bytes))
    s->number++;
  return more;
}

static void sender_note_full(struct ack_sender *s)
{
  if (s->full || !s->source.has_gaps(s->source.arg))
    return;
  s->notices.full(s->notices.arg);
  s->full = true;
}

static void sender_adapt(struct ack_bytes *b, uint64_t took_ns)
{
  if (took_ns > SLOW_NS)
    b->room = max_u64(b->room / 2, LEAST_BYTES);
  else if (took_ns < FAST_NS && b->len > b->room / 2)
    b->room = min_u64(b->room * 2, ACK_WIRE_BATCH);
}

/* < 0: keep the batch. */
static int sender_deliver(struct ack_sender *s, bool ending)
{
  const uint64_t begin = clock_now_ns();
  struct err err = { "" };
  int rc = 0;

  if (!ack_link_is_up(&s->link))
    rc = ack_link_open(&s->link, &err);
  if (rc == -EALREADY) /* only the answer to the last batch was lost */
    rc = s->bytes.last ? 0 : -EPERM;
  else if (rc == 0)
    rc = ack_link_deliver(&s->link, s->bytes.of, s->bytes.len, s->number,
                          s->bytes.last, &err);
  if (rc < 0) {
    s->why = err;
    if (!s->broken && !ending)
      s->notices.lost(s->notices.arg, err.text);
    s->broken |= !ending;
    return rc;
  }
  s->sent_ns = clock_now_ns();
  sender_adapt(&s->bytes, s->sent_ns - begin);
  if (s->source.delivered)
    s->source.delivered(s->source.arg);
  if (s->broken)
    s->notices.back(s->notices.arg);
  s->broken = false;
  return 0;
}

static void sender_pause_for(struct ack_sender *s, uint64_t ns, bool ending)
{
  const uint32_t word = atomic_load(&s->word);
  const uint64_t until = clock_now_ns() + ns;

  if (ending)
    thread_sleep_until(min_u64(until, atomic_load(&s->until_ns)));
  else if (!atomic_load_explicit(&s->ending, memory_order_acquire))
    wait_while(&s->word, word, until);
}

/* A refusal is final.  An unreachable listener gets less time than a slow
 * one. */
static bool sender_gives_up(struct ack_sender *s, int rc, uint64_t ended_ns)
{
  const uint64_t now = clock_now_ns();

  if (now < atomic_load(&s->until_ns))
    return rc == -EPERM || (rc < 0 && now - max_u64(ended_ns, s->sent_ns) >=
                                        ACK_WIRE_END_S * NS_PER_S);
  if (s->sent_ns > ended_ns || s->why.text[0] == '\0')
    (void)err_set(&s->why, -ETIMEDOUT,
                  "the link is too slow, and the run waits no longer than %d s",
                  ACK_WIRE_FLUSH_S);
  return true;
}

static void *send_log(void *arg)
{
  struct ack_sender *s = arg;
  bool more = false;
  uint64_t ended_ns = 0;
  int rc = 0; /* < 0: the batch waits */

  thread_set_name("ack log");
  while (!s->complete) {
    const bool ending = atomic_load_explicit(&s->ending, memory_order_acquire);

    if (ending && ended_ns == 0)
      ended_ns = clock_now_ns();
    if (rc == 0)
      more = sender_fill(s, ending);
    rc = sender_is_empty(&s->bytes) ? 0 : sender_deliver(s, ending);
    sender_note_full(s);
    s->complete = rc == 0 && s->bytes.last;
    if (ending && !s->complete && sender_gives_up(s, rc, ended_ns))
      break;
    if (rc < 0 || !more)
      sender_pause_for(s, rc < 0 ? RETRY_NS : LOOK_NS, ending);
  }
  return NULL;
}

static int sender_meet(struct ack_sender *s, struct err *err)
{
  uint64_t run;
  int rc;

  if (getrandom(&run, sizeof(run), 0) != (ssize_t)sizeof(run))
    return err_sys(err, "the system gives no random numbers,");
  rc = ack_link_init(&s->link, s->address, run, clock_read_ns(CLOCK_REALTIME),
                     &s->until_ns, err);
  s->link.hello.chunks = s->source.chunks;
  return rc == 0 ? ack_link_open(&s->link, err) : rc;
}

int ack_sender_init(struct ack_sender *s, const char *address,
                    const struct ack_source *source,
                    const struct ack_notices *notices, struct err *err)
{
  *s = (struct ack_sender){
    .source = *source,
    .notices = *notices,
    .address = address,
    .link.fd = -1,
    .until_ns = WAIT_FOREVER,
    .bytes.room = LEAST_BYTES,
  };
  s->bytes.of = malloc(sizeof(struct ack_batch) + ACK_WIRE_BATCH);
  if (!s->bytes.of)
    return err_set(err, -ENOMEM, "not enough memory for a log");
  return sender_meet(s, err);
}

int ack_sender_start(struct ack_sender *s, struct err *err)
{
  int rc = 0;

  if (!s->runs)
    rc = thread_start_masked(&s->thread, send_log, s, err);
  s->runs |= rc == 0;
  return rc;
}

static void sender_end_thread(struct ack_sender *s, uint64_t until_ns)
{
  if (!s->runs)
    return;
  atomic_store(&s->until_ns, until_ns);
  atomic_store_explicit(&s->ending, true, memory_order_release);
  (void)atomic_fetch_add(&s->word, 1);
  wait_wake_all(&s->word);
  (void)pthread_join(s->thread, NULL);
  s->runs = false;
}

void ack_sender_end(struct ack_sender *s)
{
  sender_end_thread(s, clock_now_ns() + ACK_WIRE_FLUSH_S * NS_PER_S);
}

void ack_sender_done(struct ack_sender *s)
{
  sender_end_thread(s, 0);
  ack_link_done(&s->link);
  free(s->bytes.of);
  s->bytes.of = NULL;
}

static void sender_lost(void *arg, const char *why)
{
  const struct ack_teller *t = arg;

  log_msg(LOG_WARNING,
          "%s=tcp:%s: %s; the run goes on, and the log waits for the listener",
          t->option, t->address, why);
}

static void sender_back(void *arg)
{
  const struct ack_teller *t = arg;

  log_msg(LOG_WARNING, "%s=tcp:%s: the listener has all of the log again",
          t->option, t->address);
}

static void sender_full(void *arg)
{
  const struct ack_teller *t = arg;

  log_msg(LOG_WARNING,
          "%s=tcp:%s: the listener is too slow; the run goes on, and what it "
          "does now is not in the log",
          t->option, t->address);
}

struct ack_notices ack_tell(struct ack_teller *t)
{
  return (struct ack_notices){
    .arg = t, .lost = sender_lost, .back = sender_back, .full = sender_full
  };
}
