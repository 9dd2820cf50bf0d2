#include "causes/entry_values.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A few entries may differ in a value that has few cases.
constexpr uint32_t kMinEntries = 6;

/// An argument or an item of one, which the caller can leave out. Nothing that a module has: each
/// entry may be for another module, and is used again.
bool IsPassed(const SourceRef& source) {
  return source.root == SourceRef::Root::kArgument && !source.IsOfModule() &&
         std::ranges::none_of(source.path, [](SourceStep step) {
           return step.kind == SourceStep::Kind::kAttribute;
         });
}

}  // namespace

void EntryValues::Add(const CodeObjectHistory& history) {
  for (const auto& [number, attempt] : history.attempts) {
    const bool is_traced = attempt.compilation != nullptr && attempt.compilation->guards.leaves > 0;
    const bool is_printed = attempt.guards != nullptr && attempt.guards->guards.leaves > 0;
    if (!is_traced && !is_printed) continue;
    const GuardTexts& texts =
        is_traced ? attempt.compilation->guard_texts : attempt.guards->guard_texts;
    ++num_entries_;
    std::set<StrId> known;
    for (const ValueGuard& guard : texts.values) {
      if (guard.kind != ValueGuard::Kind::kConstant || !known.insert(guard.source).second) continue;
      Values& values = values_[guard.source];
      ++values.num_entries;
      // Without this, many entries of one value would be compared with all others.
      if (values.in_order.empty() || values.in_order.back() != guard.text) {
        values.in_order.push_back(guard.text);
      }
    }
  }
}

void EntryValues::AddFacts(const Session& session, Cause& cause) const {
  if (num_entries_ < kMinEntries || !cause.culprit) return;
  const std::string culprit = SpellSources(cause.culprit->source, SourceSpelling::kPython);
  for (const auto& [source, values] : values_) {
    if (values.num_entries < num_entries_) continue;
    const std::set<StrId> distinct(values.in_order.begin(), values.in_order.end());
    const std::string name = SpellSources(session.text(source), SourceSpelling::kPython);
    if (name == culprit) {
      const bool repeats = distinct.size() * 2 <= num_entries_;
      if (repeats) {
        cause.facts.emplace_back("repeats", std::to_string(distinct.size()) + " in " +
                                                std::to_string(num_entries_) + " entries");
      }
      continue;
    }
    const std::string_view first = session.text(values.in_order.front());
    const bool is_constant =
        first.starts_with('\'') || ParseNumber(first).has_value() || HasText(first, ".");
    const bool is_unique = distinct.size() == num_entries_ && is_constant &&
                           IsPassed(ParseSource(session.text(source)));
    const bool has_one = std::ranges::any_of(
        cause.facts, [](const auto& fact) { return fact.first == "unique_value"; });
    if (!is_unique || has_one) continue;
    cause.facts.emplace_back("unique_value", name + " (" + std::string(first) + ", " +
                                                 std::string(session.text(values.in_order[1])) +
                                                 ", ...) has another value in each of " +
                                                 std::to_string(num_entries_) + " entries");
  }
}

}  // namespace shapewise
