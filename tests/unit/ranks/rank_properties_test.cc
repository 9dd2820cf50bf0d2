// Laws: neither the numbers of the ranks nor the order of their logs shows in the answer; the first
// difference is the one that a plain comparison finds; many ranks are no trouble.

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "support/catch.h"
#include "unit/ranks/rank_run.h"

namespace shapewise {
namespace {

// What one rank compiles: numbers of functions, each for the first time or again.
using Program = std::vector<std::pair<uint32_t, uint32_t>>;  // frame, compile

Program RandomProgram(std::mt19937& random, size_t length) {
  Program program;
  std::vector<uint32_t> compiles;
  while (program.size() < length) {
    const bool is_new = compiles.empty() || random() % 3 == 0;
    if (is_new) compiles.push_back(0);
    const uint32_t frame = is_new ? static_cast<uint32_t>(compiles.size() - 1)
                                  : static_cast<uint32_t>(random() % compiles.size());
    program.push_back({frame, compiles[frame]++});
  }
  return program;
}

// The programs of all ranks: one for all, of which some ranks leave something out.
std::vector<Program> RandomJob(std::mt19937& random, size_t num_ranks, size_t length) {
  const Program common = RandomProgram(random, length);
  std::vector<Program> job(num_ranks, common);
  for (Program& program : job) {
    if (random() % 4 != 0) continue;
    const size_t at = 1 + random() % (length - 1);
    program.erase(program.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return job;
}

// `names`: the rank that each program runs as; `order`: in which its log is read.
RankRun RunOf(const std::vector<Program>& job, const std::vector<int32_t>& names,
              const std::vector<size_t>& order) {
  RankRun run = RankRun::Traces();
  for (const size_t program : order) {
    for (size_t i = 0; i < job[program].size(); ++i) {
      const auto [frame, compile] = job[program][i];
      const std::string id = std::to_string(frame) + "/" + std::to_string(compile);
      const std::string function = "f" + std::to_string(frame);
      const Compiled compiled{
          .id = id,
          .function = function,
          .begin = 2.0 * static_cast<double>(i) + 0.001 * static_cast<double>(program),
          .seconds = 0.5};
      if (compile == 0) {
        run.Compile(names[program], compiled);
      } else {
        run.Recompile(names[program], compiled, std::to_string(i));
      }
    }
  }
  return run;
}

std::vector<std::string> DescribeAs(RankRun& run, const std::map<int32_t, int32_t>& names) {
  std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  std::vector<std::string> reported;
  const auto rename = [&](std::vector<int32_t>& ranks) {
    for (int32_t& rank : ranks) rank = names.at(rank);
    std::ranges::sort(ranks);
  };
  for (RankDivergence& divergence : comparison->divergences) {
    rename(divergence.ranks);
    rename(divergence.actors);
    rename(divergence.others);
    reported.push_back(Describe(divergence) + " later " +
                       std::to_string(divergence.later_seconds.value_or(-1)) + " wait " +
                       std::to_string(divergence.wait_seconds.value_or(-1)));
  }
  reported.push_back(std::to_string(comparison->agreed));
  if (comparison->skew) {
    reported.push_back(std::to_string(comparison->skew->seconds) + " rank " +
                       std::to_string(names.at(comparison->skew->last)));
  }
  return reported;
}

std::vector<int32_t> Numbers(size_t count) {
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_CASE("other numbers for the ranks, or another order of their logs, change nothing else",
          "[ranks]") {
  std::mt19937 random(4);
  size_t num_different = 0;
  for (size_t round = 0; round < 300; ++round) {
    const size_t num_ranks = 2 + random() % 7;
    const std::vector<Program> job = RandomJob(random, num_ranks, 4 + random() % 20);
    std::vector<int32_t> names = Numbers(num_ranks);
    std::vector<size_t> order(num_ranks);
    std::iota(order.begin(), order.end(), size_t{0});
    std::map<int32_t, int32_t> same;
    for (const int32_t name : names) same[name] = name;
    RankRun plain = RunOf(job, names, order);
    const std::vector<std::string> reported = DescribeAs(plain, same);
    num_different += reported.size() > 2 ? 1 : 0;

    std::shuffle(order.begin(), order.end(), random);
    RankRun reordered = RunOf(job, names, order);
    CHECK(DescribeAs(reordered, same) == reported);

    std::shuffle(names.begin(), names.end(), random);
    std::map<int32_t, int32_t> back;
    for (size_t i = 0; i < names.size(); ++i) back[names[i]] = static_cast<int32_t>(i);
    RankRun renamed = RunOf(job, names, order);
    CHECK(DescribeAs(renamed, back) == reported);
  }
  CHECK(num_different > 100);
}

TEST_CASE("ranks agree exactly as far as a plain comparison says", "[ranks]") {
  std::mt19937 random(5);
  for (size_t round = 0; round < 300; ++round) {
    const size_t num_ranks = 2 + random() % 7;
    const std::vector<Program> job = RandomJob(random, num_ranks, 4 + random() % 20);
    std::vector<size_t> order(num_ranks);
    std::iota(order.begin(), order.end(), size_t{0});
    RankRun run = RunOf(job, Numbers(num_ranks), order);
    const std::optional<RankComparison> comparison = run.Compare();
    REQUIRE(comparison);

    size_t alike = 0;
    const auto is_alike = [&](size_t i) {
      return std::ranges::all_of(job, [&](const Program& program) {
        return i < program.size() && i < job[0].size() && program[i] == job[0][i];
      });
    };
    while (is_alike(alike)) ++alike;
    // A recompile is a record and a compile.
    uint64_t records = 0;
    for (size_t i = 0; i < alike; ++i) records += job[0][i].second == 0 ? 1 : 2;
    CHECK(comparison->agreed == records);
    const bool are_all_alike =
        std::ranges::all_of(job, [&](const Program& program) { return program == job[0]; });
    CHECK(comparison->divergences.empty() == are_all_alike);
  }
}

TEST_CASE("64 ranks with 1000 compiles each: the one that parts is found", "[ranks]") {
  std::mt19937 random(6);
  const Program common = RandomProgram(random, 1000);
  std::vector<Program> job(64, common);
  // Rank 37 lacks the first recompile behind the 700th compile, and has all that follow.
  auto missing = std::find_if(job[37].begin() + 700, job[37].end(),
                              [](const auto& compile) { return compile.second > 0; });
  const auto [frame, compile] = *missing;
  job[37].erase(missing);
  std::vector<size_t> order(64);
  std::iota(order.begin(), order.end(), size_t{0});
  RankRun run = RunOf(job, Numbers(64), order);
  const std::optional<RankComparison> comparison = run.Compare();
  REQUIRE(comparison);
  REQUIRE(!comparison->divergences.empty());
  const RankDivergence& divergence = comparison->divergences[0];
  CHECK(divergence.kind == DivergenceKind::kRecompile);
  CHECK(divergence.ranks == std::vector<int32_t>{37});
  CHECK(divergence.actors.size() == 63);
  CHECK(divergence.action.compile_id == std::to_string(frame) + "/" + std::to_string(compile));
}

}  // namespace
}  // namespace shapewise
