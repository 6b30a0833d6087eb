#include "tools/figure.h"

#include <math.h>
#include <string.h>

#include "tools/result.h"
#include "tools/table.h"
#include "tools/units.h"

void figure_cell(struct table *t, const json_t *figure)
{
  const char *unit = result_text_at(figure, "unit");
  const double value = result_number_at(figure, "value");
  char text[UNIT_SIZE];

  if (!isfinite(value) || !unit)
    table_cell(t, "-");
  else if (strcmp(unit, FIGURE_UNIT_BYTES) == 0)
    table_cellf(t, "%.0f MiB/s", value / 1048576);
  else if (strcmp(unit, FIGURE_UNIT_RATE) == 0)
    table_cellf(t, "%s/s", unit_count(text, value));
  else if (strcmp(unit, FIGURE_UNIT_RATIO) == 0)
    table_cellf(t, "%.2f", value);
  else
    table_time(t, value);
}
