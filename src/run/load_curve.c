#include "run/load_curve.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/parse.h"
#include "opt/file.h"
#include "opt/optset.h"
#include "run/options.h"

/* A line, or a period of a wave that begins at its mean and rises. Rates are
 * per nanosecond. */
struct load_piece {
  double length_ns; /* INFINITY: no end; then `to` is `from` */
  double from, to;  /* wave: both are the mean */
  double swing;     /* wave: the amplitude; else 0 */
};

struct load_curve {
  struct load_piece *of; /* owned */
  size_t n, room;
  size_t again;       /* after the last piece */
  double first_per_s; /* the first rate, as given */

  /* From piece `again` to the end. */
  double lap_ns, lap_count;
};

/* ---- pieces, their integrals, and the inverses ---- */

#define NS_PER_S_REAL 1e9
#define LAPS_MAX 1e12
/* Of the bisection. */
#define STEPS_MAX 200

static double load_curve_rate_at(const struct load_piece *p, double t)
{
  if (p->swing > 0)
    return p->from + p->swing * sin(2 * M_PI * t / p->length_ns);
  if (isinf(p->length_ns))
    return p->from;
  return p->from + (p->to - p->from) * (t / p->length_ns);
}

/* Of the rate. */
static double load_curve_integral(const struct load_piece *p, double t,
                                  double until)
{
  if (p->swing > 0) {
    const double unit = M_PI / p->length_ns;

    /* The difference of two squares of sines. */
    return p->from * (until - t) +
           p->swing / unit * sin(unit * (until + t)) * sin(unit * (until - t));
  }
  if (isinf(p->length_ns) || p->from == p->to)
    return p->from > 0 ? p->from * (until - t) : 0;
  return (load_curve_rate_at(p, t) + load_curve_rate_at(p, until)) / 2 *
         (until - t);
}

/* When the integral from `t` reaches `count`: Newton's method in a bracket. */
static double load_curve_invert_wave(const struct load_piece *p, double t,
                                     double count)
{
  double low = t, high = p->length_ns;
  double at = t + count / p->from;

  for (int i = 0; i < STEPS_MAX; i++) {
    double off, next;

    if (!(at > low && at < high))
      at = low + (high - low) / 2;
    off = load_curve_integral(p, t, at) - count;
    if (off > 0)
      high = at;
    else
      low = at;
    next = at - off / load_curve_rate_at(p, at);
    if (fabs(next - at) < 1e-3 || high - low < 1e-3)
      return fmin(fmax(next, low), high);
    at = next;
  }
  return at;
}

static double load_curve_invert(const struct load_piece *p, double t,
                                double count)
{
  double slope, rate;

  if (p->swing > 0)
    return load_curve_invert_wave(p, t, count);
  if (isinf(p->length_ns) || p->from == p->to)
    return t + count / p->from;
  slope = (p->to - p->from) / p->length_ns;
  rate = load_curve_rate_at(p, t);
  return t +
         2 * count / (rate + sqrt(fmax(rate * rate + 2 * slope * count, 0)));
}

static void load_curve_next_piece(const struct load_curve *c,
                                  struct load_place *place)
{
  place->piece_ns += c->of[place->piece].length_ns;
  place->at_ns = place->piece_ns;
  place->piece = place->piece + 1 < c->n ? place->piece + 1 : c->again;
}

static void load_curve_skip_laps(struct load_place *place, double laps,
                                 double lap_ns)
{
  place->piece_ns += laps * lap_ns;
  place->at_ns = place->piece_ns;
}

double load_curve_count(const struct load_curve *c,
                        const struct load_place *from, double until_ns)
{
  struct load_place place = *from;
  double sum = 0;

  while (place.at_ns < until_ns) {
    const struct load_piece *p = &c->of[place.piece];
    const double t = place.at_ns - place.piece_ns;
    const double until = until_ns - place.piece_ns;

    if (until <= p->length_ns)
      return sum + fmax(load_curve_integral(p, t, until), 0);
    sum += load_curve_integral(p, t, p->length_ns);
    load_curve_next_piece(c, &place);
    if (place.piece == c->again && until_ns - place.at_ns > c->lap_ns) {
      const double laps = floor((until_ns - place.at_ns) / c->lap_ns);

      sum += laps * c->lap_count;
      load_curve_skip_laps(&place, laps, c->lap_ns);
    }
  }
  return sum;
}

void load_curve_advance(const struct load_curve *c, struct load_place *place,
                        double count)
{
  for (;;) {
    const struct load_piece *p = &c->of[place->piece];
    const double t = place->at_ns - place->piece_ns;
    const double left = isinf(p->length_ns)
                          ? INFINITY
                          : load_curve_integral(p, t, p->length_ns);

    if (count < left) {
      const double at = place->piece_ns + load_curve_invert(p, t, count);

      place->at_ns = fmax(at, place->at_ns);
      return;
    }
    count -= fmax(left, 0);
    load_curve_next_piece(c, place);
    if (place->piece == c->again && count > c->lap_count) {
      const double laps = floor(count / c->lap_count);

      count = laps > LAPS_MAX ? 0 : fmax(count - laps * c->lap_count, 0);
      load_curve_skip_laps(place, fmin(laps, LAPS_MAX), c->lap_ns);
    }
  }
}

double load_curve_length_s(const struct load_curve *c)
{
  return c->lap_ns / NS_PER_S_REAL;
}

bool load_curve_is_constant(const struct load_curve *c, double *ret)
{
  for (size_t i = 0; i < c->n; i++) {
    const struct load_piece *p = &c->of[i];

    if (p->swing > 0 || p->from != c->of[0].from || p->to != p->from)
      return false;
  }
  *ret = c->first_per_s;
  return true;
}

static void load_curve_measure(struct load_curve *c)
{
  c->lap_ns = c->lap_count = 0;
  for (size_t i = c->again; i < c->n; i++) {
    const struct load_piece *p = &c->of[i];

    c->lap_ns += p->length_ns;
    if (!isinf(p->length_ns))
      c->lap_count += load_curve_integral(p, 0, p->length_ns);
    else if (p->from > 0)
      c->lap_count = INFINITY;
  }
}

int load_curve_share(struct load_curve **ret, const struct load_curve *c,
                     double lead_ns, unsigned parts, struct err *err)
{
  const size_t lead = lead_ns > 0;
  struct load_curve *share = calloc(1, sizeof(*share));

  if (share)
    share->of = calloc(c->n + lead, sizeof(*share->of));
  if (!share || !share->of) {
    load_curve_free(share);
    return err_set(err, -ENOMEM, "cannot allocate the load profile");
  }
  share->first_per_s = c->first_per_s / parts;
  share->n = c->n + lead;
  share->again = c->again + lead;
  for (size_t i = 0; i < share->n; i++) {
    struct load_piece *p = &share->of[i];

    *p = c->of[i < lead ? 0 : i - lead];
    if (i < lead) { /* a wave begins with its mean */
      p->length_ns = lead_ns;
      p->to = p->from;
      p->swing = 0;
    }
    p->from /= parts;
    p->to /= parts;
    p->swing /= parts;
  }
  load_curve_measure(share);
  *ret = share;
  return 0;
}

void load_curve_free(struct load_curve *c)
{
  if (c)
    free(c->of);
  free(c);
}

/* ---- reading a profile ---- */

#define RATE_MAX 1e9     /* as of --rate */
#define LENGTH_MIN 0.001 /* as of --time */
#define LENGTH_MAX ((double)UINT32_MAX)

static int load_curve_no_memory(struct err *err)
{
  return err_set(err, -ENOMEM, "cannot allocate the load profile");
}

static int load_curve_add_piece(struct load_curve *c, struct load_piece piece,
                                struct err *err)
{
  if (c->n == LOAD_PIECES_MAX)
    return err_set(err, -EINVAL, "at most %d segments", LOAD_PIECES_MAX);
  if (c->n == c->room) {
    const size_t room = c->room ? 2 * c->room : 16;
    struct load_piece *of = realloc(c->of, room * sizeof(*of));

    if (!of)
      return load_curve_no_memory(err);
    c->of = of;
    c->room = room;
  }
  if (c->n == 0)
    c->first_per_s = piece.from;
  piece.length_ns *= NS_PER_S_REAL;
  piece.from /= NS_PER_S_REAL;
  piece.to /= NS_PER_S_REAL;
  piece.swing /= NS_PER_S_REAL;
  c->of[c->n++] = piece;
  return 0;
}

static bool load_curve_read_rate(const char *text, double *ret)
{
  return parse_double(text, ret) == 0 && *ret >= 0 && *ret <= RATE_MAX;
}

static bool load_curve_read_length(const char *text, double *ret)
{
  return parse_seconds(text, ret) == 0 && *ret >= LENGTH_MIN &&
         *ret <= LENGTH_MAX;
}

/* Cuts the text in two at the first `mark`, or NULL. */
static char *load_curve_cut(char *text, const char *mark)
{
  char *at = strstr(text, mark);

  if (!at)
    return NULL;
  *at = '\0';
  return at + strlen(mark);
}

struct segment {
  size_t n;
  struct load_piece of[2];
};

static struct load_piece load_curve_line(double length, double from, double to)
{
  return (struct load_piece){ .length_ns = length, .from = from, .to = to };
}

/* RATExTIME, or RATE without an end. */
static bool load_curve_read_constant(char *text, struct segment *ret)
{
  const char *time = load_curve_cut(text, "x");
  double rate, length = INFINITY;

  if (!load_curve_read_rate(text, &rate) ||
      (time && !load_curve_read_length(time, &length)))
    return false;
  ret->of[ret->n++] = load_curve_line(length, rate, rate);
  return true;
}

/* FROM..TOxTIME */
static bool load_curve_read_ramp(char *text, struct segment *ret)
{
  const char *time = load_curve_cut(text, "x");
  const char *to = load_curve_cut(text, "..");
  double a, b, length;

  if (!time || !to || !load_curve_read_rate(text, &a) ||
      !load_curve_read_rate(to, &b) || !load_curve_read_length(time, &length))
    return false;
  ret->of[ret->n++] = load_curve_line(length, a, b);
  return true;
}

/* [BASE..]PEAKxTIME/PERIOD; without BASE, the rate before. */
static bool load_curve_read_spike(char *text, double base, struct segment *ret)
{
  char *time = load_curve_cut(text, "x");
  const char *period = time ? load_curve_cut(time, "/") : NULL;
  const char *peak = load_curve_cut(text, "..");
  double high, length, all;

  if (!period || (peak && !load_curve_read_rate(text, &base)) || isnan(base) ||
      !load_curve_read_rate(peak ? peak : text, &high) ||
      !load_curve_read_length(time, &length) ||
      !load_curve_read_length(period, &all) || length >= all)
    return false;
  ret->of[ret->n++] = load_curve_line(length, high, high);
  ret->of[ret->n++] = load_curve_line(all - length, base, base);
  return true;
}

/* MEAN+-SWING/PERIOD; SWING can end with %. */
static bool load_curve_read_sine(char *text, struct segment *ret)
{
  char *period = load_curve_cut(text, "/");
  char *swing = load_curve_cut(text, "+-");
  const size_t len = swing ? strlen(swing) : 0;
  const bool is_share = len > 0 && swing[len - 1] == '%';
  double mean, by, length;

  if (is_share)
    swing[len - 1] = '\0';
  if (!period || !swing || !load_curve_read_rate(text, &mean) ||
      !load_curve_read_rate(swing, &by) ||
      !load_curve_read_length(period, &length))
    return false;
  if (is_share)
    by = mean * by / 100;
  if (by > mean || mean + by > RATE_MAX)
    return false;
  ret->of[ret->n] = load_curve_line(length, mean, mean);
  ret->of[ret->n++].swing = by;
  return true;
}

/* NAN: none. */
static double last_rate(const struct load_curve *c)
{
  return c->n > 0 ? c->of[c->n - 1].to * NS_PER_S_REAL : NAN;
}

#define TIMES "with rates from 0 to 1e9 and times from 1ms to 4294967295s"

static const char *load_curve_read_segment(char *text, double base,
                                           struct segment *ret)
{
  char *body = load_curve_cut(text, ":");

  if (!body)
    return load_curve_read_constant(text, ret)
             ? NULL
             : "RATExTIME such as 100x60s, " TIMES;
  if (strcmp(text, "ramp") == 0)
    return load_curve_read_ramp(body, ret)
             ? NULL
             : "ramp:FROM..TOxTIME such as ramp:100..2000x5m, " TIMES;
  if (strcmp(text, "spike") == 0)
    return load_curve_read_spike(body, base, ret)
             ? NULL
             : "spike:BASE..PEAKxTIME/PERIOD such as spike:100..5000x5s/60s, "
               "where TIME is less than PERIOD, and BASE may be left out after "
               "another segment, " TIMES;
  if (strcmp(text, "sine") == 0)
    return load_curve_read_sine(body, ret) ? NULL
                                           : "sine:MEAN+-SWING/PERIOD such as "
                                             "sine:1000+-50%/20m, where SWING "
                                             "is at most MEAN, " TIMES;
  return "RATExTIME, ramp:, spike: or sine:";
}

/* `item` is changed. */
static int load_curve_add_item(struct load_curve *c, char *item,
                               struct err *err)
{
  char shown[64] = "";
  struct segment s = { .n = 0 };
  int64_t times = 1;
  const char *wrong = NULL, *repeat;
  int rc = 0;

  (void)strncpy(shown, item, sizeof(shown) - 1);
  repeat = load_curve_cut(item, "*");
  if (c->n > 0 && isinf(c->of[c->n - 1].length_ns))
    return err_set(err, -EINVAL, "a TIME for each segment but the last one");
  if (repeat &&
      (parse_int(repeat, &times) < 0 || times < 1 || times > LOAD_PIECES_MAX))
    wrong = "*N at the end of a segment, with N from 1 to 1000000";
  if (!wrong)
    wrong = load_curve_read_segment(item, last_rate(c), &s);
  if (!wrong && repeat && isinf(s.of[0].length_ns))
    wrong = "RATExTIME before *N";
  if (wrong)
    return err_set(err, -EINVAL, "%s, instead of '%s'", wrong, shown);
  for (int64_t k = 0; k < times && rc == 0; k++) {
    for (size_t i = 0; i < s.n && rc == 0; i++)
      rc = load_curve_add_piece(c, s.of[i], err);
  }
  return rc;
}

static int check_whole(struct load_curve *c, struct err *err)
{
  load_curve_measure(c);
  if (c->n == 0)
    return err_set(err, -EINVAL, "segments such as 100x60s");
  if (isinf(c->lap_ns) && !(c->of[c->n - 1].from > 0))
    return err_set(err, -EINVAL, "a TIME for a rate of 0");
  if (!isinf(c->lap_ns) && c->lap_ns > LENGTH_MAX * NS_PER_S_REAL)
    return err_set(err, -EINVAL, "at most 4294967295 seconds in all");
  /* Less than an event in the longest run. */
  if (!(c->lap_count > 1e-9))
    return err_set(err, -EINVAL, "a rate above 0 somewhere");
  return 0;
}

static int load_curve_finish(struct load_curve **ret, struct load_curve *c,
                             int rc, struct err *err)
{
  if (rc == 0)
    rc = check_whole(c, err);
  if (rc < 0)
    load_curve_free(c);
  else
    *ret = c;
  return rc;
}

int load_curve_parse(struct load_curve **ret, const char *text, struct err *err)
{
  struct load_curve *c = calloc(1, sizeof(*c));
  char *copy = mem_strdup(text);
  char *item = copy;
  int rc = c && copy ? 0 : load_curve_no_memory(err);

  while (rc == 0 && item) {
    char *next = load_curve_cut(item, ",");

    rc = load_curve_add_item(c, item, err);
    item = next;
  }
  free(copy);
  return load_curve_finish(ret, c, rc, err);
}

/* ---- tables ---- */

/* Of the lines so far. */
struct last {
  bool any;
  double first_s, at_s, rate;
};

static char *load_curve_trim(char *text)
{
  char *end = text + strlen(text);

  while (end > text && isspace((unsigned char)end[-1]))
    *--end = '\0';
  while (isspace((unsigned char)*text))
    text++;
  return text;
}

/* "TIME,RATE"; changed. */
static int load_curve_add_point(struct load_curve *c, struct last *last,
                                char *text, size_t number, struct err *err)
{
  char *second = load_curve_cut(text, ",");
  double at, rate, length;
  int rc = 0;

  if (!second || parse_double(load_curve_trim(text), &at) < 0 ||
      !load_curve_read_rate(load_curve_trim(second), &rate))
    return err_set(err, -EINVAL,
                   "SECONDS,RATE in line %zu of the file, with rates from 0 to "
                   "1e9",
                   number);
  if (!last->any) {
    *last = (struct last){ true, at, at, rate };
    return 0;
  }
  length = at - last->at_s;
  if (length < 0 || (length > 0 && length < LENGTH_MIN))
    return err_set(err, -EINVAL,
                   "times that grow by a millisecond or more, or stay the "
                   "same, in line %zu of the file",
                   number);
  if (length > 0)
    rc = load_curve_add_piece(c, load_curve_line(length, last->rate, rate),
                              err);
  last->at_s = at;
  last->rate = rate;
  return rc;
}

static bool load_curve_is_header(const char *text)
{
  return strpbrk(text, "0123456789") == NULL;
}

int load_curve_points(struct load_curve **ret, const char *text,
                      struct err *err)
{
  struct load_curve *c = calloc(1, sizeof(*c));
  char *copy = mem_strdup(text);
  struct last last = { .any = false };
  char *rest = copy;
  int rc = c && copy ? 0 : load_curve_no_memory(err);

  for (size_t number = 1; rc == 0 && rest; number++) {
    char *row = rest;

    rest = load_curve_cut(row, "\n");
    row = load_curve_trim(row);
    if (*row && *row != '#' && !(number == 1 && load_curve_is_header(row)))
      rc = load_curve_add_point(c, &last, row, number, err);
  }
  if (rc == 0 && c->n == 0)
    rc = err_set(err, -EINVAL,
                 "at least two lines SECONDS,RATE with different times in the "
                 "file");
  free(copy);
  return load_curve_finish(ret, c, rc, err);
}

/* ---- --load-profile ---- */

static bool load_curve_is_file(const char *value)
{
  static const char suffix[] = ".csv";
  const size_t len = strlen(value), n = sizeof(suffix) - 1;

  return len > n && strcasecmp(value + len - n, suffix) == 0;
}

static int load_curve_read_file(struct load_curve **ret, const char *path,
                                struct err *err)
{
  char *text = NULL, buf[128];
  size_t len = 0;
  int rc = opt_file_load(path, &text, &len);

  if (rc == -EFBIG)
    return err_set(err, -EINVAL, "a file of at most %d bytes", OPT_FILE_MAX);
  if (rc < 0)
    return err_set(err, -EINVAL, "a file that can be read, errno = %d (%s)",
                   -rc, err_text(-rc, buf, sizeof(buf)));
  rc = strlen(text) == len ? load_curve_points(ret, text, err)
                           : err_set(err, -EINVAL, "a file of text");
  free(text);
  return rc;
}

int load_profile_read(struct load_curve **ret, const char *value,
                      struct err *err)
{
  return load_curve_is_file(value) ? load_curve_read_file(ret, value, err)
                                   : load_curve_parse(ret, value, err);
}

/* Unless the user has set a limit. */
static int load_curve_set_time(struct optset *set, double length_s,
                               struct err *err)
{
  const struct opt_entry *time = optset_find(set, "time");
  char text[32];

  if (time->source != OPT_SOURCE_DEFAULT || isinf(length_s))
    return 0;
  (void)snprintf(text, sizeof(text), "%.15g", length_s);
  return optset_set_text(set, "time", text, err);
}

int load_profile_settle(const struct run_cfg *cfg, struct optset *set,
                        struct err *err)
{
  const struct opt_entry *e = optset_find(set, "load-profile");
  struct err why = { "" };
  struct load_curve *curve = NULL;
  double length_s;
  int rc;

  if (!*cfg->load_profile)
    return 0;
  if (cfg->rate > 0)
    return err_set(err, -EINVAL,
                   "--rate cannot be used with --load-profile (use one "
                   "of them)");
  rc = load_profile_read(&curve, cfg->load_profile, &why);
  if (rc == -EINVAL)
    return opt_refuse(e, NULL, why.text, err);
  if (rc < 0) {
    *err = why;
    return rc;
  }
  length_s = load_curve_length_s(curve);
  load_curve_free(curve);
  if (isinf(length_s) && cfg->events == 0 &&
      optset_find(set, "time")->source == OPT_SOURCE_DEFAULT)
    return opt_refuse(e, NULL,
                      "--time or --events, because its last segment has no "
                      "end",
                      err);
  return load_curve_set_time(set, length_s, err);
}
