// Speed of the simulator on histories of a million calls, beside a walk over the same calls that
// looks each signature up in a hash table. Prints a table; nothing is tested, machines differ.
//
//   cmake --preset release -DSHAPEWISE_DEVELOPER=ON
//   cmake --build --preset release --target bench_predict &&
//   build/release/tests/bench/bench_predict build/release/tests/bench/bench_predict

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "dynamo/simulator.h"

namespace shapewise {
namespace {

constexpr size_t kCalls = 1'000'000;
constexpr size_t kPolicies = 20;

/// Of this process: others on the machine do not count.
double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Calls of f(x, y) with batch and length; `distinct` pairs of them.
void MakeHistory(size_t distinct, CallHistory& history) {
  std::mt19937 random(1);
  history.sources = {history.strings.Intern("L['x']"), history.strings.Intern("L['y']")};
  for (size_t pair = 0; pair < distinct; ++pair) {
    const auto batch = static_cast<int64_t>(2 + pair % 64);
    const auto length = static_cast<int64_t>(2 + pair / 64);
    CallSignature signature;
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{batch, length, 64}, std::vector<int64_t>{batch, length}}) {
      TensorValue tensor;
      tensor.sizes = sizes;
      CallValue value;
      value.kind = CallValue::Kind::kTensor;
      value.tensor = static_cast<uint32_t>(history.tensors.size());
      history.tensors.push_back(std::move(tensor));
      signature.values.push_back(value);
    }
    history.signatures.push_back(std::move(signature));
  }
  for (size_t call = 0; call < kCalls; ++call) {
    history.calls.push_back(
        {.signature = static_cast<uint32_t>(distinct == kCalls ? call : random() % distinct)});
  }
}

std::vector<CompilePolicy> MakePolicies() {
  DimMark mark;
  mark.dim = 1;
  std::vector<CompilePolicy> policies;
  for (size_t i = 0; i < kPolicies; ++i) {
    CompilePolicy policy;
    policy.dynamic = static_cast<DynamicOption>(i % 3);
    policy.recompile_limit = i % 2 == 0 ? 8 : 64;
    if (i % 5 == 0) policy.marks.emplace_back(PolicyMark{"L['x']", mark});
    if (i % 5 == 1) {
      policy.buckets.push_back({.source = "L['x']", .dim = 1, .sizes = {64, 256, 1024, 4096}});
    }
    policies.push_back(policy);
  }
  return policies;
}

double TimeReference(const CallHistory& history) {
  const double begin = CpuSeconds();
  uint64_t sum = 0;
  for (size_t policy = 0; policy < kPolicies; ++policy) {
    std::unordered_map<uint32_t, uint64_t> seen;
    for (const RecordedCall& call : history.calls) sum += ++seen[call.signature];
  }
  const double seconds = CpuSeconds() - begin;
  // The sum is printed so that the walk is not optimised away.
  std::printf("(%llu)\n", static_cast<unsigned long long>(sum));
  return seconds;
}

void Measure(size_t distinct) {
  CallHistory history;
  MakeHistory(distinct, history);
  const BodyFacts body = BodyOfCategory("free");
  const std::vector<CompilePolicy> policies = MakePolicies();
  const double reference = TimeReference(history);
  const double begin = CpuSeconds();
  uint64_t graphs = 0;
  for (const Prediction& prediction :
       SimulateAll(history, body, policies, {.torch = {}, .keep_calls = false})) {
    graphs += prediction.totals.graphs;
  }
  const double seconds = CpuSeconds() - begin;
  std::printf("%8zu distinct  %7.3f s  %6.1f ns a call  %5.2f of a hash table's  %llu graphs\n",
              distinct, seconds, seconds * 1e9 / static_cast<double>(kCalls * kPolicies),
              seconds / reference, static_cast<unsigned long long>(graphs));
}

}  // namespace
}  // namespace shapewise

int main() {
  std::printf("%zu calls, %zu policies\n", shapewise::kCalls, shapewise::kPolicies);
  for (const size_t distinct : {size_t{16}, size_t{1000}, size_t{50'000}, shapewise::kCalls}) {
    shapewise::Measure(distinct);
  }
  return 0;
}
