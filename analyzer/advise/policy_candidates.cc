// What policies can do about sizes and ints that change.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "advise/candidate.h"
#include "advise/function_needs.h"
#include "advise/mark_code.h"
#include "causes/container_items.h"
#include "causes/display_name.h"
#include "llvm/ADT/STLExtras.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Confidence in each kind of action if only the reasons in the log support it.
constexpr double kMark = 0.65;
constexpr double kMarkOfStatic = 0.4;
constexpr double kBuckets = 0.4;
constexpr double kSources = 0.6;
constexpr double kSourcesOfStatic = 0.4;
constexpr double kUnbacked = 0.5;
constexpr double kUnbackedSources = 0.45;
constexpr double kAutomatic = 0.7;
constexpr double kAllDynamic = 0.5;
constexpr double kNoDuck = 0.5;
constexpr double kModuleInts = 0.5;
constexpr double kParameters = 0.5;

constexpr size_t kMaxEvidence = 8;
constexpr size_t kMaxSources = 32;
constexpr size_t kMinValuesOfBuckets = 6;
constexpr int64_t kMinBucket = 8;
constexpr int64_t kMaxBucket = int64_t{1} << 30;

/// Whether dynamic_sources can name it: no attribute of a module, no name internal to Dynamo, and
/// no character that is special to a shell.
bool IsNameable(const Variable& variable) {
  return IsCallersArgument(ParseSource(variable.source));
}

/// The first of `events`, ascending.
template <typename Events>
std::vector<size_t> Evidence(const Events& all) {
  const std::set<size_t> sorted(all.begin(), all.end());
  std::vector<size_t> events(sorted.begin(), sorted.end());
  if (events.size() > kMaxEvidence) events.resize(kMaxEvidence);
  return events;
}

Candidate NewCandidate(std::string kind, PasteAt at, double confidence, std::string torch,
                       const std::vector<size_t>& events) {
  Candidate candidate;
  candidate.ranked.at = at;
  Action& action = candidate.ranked.action;
  action.kind = std::move(kind);
  action.confidence = confidence;
  action.torch = std::move(torch);
  action.evidence = Evidence(events);
  return candidate;
}

void AddLine(std::string& code, const std::string& line) {
  if (!code.empty()) code += "\n";
  code += line;
}

void AddMark(const FunctionNeeds& needs, const VariedDim& dim, bool is_unbacked,
             Candidate& candidate) {
  const auto& [variable, varied] = dim;
  Action& action = candidate.ranked.action;
  action.evidence.insert(action.evidence.end(), varied.events.begin(), varied.events.end());
  const auto kind = is_unbacked ? CodeChange::Kind::kMarkUnbacked : CodeChange::Kind::kMaybeMark;
  std::set<Variable> marked{variable};
  if (IsItemOfVaryingLength(needs, variable)) {
    const std::string items = ParseListItem(variable.source)->OfAny();
    for (const std::map<Variable, int64_t>& sizes : needs.sizes) {
      for (const auto& [other, size] : sizes) {
        const auto item = ParseListItem(other.source);
        if (item && item->OfAny() == items && other.dim == variable.dim) marked.insert(other);
      }
    }
  }
  for (const Variable& each : marked) {
    candidate.changes.push_back(ChangeOf(kind, needs.where, each));
  }
}

/// Marks on one function's arguments, set before every call. The log rarely shows which sizes
/// changed together or are fixed by weights, and a mark that insists would then be an error.
/// `with_unbacked`: sizes that were 0 or 1 are marked as unbacked.
Candidate MarkCandidate(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
                        bool with_unbacked) {
  Candidate candidate =
      with_unbacked ? NewCandidate("mark_unbacked", PasteAt::kBeforeCall, kUnbacked, ">=2.4", {})
                    : NewCandidate("mark_dynamic", PasteAt::kBeforeCall,
                                   needs.static_again.empty() ? kMark : kMarkOfStatic, ">=2.2", {});
  // Only a person finds the calls of the wrapped function.
  if (IsWrapper(needs.where.function, needs.where.file)) candidate.ranked.at = PasteAt::kByHand;
  for (const VariedDim* dim : dims) {
    AddMark(needs, *dim, with_unbacked && dim->second.is_special, candidate);
  }
  Action& action = candidate.ranked.action;
  action.code = MarkCode(needs, dims, with_unbacked);
  action.evidence = Evidence(action.evidence);
  action.target = needs.where;
  const bool is_one_source = std::ranges::all_of(
      dims, [&](const VariedDim* dim) { return dim->first.source == dims.front()->first.source; });
  if (is_one_source) action.source = dims.front()->first.source;
  if (dims.size() == 1) action.dim = dims.front()->first.dim;
  action.text = "Mark " + NamesOf(needs, dims) + " as dynamic before every call.";
  action.trap =
      "A size that the code or weights fix stays a constant, as does one that has to equal an "
      "unmarked size; mark_dynamic instead makes that an error.";
  const bool is_late = !LatePartners(needs, dims).empty();
  if (is_late) candidate.changes.clear();  // no policy marks all dims
  const bool has_partner = is_late || std::ranges::any_of(dims, [](const VariedDim* dim) {
                             return dim->second.constant_by == ConstantBy::kTied;
                           });
  if (has_partner) {
    action.text = "Mark " + NamesOf(needs, dims) +
                  " as dynamic before every call: a size that has to equal a constant size becomes "
                  "a constant.";
  }
  if (is_late) {
    action.trap =
        "If nothing changes, dynamic=False, mark_static or a line that needs the value made the "
        "size a constant; TORCH_LOGS=dynamic names the line.";
  }
  if (with_unbacked) {
    action.text = "Mark " + NamesOf(needs, dims) +
                  " before every call; unbacked, sizes 0 and 1 need no graph of their own.";
    action.trap =
        "A Python branch on the size breaks the graph then, and so does another input that has to "
        "have the same size; what has to be known of it while compiling raises an error.";
  }
  return candidate;
}

bool IsPinned(const VariedDim& dim) { return dim.second.constant_by == ConstantBy::kCode; }

/// Sizes to pad to: powers of two, if that leaves few of many sizes. `dims` always have the same
/// size. `num_pinned`: dims of the function that its code makes constants.
void AddBuckets(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
                std::ptrdiff_t num_pinned, std::vector<Candidate>& candidates) {
  const auto own = std::ranges::count_if(dims, [](const VariedDim* dim) { return IsPinned(*dim); });
  if (num_pinned > own) return;  // sizes of the others need a graph each all the same
  const auto& [variable, varied] = *dims.front();
  if (varied.values.size() < kMinValuesOfBuckets) return;
  std::set<int64_t> sizes;
  for (const int64_t value : varied.values) {
    if (value < 1 || value > kMaxBucket) return;
    int64_t size = kMinBucket;
    while (size < value) size *= 2;
    sizes.insert(size);
  }
  if (2 * sizes.size() > varied.values.size()) return;
  Candidate candidate = NewCandidate("bucket", PasteAt::kByHand, kBuckets, ">=2.1", varied.events);
  Action& action = candidate.ranked.action;
  action.target = needs.where;
  action.source = variable.source;
  action.dim = variable.dim;
  const std::string list = Joined(sizes, ", ");
  action.text = "Pad " + NamesOf(needs, dims) + " to " + list + " and keep static graphs.";
  // A size beyond the largest bucket stays as it is, as in the simulation.
  const std::string size =
      ArgumentExpr(variable.source) + ".shape[" + std::to_string(variable.dim) + "]";
  action.code = "size = next((s for s in (" + list + ",) if s >= " + size + "), " + size + ")";
  for (const VariedDim* dim : dims) {
    const std::string name = ArgumentExpr(dim->first.source);
    const std::string number = std::to_string(dim->first.dim);
    AddLine(action.code, "pad = list(" + name + ".shape)\npad[" + number + "] = size - pad[" +
                             number + "]\n" + name + " = torch.cat([" + name + ", " + name +
                             ".new_zeros(pad)], " + number + ")\ntorch._dynamo.mark_static(" +
                             name + ", " + number + ")");
    candidate.changes.push_back(ChangeOf(CodeChange::Kind::kBuckets, needs.where, dim->first));
    candidate.changes.back().sizes.assign(sizes.begin(), sizes.end());
  }
  action.trap =
      "A tensor with the same size has to be padded as well. Padding changes the result unless the "
      "code masks it, or it is cut from the result. Without mark_static the second size makes a "
      "dynamic graph that serves all; sizes beyond the recompile limit run eagerly.";
  candidates.push_back(std::move(candidate));
}

/// Of `dims`, those that always have the size of `dim`, which is first.
std::vector<const VariedDim*> EqualTo(const FunctionNeeds& needs, const VariedDim& dim,
                                      const std::vector<const VariedDim*>& dims) {
  std::vector<const VariedDim*> equal{&dim};
  if (needs.sizes.empty()) return equal;
  for (const VariedDim* other : dims) {
    if (other != &dim && needs.AreEqual(dim.first, other->first)) equal.push_back(other);
  }
  return equal;
}

void AddMarks(const FunctionNeeds& needs, std::vector<Candidate>& candidates) {
  if (ParseResumeName(needs.where.function)) return;  // its calls are not in user code
  std::vector<const VariedDim*> dims;
  std::vector<const VariedDim*> marked;    // of them: those that a mark can make dynamic
  std::vector<const VariedDim*> unbacked;  // and those with sizes of 0 or 1, if made unbacked
  bool has_special = false;
  for (const VariedDim& dim : needs.variables) {
    if (dim.first.dim < 0 || ArgumentExpr(dim.first.source).empty()) continue;
    dims.push_back(&dim);
    if (dim.second.constant_by == ConstantBy::kCode) continue;
    unbacked.push_back(&dim);
    if (!dim.second.IsSpecialOnly()) marked.push_back(&dim);
    has_special = has_special || dim.second.is_special;
  }
  if (!marked.empty()) {
    candidates.push_back(MarkCandidate(needs, marked, /*with_unbacked=*/false));
  }
  if (has_special) candidates.push_back(MarkCandidate(needs, unbacked, /*with_unbacked=*/true));
  const auto num_pinned = std::ranges::count_if(needs.variables, IsPinned);
  std::set<const VariedDim*> done;
  for (const VariedDim* dim : dims) {
    if (done.contains(dim)) continue;
    const std::vector<const VariedDim*> equal = EqualTo(needs, *dim, dims);
    done.insert(equal.begin(), equal.end());
    const bool is_marked = std::ranges::find(marked, dim) != marked.end();
    if (is_marked && equal.size() < marked.size()) {
      candidates.push_back(MarkCandidate(needs, equal, false));
    }
    const bool is_in_all_calls = std::ranges::none_of(equal, [&](const VariedDim* each) {
      const std::string& source = each->first.source;
      return IsItemOfVaryingLength(needs, each->first) || needs.optional.contains(source) ||
             needs.missing.contains(source);
    });
    if (is_in_all_calls) AddBuckets(needs, equal, num_pinned, candidates);
  }
}

Candidate OptionCandidate(const FunctionNeeds& needs, DynamicOption option) {
  const bool is_true = option == DynamicOption::kTrue;
  std::vector<size_t> events(needs.static_again.begin(), needs.static_again.end());
  if (is_true) {
    for (const auto& [variable, varied] : needs.variables)
      llvm::append_range(events, varied.events);
  }
  Candidate candidate = NewCandidate("config", PasteAt::kCompileCall,
                                     is_true ? kAllDynamic : kAutomatic, ">=2.1", events);
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
  candidate.changes.push_back(ChangeOf(CodeChange::Kind::kDynamicOption, needs.where, {}));
  candidate.changes.back().dynamic = option;
  return candidate;
}

Candidate ConfigCandidate(CodeChange::Kind kind, const Place& where,
                          const std::set<size_t>& misses) {
  const std::vector<size_t> events(misses.begin(), misses.end());
  const auto make = [&](double confidence, std::string torch, std::string code, std::string text,
                        std::string trap) {
    Candidate candidate =
        NewCandidate("config", PasteAt::kConfig, confidence, std::move(torch), events);
    Action& action = candidate.ranked.action;
    action.target = where;
    action.code = std::move(code);
    action.text = std::move(text);
    action.trap = std::move(trap);
    candidate.changes.push_back(ChangeOf(kind, {}, {}));
    return candidate;
  };
  switch (kind) {
    case CodeChange::Kind::kNoDuckShape:
      return make(kNoDuck, ">=2.1", "torch.fx.experimental._config.use_duck_shape = False",
                  "Give each size a symbol of its own, though some are equal at first.",
                  "More symbols mean more guards and longer compiles where many inputs are "
                  "dynamic.");
    case CodeChange::Kind::kModuleInts:
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

void AddConfig(CodeChange::Kind kind, const std::vector<FunctionNeeds>& all,
               std::set<size_t> FunctionNeeds::* misses, std::vector<Candidate>& candidates) {
  std::set<size_t> events;
  Place where;
  size_t functions = 0;
  for (const FunctionNeeds& needs : all) {
    const std::set<size_t>& own = needs.*misses;
    if (own.empty()) continue;
    events.insert(own.begin(), own.end());
    where = ++functions == 1 ? needs.where : Place{};
  }
  if (functions > 0) candidates.push_back(ConfigCandidate(kind, where, events));
}

/// What an environment variable can name.
struct NameableSources {
  std::map<Variable, Varied> variables;
  std::vector<const FunctionNeeds*> functions;  ///< that have one
};

NameableSources CollectSources(const std::vector<FunctionNeeds>& all) {
  NameableSources sources;
  for (const FunctionNeeds& needs : all) {
    bool has_one = false;
    for (const auto& [variable, varied] : needs.variables) {
      if (!IsNameable(variable) || varied.constant_by == ConstantBy::kCode) continue;
      if (varied.only_with_floats) continue;
      if (IsItemOfVaryingLength(needs, variable)) continue;  // other items would follow
      Varied& merged = sources.variables[variable];
      merged.is_special |= varied.is_special;
      merged.values.insert(varied.values.begin(), varied.values.end());
      merged.events.insert(merged.events.end(), varied.events.begin(), varied.events.end());
      has_one = true;
    }
    if (has_one) sources.functions.push_back(&needs);
  }
  // A longer list is unreadable, and Dynamo compares every source with it.
  if (sources.variables.size() <= kMaxSources) return sources;
  std::vector<std::pair<size_t, Variable>> rarest;
  for (const auto& [variable, varied] : sources.variables) {
    rarest.emplace_back(varied.events.size(), variable);
  }
  std::ranges::sort(rarest);
  rarest.resize(rarest.size() - kMaxSources);
  for (const auto& [events, variable] : rarest) sources.variables.erase(variable);
  return sources;
}

/// The variables of all functions, named in the environment. `with_unbacked`: as for MarkCandidate.
Candidate SourcesCandidate(const NameableSources& sources, bool with_unbacked, bool is_static) {
  const auto& [variables, functions] = sources;
  Candidate candidate = NewCandidate("dynamic_sources", PasteAt::kEnvironment,
                                     with_unbacked ? kUnbackedSources : kSources,
                                     with_unbacked ? ">=2.9" : ">=2.7", {});
  Action& action = candidate.ranked.action;
  std::string dynamic;
  std::string unbacked;
  for (const auto& [variable, varied] : variables) {
    if (!with_unbacked && varied.IsSpecialOnly()) continue;
    const bool is_unbacked = with_unbacked && varied.is_special && variable.dim >= 0;
    std::string& list = is_unbacked ? unbacked : dynamic;
    if (!list.empty()) list += ",";
    list += variable.source;
    if (variable.dim >= 0) list += ":" + std::to_string(variable.dim);
    action.evidence.insert(action.evidence.end(), varied.events.begin(), varied.events.end());
    candidate.changes.push_back(
        ChangeOf(is_unbacked ? CodeChange::Kind::kUnbackedSource : CodeChange::Kind::kDynamicSource,
                 {}, variable));
  }
  if (!dynamic.empty()) AddLine(action.code, DynamicSourcesCode(dynamic));
  if (!unbacked.empty()) {
    AddLine(action.code, "TORCH_COMPILE_UNBACKED_SOURCES=\"" + unbacked + "\"");
  }
  action.evidence = Evidence(action.evidence);
  if (variables.size() == 1) {
    action.source = variables.begin()->first.source;
    action.dim = variables.begin()->first.dim;
  }
  action.text =
      std::string(
          "Set TORCH_COMPILE_DYNAMIC_SOURCES to what varied: it is a symbol from the first "
          "compile on") +
      (with_unbacked ? "; unbacked, sizes 0 and 1 need no graph of their own."
                     : ", and no code changes.");
  action.trap =
      "The names hold for every function of the process; a part such as :0, the dim, is "
      "newer than the variable, and without it all dims are meant.";
  if (is_static) action.confidence = kSourcesOfStatic;
  const bool is_one_function = std::ranges::all_of(functions, [&](const FunctionNeeds* needs) {
    return needs->where.file == functions.front()->where.file &&
           needs->where.function == functions.front()->where.function;
  });
  if (is_one_function) action.target = functions.front()->where;
  return candidate;
}

void AddSources(const std::vector<FunctionNeeds>& all, std::vector<Candidate>& candidates) {
  const NameableSources sources = CollectSources(all);
  if (sources.variables.empty()) return;
  const bool has_special = std::ranges::any_of(
      sources.variables, [](const VariedDim& dim) { return dim.second.is_special; });
  const bool is_static = std::ranges::any_of(
      all, [](const FunctionNeeds& needs) { return !needs.static_again.empty(); });
  for (const bool with_unbacked : {false, true}) {
    if (with_unbacked && !has_special) continue;
    Candidate candidate = SourcesCandidate(sources, with_unbacked, is_static);
    if (!candidate.ranked.action.code.empty()) candidates.push_back(std::move(candidate));
  }
}

}  // namespace

std::vector<Candidate> PolicyCandidates(llvm::ArrayRef<CompiledFrame> frames) {
  const std::vector<FunctionNeeds> all = ReadNeeds(frames);
  std::vector<Candidate> candidates;
  for (const FunctionNeeds& needs : all) {
    AddMarks(needs, candidates);
    const auto is_by = [&](ConstantBy by) {
      return std::ranges::any_of(
          needs.variables, [by](const VariedDim& dim) { return dim.second.constant_by == by; });
    };
    const bool stays_constant =
        is_by(ConstantBy::kTied) || is_by(ConstantBy::kCode) || is_by(ConstantBy::kMark);
    if (!needs.static_again.empty() && !stays_constant && is_by(ConstantBy::kSetting)) {
      candidates.push_back(OptionCandidate(needs, DynamicOption::kNone));
    }
    const bool can_be_dynamic = std::ranges::any_of(needs.variables, [](const VariedDim& dim) {
      return dim.first.dim >= 0 && IsNameable(dim.first) &&
             dim.second.constant_by < ConstantBy::kCode && !dim.second.IsSpecialOnly();
    });
    const bool is_resumed = ParseResumeName(needs.where.function).has_value();
    if ((can_be_dynamic && !is_resumed) || (!needs.static_again.empty() && !stays_constant)) {
      candidates.push_back(OptionCandidate(needs, DynamicOption::kTrue));
    }
  }
  // A setting applies to all functions: one action covers every function that needs it.
  AddConfig(CodeChange::Kind::kNoDuckShape, all, &FunctionNeeds::ducks, candidates);
  AddConfig(CodeChange::Kind::kModuleInts, all, &FunctionNeeds::module_ints, candidates);
  AddConfig(CodeChange::Kind::kFreeParameters, all, &FunctionNeeds::parameters, candidates);
  AddSources(all, candidates);
  return candidates;
}

}  // namespace shapewise
