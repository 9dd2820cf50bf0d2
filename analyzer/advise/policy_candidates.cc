// What policies can do about sizes and ints that vary.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "advise/candidate.h"
#include "causes/display_name.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// How far each is to be trusted where nothing but the reasons in the log speaks for it.
constexpr double kMark = 0.7;
constexpr double kSources = 0.65;
constexpr double kUnbacked = 0.5;
constexpr double kUnbackedSources = 0.45;
constexpr double kAutomatic = 0.7;
constexpr double kAllDynamic = 0.5;
constexpr double kNoDuck = 0.5;
constexpr double kModuleInts = 0.5;
constexpr double kParameters = 0.5;

constexpr size_t kMaxEvidence = 8;

/// A size or int of one function that varied.
struct Varied {
  bool is_special = false;  ///< it was 0 or 1 at some time
  std::vector<size_t> events;
};

/// What one function was compiled again for.
struct FunctionNeeds {
  Place where;
  std::map<Variable, Varied> variables;
  std::set<size_t> static_again;  ///< misses on a size that varied before and was a constant still
  std::vector<size_t> ducks;      ///< misses because two sizes were equal at first
  std::vector<size_t> module_ints;
  std::vector<size_t> parameters;
};

bool IsSpecial(std::optional<int64_t> size) { return size && (*size == 0 || *size == 1); }

bool IsModuleInt(const FailedGuard& guard) { return guard.hint == "allow_unspec_int_on_nn_module"; }

/// Whether dynamic_sources can name it: no attribute of a module, nothing that only Dynamo names,
/// and nothing that means something to a shell.
bool IsNameable(const Variable& variable) {
  const std::string& source = variable.source;
  const bool is_plain = std::ranges::all_of(source, [](char c) {
    return IsWordChar(c) || c == '[' || c == ']' || c == '\'' || c == '.';
  });
  return is_plain && source.starts_with("L['") && !source.starts_with("L['self']") &&
         source.find("__closure__") == std::string::npos && source.find("._") == std::string::npos;
}

class NeedReader {
 public:
  explicit NeedReader(FunctionNeeds& needs) : needs_(needs) {}

  void Read(const CompiledFrame& frame) {
    std::set<Variable> varied;
    for (const Miss& miss : frame.misses) {
      std::set<Variable> now;
      for (const FailedEntry& entry : miss.entries) {
        for (const FailedGuard& guard : entry.guards) {
          ReadGuard(guard, miss, now);
          const bool is_size = guard.guard_class == GuardClass::kSize &&
                               guard.hint != "force_parameter_static_shapes";
          const bool is_plain = is_size && !IsSpecial(guard.expected) && !IsSpecial(guard.actual);
          if (is_plain && varied.contains(guard.variable) &&
              entry.entry >= first_varied_.at(guard.variable)) {
            needs_.static_again.insert(miss.event);
          }
        }
      }
      for (const Variable& variable : miss.newly_free) Note(variable, miss, now);
      for (const Variable& variable : now) {
        if (varied.insert(variable).second) first_varied_[variable] = miss.compile;
      }
    }
  }

 private:
  void ReadGuard(const FailedGuard& guard, const Miss& miss, std::set<Variable>& now) {
    switch (guard.guard_class) {
      case GuardClass::kSize:
        if (guard.hint == "force_parameter_static_shapes") {
          needs_.parameters.push_back(miss.event);
          return;
        }
        Note(guard.variable, miss, now).is_special |=
            IsSpecial(guard.expected) || IsSpecial(guard.actual);
        return;
      case GuardClass::kZeroOne:
        if (!guard.variable.source.empty()) Note(guard.variable, miss, now).is_special = true;
        return;
      case GuardClass::kSymbolic:
        if (guard.hint != "use_duck_shape") return;
        if (needs_.ducks.empty() || needs_.ducks.back() != miss.event) {
          needs_.ducks.push_back(miss.event);
        }
        for (const Variable& size : guard.sizes) Note(size, miss, now);
        return;
      case GuardClass::kInt:
        if (IsModuleInt(guard)) {
          needs_.module_ints.push_back(miss.event);
        } else if (guard.expected) {
          Note({guard.variable.source, -1}, miss, now);
        }
        return;
      default:
        return;
    }
  }

  Varied& Note(const Variable& variable, const Miss& miss, std::set<Variable>& now) {
    now.insert(variable);
    Varied& varied = needs_.variables[variable];
    if (varied.events.empty() || varied.events.back() != miss.event) {
      varied.events.push_back(miss.event);
    }
    return varied;
  }

  FunctionNeeds& needs_;
  std::map<Variable, uint32_t> first_varied_;  // by which compilation
};

std::vector<size_t> Evidence(std::vector<size_t> events) {
  std::ranges::sort(events);
  events.erase(std::ranges::unique(events).begin(), events.end());
  if (events.size() > kMaxEvidence) events.resize(kMaxEvidence);
  return events;
}

Candidate NewCandidate(std::string kind, PasteAt at, double confidence, std::string torch,
                       std::vector<size_t> events) {
  Candidate candidate;
  candidate.ranked.at = at;
  Action& action = candidate.ranked.action;
  action.kind = std::move(kind);
  action.confidence = confidence;
  action.torch = std::move(torch);
  action.evidence = Evidence(std::move(events));
  return candidate;
}

void AddLine(std::string& code, const std::string& line) {
  if (!code.empty()) code += "\n";
  code += line;
}

using VariedDim = std::pair<const Variable, Varied>;

/// Marks of one function's arguments, to be set before every call.
Candidate MarkCandidate(const Place& where, const std::vector<const VariedDim*>& dims,
                        bool with_unbacked) {
  Candidate candidate = NewCandidate("mark_dynamic", PasteAt::kBeforeCall, kMark, ">=2.1", {});
  Action& action = candidate.ranked.action;
  std::string names;
  for (const VariedDim* dim : dims) {
    const auto& [variable, varied] = *dim;
    const bool is_unbacked = with_unbacked && varied.is_special;
    const std::string call = ArgumentExpr(variable.source) + ", " + std::to_string(variable.dim);
    AddLine(action.code, is_unbacked ? "torch._dynamo.decorators.mark_unbacked(" + call + ")"
                                     : "torch._dynamo.mark_dynamic(" + call + ")");
    action.evidence.insert(action.evidence.end(), varied.events.begin(), varied.events.end());
    names += (names.empty() ? "" : " and ") + ("dim " + std::to_string(variable.dim)) + " of " +
             ArgumentExpr(variable.source);
    candidate.changes.push_back(
        {.kind = is_unbacked ? Change::Kind::kMarkUnbacked : Change::Kind::kMarkDynamic,
         .function = where,
         .source = variable.source,
         .dim = variable.dim});
  }
  action.evidence = Evidence(std::move(action.evidence));
  action.target = where;
  const bool is_one_source = std::ranges::all_of(
      dims, [&](const VariedDim* dim) { return dim->first.source == dims.front()->first.source; });
  if (is_one_source) action.source = dims.front()->first.source;
  if (dims.size() == 1) action.dim = dims.front()->first.dim;
  if (with_unbacked) {
    action.kind = "mark_unbacked";
    action.confidence = kUnbacked;
    action.torch = ">=2.4";
    action.text = "Mark " + names +
                  " before every call; unbacked, sizes 0 and 1 need no graph of "
                  "their own.";
    action.trap =
        "A Python branch on the size breaks the graph then, and what has to be known of "
        "it while compiling raises an error.";
  } else {
    action.text = "Mark " + names + " as dynamic before every call.";
    action.trap =
        "An error is raised if the code makes the size a constant, or it has to equal one "
        "that is not marked; maybe_mark_dynamic asks without insisting.";
  }
  return candidate;
}

void AddMarks(const FunctionNeeds& needs, std::vector<Candidate>& candidates) {
  if (ParseResumeName(needs.where.function) || IsWrapper(needs.where.function, needs.where.file)) {
    return;  // nobody writes its calls
  }
  std::vector<const VariedDim*> dims;
  bool has_special = false;
  for (const VariedDim& dim : needs.variables) {
    if (dim.first.dim < 0 || ArgumentExpr(dim.first.source).empty()) continue;
    dims.push_back(&dim);
    has_special = has_special || dim.second.is_special;
  }
  if (dims.empty()) return;
  candidates.push_back(MarkCandidate(needs.where, dims, false));
  if (has_special) candidates.push_back(MarkCandidate(needs.where, dims, true));
  if (dims.size() < 2) return;
  for (const VariedDim* dim : dims) {
    candidates.push_back(MarkCandidate(needs.where, {dim}, false));
  }
}

Candidate OptionCandidate(const FunctionNeeds& needs, DynamicOption option) {
  const bool is_true = option == DynamicOption::kTrue;
  Candidate candidate =
      NewCandidate("config", PasteAt::kCompileCall, is_true ? kAllDynamic : kAutomatic, ">=2.1",
                   {needs.static_again.begin(), needs.static_again.end()});
  Action& action = candidate.ranked.action;
  action.target = needs.where;
  action.code = is_true ? "dynamic=True" : "dynamic=None";
  action.text = is_true ? "Compile it with dynamic=True: all sizes are symbols from the first "
                          "compile on."
                        : "Compile it without dynamic=False: a size that varies is a symbol from "
                          "the second compile on.";
  action.trap = is_true ? "Kernels for sizes that never vary get slower, too; equal sizes are tied "
                          "until they differ."
                        : "If mark_static or a setting made the sizes constants, this changes "
                          "nothing; kernels with symbols may be slower.";
  candidate.changes.push_back(ChangeOf(Change::Kind::kDynamicOption, needs.where, {}));
  candidate.changes.back().dynamic = option;
  return candidate;
}

Candidate ConfigCandidate(Change::Kind kind, const Place& where, std::vector<size_t> events) {
  const auto make = [&](double confidence, std::string torch, std::string code, std::string text,
                        std::string trap) {
    Candidate candidate =
        NewCandidate("config", PasteAt::kConfig, confidence, std::move(torch), std::move(events));
    Action& action = candidate.ranked.action;
    action.target = where;
    action.code = std::move(code);
    action.text = std::move(text);
    action.trap = std::move(trap);
    candidate.changes.push_back(ChangeOf(kind, {}, {}));
    return candidate;
  };
  switch (kind) {
    case Change::Kind::kNoDuckShape:
      return make(kNoDuck, ">=2.1", "torch.fx.experimental._config.use_duck_shape = False",
                  "Give each size a symbol of its own, though some are equal at first.",
                  "More symbols mean more guards and longer compiles where many inputs are "
                  "dynamic.");
    case Change::Kind::kModuleInts:
      return make(kModuleInts, ">=2.5", "torch._dynamo.config.allow_unspec_int_on_nn_module = True",
                  "Let integer attributes of modules become symbols once they vary.",
                  "An int that fixes a shape, a loop or an index is a constant all the same.");
    default:
      return make(kParameters, ">=2.1",
                  "torch._dynamo.config.force_parameter_static_shapes = False\n"
                  "torch._dynamo.config.force_nn_module_property_static_shapes = False",
                  "Let sizes of parameters become symbols once they vary.",
                  "Process-wide; a size that a kernel needs as a constant is one all the same.");
  }
}

/// The variables of all functions that an environment variable can name.
void AddSources(const std::vector<FunctionNeeds>& all, std::vector<Candidate>& candidates) {
  std::map<Variable, Varied> variables;
  std::set<std::pair<std::string, std::string>> functions;
  for (const FunctionNeeds& needs : all) {
    for (const auto& [variable, varied] : needs.variables) {
      if (!IsNameable(variable)) continue;
      Varied& merged = variables[variable];
      merged.is_special |= varied.is_special;
      merged.events.insert(merged.events.end(), varied.events.begin(), varied.events.end());
      functions.insert({needs.where.file, needs.where.function});
    }
  }
  if (variables.empty()) return;
  const bool has_special =
      std::ranges::any_of(variables, [](const VariedDim& dim) { return dim.second.is_special; });
  for (const bool with_unbacked : {false, true}) {
    if (with_unbacked && !has_special) continue;
    Candidate candidate = NewCandidate("dynamic_sources", PasteAt::kEnvironment,
                                       with_unbacked ? kUnbackedSources : kSources,
                                       with_unbacked ? ">=2.9" : ">=2.7", {});
    Action& action = candidate.ranked.action;
    std::string dynamic;
    std::string unbacked;
    for (const auto& [variable, varied] : variables) {
      const bool is_unbacked = with_unbacked && varied.is_special && variable.dim >= 0;
      std::string& list = is_unbacked ? unbacked : dynamic;
      if (!list.empty()) list += ",";
      list += variable.source;
      if (variable.dim >= 0) list += ":" + std::to_string(variable.dim);
      action.evidence.insert(action.evidence.end(), varied.events.begin(), varied.events.end());
      candidate.changes.push_back(
          ChangeOf(is_unbacked ? Change::Kind::kUnbackedSource : Change::Kind::kDynamicSource, {},
                   variable));
    }
    if (!dynamic.empty()) AddLine(action.code, "TORCH_COMPILE_DYNAMIC_SOURCES=\"" + dynamic + "\"");
    if (!unbacked.empty()) {
      AddLine(action.code, "TORCH_COMPILE_UNBACKED_SOURCES=\"" + unbacked + "\"");
    }
    action.evidence = Evidence(std::move(action.evidence));
    if (variables.size() == 1) {
      action.source = variables.begin()->first.source;
      action.dim = variables.begin()->first.dim;
    }
    action.text = std::string(
                      "Name what varied in the environment, so that it is a symbol from "
                      "the first compile on") +
                  (with_unbacked ? "; unbacked, sizes 0 and 1 need no graph of their own."
                                 : "; no code is touched.");
    action.trap =
        "The names hold for every function of the process; a part such as :0, the dim, is "
        "newer than the variable, and without it all dims are meant.";
    if (functions.size() == 1) {
      for (const FunctionNeeds& needs : all) {
        if (functions.contains({needs.where.file, needs.where.function})) {
          action.target = needs.where;
          break;
        }
      }
    }
    candidates.push_back(std::move(candidate));
  }
}

}  // namespace

std::vector<Candidate> PolicyCandidates(const RunModel& model) {
  std::vector<FunctionNeeds> all;
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> index;
  for (const CompiledFrame& frame : model.frames()) {
    const auto [at, is_new] =
        index.try_emplace({frame.where.file, frame.where.function, frame.where.line}, all.size());
    if (is_new) all.emplace_back().where = frame.where;
    NeedReader(all[at->second]).Read(frame);
  }
  std::vector<Candidate> candidates;
  for (const FunctionNeeds& needs : all) {
    AddMarks(needs, candidates);
    if (!needs.static_again.empty()) {
      candidates.push_back(OptionCandidate(needs, DynamicOption::kNone));
      candidates.push_back(OptionCandidate(needs, DynamicOption::kTrue));
    }
    if (!needs.ducks.empty()) {
      candidates.push_back(ConfigCandidate(Change::Kind::kNoDuckShape, needs.where, needs.ducks));
    }
    if (!needs.module_ints.empty()) {
      candidates.push_back(
          ConfigCandidate(Change::Kind::kModuleInts, needs.where, needs.module_ints));
    }
    if (!needs.parameters.empty()) {
      candidates.push_back(
          ConfigCandidate(Change::Kind::kFreeParameters, needs.where, needs.parameters));
    }
  }
  AddSources(all, candidates);
  return candidates;
}

}  // namespace shapewise
