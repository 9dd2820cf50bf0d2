#include "guards/compare_entries.h"

#include <algorithm>
#include <string>
#include <utility>

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr double kSure = 0.9;
constexpr double kLikely = 0.7;
constexpr double kMaybe = 0.5;

Action NewAction(const GuardedVariable& variable, std::string kind, double confidence) {
  Action action;
  action.kind = std::move(kind);
  action.source = variable.source;
  action.dim = variable.dim;
  action.confidence = confidence;
  return action;
}

void AdviseDynamicSources(const GuardedVariable& variable, std::vector<Action>& advice) {
  if (!IsQuotable(variable.source)) return;
  Action action = NewAction(variable, "dynamic_sources", kMaybe);
  action.code = "TORCH_COMPILE_DYNAMIC_SOURCES=\"" + variable.source + "\"";
  action.text = "name the source in the environment, so that it is a symbol from the first compile";
  action.torch = ">=2.7";
  advice.push_back(std::move(action));
}

void AdviseOnStatic(const GuardedVariable& variable, std::vector<Action>& advice) {
  const SourceRef source = ParseSource(variable.name);
  if (variable.kind == GuardedKind::kInt) {
    // The setting is for attributes of modules. A default of a function or a global never is a
    // symbol; an attribute of any other object is one at its second value.
    const bool is_attribute = !source.path.empty() && !source.IsDefault() &&
                              source.path.back().kind == SourceStep::Kind::kAttribute;
    if (is_attribute) {
      Action action = NewAction(variable, "config", kLikely);
      action.code = "torch._dynamo.config.allow_unspec_int_on_nn_module = True";
      action.text =
          "ints on modules are constants; let this one be a symbol, or pass it as argument";
      action.torch = ">=2.1";
      advice.push_back(std::move(action));
    }
    AdviseDynamicSources(variable, advice);
    return;
  }
  if (variable.kind == GuardedKind::kLength) {
    Action action = NewAction(variable, "tensorize", kMaybe);
    action.text = "lengths are always guarded: pass one stacked tensor, or pad to one length";
    action.torch = ">=2.1";
    advice.push_back(std::move(action));
  }
  if (variable.kind != GuardedKind::kSize) return;
  if (!source.path.empty() && source.path.back().kind == SourceStep::Kind::kTensor) {
    Action action = NewAction(variable, "config", kLikely);
    action.code = "torch._dynamo.config.force_parameter_static_shapes = False";
    action.text = "sizes of parameters and buffers are constants unless this is switched off";
    action.torch = ">=2.1";
    advice.push_back(std::move(action));
    return;
  }
  if (IsIdentifier(source.object)) {
    Action action = NewAction(variable, "mark_dynamic", kLikely);
    action.code = "torch._dynamo.mark_dynamic(" + std::string(source.object) + ", " +
                  std::to_string(variable.dim) + ")";
    action.text = "mark the dim before the call, or drop dynamic=False";
    action.trap = "it is an error if code that is compiled makes the size a constant";
    action.torch = ">=2.1";
    advice.push_back(std::move(action));
  }
  AdviseDynamicSources(variable, advice);
}

/// "train.py:12" for a place; empty: unknown.
std::string LineText(const Place& place) {
  if (place.file.empty()) return {};
  return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

void AdviseOnLines(const GuardedVariable& variable, std::vector<Action>& advice) {
  const EntryVerdict& verdict = variable.verdict;
  if (verdict.is_duck) {
    Action action = NewAction(variable, "config", kSure);
    action.code = "torch.fx.experimental._config.use_duck_shape = False";
    action.text =
        "the sizes were equal when it was compiled, and no code asks for that; let each have a "
        "symbol of its own";
    action.torch = ">=2.1";
    advice.push_back(std::move(action));
  }
  for (const GuardLine& line : verdict.smallest_change) {
    const std::string where = LineText(line.user);
    if (where.empty()) continue;
    Action action = NewAction(variable, "hoist", kLikely);
    action.target = line.user;
    action.text = "change " + where + ", which asks for " + line.guard +
                  ": decide it outside of the compiled function, or without the size";
    action.torch = ">=2.1";
    advice.push_back(std::move(action));
  }
}

}  // namespace

std::vector<Action> AdviseOn(const GuardedVariable& variable) {
  std::vector<Action> advice;
  const EntryVerdict& verdict = variable.verdict;
  if (variable.IsCulprit()) {
    if (verdict.pinned_by == PinnedBy::kStatic) {
      AdviseOnStatic(variable, advice);
    } else {
      AdviseOnLines(variable, advice);
    }
  } else if (verdict.verdict == SizeVerdict::kDivisible && verdict.modulus > 1) {
    Action action = NewAction(variable, "pad_alignment", kLikely);
    action.text = "pad it to a multiple of " + std::to_string(verdict.modulus) +
                  ": one graph takes all of those, other sizes need more";
    if (verdict.remainder != 0) {
      action.text = "keep it " + std::to_string(verdict.remainder) + " modulo " +
                    std::to_string(verdict.modulus) + ": one graph takes all of those";
    }
    action.torch = ">=2.1";
    advice.push_back(std::move(action));
  } else if (verdict.verdict == SizeVerdict::kFree && variable.kind == GuardedKind::kSize &&
             variable.varies && std::ranges::any_of(variable.values, [](int64_t value) {
               return value == 0 || value == 1;
             })) {
    Action action = NewAction(variable, "mark_unbacked", kMaybe);
    const std::string source(ParseSource(variable.name).object);
    if (IsIdentifier(source)) {
      action.code = "torch._dynamo.decorators.mark_unbacked(" + source + ", " +
                    std::to_string(variable.dim) + ")";
    }
    action.text = "sizes 0 and 1 have graphs of their own; an unbacked dim has one for all";
    action.trap = "code that branches on the size breaks the graph then";
    action.torch = ">=2.4";
    advice.push_back(std::move(action));
  }
  return advice;
}

}  // namespace shapewise
