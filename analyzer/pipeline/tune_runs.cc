// Jobs for runs of `tune`, and figures from these runs.

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "pipeline/json_members.h"
#include "pipeline/tune.h"

namespace shapewise {
namespace {

using Json = nlohmann::json;

// Numbers are equal if they differ by at most this share of their size and of the mean magnitude.
constexpr std::pair<std::string_view, double> kTolerances[] = {
    {"float64", 1e-9}, {"complex128", 1e-9}, {"float32", 1e-4}, {"complex64", 1e-4},
    {"float", 1e-9},   {"float16", 5e-3},    {"bfloat16", 3e-2}};

uint64_t CountIn(const Json& json, const char* key) {
  return static_cast<uint64_t>(std::max<int64_t>(IntMember(json, key).value_or(0), 0));
}

TuneOutput::Value ValueOf(const Json& json) {
  TuneOutput::Value value;
  if (const Json* size = FindMember(json, "size")) {
    const std::string dtype = TextMember(json, "dtype");
    value.kind = dtype + size->dump();
    for (const auto& [name, tolerance] : kTolerances) {
      if (name == dtype) value.tolerance = tolerance;
    }
  } else {
    value.kind = TextMember(json, "is");
  }
  value.scale = NumberMember(json, "scale").value_or(0);
  for (const Json& number : ListMember(json, "sample")) {
    if (number.is_number()) {
      value.numbers.push_back(number.get<double>());
    } else {
      value.kind += " " + number.dump();  // infinite or NaN
    }
  }
  return value;
}

std::vector<TuneOutput> OutputsOf(const Json& json) {
  std::vector<TuneOutput> outputs;
  for (const Json& entry : ListMember(json, "outputs")) {
    TuneOutput output{CountIn(entry, "call"), {}};
    for (const Json& value : ListMember(entry, "values")) output.values.push_back(ValueOf(value));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

std::optional<MeasuredRange> RateOf(const Json& json) {
  const Json& rate = ListMember(json, "steps_per_second");
  if (rate.size() != 3 || !std::ranges::all_of(rate, &Json::is_number)) return std::nullopt;
  return MeasuredRange{rate[0], rate[1], rate[2]};
}

void AddFunctions(const Json& json, std::vector<TunedFunction>& functions) {
  for (const Json& entry : ListMember(json, "functions")) {
    const std::string name = TextMember(entry, "name");
    auto found = std::ranges::find(functions, name, &TunedFunction::name);
    if (found == functions.end()) found = functions.insert(found, {name, 0, 0});
    found->calls += CountIn(entry, "calls");
    found->eager_calls += CountIn(entry, "eager_calls");
  }
}

void AddProcess(const Json& json, TuneRun& run) {
  const uint64_t calls = CountIn(json, "calls");
  run.calls += calls;
  run.steps = std::max(run.steps, calls);
  run.compiles += CountIn(json, "compiles");
  run.recompiles += CountIn(json, "recompiles");
  run.graph_breaks += CountIn(json, "graph_breaks");
  run.limit_hits += CountIn(json, "limit_hits");
  run.eager_calls += CountIn(json, "eager_calls");
  run.errors += CountIn(json, "errors");
  if (run.error.empty()) {
    run.error = TextMember(json, "error");
    if (const auto call = IntMember(json, "error_call")) {
      run.error_call = static_cast<uint64_t>(std::max<int64_t>(*call, 0));
    }
  }
  if (run.problem.empty()) run.problem = TextMember(json, "problem");
  run.compile_seconds += NumberMember(json, "compile_seconds").value_or(0);
  run.wall_seconds = std::max(run.wall_seconds, NumberMember(json, "wall_seconds").value_or(0));
  const uint64_t bytes = CountIn(json, "peak_bytes");
  if (bytes > 0) run.peak_bytes = run.peak_bytes.value_or(0) + bytes;
  AddFunctions(json, run.functions);
  const std::string stopped = TextMember(json, "stopped");
  if (stopped == "steps") run.end = TuneEnd::kSteps;
  if (stopped == "seconds") run.end = TuneEnd::kSeconds;
}

std::string FileText(const std::string& path, FileSource& files) {
  Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = files.Open(path);
  if (buffer) return (*buffer)->getBuffer().str();
  llvm::consumeError(buffer.takeError());
  return {};
}

constexpr double kPrinted = 1e-3;  // tolerance of printed numbers, which are rounded
constexpr size_t kMostScores = 10'000;
constexpr size_t kLongestNumber = 40;
constexpr std::string_view kWords[] = {"loss", "acc", "accuracy", "perplexity", "ppl", "score"};

bool IsScoreWord(std::string_view word) {
  const std::string lower = llvm::StringRef(word.data(), word.size()).lower();
  return std::ranges::find(kWords, lower) != std::end(kWords);
}

// Takes the letters and digits that `text` begins with off it.
std::string_view TakeWord(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && llvm::isAlnum(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Takes the number at the beginning of `text`, behind signs such as ": " and "'=", off
// it.
std::optional<double> TakeNumber(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(" \t:=|'\"([{>"), text.size());
  std::string_view rest = text.substr(begin);
  const std::string copy(rest.substr(0, kLongestNumber));
  const size_t digit = copy.starts_with('-') || copy.starts_with('+') ? 1 : 0;
  const std::string lower = llvm::StringRef(copy).substr(digit).lower();
  const bool is_number = !lower.empty() && (llvm::isDigit(lower[0]) || lower[0] == '.' ||
                                            lower.starts_with("nan") || lower.starts_with("inf"));
  if (!is_number || begin == 0) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  const auto length = static_cast<size_t>(end - copy.c_str());
  // "3rd" is a word.
  if (length == 0 || (length < rest.size() && llvm::isAlpha(rest[length]))) return std::nullopt;
  text.remove_prefix(begin + length);
  return number;
}

}  // namespace

std::string TuneJobText(const TunedAction* action, const TuneLimits& limits,
                        const std::string& results,
                        const std::vector<std::pair<std::string, std::string>>& patches) {
  Json actions = Json::array();
  if (action != nullptr) {
    for (size_t i = 0; i < action->parts.size(); ++i) {
      if (action->parts[i].policy.empty()) continue;
      actions.push_back({{"policy", action->parts[i].policy}, {"function", action->functions[i]}});
    }
  }
  const Json job = {
      {"results", results},        {"actions", actions},
      {"backend", limits.backend}, {"steps", limits.steps},
      {"seconds", limits.seconds}, {"patches", std::map(patches.begin(), patches.end())},
      {"parent", limits.parent}};
  return job.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

TuneObservation ReadTuneRun(const std::vector<std::string>& paths, const std::string& output,
                            FileSource& files) {
  TuneObservation observed;
  std::pair<int64_t, uint64_t> first{-1, 0};
  for (const std::string& path : paths) {
    const std::string text = FileText(path, files);
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;
    ++observed.processes;
    AddProcess(json, observed.run);
    // Rank 0, or without ranks the process with the most calls, represents all.
    const std::pair<int64_t, uint64_t> order{-IntMember(json, "rank").value_or(0),
                                             CountIn(json, "calls")};
    const bool is_first = observed.processes == 1 || order > first;
    if (!is_first) continue;
    first = order;
    observed.torch = TextMember(json, "torch");
    observed.device = TextMember(json, "device");
    observed.outputs = OutputsOf(json);
    observed.run.steps_per_second = RateOf(json);
    const std::vector<std::string> unmatched = TextsMember(json, "unmatched");
    if (!unmatched.empty() && observed.run.problem.empty()) {
      observed.run.problem = "no call of a compiled function has a tensor " + unmatched.front();
    }
  }
  observed.scores = ScoresIn(FileText(output, files));
  if (observed.processes > 1) {  // which print in any order
    std::ranges::sort(observed.scores, [](const TuneScore& a, const TuneScore& b) {
      return a.name != b.name ? a.name < b.name : std::strong_order(a.number, b.number) < 0;
    });
  }
  return observed;
}

std::vector<TuneScore> ScoresIn(std::string_view text) {
  std::vector<TuneScore> scores;
  while (!text.empty() && scores.size() < kMostScores) {
    if (!llvm::isAlnum(text[0])) {
      text.remove_prefix(1);
      continue;
    }
    std::string name(TakeWord(text));
    // "loss2", "acc@5": a number that belongs to the name.
    const std::string_view letters = llvm::StringRef(name).rtrim("0123456789");
    if (!IsScoreWord(letters)) continue;
    if (text.starts_with('@')) {
      text.remove_prefix(1);
      name += "@" + std::string(TakeWord(text));
    }
    if (const std::optional<double> number = TakeNumber(text)) {
      scores.push_back({std::move(name), *number});
    }
  }
  return scores;
}

bool AreEqualScores(const TuneScore& a, const TuneScore& b) {
  if (a.name != b.name) return false;
  if (!std::isfinite(a.number) || !std::isfinite(b.number)) {
    return a.number == b.number || (std::isnan(a.number) && std::isnan(b.number));
  }
  return std::abs(a.number - b.number) <=
         kPrinted * std::max(std::abs(a.number), std::abs(b.number));
}

}  // namespace shapewise
