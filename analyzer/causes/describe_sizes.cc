#include "causes/describe_sizes.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "causes/container_items.h"
#include "model/compilation.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

bool IsOfSizes(GuardClass guard_class) {
  return guard_class == GuardClass::kSize || guard_class == GuardClass::kZeroOne ||
         guard_class == GuardClass::kStride || guard_class == GuardClass::kSymbolic;
}

/// A number with which a size was compared, where the kernel or code differs.
struct Bound {
  int64_t first_above = 0;
  const SymbolFact* question = nullptr;
};

/// Parses "s77 < 16", "s77 >= 16" and "15 >= s77" with the symbol `symbol`: 16.
std::optional<int64_t> FirstAbove(std::string_view expr, std::string_view symbol) {
  constexpr std::pair<std::string_view, int> kOperators[] = {
      {" <= ", 1}, {" >= ", 0}, {" < ", 0}, {" > ", 1}};
  for (const auto& [op, above] : kOperators) {
    const size_t at = FindText(expr, op);
    if (at == kNotFound) continue;
    const std::string_view left = Trim(expr.substr(0, at));
    const std::string_view right = Trim(expr.substr(at + op.size()));
    if (left == symbol) {
      const std::optional<int64_t> number = ParseNumber(right);
      return number ? std::optional(*number + above) : std::nullopt;
    }
    if (right == symbol) {
      const std::optional<int64_t> number = ParseNumber(left);
      return number ? std::optional(*number + 1 - above) : std::nullopt;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// Whether `values` has sizes on both sides of `bound`; 0 and 1 have graphs of their own.
bool AreOnBothSides(const std::vector<std::string>& values, int64_t bound) {
  bool is_below = false;
  bool is_above = false;
  for (const std::string& value : values) {
    const std::optional<int64_t> size = ParseNumber(value);
    if (!size || *size < 2) continue;
    (*size < bound ? is_below : is_above) = true;
  }
  return is_below && is_above;
}

/// The bound that divides the sizes of `cause` in one of the graphs of `history`.
std::optional<Bound> FindBound(const Session& session, const CodeObjectHistory& history,
                               const Cause& cause) {
  const std::string name = NameOfSource(cause.culprit->source);
  for (const auto& [number, attempt] : history.attempts) {
    const std::vector<SymbolFact>* facts = nullptr;
    if (attempt.compilation != nullptr) facts = &attempt.compilation->symbols;
    if (attempt.guards != nullptr && !attempt.guards->symbols.empty()) {
      facts = &attempt.guards->symbols;
    }
    if (facts == nullptr) continue;
    std::string_view symbol;
    for (const SymbolFact& fact : *facts) {
      if (fact.kind == SymbolFact::Kind::kCreated) {
        const SourceRef source = ParseSource(session.text(fact.source));
        const bool is_own = source.property == SourceRef::Property::kSize &&
                            source.dim == cause.culprit->dim && NameOfSource(source.object) == name;
        if (is_own) symbol = session.text(fact.symbol);
      } else if (fact.kind == SymbolFact::Kind::kGuardAdded && !symbol.empty()) {
        const auto above = FirstAbove(session.text(fact.expr), symbol);
        if (above && AreOnBothSides(cause.values, *above)) return Bound{*above, &fact};
      }
    }
  }
  return std::nullopt;
}

}  // namespace

void DescribeSizes(const Session& session, const std::vector<CodeObjectHistory>& histories,
                   const Chain& chain, const std::deque<Chain>& chains, Cause& cause) {
  if (!IsOfSizes(cause.culprit->guard_class)) return;
  std::set<std::string> tensors;
  for (const Chain& other : chains) {
    const std::string_view source = session.text(other.printed_source);
    if (IsOfSizes(other.guard_class) && !source.empty()) tensors.insert(NameOfSource(source));
  }
  const SourceRef source = ParseSource(cause.culprit->source);
  cause.is_lone_tensor = tensors.size() == 1 && source.root == SourceRef::Root::kArgument &&
                         !source.name.empty() && source.path.empty();
  if (const auto item = ParseListItem(cause.culprit->source)) {
    const bool is_length_known = std::ranges::any_of(chains, [&](const Chain& other) {
      return other.guard_class == GuardClass::kLength &&
             NameOfSource(session.text(other.printed_source)) == NameOfSource(item->list);
    });
    if (is_length_known) cause.facts.emplace_back("item_list", ItemsOf(*item));
  }
  for (const auto& [stretch, history] : chain.histories) {
    if (stretch >= histories.size()) continue;
    const std::optional<Bound> bound = FindBound(session, histories[stretch], cause);
    if (!bound) continue;
    cause.facts.emplace_back("bound", std::to_string(bound->first_above));
    const std::string_view file = session.text(bound->question->user_file);
    if (!file.empty()) {
      cause.facts.emplace_back(
          "bound_at", std::string(file) + ":" + std::to_string(bound->question->user_line));
    }
    return;
  }
}

void MarkSettled(std::vector<Cause>& causes) {
  constexpr size_t kMaxSettled = 2;
  std::vector<Cause*> settled;
  for (Cause& cause : causes) {
    if (!cause.culprit || !IsOfSizes(cause.culprit->guard_class)) continue;
    const bool is_once = cause.culprit->guard_class == GuardClass::kSize &&
                         cause.pattern == ValuePattern::kOnce && !cause.limit_hit && !cause.fatal;
    if (!is_once || settled.size() == kMaxSettled) return;
    settled.push_back(&cause);
  }
  for (Cause* const cause : settled) cause->is_settled = true;
}

}  // namespace shapewise
