/* The C interface as a C program uses it. Exit status 0 if every check holds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poisson.h"

static int failures = 0;

#define EXPECT(condition)                                                               \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      printf("%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, poisson_last_error()); \
      ++failures;                                                                       \
    }                                                                                   \
  } while (0)

static const char* const plane =
    "domain: {lower: [0, 0], upper: [1, 1]}\n"
    "grid: {cells: [16, 16]}\n"
    "equation: {source: 0}\n"
    "boundary: {default: {neumann: 0}, x-: {dirichlet: 0}, x+: {dirichlet: 1}, y-: {robin: {alpha: 0, value: 0}}}\n"
    "solver: {tolerance: 1e-12}\n"
    "output: {formats: []}\n";

static void test_solutions(void) {
  poisson_solver* s = NULL;
  int shape[3], components[4], iterations, dimension;
  double residual, seconds, flow, u[17 * 17], f[17 * 17], g[17 * 17 * 2], b[17 * 17], product[17 * 17];
  EXPECT(poisson_parse(plane, &s) == POISSON_OK);
  EXPECT(poisson_shape(s, shape) == POISSON_OK && shape[0] == 17 && shape[1] == 17 && shape[2] == 1);
  EXPECT(poisson_dimension(s, &dimension) == POISSON_OK && dimension == 2);
  EXPECT(strlen(poisson_device(s)) > 0 && strlen(poisson_method(s)) > 0 && strlen(poisson_version()) > 0);
  EXPECT(poisson_solve(s, NULL) == POISSON_OK);
  EXPECT(poisson_solution(s, u) == POISSON_OK);
  for (int j = 0; j < 17; ++j)
    for (int i = 0; i < 17; ++i) EXPECT(fabs(u[17 * j + i] - i / 16.0) < 1e-10);
  EXPECT(poisson_flow(s, "x+", &flow) == POISSON_OK && fabs(flow - 1) < 1e-9);
  EXPECT(poisson_field_shape(s, "gradient", components) == POISSON_OK && components[3] == 2);
  EXPECT(poisson_field(s, "gradient", g) == POISSON_OK && fabs(g[0] - 1) < 1e-9 && fabs(g[1]) < 1e-9);
  EXPECT(poisson_statistics(s, &iterations, &residual, &seconds) == POISSON_OK && residual < 1e-12 && seconds > 0);

  /* -u'' = -2 with the same ends gives u = x^2, by an expression, by values and by values in place. */
  for (int i = 0; i < 17 * 17; ++i) f[i] = -2;
  EXPECT(poisson_set_expression(s, "source", "-2") == POISSON_OK && poisson_solve(s, u) == POISSON_OK);
  EXPECT(poisson_solution(s, u) == POISSON_OK && fabs(u[8] - 0.25) < 1e-10);
  EXPECT(poisson_set_number(s, "source", 0) == POISSON_OK);
  EXPECT(poisson_set_values(s, "source", f, shape) == POISSON_OK && poisson_solve(s, NULL) == POISSON_OK);
  EXPECT(poisson_solution(s, u) == POISSON_OK && fabs(u[8] - 0.25) < 1e-10);
  EXPECT(poisson_use_source(s, f) == POISSON_OK && poisson_solve(s, NULL) == POISSON_OK);
  EXPECT(poisson_solution(s, u) == POISSON_OK && fabs(u[8] - 0.25) < 1e-10);

  /* Twice the coefficient and twice the source give the same u; alpha = 0 leaves the face alone. */
  for (int i = 0; i < 17 * 17; ++i) f[i] = -4;
  EXPECT(poisson_set_number(s, "coefficient", 2) == POISSON_OK && poisson_solve(s, NULL) == POISSON_OK);
  EXPECT(poisson_solution(s, u) == POISSON_OK && fabs(u[8] - 0.25) < 1e-10);
  EXPECT(poisson_rhs(s, b) == POISSON_OK && poisson_apply(s, u, product) == POISSON_OK);
  EXPECT(poisson_set_number(s, "boundary.y-.alpha", 5) == POISSON_OK && poisson_solve(s, NULL) == POISSON_OK);
  EXPECT(poisson_solution(s, u) == POISSON_OK && u[8] < 0.2);
  EXPECT(poisson_solve_rhs(s, b) == POISSON_OK);
  poisson_free(s);
}

static void test_matrix(void) {
  poisson_solver* s = NULL;
  double u[81], b[81], product[81];
  EXPECT(poisson_parse("domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [8, 8]}\nequation: {source: x}\n"
                       "boundary: {default: {dirichlet: 1 + y}}\nsolver: {tolerance: 1e-12}\n",
                       &s) == POISSON_OK);
  EXPECT(poisson_rhs(s, b) == POISSON_OK && poisson_solve(s, NULL) == POISSON_OK &&
         poisson_solution(s, u) == POISSON_OK);
  EXPECT(poisson_apply(s, u, product) == POISSON_OK);
  for (int j = 1; j < 8; ++j)
    for (int i = 1; i < 8; ++i) EXPECT(fabs(product[9 * j + i] - b[9 * j + i]) < 1e-10);
  EXPECT(poisson_solve_rhs(s, b) == POISSON_OK && poisson_solution(s, product) == POISSON_OK);
  for (int j = 1; j < 8; ++j)
    for (int i = 1; i < 8; ++i) EXPECT(fabs(product[9 * j + i] - u[9 * j + i]) < 1e-10);
  poisson_free(s);
}

static void test_errors(void) {
  poisson_solver* s = (poisson_solver*)&failures;
  double x = 0;
  const int wrong[3] = {3, 4, 1}, empty[3] = {0, 1, 1};
  EXPECT(poisson_open("/nowhere/a.yaml", &s) == POISSON_USAGE && s == NULL);
  EXPECT(strstr(poisson_last_error(), "cannot be opened") != NULL);
  EXPECT(poisson_parse("grid: {cells: [8, 8]}\n", &s) == POISSON_USAGE);
  EXPECT(strstr(poisson_last_error(), "domain") != NULL);
  EXPECT(poisson_parse("grid: {cells: [8,", &s) == POISSON_USAGE && strstr(poisson_last_error(), "YAML") != NULL);
  EXPECT(poisson_parse(NULL, &s) == POISSON_USAGE && strstr(poisson_last_error(), "null") != NULL);
  EXPECT(poisson_solve(NULL, NULL) == POISSON_USAGE);
  EXPECT(poisson_parse(plane, &s) == POISSON_OK);
  EXPECT(poisson_set_number(s, "sauce", 1) == POISSON_USAGE && strstr(poisson_last_error(), "choose from") != NULL);
  EXPECT(poisson_set_number(s, "boundary.z-", 1) == POISSON_USAGE);
  EXPECT(poisson_set_number(s, "boundary.x-.alpha", 1) == POISSON_USAGE);
  EXPECT(poisson_set_expression(s, "source", "x +") == POISSON_USAGE);
  EXPECT(poisson_set_values(s, "source", &x, wrong) == POISSON_USAGE && strstr(poisson_last_error(), "shape") != NULL);
  EXPECT(poisson_set_values(s, "source", &x, empty) == POISSON_USAGE);
  EXPECT(poisson_set_number(s, "coefficient", -1) == POISSON_USAGE);
  EXPECT(poisson_set_number(s, "coefficient", 1) == POISSON_OK && poisson_solve(s, NULL) == POISSON_OK);
  EXPECT(poisson_flow(s, "w", &x) == POISSON_USAGE && poisson_field(s, "w", &x) == POISSON_USAGE);
  poisson_free(s);
  poisson_free(NULL);
  EXPECT(poisson_parse("domain: {lower: [0, 0], upper: [1, 1]}\ngrid: {cells: [32, 32]}\nequation: {source: 1}\n"
                       "solver: {method: cg, max_iterations: 1, tolerance: 1e-13, fallback: never}\n",
                       &s) == POISSON_OK);
  EXPECT(poisson_solve(s, NULL) == POISSON_NOT_CONVERGED && strstr(poisson_last_error(), "max_iterations") != NULL);
  poisson_free(s);
}

int main(void) {
  test_solutions();
  test_matrix();
  test_errors();
  printf("%d failures\n", failures);
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
