#include "causes/xla_places.h"

#include <algorithm>
#include <array>

#include "support/text_scan.h"

namespace shapewise {
namespace {

// A model in training has three graphs at the end of its step: the first, one with the optimizer's
// state as further inputs, and one more when a scaler or a schedule is added. So three rises are
// normal, and more are not.
constexpr size_t kMinRises = 4;
constexpr uint64_t kMinExecutions = 8;

XlaTrigger TriggerOf(const EventDetail& detail, std::string_view cause) {
  const auto* const execution = detail.As<XlaExecutionFact>();
  if (execution != nullptr && execution->fatal) return XlaTrigger::kInsideWhole;
  if (HasText(cause, "trying to access tensor value")) return XlaTrigger::kValueAccess;
  if (HasText(cause, "dynamo processing input graphs")) return XlaTrigger::kDynamoInput;
  return XlaTrigger::kStepEnd;
}

/// The kind of access according to PyTorch's own innermost frame. `.item()`, `torch.equal` and
/// `bool(x)` are C functions and leave no frame.
std::string_view AccessOf(std::string_view function, std::string_view file) {
  struct Access {
    std::string_view function;
    std::string_view means;
  };
  static constexpr std::array<Access, 6> kAccesses = {{{"__repr__", "a tensor was printed"},
                                                       {"_str", "a tensor was printed"},
                                                       {"_str_intern", "a tensor was printed"},
                                                       {"_tensor_str", "a tensor was printed"},
                                                       {"__format__", "a tensor was formatted"},
                                                       {"__array__", "a tensor became an array"}}};
  if (HasText(file, "_tensor_str.py")) return kAccesses[0].means;
  if (!HasText(file, "_tensor.py")) return {};
  for (const Access& access : kAccesses) {
    if (access.function == function) return access.means;
  }
  return {};
}

template <typename Number>
bool RisesThroughout(const std::vector<Number>& numbers) {
  size_t num_rises = 0;
  for (size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] < numbers[i - 1]) return false;
    num_rises += numbers[i] > numbers[i - 1];
  }
  // Most steps must show growth; one rise in a long row of equal numbers is not enough.
  return num_rises >= kMinRises && 2 * num_rises >= numbers.size() - 1;
}

/// "0.125", without trailing zeros.
std::string DecimalText(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace

uint64_t XlaPlace::NumGraphs() const {
  if (kept_compiles == compiles) return graphs.size();
  const double share = static_cast<double>(graphs.size()) / static_cast<double>(kept_compiles);
  return static_cast<uint64_t>(share * static_cast<double>(compiles));
}

bool XlaPlace::IsGrowing() const {
  return RisesThroughout(graph_inputs) || RisesThroughout(graph_input_gb);
}

std::optional<double> XlaPlace::LateRate() const {
  if (executions < kMinExecutions) return std::nullopt;
  const uint64_t half = executions / 2;
  double late = 0;
  uint64_t begin = 0;  // number of events in a run
  for (const CompileRun& run : compile_runs) {
    const uint64_t end = run.executions_before;
    if (end >= half) {
      const double early = begin < half && run.times > 1 ? static_cast<double>(half - begin) /
                                                               static_cast<double>(end - begin)
                                                         : 0;
      late += static_cast<double>(run.times) * (1 - early);
    }
    begin = end;
  }
  return late / static_cast<double>(executions - half);
}

std::vector<std::string> XlaPlace::InputTexts() const {
  std::vector<std::string> texts;
  if (RisesThroughout(graph_inputs)) {
    for (const int64_t inputs : graph_inputs) texts.push_back(std::to_string(inputs));
  } else if (RisesThroughout(graph_input_gb)) {
    for (const double size : graph_input_gb) texts.push_back(DecimalText(size) + " GB");
  }
  return texts;
}

/// Executions that were only counted are spread evenly between the previous one and this: some of
/// them came before the compilations recorded there.
void XlaPlaces::AddExecution(size_t index, XlaPlace& place, Progress& progress) const {
  const Event& event = session_.events()[index];
  const Event& last = session_.events()[progress.last_execution];
  if (event.folded > 0 && event.input == last.input && event.line > last.line) {
    const double per_line =
        static_cast<double>(event.folded) / static_cast<double>(event.line - last.line);
    for (size_t i = progress.num_settled_runs; i < place.compile_runs.size(); ++i) {
      XlaPlace::CompileRun& run = place.compile_runs[i];
      if (run.line <= last.line || run.line >= event.line) continue;
      run.executions_before +=
          static_cast<uint64_t>(per_line * static_cast<double>(run.line - last.line));
    }
  }
  place.executions += event.times();
  progress.last_execution = index;
  progress.num_settled_runs = place.compile_runs.size();
}

void XlaPlaces::Add(size_t index) {
  const Event& event = session_.events()[index];
  const EventDetail& detail = session_.detail(event);
  const XlaGraph& graph = *detail.xla_graph();
  const std::string_view cause = session_.text(graph.cause);
  const XlaTrigger trigger = TriggerOf(detail, cause);
  TriggerPlace where = *detail.trigger();
  if (where.file == StrId::kNone)
    where = {detail.user_file, detail.user_line, detail.user_function};

  const auto [found, is_new] =
      place_of_.try_emplace(Key{trigger, where.file, where.line, where.function}, places_.size());
  if (is_new) {
    XlaPlace& fresh = places_.emplace_back();
    progress_.emplace_back();
    fresh.trigger = trigger;
    fresh.where = {std::string(session_.text(where.function)),
                   std::string(session_.text(where.file)), where.line};
  }
  XlaPlace& place = places_[found->second];
  if (place.cause.empty()) place.cause = cause;
  if (place.access.empty() && trigger == XlaTrigger::kValueAccess) {
    place.access = AccessOf(session_.text(detail.user_function), session_.text(detail.user_file));
  }
  place.events.push_back(index);
  place.processes.insert(ProcessOf(event));
  const auto* const compile = detail.As<XlaCompileFact>();
  if (compile == nullptr) {
    AddExecution(index, place, progress_[found->second]);
    return;
  }
  place.compiles += event.times();
  ++place.kept_compiles;
  place.compile_runs.push_back({place.executions, event.times(), event.line});
  if (graph.hash == StrId::kNone ||
      !progress_[found->second].seen_graphs.insert(graph.hash).second) {
    return;
  }
  place.graphs.push_back(graph.hash);
  if (graph.graph_inputs) place.graph_inputs.push_back(*graph.graph_inputs);
  if (compile->graph_input_gb) place.graph_input_gb.push_back(*compile->graph_input_gb);
}

}  // namespace shapewise
