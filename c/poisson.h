/* The C interface of poisson: solves -div(coefficient grad u) + reaction u = source for problems as configuration files
   describe them.

   Functions return a poisson_status. After an error, poisson_last_error describes it, with key and remedy. A solver is
   used by one thread at a time. Arrays contain all nodes or cells, x fastest. Names of data are those of
   configurations: coefficient (coefficient.x, .y, .z), reaction, source, boundary.x- to boundary.z+, and
   boundary.x-.alpha. */
#ifndef POISSON_H
#define POISSON_H

#if defined(__GNUC__)
#define POISSON_API __attribute__((visibility("default")))
#else
#define POISSON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct poisson_solver poisson_solver;

typedef enum {
  POISSON_OK = 0,
  POISSON_FAILED = 1,       /* memory, a device or a file */
  POISSON_USAGE = 2,        /* wrong data, keys or arguments */
  POISSON_NOT_CONVERGED = 3 /* the solution is the best iterate */
} poisson_status;

/* Returns the version, such as "0.2.0". */
POISSON_API const char* poisson_version(void);
/* Returns the message of the last error of this thread; "" if there was none. It is valid until the next error. */
POISSON_API const char* poisson_last_error(void);

/* Read a configuration from a file or from text and make the levels. Release the solver with poisson_free. */
POISSON_API int poisson_open(const char* file, poisson_solver** solver);
POISSON_API int poisson_parse(const char* yaml, poisson_solver** solver);
/* Releases a solver, which may be null. */
POISSON_API void poisson_free(poisson_solver* solver);

/* Return the values of the solution along x, y and z, which is 1 in two dimensions, and the dimension. */
POISSON_API int poisson_shape(const poisson_solver* solver, int shape[3]);
POISSON_API int poisson_dimension(const poisson_solver* solver, int* dimension);
/* Returns the name of the device; valid as long as the solver. */
POISSON_API const char* poisson_device(const poisson_solver* solver);
/* Returns the method of the next solve; valid as long as the solver. */
POISSON_API const char* poisson_method(const poisson_solver* solver);

/* Replace a datum by a number, by an expression, or by values, which are copied. `shape` has the numbers of values
   along x, y and z (1 for missing axes): those of the nodes or of the cells; of a face, without its axis. */
POISSON_API int poisson_set_number(poisson_solver* solver, const char* name, double value);
POISSON_API int poisson_set_expression(poisson_solver* solver, const char* name, const char* expression);
POISSON_API int poisson_set_values(poisson_solver* solver, const char* name, const double* values, const int shape[3]);
/* Reads the source from values like the solution in every solve from now on, without a copy where that is possible.
   Keep them until another source is set. */
POISSON_API int poisson_use_source(poisson_solver* solver, const double* values);

/* Solves with the present data. `guess` is a starting guess like the solution, or null. */
POISSON_API int poisson_solve(poisson_solver* solver, const double* guess);
/* Solves A u = b for zero data on the faces; b contains integrals over control volumes. */
POISSON_API int poisson_solve_rhs(poisson_solver* solver, const double* b);
/* Computes A u for zero data on the faces. */
POISSON_API int poisson_apply(poisson_solver* solver, const double* u, double* product);
/* Computes b with the data of the faces, so that A u = b at the unknowns. */
POISSON_API int poisson_rhs(poisson_solver* solver, double* b);

/* Copies the solution. */
POISSON_API int poisson_solution(poisson_solver* solver, double* u);
/* Returns the values along x, y, z and the components of an output field, such as gradient or residual. */
POISSON_API int poisson_field_shape(poisson_solver* solver, const char* name, int shape[4]);
/* Copies an output field, components fastest. */
POISSON_API int poisson_field(poisson_solver* solver, const char* name, double* values);
/* Returns the integral of coefficient du/dn over a face: x-, x+, y-, y+, z- or z+. */
POISSON_API int poisson_flow(poisson_solver* solver, const char* face, double* flow);
/* Return iterations, relative residual and seconds of the last solve. */
POISSON_API int poisson_statistics(const poisson_solver* solver, int* iterations, double* residual, double* seconds);
/* Writes the files of the program into a folder. */
POISSON_API int poisson_save(poisson_solver* solver, const char* folder);

#ifdef __cplusplus
}
#endif

#endif
