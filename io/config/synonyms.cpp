#include "io/config/synonyms.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace poisson {
namespace {

constexpr std::string_view robin_example = ", as in robin: {alpha: 10, ambient: 20}";
constexpr std::string_view kinds = " (the kind of a face is its key: {dirichlet: 1}, {neumann: 0}, {robin: {...}})";
constexpr std::string_view plane = " (in two dimensions 'y+')", floor = " (in two dimensions 'y-')";
constexpr std::string_view layers = ", as in axes: {z: {segments: [[1.6e-3, 8], [1e-4, 2]]}}";
constexpr std::string_view iterative =
    "multigrid and conjugate gradients solve these systems; write method: auto, multigrid or cg";

// Keys, and then choices. A word may stand in several rows: keys of the map at hand come first, then the order here.
constexpr std::array table{
    Synonym{"equation.coefficient",
            "kappa k lambda conductivity thermalconductivity hydraulicconductivity electricalconductivity permittivity "
            "permeability diffusivity diffusion diffusioncoefficient dielectric dielectricconstant epsilon eps epsr "
            "epsilonr relativepermittivity mobility transmissivity hk npf bcoef bcoeff bcoeffs beta mu material "
            "materials coeff coef d"},
    Synonym{"equation.coefficient.x", "kx kxx k11 xx kh"},
    Synonym{"equation.coefficient.y", "ky kyy k22 yy"},
    Synonym{"equation.coefficient.z", "kz kzz k33 zz kv vka"},
    Synonym{"equation.coefficient.xy", "yx kxy kyx k12"},
    Synonym{"equation.coefficient.xz", "zx kxz kzx k13"},
    Synonym{"equation.coefficient.yz", "zy kyz kzy k23"},
    Synonym{"equation.source",
            "rhs f b q qv qdot qvol s su load force forcing bodyforce heat heatsource power powerdensity "
            "heatgeneration generation charge chargedensity rho rightside righthandside sourceterm sources recharge "
            "rch well wells wel volumetricsource"},
    Synonym{"equation.reaction", "sigma", {}, " (a conductivity is 'equation.coefficient')"},
    Synonym{"equation.reaction", "absorption decay screening acoef acoeff acoeffs helmholtz shift mass sink c"},
    Synonym{"equation.exact", "solution analytic analytical analyticsolution exactsolution manufactured mms uexact"},
    Synonym{"solver.initial",
            "guess initialguess u0 x0 t0 initialcondition initialconditions ic start strt internalfield initialvalue "
            "warmstart restart"},

    Synonym{"boundary", "bc bcs boundaries boundarycondition boundaryconditions boundaryfield faces patches conditions"},
    Synonym{"boundary.x-", "x", {}, " and 'x+'"},
    Synonym{"boundary.y-", "y", {}, " and 'y+'"},
    Synonym{"boundary.z-", "z", {}, " and 'z+'"},
    Synonym{"boundary.x-", "left west xmin xlo xlow xlower x0 xm minx lox negx inlet"},
    Synonym{"boundary.x+", "right east xmax xhi xhigh xupper x1 xp maxx hix posx outlet"},
    Synonym{"boundary.y-", "front south ymin ylo ylow ylower y0 ym miny loy negy"},
    Synonym{"boundary.y+", "back north ymax yhi yhigh yupper y1 yp maxy hiy posy"},
    Synonym{"boundary.z-", "bottom down base floor lower", {}, floor},
    Synonym{"boundary.z+", "top up lid ceiling upper", {}, plane},
    Synonym{"boundary.z-", "zmin zlo zlow zlower z0 zm minz loz negz"},
    Synonym{"boundary.z+", "zmax zhi zhigh zupper z1 zp maxz hiz posz"},
    Synonym{"boundary.default", "all other others rest else wall walls sides any everywhere remaining"},
    Synonym{"boundary.*.dirichlet", "value", {}, ", 'neumann' or 'robin'"},
    Synonym{"boundary.*.dirichlet", "type kind bctype condition", {}, kinds},
    Synonym{"boundary.*.dirichlet",
            "dirichletvalue dirichletbc dirichletboundary fixedvalue fixed essential prescribed temperature t head "
            "fixedhead chd potential voltage pressure concentration u phi g v constant"},
    Synonym{"boundary.*.neumann",
            "flux heatflux fluxbc gradient fixedgradient fixedflux zerogradient zeroflux noflux q qn insulated "
            "insulation adiabatic symmetry natural currentdensity surfacecharge normalderivative normalgradient dudn "
            "neumannvalue neumannbc inflow outflow"},
    Synonym{"boundary.*.robin.alpha",
            "h htc hc alpha heattransfercoefficient transfercoefficient filmcoefficient conductance cond leakance a",
            {}, robin_example},
    Synonym{"boundary.*.robin.ambient",
            "tinf tinfinity tambient tamb ta tair tfluid text ambienttemperature ambientvalue reference tref outside "
            "external environment surroundings uinf uext u0 t bhead stage",
            {}, robin_example},
    Synonym{"boundary.*.robin.value", "g q rhs flux f"},
    Synonym{"boundary.*.robin",
            "mixed convection convective cauchy impedance robinbc heattransfer cooling "
            "externalwallheatfluxtemperature ghb riv river drn drain",
            {}, robin_example},
    Synonym{"boundary.*.periodic", "periodic isperiodic cyclic periodicity", {}, {},
            "write periodic as a word on both faces, such as x-: periodic and x+: periodic"},
    Synonym{"equation.reaction", "alpha acoefficient"},

    Synonym{"domain", "geometry geom box extents bounds"},
    Synonym{"domain.lower", "problo lo low min minimum origin lowercorner xmin xlo start from"},
    Synonym{"domain.upper", "probhi hi high max maximum length lengths l lx ly lz size extent uppercorner xmax xhi end to"},
    Synonym{"grid", "mesh meshing blockmesh blockmeshdict discretisation", {}, " (meshes from files are not read)"},
    Synonym{"grid.cells",
            "ncell ncells n nx ny nz resolution res shape size points npoints numcells numberofcells elements "
            "nelem nelems dims dimensions gridsize ncol nrow nlay divisions dagridx intervals"},
    Synonym{"grid.cells", "dx dy dz h spacing cellsize delta meshsize", {},
            " (their width follows from domain and cells)"},
    Synonym{"grid.axes.*.nodes", "nodes coordinates coords vertices edges faces"},
    Synonym{"grid.axes.*.segments", "layers layer thickness thicknesses delr delc botm widths segment blocks", {}, layers},
    Synonym{"grid.axes.*.stretching", "stretching stretch grading simplegrading law distribution type rule"},
    Synonym{"grid.axes.*.ratio", "growth growthrate growthratio bias factor"},
    Synonym{"grid.file", "matrix", {}, " with type: banded"},
    Synonym{"grid.*", "stl gmsh msh surface meshfile unstructured", {}, {}, mesh_remedy},
    Synonym{"equation.coefficient.*", "stl", {}, {}, mesh_remedy},

    Synonym{"discretization", "discretisation numerics schemes fvschemes fem femspace"},
    Synonym{"discretization.scheme", "order element elements family degree space method"},
    Synonym{"discretization.centering", "centring location position center centre unknowns"},

    Synonym{"solver", "solve linearsolver solvers fvsolution ksp ims mlmg hypre petsc solverparameters solversettings"},
    Synonym{"solver.method", "type ksptype solvertype algorithm linearsolver solver name"},
    Synonym{"solver.tolerance",
            "tol rtol reltol relativetolerance relativetol tolrel ksprtol atol abstol tolabs absolutetolerance eps "
            "epsilon convergence accuracy threshold hclose rclose innerdvclose innerrclose residual"},
    Synonym{"solver.max_iterations",
            "maxiter maxiters maxit maxits maxiteration maxniter maximumiterations iterations iters iter niter niters "
            "itmax kspmaxit mxiter innermaximum outermaximum maxsteps numiterations"},
    Synonym{"solver.preconditioner", "pc pctype precond preconditioning prec"},
    Synonym{"solver.smoother", "relaxtype smoothertype smoothing pcmgsmoother mgrelaxtype"},
    Synonym{"solver.smoother.pre", "presmooth presweeps npresweeps numpresweeps nprerelax nu1 presmoothing"},
    Synonym{"solver.smoother.post", "postsmooth postsweeps npostsweeps numpostsweeps npostrelax nu2 postsmoothing"},
    Synonym{"solver.cycle", "cycletype mgcycle mgcycletype"},
    Synonym{"solver.full_multigrid", "fmg nestediteration"},
    Synonym{"solver.krylov", "accelerator acceleration"},
    Synonym{"solver.coarse_operator", "galerkin rap coarse coarsening"},
    Synonym{"solver.precision", "dtype datatype floattype real"},

    Synonym{"backend", "hardware parallel platform compute"},
    Synonym{"backend.device", "gpu gpus cuda cpu accelerator target usegpu"},
    Synonym{"backend.blocks",
            "decomposition decompose numberofsubdomains subdomains partition partitions procs nprocs maxgridsize"},
    Synonym{"backend.threads", "threads nthreads numthreads ompnumthreads cores", {}, {},
            "threads are an option of the program, --threads N"},

    Synonym{"output", "out results writer controldict io"},
    Synonym{"output.directory", "dir path folder outdir outputdir prefix plotfile file"},
    Synonym{"output.fields", "variables vars quantities writefields write save"},
    Synonym{"output.formats", "writeformat filetype type extension vtk hdf5 png"},
    Synonym{"output.probes", "points point sample samples monitor monitors observations obs probelocations sensors"},
    Synonym{"parameters", "params param parameter constants variables vars define definitions"},
    Synonym{"title", "name description comment label"},
    Synonym{"equation.time", "time dt timestep deltat endtime starttime tend transient tdis ddt", {}, {},
            "the equation has no time; a step of implicit Euler is one solve with equation.reaction: 1/dt"},
    Synonym{"equation.velocity", "velocity advection convectionvelocity wind", {}, {},
            "the equation has no advection; remove it"},

    Synonym{"boundary.*", "cyclic cyclicami wrap pbc periodicbc", "periodic"},
    Synonym{"boundary.*", "dirichlet fixedvalue fixed essential chd", {}, {}, "write {dirichlet: 0}"},
    Synonym{"boundary.*",
            "neumann zerogradient fixedgradient insulated insulation insulating adiabatic symmetry symmetryplane noflux "
            "zeroflux wall natural empty slip outflow",
            {}, {}, "write {neumann: 0}"},
    Synonym{"boundary.*", "robin mixed convection convective cauchy cooling", {}, {},
            "write {robin: {alpha: 10, ambient: 20}}"},
    Synonym{"grid.type", "uniform regular cartesian structured box equal image", "equidistant"},
    Synonym{"grid.type", "rectilinear stretched nonuniform graded tensor", "tensor-product"},
    Synonym{"grid.type", "matrix mtx matrixmarket bands", "banded"},
    Synonym{"grid.type",
            "gmsh msh mesh unstructured stl foam polymesh blockmesh snappyhexmesh tetrahedral tetrahedra triangular "
            "triangles xdmf exodus vtu surface",
            {}, {}, mesh_remedy},
    Synonym{"discretization.scheme", "fvm finitevolume finitevolumes fd fdm finitedifference finitedifferences tpfa", "fv"},
    Synonym{"discretization.scheme", "fem fe p1 cg1 lagrange bilinear trilinear elements finiteelement finiteelements",
            "q1"},
    Synonym{"discretization.scheme", "compact mehrstellen fourth hoc 4", "compact4"},
    Synonym{"discretization.centering", "nodal vertex point vertices nodecentered nodecentred", "node"},
    Synonym{"discretization.centering", "cellcentered cellcentred center centre cc", "cell"},
    Synonym{"discretization.assembly", "matrixfree free onthefly", "recompute"},
    Synonym{"discretization.assembly", "matrix assembled csr aij", "full"},
    Synonym{"solver.method",
            "mg amg gmg gamg boomeramg amgcl ml mlmg pfmg smg pyamg hypre geometricmultigrid algebraicmultigrid",
            "multigrid"},
    Synonym{"solver.method", "pcg fcg dpcg conjugategradient conjugategradients krylov", "cg"},
    Synonym{"solver.method", "gmres fgmres bicgstab bicg minres pbicgstab", {}, {}, iterative},
    Synonym{"solver.method", "lu cholesky mumps superlu umfpack pardiso fft dst fishpack ldlt preonly sparse", "direct"},
    Synonym{"solver.method", "richardson dampedjacobi", "jacobi"},
    Synonym{"solver.krylov", "pcg fcg conjugategradient conjugategradients", "cg"},
    Synonym{"solver.preconditioner", "mg amg gmg gamg boomeramg hypre pfmg smg", "multigrid"},
    Synonym{"solver.preconditioner", "jacobi diag", "diagonal"},
    Synonym{"solver.preconditioner", "fft lu cholesky", "direct"},
    Synonym{"solver.smoother.type", "gs ssor symgs rb rbgs redblackgaussseidel symmetricgaussseidel", "red-black"},
    Synonym{"solver.smoother.type", "cheby polynomial", "chebyshev"},
    Synonym{"solver.smoother.type", "dampedjacobi weightedjacobi omegajacobi", "jacobi"},
    Synonym{"solver.smoother.type", "zebra linerelaxation tridiagonal", "line"},
    Synonym{"solver.smoother.type", "zebraplane planerelaxation", "plane"},
    Synonym{"solver.cycle", "vcycle", "v"},
    Synonym{"solver.cycle", "wcycle", "w"},
    Synonym{"solver.cycle", "fcycle fmg", "f"},
    Synonym{"solver.coarse_operator", "rap pap variational", "galerkin"},
    Synonym{"solver.coarse_operator", "rediscretize geometric", "rediscretized"},
    Synonym{"solver.precision", "fp64 float64 f64 real64 64", "double"},
    Synonym{"solver.precision", "fp32 float32 f32 float real32 32", "single"},
    Synonym{"backend.device", "gpu nvidia", "cuda"},
    Synonym{"backend.device", "host cores openmp omp serial", "cpu"},
    Synonym{"output.formats", "vti vtr pvti vtu paraview xml", "vtk"},
    Synonym{"output.formats", "hdf h5 vtkhdf xdmf", "hdf5"},
    Synonym{"output.formats", "image picture plot jpg jpeg svg", "png"},
    Synonym{"output.fields", "solution t temperature potential head phi pressure", "u"},
    Synonym{"output.fields", "grad gradu electricfield", "gradient"},
    Synonym{"output.fields", "kappa k conductivity permittivity", "coefficient"},
    Synonym{"output.fields", "f rhs", "source"},
    Synonym{"output.fields", "res", "residual"},
    Synonym{"output.fields", "err", "error"},
};

bool is_choice(const Synonym& row) {
  return !row.choice.empty() || (!row.instead.empty() && (row.key == "boundary.*" || row.key == "grid.type" ||
                                                          row.key == "solver.method"));
}

/// Lower case, without what joins words.
std::string plain(std::string_view word) {
  std::string all;
  for (const char c : word)
    if (c != '_' && c != '-' && c != ' ') all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

bool has(const Synonym& row, std::string_view word) {
  for (std::string_view rest = row.words; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == word) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string_view parent(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

/// A path as the table has it, and the face or axis that it names.
struct Place {
  std::string pattern, name;

  explicit Place(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i] == '[') i = std::min(path.find(']', i), path.size() - 1);  // an item of a list
      else pattern += path[i];
    }
    for (const std::string_view map : {"boundary.", "grid.axes."}) {
      if (!pattern.starts_with(map)) continue;
      const std::size_t end = std::min(pattern.find('.', map.size()), pattern.size());
      name = pattern.substr(map.size(), end - map.size());
      pattern.replace(map.size(), end - map.size(), "*");
    }
  }
};

/// A key as messages name it, from the place on if it lies there.
std::string named(const Synonym& row, const Place& place, bool relative) {
  std::string name(row.key);
  const bool here = !place.name.empty() && name.starts_with(place.pattern.substr(0, place.pattern.find('*') + 1));
  const std::string star = here ? place.name : name.starts_with("boundary") ? "default" : "z";
  if (relative && !place.pattern.empty()) name.erase(0, place.pattern.size() + 1);
  if (const std::size_t at = name.find('*'); at != std::string::npos) name.replace(at, 1, star);
  return name;
}

std::string question(const Synonym& row, const std::string& name) {
  if (!row.instead.empty()) return std::string(row.instead);
  return "did you mean '" + name + "'" + std::string(row.also) + "?";
}

bool is_below(std::string_view key, std::string_view map) {
  return key.size() > map.size() && key.starts_with(map) && key[map.size()] == '.';
}

}  // namespace

std::span<const Synonym> synonyms() {
  return table;
}

bool is_mesh(std::string_view file) {
  constexpr std::array<std::string_view, 20> endings{".msh", ".stl",  ".vtu", ".vtk", ".obj", ".ply", ".step",
                                                     ".stp", ".iges", ".igs", ".exo", ".inp", ".cdb", ".med",
                                                     ".unv", ".foam", ".nas", ".bdf", ".xdmf", ".brep"};
  std::string name(file);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

std::string meant_nearby(std::string_view word, std::string_view path) {
  const Place place(path);
  const std::string name = plain(word);
  const Synonym* found = nullptr;
  for (const Synonym& row : table) {
    if (is_choice(row) || !has(row, name)) continue;
    if (parent(row.key) == place.pattern) return question(row, named(row, place, true));
    if (!found && !path.empty() && is_below(row.key, place.pattern)) found = &row;
  }
  return found ? question(*found, named(*found, place, true)) : "";
}

std::string meant_anywhere(std::string_view word, std::string_view path) {
  const std::string name = plain(word);
  const auto found = std::ranges::find_if(table, [&](const Synonym& row) { return !is_choice(row) && has(row, name); });
  return found == table.end() ? "" : question(*found, named(*found, Place(path), false));
}

std::string meant_choice(std::string_view word, std::string_view path) {
  const Place place(path);
  const std::string name = plain(word);
  const auto found = std::ranges::find_if(
      table, [&](const Synonym& row) { return is_choice(row) && row.key == place.pattern && has(row, name); });
  return found == table.end() ? "" : question(*found, std::string(found->choice));
}

bool means(std::string_view word, std::string_view path, std::string_view key) {
  const Place place(path);
  const std::string name = plain(word);
  return std::ranges::any_of(table, [&](const Synonym& row) {
    if (is_choice(row) || !row.instead.empty() || !has(row, name) || parent(row.key) != place.pattern) return false;
    return row.key.substr(row.key.rfind('.') + 1) == key;
  });
}

}  // namespace poisson
