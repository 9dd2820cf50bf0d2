// Joint plans: time, overhead and proven gap on a stream of batches and on problems too large to be
// looked at whole. Prints a table; nothing is tested, machines differ.
//
//   cmake --preset release -DSHAPEWISE_DEVELOPER=ON
//   cmake --build --preset release --target bench_joint &&
//   build/release/tests/bench/bench_joint [LENGTHS.csv]

#include <cstdio>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "buckets/joint_plan.h"
#include "support/chat_stream.h"

namespace shapewise {
namespace {

/// Of this process: others on the machine do not count.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Calls with sizes that are log-normal and independent, `typical` in the middle of each dim.
JointProblem LogNormal(size_t dims, size_t calls, double typical) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> factor(0, 1);
  std::map<Sizes, uint64_t> counts;
  for (size_t i = 0; i < calls; ++i) {
    Sizes sizes{1, 1, 1};
    for (size_t dim = 0; dim < dims; ++dim) {
      const double size = std::clamp(factor(random) * typical, 1.0, 20 * typical);
      sizes[dim] = static_cast<int64_t>(size);
    }
    ++counts[sizes];
  }
  JointProblem problem;
  problem.calls.dims = dims;
  for (const auto& [sizes, count] : counts) {
    problem.calls.counts.push_back({.sizes = sizes, .calls = count, .real = 0});
  }
  problem.cost = *CostModel::Parse("quadratic:256,1,0.0001220703125");
  return problem;
}

void Show(const std::string& name, const JointProblem& problem) {
  const double start = CpuSeconds();
  const std::vector<size_t> counts = {16, 32, 64};
  Expected<std::vector<JointSet>> sets = PlanJointly(problem, counts);
  if (!sets) {
    llvm::consumeError(sets.takeError());
    std::printf("%s: no call\n", name.c_str());
    return;
  }
  std::printf("%s: %zu distinct, %.2f s\n", name.c_str(), problem.calls.counts.size(),
              CpuSeconds() - start);
  const double without = WithoutPadding(problem);
  for (size_t i = 0; i < sets->size(); ++i) {
    const JointSet& set = (*sets)[i];
    std::printf("  %3zu buckets: overhead %6.2f %%, none less than %6.2f %%, gap %.2f %%%s\n",
                counts[i], 100 * (set.cost / without - 1), 100 * (set.lower_bound / without - 1),
                100 * (set.cost / set.lower_bound - 1), set.is_coarse ? ", coarse" : "");
  }
}

}  // namespace
}  // namespace shapewise

int main(int argc, char** argv) {
  using shapewise::BatchesOf, shapewise::LogNormal, shapewise::Show;
  Show("chat, drawn from quantiles", BatchesOf(shapewise::ChatLengths(19366), 1));
  if (argc > 1) Show(argv[1], BatchesOf(shapewise::LengthsOf(argv[1]), 1));
  Show("2 dims, many sizes", LogNormal(2, 20000, 30));
  Show("2 dims, too many sizes", LogNormal(2, 200000, 1000));
  Show("3 dims", LogNormal(3, 20000, 3));
  Show("3 dims, too many sizes", LogNormal(3, 200000, 1000));
  return 0;
}
