/*
 * test_expr.c - expressions: values that pgbench computes as well (the table is
 * compared with it by tests/db/sqlfile.bats), mistakes, distributions.
 */
#include <math.h>
#include <stdio.h>

#include "tests/unit/sqlfile_rig.h"
#include "tests/unit/tap.h"

/* The table of expressions and their values, which pgbench agrees with. */
static void same_values(void)
{
  char path[1024], line[512], got[1600];
  struct rng rng;
  unsigned n = 0;
  FILE *f;

  (void)snprintf(path, sizeof(path), "%s/tests/unit/sqlfile/expressions.tsv",
                 getenv("BENCH_SRC") ? getenv("BENCH_SRC") : ".");
  f = fopen(path, "r");
  MUST(f);
  rng_seed(&rng, 1, RNG_WORKLOAD, 0);
  while (fgets(line, sizeof(line), f)) {
    char *tab = strchr(line, '\t');

    MUST(tab);
    *tab = '\0';
    tab[1 + strcspn(tab + 1, "\n")] = '\0';
    rig_value(line, &rng, got, sizeof(got));
    OK_STR(got, tab + 1, line);
    n++;
  }
  (void)fclose(f);
  OK(n > 80, "the table was read");
}

static const struct {
  const char *expression, *message;
} mistakes[] = {
  /* With their column, if the text is wrong... */
  { "", "f.sql:1:8: the line ends here, but a value is missing" },
  { "1 +", "f.sql:1:11: the line ends here, but a value is missing" },
  { "(1", "f.sql:1:10: the line ends here, but ')' is missing" },
  { "1 2", "f.sql:1:10: unexpected '2', an operator is missing" },
  { "1;", "f.sql:1:9: unexpected ';': a command ends with its line" },
  { "x", "f.sql:1:8: unexpected 'x'; a variable is written :x" },
  { ":y", "f.sql:1:9: the variable 'y' has no value here; use \\set before "
          "this line, or --define=y=VALUE" },
  { ":x + 1", "f.sql:1:9: the variable 'x' has no value here; use \\set before "
              "this line, or --define=x=VALUE" },
  { "nosuch(1)", "f.sql:1:8: there is no function 'nosuch'" },
  { "random(1)",
    "f.sql:1:8: 1 argument given, the function is random(from, to)" },
  { "pi(1)", "f.sql:1:8: 1 argument given, the function is pi()" },
  { "greatest()",
    "f.sql:1:8: 0 arguments given, the function is greatest(x, ...)" },
  { "1 < 2 < 3", "f.sql:1:14: unexpected '<', an operator is missing" },
  { "9223372036854775808",
    "f.sql:1:8: the number 9223372036854775808 is too large" },
  { "1e400", "f.sql:1:8: the number 1e400 is too large" },
  { "12ab", "f.sql:1:8: '12ab' is not a number" },
  { "case 1 when 1 then 2 end", "f.sql:1:13: unexpected '1', WHEN is missing" },
  { "case when 1 then 2",
    "f.sql:1:26: the line ends here, but END is missing" },
  { "1 is 5", "f.sql:1:13: unexpected '5', NULL, TRUE or FALSE is missing" },
  /* ... or with that of the operator, if its values are. */
  { "1 + 1 / 0", "14: division by zero" },
  { "1 % 0", "10: division by zero" },
  { "9223372036854775807 + 1",
    "28: the result is out of the range of integers" },
  { "-9223372036854775808 - 1",
    "29: the result is out of the range of integers" },
  { "9223372036854775807 * 2",
    "28: the result is out of the range of integers" },
  { "-9223372036854775808 / -1",
    "29: the result is out of the range of integers" },
  { "abs(-9223372036854775808)",
    "8: the result is out of the range of integers" },
  { "int(1e30)", "8: the double is out of the range of integers" },
  { "int(9223372036854775807.0)",
    "8: the double is out of the range of integers" },
  { "int(0.0 / 0)", "8: the double is out of the range of integers" },
  { "1 << 64", "10: a number can be shifted by 0 to 63 bits" },
  { "1 >> -1", "10: a number can be shifted by 0 to 63 bits" },
  { "true + 1", "13: a boolean is not a number" },
  { "1 and true", "10: a number is not a boolean; compare it with something" },
  { "true and 1", "13: a number is not a boolean; compare it with something" },
  { "not 5", "8: a number is not a boolean; compare it with something" },
  { "random(2, 1)", "8: the range is empty: its end is before its start" },
  { "random(-9223372036854775808, 9223372036854775807)",
    "8: the range has more than 2^63-1 values" },
  { "random_gaussian(1, 10, 1.9)",
    "8: the parameter of random_gaussian() has to be at least 2" },
  { "random_exponential(1, 10, 0)",
    "8: the parameter of random_exponential() has to be greater than 0" },
  { "random_zipfian(1, 10, 0)",
    "8: the parameter of random_zipfian() has to be greater than 0 and at most "
    "1000" },
  { "permute(1, 0)", "8: the size of permute() has to be greater than 0" },
};

static void check_mistakes(void)
{
  char got[1600];
  struct rng rng;

  rng_seed(&rng, 1, RNG_WORKLOAD, 0);
  for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
    rig_value(mistakes[i].expression, &rng, got, sizeof(got));
    OK_STR(got, mistakes[i].message, mistakes[i].expression);
  }
}

/* What is too deep is refused, not executed with too small a stack. */
static void check_depth(void)
{
  char text[600] = "", got[1600];
  struct rng rng;

  rng_seed(&rng, 1, RNG_WORKLOAD, 0);
  for (int i = 0; i < 20; i++)
    strcat(text, "(");
  strcat(text, "1");
  for (int i = 0; i < 20; i++)
    strcat(text, ")");
  rig_value(text, &rng, got, sizeof(got));
  OK_STR(got, "int 1", "twenty parentheses");
  memset(text, '(', 200);
  text[200] = '\0';
  rig_value(text, &rng, got, sizeof(got));
  OK(strstr(got, "the expression is too deeply nested"), "200 parentheses");
  memset(text, '-', 500);
  strcpy(text + 500, "1");
  rig_value(text, &rng, got, sizeof(got));
  OK(strstr(got, "the expression is too deeply nested"), "500 signs");
  for (int i = 0; i < 100; i++)
    memcpy(text + 4 * i, "not ", 4);
  strcpy(text + 400, "1");
  rig_value(text, &rng, got, sizeof(got));
  OK(strstr(got, "the expression is too deeply nested"), "100 times NOT");
}

/* ---- distributions ---- */

enum {
  DRAWS = 200000,
  VALUES = 10
};

static void count(const char *what, double parameter, unsigned n[VALUES])
{
  struct rng rng;
  struct draw d = { .rng = &rng };

  rng_seed(&rng, 5, RNG_WORKLOAD, 0);
  memset(n, 0, VALUES * sizeof(*n));
  for (int i = 0; i < DRAWS; i++) {
    int64_t x = 0;
    const char *why = *what == 'u' ? draw_uniform(&d, 1, VALUES, &x)
                      : *what == 'g'
                        ? draw_gaussian(&d, 1, VALUES, parameter, &x)
                      : *what == 'e'
                        ? draw_exponential(&d, 1, VALUES, parameter, &x)
                        : draw_zipfian(&d, 1, VALUES, parameter, &x);

    MUST(!why && x >= 1 && x <= VALUES);
    n[x - 1]++;
  }
}

static double normal_share(double from, double to, double cut)
{
  const double whole = erf(cut / sqrt(2.0));

  return (erf(to / sqrt(2.0)) - erf(from / sqrt(2.0))) / 2 / whole;
}

/* The share that the manual of pgbench gives for a value. */
static double share(const char *what, double parameter, int value)
{
  const double p = parameter;
  double sum = 0;

  switch (*what) {
  case 'u':
    return 1.0 / VALUES;
  case 'g':
    return normal_share(2 * p * (value - 1.0) / VALUES - p,
                        2 * p * value / VALUES - p, p);
  case 'e':
    return (exp(-p * (value - 1) / VALUES) - exp(-p * value / VALUES)) /
           (1 - exp(-p));
  default:
    for (int i = 1; i <= VALUES; i++)
      sum += pow(i, -p);
    return pow(value, -p) / sum;
  }
}

static void check_distribution(const char *what, double parameter)
{
  unsigned n[VALUES];
  double chi = 0;
  char text[64];

  count(what, parameter, n);
  for (int i = 0; i < VALUES; i++) {
    const double want = share(what, parameter, i + 1) * DRAWS;

    chi += (n[i] - want) * (n[i] - want) / want;
  }
  (void)snprintf(text, sizeof(text), "%s %g: chi-square %.1f", what, parameter,
                 chi);
  OK(chi < 27.9, text); /* 9 degrees of freedom, one run in 1000 */
}

int main(void)
{
  same_values();
  check_mistakes();
  check_depth();
  check_distribution("uniform", 0);
  check_distribution("gaussian", 2.0);
  check_distribution("gaussian", 4.5);
  check_distribution("exponential", 0.5);
  check_distribution("exponential", 3.0);
  check_distribution("zipfian", 0.5);
  check_distribution("zipfian", 1.0);
  check_distribution("zipfian", 1.5);
  return TAP_EXIT();
}
