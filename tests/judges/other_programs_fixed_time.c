/* Linked into a program that seeds its inputs with the time, and into its CPU reference: both then see the
 * same inputs. */
#include <time.h>

time_t time(time_t* result) {
  if (result) *result = 12345;
  return 12345;
}
