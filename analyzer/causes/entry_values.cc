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
      std::vector<StrId>& values = values_[guard.source];
      if (values.empty() || values.back() != guard.text) values.push_back(guard.text);
    }
  }
}

void EntryValues::FindUnique(const Session& session) {
  unique_.emplace();
  if (num_entries_ < kMinEntries) return;
  for (const auto& [source, values] : values_) {
    if (values.size() < num_entries_ || !IsPassed(ParseSource(session.text(source)))) continue;
    const std::string_view first = session.text(values.front());
    const bool is_constant = first.starts_with('\'') || ParseNumber(first).has_value();
    const std::set<StrId> distinct(values.begin(), values.end());
    if (!is_constant || distinct.size() < num_entries_) continue;
    unique_->push_back({.source = SpellSources(session.text(source), SourceSpelling::kPython),
                        .values = std::string(first) + ", " + std::string(session.text(values[1])) +
                                  ", ... in " + std::to_string(num_entries_) + " entries"});
  }
}

void EntryValues::AddFacts(const Session& session, Cause& cause) {
  if (!cause.culprit) return;
  if (!unique_) FindUnique(session);
  const std::string culprit = SpellSources(cause.culprit->source, SourceSpelling::kPython);
  const bool is_unique_itself =
      std::ranges::any_of(*unique_, [&](const Unique& unique) { return unique.source == culprit; });
  if (unique_->empty() || is_unique_itself) return;
  cause.facts.emplace_back("unique_value", unique_->front().source);
  cause.facts.emplace_back("unique_values", unique_->front().values);
}

}  // namespace shapewise
