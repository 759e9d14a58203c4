#include "io/config/synonyms.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace poisson {
namespace {

constexpr std::string_view robin_example = ", as in robin: {alpha: 10, ambient: 20}";
constexpr std::string_view inward = " (positive into the box)";
constexpr std::string_view kinds = " (the kind of a face is its key: {dirichlet: 1}, {neumann: 0}, {robin: {...}})";
constexpr std::string_view plane = " (in two dimensions 'y+')", floor = " (in two dimensions 'y-')";
constexpr std::string_view layers = ", as in axes: {z: {segments: [[1.6e-3, 8], [1e-4, 2]]}}";
constexpr std::string_view iterative =
    "multigrid and conjugate gradients solve these systems; write method: auto, multigrid or cg";

constexpr std::string_view quantity_words = "value expr expression constant uniform function formula k kappa";
constexpr std::string_view bare_quantity = "write the number or the expression itself, such as source: 3*x";

// A word may be in several rows. A key of the current map takes precedence, then the order of the rows.
constexpr std::array keys{
    KeyWords{
        "equation.coefficient",
        "kappa k lambda conductivity thermalconductivity hydraulicconductivity electricalconductivity permittivity "
        "permeability diffusivity diffusion diffusioncoefficient dielectric dielectricconstant epsilon eps epsr "
        "epsilonr relativepermittivity mobility transmissivity hk npf bcoef bcoeff bcoeffs beta mu material "
        "materials coeff coef d"},
    KeyWords{"equation.coefficient.x", "kx kxx k11 xx kh"},
    KeyWords{"equation.coefficient.y", "ky kyy k22 yy"},
    KeyWords{"equation.coefficient.z", "kz kzz k33 zz kv vka"},
    KeyWords{"equation.coefficient.xy", "yx kxy kyx k12"},
    KeyWords{"equation.coefficient.xz", "zx kxz kzx k13"},
    KeyWords{"equation.coefficient.yz", "zy kyz kzy k23"},
    KeyWords{"equation.source",
             "rhs f b q qv qdot qvol s su load force forcing bodyforce heat heatsource power powerdensity "
             "heatgeneration generation charge chargedensity rho rightside righthandside sourceterm sources recharge "
             "rch well wells wel volumetricsource"},
    KeyWords{"equation.reaction", "sigma", " (a conductivity is 'equation.coefficient')"},
    KeyWords{"equation.reaction", "absorption decay screening acoef acoeff acoeffs helmholtz shift mass sink c"},
    KeyWords{"equation.exact", "solution analytic analytical analyticsolution exactsolution manufactured mms uexact"},
    KeyWords{"equation.coefficient.*", quantity_words, {}, bare_quantity},
    KeyWords{"equation.source.*", quantity_words, {}, bare_quantity},
    KeyWords{"equation.reaction.*", quantity_words, {}, bare_quantity},
    KeyWords{"solver.initial.*", quantity_words, {}, bare_quantity},
    KeyWords{"solver.initial",
             "guess initialguess u0 x0 t0 initialcondition initialconditions ic start strt internalfield initialvalue "
             "warmstart restart"},

    KeyWords{"boundary",
             "bc bcs boundaries boundarycondition boundaryconditions boundaryfield faces patches conditions"},
    KeyWords{"boundary.x-", "x", " and 'x+'"},
    KeyWords{"boundary.y-", "y", " and 'y+'"},
    KeyWords{"boundary.z-", "z", " and 'z+'"},
    KeyWords{"boundary.x-", "left west xmin xlo xlow xlower x0 xm minx lox negx inlet"},
    KeyWords{"boundary.x+", "right east xmax xhi xhigh xupper x1 xp maxx hix posx outlet"},
    KeyWords{"boundary.y-", "front south ymin ylo ylow ylower y0 ym miny loy negy"},
    KeyWords{"boundary.y+", "back north ymax yhi yhigh yupper y1 yp maxy hiy posy"},
    KeyWords{"boundary.z-", "bottom down base floor lower", floor},
    KeyWords{"boundary.z+", "top up lid ceiling upper", plane},
    KeyWords{"boundary.z-", "zmin zlo zlow zlower z0 zm minz loz negz"},
    KeyWords{"boundary.z+", "zmax zhi zhigh zupper z1 zp maxz hiz posz"},
    KeyWords{"boundary.default", "all other others rest else wall walls sides any everywhere remaining"},
    KeyWords{"boundary.*.dirichlet", "value", ", 'neumann' or 'robin'"},
    KeyWords{"boundary.*.dirichlet", "type kind bctype condition", kinds},
    KeyWords{"boundary.*.dirichlet",
             "dirichlet dirichletvalue dirichletbc dirichletboundary fixedvalue fixed essential prescribed temperature "
             "t head "
             "fixedhead chd potential voltage pressure concentration u phi g v constant"},
    KeyWords{
        "boundary.*.neumann",
        "neumann flux heatflux fluxbc gradient fixedgradient fixedflux zerogradient zeroflux noflux q qn insulated "
        "insulation adiabatic symmetry natural currentdensity surfacecharge normalderivative normalgradient dudn "
        "neumannvalue neumannbc inflow outflow",
        inward},
    KeyWords{"boundary.*.robin.alpha",
             "h htc hc alpha heattransfercoefficient transfercoefficient filmcoefficient conductance cond leakance a",
             robin_example},
    KeyWords{"boundary.*.robin.ambient",
             "ambient tinf tinfinity tambient tamb ta tair tfluid text ambienttemperature ambientvalue reference tref "
             "outside "
             "external environment surroundings uinf uext u0 t bhead stage",
             robin_example},
    KeyWords{"boundary.*.robin.value", "g q rhs flux f"},
    KeyWords{"boundary.*.robin",
             "robin mixed convection convective cauchy impedance robinbc heattransfer cooling "
             "externalwallheatfluxtemperature ghb riv river drn drain",
             robin_example},
    KeyWords{"boundary.*.periodic",
             "periodic isperiodic cyclic periodicity",
             {},
             "write periodic as a word on both faces, such as x-: periodic and x+: periodic"},
    KeyWords{"equation.reaction", "alpha acoefficient"},

    KeyWords{"domain", "geometry geom box extents bounds"},
    KeyWords{"domain.lower", "problo lo low min minimum origin lowercorner xmin xlo start from"},
    KeyWords{"domain.upper",
             "probhi hi high max maximum length lengths l lx ly lz size extent uppercorner xmax xhi end to"},
    KeyWords{"grid", "mesh amr meshing blockmesh blockmeshdict discretisation",
             " (type: unstructured reads meshes from files)"},
    KeyWords{"grid.cells",
             "ncell ncells n nx ny nz resolution res size points npoints numcells numberofcells elements "
             "nelem nelems dims dimensions gridsize ncol nrow nlay divisions dagridx intervals"},
    KeyWords{"grid.cells", "dx dy dz h spacing cellsize delta meshsize",
             " (their width follows from domain and cells)"},
    KeyWords{"grid.blocks", "hex hexes block quads hexahedra"},
    KeyWords{"grid.scale", "converttometers unit units"},
    KeyWords{"grid.curves",
             "edges edge arc arcs spline splines",
             {},
             "curved edges of blocks are 'curves'; nodes of a box are 'axes.z.nodes'"},
    KeyWords{"grid.patches",
             "faces sides patch",
             {},
             "names for sides of blocks are 'patches'; nodes of a box are 'axes.z.nodes'"},
    KeyWords{"grid.periodic",
             "cyclic cyclics cyclicami mergepatchpairs",
             {},
             "patches of blocks are joined by periodic: [[left, right]], faces of a box by x-: periodic in boundary"},
    KeyWords{"grid.blocks.corners", "vertices nodes points hex", {}, "did you mean 'corners'?"},
    KeyWords{"grid.blocks.grading",
             "simplegrading edgegrading stretching expansion ratio",
             {},
             "did you mean grading, as in grading: {x: 10, y: {expansion: 10}}?"},
    KeyWords{"grid.curves.spline", "polyline polyspline bspline line", {}, "did you mean 'spline'?"},
    KeyWords{"grid.axes.*.nodes", "nodes coordinates coords vertices edges faces"},
    KeyWords{"grid.axes.*.segments", "layers layer thickness thicknesses delr delc botm widths segment blocks", layers},
    KeyWords{"grid.axes.*.stretching", "stretching stretch grading simplegrading law distribution type rule"},
    KeyWords{"grid.axes.*.ratio", "growth growthrate growthratio bias factor"},
    KeyWords{"grid.file", "matrix", " with type: banded or type: matrix"},
    KeyWords{"grid.*", "stl gmsh msh surface meshfile unstructured", {}, mesh_remedy},
    KeyWords{"equation.coefficient.*", "stl", {}, mesh_remedy},

    KeyWords{"discretization", "discretisation numerics schemes fvschemes fem femspace"},
    KeyWords{"discretization.scheme", "order element elements family degree space method"},
    KeyWords{"discretization.centering", "centring location position center centre unknowns"},

    KeyWords{"solver",
             "solve linearsolver solvers fvsolution ksp ims mlmg hypre petsc solverparameters solversettings"},
    KeyWords{"solver.method", "mg gmg multigrid pcg cg conjugategradient direct jacobi fft gamg boomeramg"},
    KeyWords{"solver.method", "type ksptype solvertype algorithm linearsolver solver name"},
    KeyWords{"solver.tolerance",
             "tol rtol reltol relativetolerance relativetol tolrel ksprtol atol abstol tolabs absolutetolerance eps "
             "epsilon convergence accuracy threshold hclose rclose innerdvclose innerrclose residual"},
    KeyWords{"solver.max_iterations",
             "maxiter maxiters maxit maxits maxiteration maxniter maximumiterations iterations iters iter niter niters "
             "itmax kspmaxit mxiter innermaximum outermaximum maxsteps numiterations"},
    KeyWords{"solver.preconditioner", "pc pctype precond preconditioning prec"},
    KeyWords{"solver.smoother", "relaxtype smoothertype smoothing pcmgsmoother mgrelaxtype"},
    KeyWords{"solver.smoother.pre", "presmooth presweeps npresweeps numpresweeps nprerelax nu1 presmoothing"},
    KeyWords{"solver.smoother.post", "postsmooth postsweeps npostsweeps numpostsweeps npostrelax nu2 postsmoothing"},
    KeyWords{"solver.smoother.relaxation", "omega weight damping relaxationfactor dampingfactor w",
             " of jacobi or red-black"},
    KeyWords{"solver.cycle", "cycletype mgcycle mgcycletype"},
    KeyWords{"solver.full_multigrid", "fmg nestediteration"},
    KeyWords{"solver.krylov", "accelerator acceleration"},
    KeyWords{"solver.coarse_operator", "galerkin rap coarse coarsening"},
    KeyWords{"solver.precision", "dtype datatype floattype real"},

    KeyWords{"backend", "hardware parallel platform compute"},
    KeyWords{"backend.device", "gpu gpus cuda cpu accelerator target usegpu"},
    KeyWords{"backend.blocks",
             "decomposition decompose numberofsubdomains subdomains partition partitions procs nprocs maxgridsize"},
    KeyWords{"backend.threads",
             "threads nthreads numthreads ompnumthreads cores",
             {},
             "threads are set by the command-line option --threads N"},

    KeyWords{"output", "out results writer controldict io"},
    KeyWords{"output.directory", "dir path folder outdir outputdir prefix plotfile file"},
    KeyWords{"output.fields", "variables vars quantities writefields write save"},
    KeyWords{"output.formats", "writeformat filetype type extension vtk hdf5 png"},
    KeyWords{"output.probes", "points point sample samples monitor monitors observations obs probelocations sensors"},
    KeyWords{"parameters", "params param parameter constants variables vars define definitions"},
    KeyWords{"title", "name description comment label"},
    KeyWords{"equation.time",
             "time dt timestep deltat endtime starttime tend transient tdis ddt",
             {},
             "the equation has no time; an implicit Euler step is a solve with equation.reaction: 1/dt"},
    KeyWords{"equation.velocity",
             "velocity advection convectionvelocity wind",
             {},
             "the equation has no advection; remove it"},
};

constexpr std::array choice_rows{
    ChoiceWords{"boundary.*", "cyclic cyclicami wrap pbc periodicbc", "periodic"},
    ChoiceWords{"boundary.*", "dirichlet fixedvalue fixed essential chd", {}, "write {dirichlet: 0}"},
    ChoiceWords{
        "boundary.*",
        "neumann zerogradient fixedgradient insulated insulation insulating adiabatic symmetry symmetryplane noflux "
        "zeroflux wall natural empty slip outflow",
        {},
        "write {neumann: 0}"},
    ChoiceWords{"boundary.*",
                "robin mixed convection convective cauchy cooling",
                {},
                "write {robin: {alpha: 10, ambient: 20}}"},
    ChoiceWords{"grid.type", "uniform regular cartesian structured box equal image", "equidistant"},
    ChoiceWords{"grid.type", "rectilinear stretched nonuniform graded tensor", "tensor-product"},
    ChoiceWords{"grid.type", "blockmesh blockmeshdict multiblock ogrid macro", "blocks"},
    ChoiceWords{"grid.type", "bands diagonals", "banded"},
    ChoiceWords{"grid.type", "mtx matrixmarket csr sparse rows", "matrix"},
    ChoiceWords{"grid.type",
                "gmsh msh mesh stl foam polymesh snappyhexmesh tetrahedral tetrahedra triangular "
                "triangles xdmf exodus vtu surface",
                {},
                mesh_remedy},
    ChoiceWords{"discretization.scheme",
                "fvm finitevolume finitevolumes fd fdm finitedifference finitedifferences tpfa", "fv"},
    ChoiceWords{"discretization.scheme",
                "fem fe p1 cg1 lagrange bilinear trilinear elements finiteelement finiteelements", "q1"},
    ChoiceWords{"discretization.scheme", "compact mehrstellen fourth hoc 4", "compact4"},
    ChoiceWords{"discretization.centering", "nodal vertex point vertices nodecentered nodecentred", "node"},
    ChoiceWords{"discretization.centering", "cellcentered cellcentred center centre cc", "cell"},
    ChoiceWords{"discretization.assembly", "matrixfree free onthefly", "recompute"},
    ChoiceWords{"discretization.assembly", "matrix assembled csr aij", "full"},
    ChoiceWords{"solver.method",
                "mg amg gmg gamg boomeramg amgcl ml mlmg pfmg smg pyamg hypre geometricmultigrid algebraicmultigrid",
                "multigrid"},
    ChoiceWords{"solver.method", "pcg fcg dpcg conjugategradient conjugategradients krylov", "cg"},
    ChoiceWords{"solver.method", "gmres fgmres bicgstab bicg minres pbicgstab", {}, iterative},
    ChoiceWords{"solver.method", "lu cholesky mumps superlu umfpack pardiso fft dst fishpack ldlt preonly sparse",
                "direct"},
    ChoiceWords{"solver.method", "richardson dampedjacobi", "jacobi"},
    ChoiceWords{"solver.krylov", "pcg fcg conjugategradient conjugategradients", "cg"},
    ChoiceWords{"solver.preconditioner", "mg amg gmg gamg boomeramg hypre pfmg smg", "multigrid"},
    ChoiceWords{"solver.preconditioner", "jacobi diag", "diagonal"},
    ChoiceWords{"solver.preconditioner", "fft lu cholesky", "direct"},
    ChoiceWords{"solver.smoother.type", "gs ssor symgs rb rbgs redblackgaussseidel symmetricgaussseidel", "red-black"},
    ChoiceWords{"solver.smoother.type", "cheby polynomial", "chebyshev"},
    ChoiceWords{"solver.smoother.type", "dampedjacobi weightedjacobi omegajacobi", "jacobi"},
    ChoiceWords{"solver.smoother.type", "zebra linerelaxation tridiagonal", "line"},
    ChoiceWords{"solver.smoother.type", "zebraplane planerelaxation", "plane"},
    ChoiceWords{"solver.cycle", "vcycle", "v"},
    ChoiceWords{"solver.cycle", "wcycle", "w"},
    ChoiceWords{"solver.cycle", "fcycle fmg", "f"},
    ChoiceWords{"solver.coarse_operator", "rap pap variational", "galerkin"},
    ChoiceWords{"solver.coarse_operator", "rediscretize geometric", "rediscretized"},
    ChoiceWords{"solver.precision", "fp64 float64 f64 real64 64", "double"},
    ChoiceWords{"solver.precision", "fp32 float32 f32 float real32 32", "single"},
    ChoiceWords{"backend.device", "gpu nvidia", "cuda"},
    ChoiceWords{"backend.device", "host cores openmp omp serial", "cpu"},
    ChoiceWords{"output.formats", "vti vtr pvti vtu paraview xml", "vtk"},
    ChoiceWords{"output.formats", "hdf h5 vtkhdf xdmf", "hdf5"},
    ChoiceWords{"output.formats", "image picture plot jpg jpeg svg", "png"},
    ChoiceWords{"output.fields", "solution t temperature potential head phi pressure", "u"},
    ChoiceWords{"output.fields", "grad gradu electricfield", "gradient"},
    ChoiceWords{"output.fields", "kappa k conductivity permittivity", "coefficient"},
    ChoiceWords{"output.fields", "f rhs", "source"},
    ChoiceWords{"output.fields", "res", "residual"},
    ChoiceWords{"output.fields", "err", "error"},
};

/// Returns the word in lower case without underscores, hyphens and blanks.
std::string plain(std::string_view word) {
  std::string all;
  for (const char c : word)
    if (c != '_' && c != '-' && c != ' ') all += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return all;
}

bool has(std::string_view words, std::string_view word) {
  for (std::string_view rest = words; !rest.empty();) {
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

/// Represents a path in the form of the table, with the name of its face or axis.
struct KeyPath {
  std::string pattern, name;

  explicit KeyPath(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i] == '[')
        i = std::min(path.find(']', i), path.size() - 1);  // skips the index of a list item
      else
        pattern += path[i];
    }
    for (const std::string_view map : {"boundary.", "grid.axes."}) {
      if (!pattern.starts_with(map)) continue;
      const std::size_t end = std::min(pattern.find('.', map.size()), pattern.size());
      name = pattern.substr(map.size(), end - map.size());
      pattern.replace(map.size(), end - map.size(), "*");
    }
  }
};

/// Returns the key's name for messages, relative to `place` if requested.
std::string named(const KeyWords& row, const KeyPath& place, bool relative) {
  std::string name(row.key);
  const bool here = !place.name.empty() && name.starts_with(place.pattern.substr(0, place.pattern.find('*') + 1));
  const std::string star = here ? place.name : name.starts_with("boundary") ? "default" : "z";
  if (relative && !place.pattern.empty()) name.erase(0, place.pattern.size() + 1);
  if (const std::size_t at = name.find('*'); at != std::string::npos) name.replace(at, 1, star);
  return name;
}

std::string question(const KeyWords& row, const std::string& name) {
  if (!row.instead.empty()) return std::string(row.instead);
  return "did you mean '" + name + "'" + std::string(row.also) + "?";
}

const ChoiceWords* find_choice(std::string_view word, std::string_view path) {
  const KeyPath place(path);
  const std::string name = plain(word);
  const auto found = std::ranges::find_if(
      choice_rows, [&](const ChoiceWords& row) { return row.key == place.pattern && has(row.words, name); });
  return found == choice_rows.end() ? nullptr : &*found;
}

bool is_below(std::string_view key, std::string_view map) {
  return key.size() > map.size() && key.starts_with(map) && key[map.size()] == '.';
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  return has(words, plain(word));
}

std::span<const KeyWords> key_words() {
  return keys;
}

std::span<const ChoiceWords> choice_words() {
  return choice_rows;
}

bool is_mesh(std::string_view file) {
  constexpr std::array<std::string_view, 20> endings{".msh", ".stl",  ".vtu", ".vtk", ".obj",  ".ply", ".step",
                                                     ".stp", ".iges", ".igs", ".exo", ".inp",  ".cdb", ".med",
                                                     ".unv", ".foam", ".nas", ".bdf", ".xdmf", ".brep"};
  std::string name(file);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

std::string meant_nearby(std::string_view word, std::string_view path) {
  const KeyPath place(path);
  const std::string name = plain(word);
  const KeyWords* found = nullptr;
  for (const KeyWords& row : keys) {
    if (!has(row.words, name)) continue;
    if (parent(row.key) == place.pattern) return question(row, named(row, place, true));
    if (!found && !path.empty() && is_below(row.key, place.pattern)) found = &row;
  }
  return found ? question(*found, named(*found, place, true)) : "";
}

std::string meant_anywhere(std::string_view word, std::string_view path) {
  const std::string name = plain(word);
  const auto found = std::ranges::find_if(keys, [&](const KeyWords& row) { return has(row.words, name); });
  return found == keys.end() ? "" : question(*found, named(*found, KeyPath(path), false));
}

std::string meant_choice(std::string_view word, std::string_view path) {
  const ChoiceWords* const found = find_choice(word, path);
  if (!found) return {};
  return found->choice.empty() ? std::string(found->instead) : "did you mean '" + std::string(found->choice) + "'?";
}

std::string choice_named(std::string_view word, std::string_view path) {
  const ChoiceWords* const found = find_choice(word, path);
  return found ? std::string(found->choice) : "";
}

bool means(std::string_view word, std::string_view path, std::string_view key) {
  const KeyPath place(path);
  const std::string name = plain(word);
  return std::ranges::any_of(keys, [&](const KeyWords& row) {
    if (!row.instead.empty() || !has(row.words, name) || parent(row.key) != place.pattern) return false;
    return row.key.substr(row.key.rfind('.') + 1) == key;
  });
}

bool means_within(std::string_view word, std::string_view path, std::string_view key) {
  const KeyPath place(path);
  const std::string name = plain(word);
  return std::ranges::any_of(keys, [&](const KeyWords& row) {
    if (!row.instead.empty() || !has(row.words, name) || !is_below(row.key, place.pattern)) return false;
    const std::string_view rest = row.key.substr(place.pattern.size() + 1);
    return rest.substr(0, rest.find('.')) == key;
  });
}

}  // namespace poisson
