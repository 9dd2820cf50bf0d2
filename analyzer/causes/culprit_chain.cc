#include "causes/culprit_chain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "causes/value_use.h"
#include "model/compile_number.h"
#include "model/source_ref.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether a size forced more compiles than one dynamic size can: its first value, the graph for
/// all others, and one each for 0 and 1. Then each case of another culprit needs all of them.
bool IsMultiplied(const Chain& chain) {
  constexpr uint64_t kMostChanges = 3;
  const bool is_of_size =
      chain.guard_class == GuardClass::kSize || chain.guard_class == GuardClass::kZeroOne;
  return is_of_size && chain.constant.by == ConstantBy::kNothing && chain.num_zero_one > 0 &&
         chain.num_recompiles > kMostChanges;
}

/// The other integers of modules that varied, and those that the printed line adds to: the guards
/// on them come after, and fail next. Empty: none.
std::string OtherIntsOf(const Session& session, const Chain& chain,
                        const std::deque<Chain>& chains) {
  constexpr std::string_view kHint = "allow_unspec_int_on_nn_module";
  if (session.text(chain.hints.Best()) != kHint) return {};
  const SourceRef source = ParseSource(session.text(chain.printed_source));
  std::vector<std::string_view> others;
  for (const std::string_view target : IncrementedTargets(session.text(chain.code))) {
    const bool is_item = target.find_first_of(".[") != kNotFound;
    if (is_item && ParseSource(target).LastName() != source.LastName()) others.push_back(target);
  }
  for (const Chain& other : chains) {
    if (&other == &chain || session.text(other.hints.Best()) != kHint) continue;
    const std::string_view name = session.text(other.printed_source);
    if (std::ranges::find(others, name) == others.end()) others.push_back(name);
  }
  constexpr size_t kMaxShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(others.size(), kMaxShown); ++i) {
    text.append(i == 0 ? "" : ", ").append(others[i]);
  }
  return text;
}

}  // namespace

Chain* MultiplierOf(const Chain& size, std::deque<Chain>& chains) {
  Chain* multiplier = nullptr;
  if (!IsMultiplied(size)) return multiplier;
  uint64_t most_recompiles = 0;
  for (Chain& candidate : chains) {
    const bool is_of_value =
        candidate.guard_class == GuardClass::kInt || candidate.guard_class == GuardClass::kFloat ||
        candidate.guard_class == GuardClass::kBool || candidate.guard_class == GuardClass::kStr ||
        candidate.guard_class == GuardClass::kIdentity;
    if (!is_of_value || candidate.num_recompiles <= most_recompiles) continue;
    most_recompiles = candidate.num_recompiles;
    multiplier = &candidate;
  }
  return multiplier;
}

bool IsOwnNumber(const Session& session, const Chain& chain,
                 const std::vector<std::string_view>& values) {
  const bool can_count =
      chain.guard_class == GuardClass::kInt || chain.guard_class == GuardClass::kLength;
  if (!can_count || values.size() != 1) return false;
  const std::vector<ReasonId>& reasons =
      session.detail(session.events()[chain.events.back()]).reasons();
  return std::ranges::any_of(reasons, [&](ReasonId id) {
    const auto entry = ParseCompileNumber(session.text(session.reason(id).entry));
    // Flags and counts of 0 and 1 are common.
    return entry && entry->compile > 1 &&
           (values[0] == std::to_string(entry->compile) ||
            values[0] == std::to_string(entry->compile + 1));
  });
}

void AddChainFacts(const Session& session, const Chain& chain, const std::deque<Chain>& chains,
                   Cause& cause) {
  if (std::string numbers = OtherIntsOf(session, chain, chains); !numbers.empty()) {
    cause.facts.emplace_back("other_ints", std::move(numbers));
  }
  if (std::string calls = TensorMathText(chain.math_calls); !calls.empty()) {
    cause.facts.emplace_back("math_calls", std::move(calls));
  }
  if (!chain.constant.partners.empty()) {
    std::vector<std::string> partners;
    for (const StrId partner : chain.constant.partners) {
      const SourceRef source = ParseSource(session.text(partner));
      const bool is_size = source.property == SourceRef::Property::kSize;
      partners.push_back((is_size ? "dim " + std::to_string(source.dim) + " of " : "") +
                         SpellSources(NameOfSource(source.object), SourceSpelling::kPython));
    }
    cause.facts.emplace_back("partner", Joined(partners, " and "));
  }
}

bool DescribeRange(const Session& session, const Chain& chain, Cause& cause) {
  const bool is_size = chain.guard_class == GuardClass::kSize;
  const bool stays_constant = chain.constant.by != ConstantBy::kNothing;
  if (is_size && (stays_constant || chain.num_recompiles < 2)) return false;
  if (chain.left_range == nullptr && chain.num_zero_one == 0) return false;
  for (const auto& [stretch, changes] : chain.size_changes) {
    if (changes > 1) return false;
  }
  cause.is_after_first_change = is_size;
  const Reason* range = chain.left_range;
  cause.culprit->guard_class = range == nullptr ? GuardClass::kZeroOne : range->guard_class;
  if (range == nullptr) return false;
  cause.message = session.text(range->guard);
  const std::string_view code = session.text(range->code);
  if (range->guard_class == GuardClass::kSymbolic && !code.empty()) {
    cause.facts.emplace_back("guard_line", code);
  }
  return true;
}

}  // namespace shapewise
