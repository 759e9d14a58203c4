// These tests cover run-time compilation on a machine without a GPU. Every expression must compile, as must the
// operator that evaluates κ. The cache must store complete entries only.

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/cuda/code_cache.hpp"
#include "backends/cuda/runtime_compiler.hpp"
#include "grids/kernels/cuda/runtime_headers.hpp"
#include "grids/kernels/cuda/runtime_sources.hpp"
#include "io/expressions/expression.hpp"
#include "tests/expressions.hpp"

namespace poisson::runtime_tests {
namespace {

namespace fs = std::filesystem;

/// Sets an environment variable during a test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

std::string source_of(std::string_view text) {
  return *parse_expression(std::string(text)).source();
}

class Runtime : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("poisson-runtime-" + std::to_string(getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    cache_.emplace("POISSON_CACHE", folder_.string());
    try {
      compiler_.compile("", {});
    } catch (const cuda::NoRuntimeCode& error) {
      GTEST_SKIP() << error.what();
    }
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  cuda::RuntimeCompiler::Code compile(const std::string& source, double* seconds = nullptr) const {
    const auto begin = std::chrono::steady_clock::now();
    auto code = compiler_.compile(source, cuda::runtime_headers());
    if (seconds) *seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return code;
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    if (fs::exists(folder_))
      for (const auto& entry : fs::directory_iterator(folder_)) all.push_back(entry.path());
    return all;
  }

  cuda::RuntimeCompiler compiler_{"sm_90"};
  fs::path folder_;
  std::optional<Variable> cache_;
};

TEST_F(Runtime, CompilesEveryExpression) {
  // One kernel contains all of them. The next test compiles the parts that fill and measure add to each.
  std::string functions = "#include \"grids/rows/expression_functions.hpp\"\n", calls;
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string name = "f" + std::to_string(i);
    functions += "__noinline__ double " + name + "(double x, double y, double z) { return " +
                 source_of(expressions[i]) + "; }\n";
    calls += "  *v += " + name + "(v[1], v[2], v[3]);\n";
  }
  double seconds = 0;
  EXPECT_GT(
      compile(functions + "extern \"C\" __global__ void all(double* v) {\n" + calls + "}\n", &seconds).binary.size(),
      1000u);
  std::printf("%zu expressions: %.2f s\n", expressions.size(), seconds);
}

TEST_F(Runtime, CompilesOneExpressionOnce) {
  const std::string one = source_of("3*pi^2*sin(pi*x)*sin(pi*y)*sin(pi*z)");
  double cold = 0, warm = 0;
  EXPECT_FALSE(compile(cuda::evaluation_source(one), &cold).cached);
  EXPECT_TRUE(compile(cuda::evaluation_source(one), &warm).cached);
  std::printf("one expression: %.3f s, cached %.4f s\n", cold, warm);
}

TEST_F(Runtime, CompilesOnceForConcurrentRequests) {
  const std::string source = cuda::evaluation_source(source_of("sin(x) + 3*y"));
  std::atomic<int> compiled = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&] {
      if (!compile(source).cached) ++compiled;
    });
  for (std::thread& each : all) each.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(Runtime, CompilesTheFusedOperator) {
  using Rows = cuda::RecomputedRows;
  const std::string ball = source_of("sqrt((x-0.5)^2 + (y-0.5)^2 + (z-0.5)^2) < 0.3 ? 1e6 : 1"),
                    wave = source_of("1 + 0.5*sin(2*pi*x)*cos(2*pi*y)*exp(-z)"), x = source_of("x^2 + 1"),
                    y = source_of("1 + y");
  const struct {
    const char* name;
    Rows rows;
    Precision precision;
    std::vector<std::string> kappa;
    int parts = cuda::recompute_parts;  // one or two parts, with equal columns
  } cases[]{{"nodes, fp32", {Rows::nodes, 3, {}}, Precision::fp32, {ball}},
            {"nodes, fp64, sines", {Rows::nodes, 3, {}}, Precision::fp64, {wave}},
            {"nodes, fp32, diagonal", {Rows::nodes, 3, {}}, Precision::fp32, {x, "2.0", y}, 2},
            {"cells, fp32", {Rows::cells, 3, {}}, Precision::fp32, {ball}, 1},
            {"cells, fp64, sines", {Rows::cells, 3, {}}, Precision::fp64, {wave}},
            {"cells, fp64, diagonal", {Rows::cells, 2, {}}, Precision::fp64, {x, y, x}, 2},
            {"elements, fp32", {Rows::elements, 3, Tensor::isotropic}, Precision::fp32, {ball}, 2},
            {"elements, fp64, sines", {Rows::elements, 3, Tensor::isotropic}, Precision::fp64, {wave}},
            {"elements, fp64, full", {Rows::elements, 3, Tensor::full}, Precision::fp64, {ball, x, y, x, y, wave}, 2},
            {"elements, fp32, diagonal", {Rows::elements, 3, Tensor::diagonal}, Precision::fp32, {x, "2.0", y}, 1},
            {"elements, fp32, 2-D", {Rows::elements, 2, Tensor::isotropic}, Precision::fp32, {wave}, 1},
            {"elements, fp32, 2-D diagonal", {Rows::elements, 2, Tensor::diagonal}, Precision::fp32, {x, y}, 1},
            {"elements, fp64, 2-D full", {Rows::elements, 2, Tensor::full}, Precision::fp64, {x, y, "0.5"}, 1}};
  for (const auto& [name, rows, precision, kappa, parts] : cases)
    for (int part = 0; part < parts; ++part) {
      const std::string source = cuda::recompute_source(rows, precision, kappa, part);
      double cold = 0, warm = 0;
      const auto code = compile(source, &cold);
      EXPECT_GT(code.binary.size(), 1000u);
      EXPECT_EQ(compile(source, &warm).binary, code.binary);
      std::printf("fused operator, %s, part %d: %.2f s, cached %.4f s, %zu bytes\n", name, part, cold, warm,
                  code.binary.size());
    }
}

TEST_F(Runtime, ReportsErrorsOfTheCompiler) {
  try {
    compile(cuda::evaluation_source("w + 1"));
    FAIL();
  } catch (const cuda::NoRuntimeCode& error) {
    EXPECT_NE(std::string(error.what()).find("\"w\" is undefined"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(Runtime, ReportsAMissingCompiler) {
  const Variable none("POISSON_NVRTC", "/nowhere/libnvrtc.so");
  try {
    compile("");
    FAIL();
  } catch (const cuda::NoRuntimeCode& error) {
    EXPECT_NE(std::string(error.what()).find("POISSON_NVRTC"), std::string::npos) << error.what();
  }
}

TEST_F(Runtime, CompilesAgainIfTheCacheIsDamaged) {
  const std::string source = "extern \"C\" __global__ void f(double* x) { *x = 1; }";
  const std::string code = compile(source).binary;
  ASSERT_EQ(files().size(), 1u);
  EXPECT_TRUE(compile(source).cached);
  EXPECT_FALSE(compile(source + "\n").cached);  // another source
  fs::remove_all(folder_);
  compile(source);
  const fs::path file = files().front();
  const auto size = fs::file_size(file);
  const auto spoilt = [&](const auto& spoil) {
    spoil();
    const auto again = compile(source);
    EXPECT_FALSE(again.cached);
    EXPECT_EQ(again.binary, code);
    EXPECT_TRUE(compile(source).cached);
  };
  spoilt([&] { fs::resize_file(file, size / 2); });
  spoilt([&] { fs::resize_file(file, 0); });
  spoilt([&] { fs::resize_file(file, size + 1); });
  spoilt([&] {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekp(-1, std::ios::end);
    stream.put('\x55');
  });
  EXPECT_EQ(files().size(), 1u);  // no partial file remains
}

TEST_F(Runtime, RunsWithoutACache) {
  const std::string source = "extern \"C\" __global__ void g(double* x) { *x = 2; }";
  {
    const Variable off("POISSON_CACHE", "");
    EXPECT_FALSE(compile(source).cached);
    EXPECT_FALSE(compile(source).cached);
    EXPECT_FALSE(cuda::runtime_cache());
  }
  const Variable file("POISSON_CACHE", "/dev/null/below");  // no file can be created there
  EXPECT_FALSE(compile(source).cached);
  EXPECT_FALSE(compile(source).cached);
}

TEST(RuntimeCache, FollowsTheEnvironment) {
  const char* own = std::getenv("POISSON_CACHE");
  const std::optional<std::string> kept = own ? std::optional<std::string>(own) : std::nullopt;
  unsetenv("POISSON_CACHE");
  {
    const Variable xdg("XDG_CACHE_HOME", "/somewhere");
    EXPECT_EQ(cuda::runtime_cache()->string(), "/somewhere/poisson");
  }
  {
    const Variable xdg("XDG_CACHE_HOME", "");
    const Variable home("HOME", "/home/someone");
    EXPECT_EQ(cuda::runtime_cache()->string(), "/home/someone/.cache/poisson");
  }
  if (kept) setenv("POISSON_CACHE", kept->c_str(), 1);
}

TEST(RuntimeCache, StaysCompleteUnderConcurrentWriters) {
  const fs::path folder = fs::temp_directory_path() / ("poisson-cache-" + std::to_string(getpid()));
  const cuda::CodeCache cache(folder);
  const std::string key = "key", code(100'000, 'c');
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        cache.keep(key, code);
        EXPECT_EQ(cache.find(key), code);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(cache.find("another key"));
  fs::remove_all(folder);
}

// Creates a folder for a test and deletes it afterwards.
struct CacheFolder {
  fs::path path = fs::temp_directory_path() / ("poisson-cache-" + std::to_string(getpid()));
  ~CacheFolder() { fs::remove_all(path); }
  fs::path file() const { return fs::directory_iterator(path)->path(); }
};

TEST(RuntimeCache, LetsOneProcessCompileAtATime) {
  const CacheFolder folder;
  const cuda::CodeCache cache(folder.path);
  std::atomic<bool> made = false;
  std::optional<cuda::CodeCache::Lock> lock(cache.lock("key"));
  std::thread other([&] {
    const cuda::CodeCache::Lock waited = cache.lock("key");
    EXPECT_TRUE(made);
  });
  cache.lock("another key");  // must not wait
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  made = true;
  lock.reset();
  other.join();
  EXPECT_TRUE(fs::is_empty(folder.path));

  // A lock of a process that has ended is free.
  const pid_t child = fork();
  if (child == 0) {
    cuda::CodeCache::Lock lock = cache.lock("key");
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(fs::is_empty(folder.path));
  cache.lock("key");
  EXPECT_TRUE(fs::is_empty(folder.path));  // as after an uncontended lock
}

TEST(RuntimeCache, BelongsToTheUserAlone) {
  const CacheFolder folder;
  const cuda::CodeCache cache(folder.path);
  cache.keep("key", "code");
  ASSERT_EQ(cache.find("key"), "code");
  const auto mode = [](const fs::path& path) { return fs::status(path).permissions() & fs::perms::all; };
  EXPECT_EQ(mode(folder.path), fs::perms::owner_all);
  EXPECT_EQ(mode(folder.file()), fs::perms::owner_read | fs::perms::owner_write);
  const auto refused_while = [&](const fs::path& path, fs::perms also) {
    fs::permissions(path, also, fs::perm_options::add);
    EXPECT_FALSE(cache.find("key"));
    fs::permissions(path, also, fs::perm_options::remove);
    EXPECT_EQ(cache.find("key"), "code");
  };
  for (const fs::path& path : {folder.path, folder.file()})
    for (const fs::perms writers : {fs::perms::group_write, fs::perms::others_write}) refused_while(path, writers);
  fs::permissions(folder.path, fs::perms::others_write, fs::perm_options::add);
  cache.keep("another key", "code");
  fs::permissions(folder.path, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_FALSE(cache.find("another key"));
}

TEST(RuntimeCache, FollowsNoLinks) {
  const CacheFolder folder;
  const cuda::CodeCache cache(folder.path);
  cache.keep("key", "code");
  const fs::path file = folder.file(), moved = folder.path / "moved";
  fs::rename(file, moved);
  fs::create_symlink(moved, file);
  EXPECT_FALSE(cache.find("key"));
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(cache.find("key"));  // must not block
  cache.keep("key", "code");
  EXPECT_EQ(cache.find("key"), "code");
  const fs::path link = folder.path.string() + "-link";
  fs::create_directory_symlink(folder.path, link);
  EXPECT_FALSE(cuda::CodeCache(link).find("key"));
  fs::remove(link);
}

}  // namespace
}  // namespace poisson::runtime_tests
