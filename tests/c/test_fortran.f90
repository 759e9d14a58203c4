! The C interface as a Fortran program uses it: u = x^2 from -u'' = -2 between 0 and 1.
program test_fortran
  use, intrinsic :: iso_c_binding
  implicit none

  interface
    integer(c_int) function poisson_parse(yaml, solver) bind(c)
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: yaml(*)
      type(c_ptr), intent(out) :: solver
    end function
    integer(c_int) function poisson_use_source(solver, values) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: solver
      real(c_double), intent(in) :: values(*)
    end function
    integer(c_int) function poisson_solve(solver, guess) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: solver, guess
    end function
    integer(c_int) function poisson_solution(solver, u) bind(c)
      import :: c_int, c_ptr, c_double
      type(c_ptr), value :: solver
      real(c_double), intent(out) :: u(*)
    end function
    subroutine poisson_free(solver) bind(c)
      import :: c_ptr
      type(c_ptr), value :: solver
    end subroutine
  end interface

  character(kind=c_char, len=1), parameter :: newline = achar(10)
  type(c_ptr) :: solver
  real(c_double) :: f(17, 17), u(17, 17), error
  integer :: i

  call check(poisson_parse('domain: {lower: [0, 0], upper: [1, 1]}' // newline // 'grid: {cells: [16, 16]}' // newline // &
                           'boundary: {default: {neumann: 0}, x-: {dirichlet: 0}, x+: {dirichlet: 1}}' // newline // &
                           'solver: {tolerance: 1e-12}' // newline // c_null_char, solver))
  f = -2
  call check(poisson_use_source(solver, f))
  call check(poisson_solve(solver, c_null_ptr))
  call check(poisson_solution(solver, u))
  error = maxval([(maxval(abs(u(i, :) - ((i - 1) / 16.0_c_double)**2)), i = 1, 17)])
  call poisson_free(solver)
  if (error > 1e-10) error stop 'the solution differs from x^2'

contains
  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop 'a call failed'
  end subroutine
end program
