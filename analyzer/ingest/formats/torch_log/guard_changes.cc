#include "ingest/formats/torch_log/guard_changes.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "shapewise/model/guard.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// The subject of a guard, without the value that the guard requires.
struct GuardSubject {
  GuardClass guard_class = GuardClass::kOther;
  std::string source;
  int32_t dim = -1;

  friend auto operator<=>(const GuardSubject&, const GuardSubject&) = default;
};

GuardSubject SubjectOf(std::string_view guard) {
  const GuardFailure parsed = ParseGuardFailure(guard);
  return {parsed.guard_class, std::string(parsed.source), parsed.dim};
}

}  // namespace

void EntryGuards::Add(std::string_view guard) {
  guard = Trim(guard.substr(0, FindText(guard, "  # ")));
  if (guard.empty()) return;
  guards_.emplace_back(text_.size(), guard.size());
  text_ += guard;
}

std::vector<std::string_view> EntryGuards::Sorted() const {
  std::vector<std::string_view> sorted;
  for (const auto& [begin, size] : guards_) {
    sorted.push_back(std::string_view(text_).substr(begin, size));
  }
  std::ranges::sort(sorted);
  return sorted;
}

std::vector<std::string> EntryGuards::ChangedSince(const EntryGuards& before) const {
  const std::vector<std::string_view> old_guards = before.Sorted();
  const std::vector<std::string_view> new_guards = Sorted();
  std::vector<std::string_view> gone;
  std::vector<std::string_view> added;
  std::ranges::set_difference(old_guards, new_guards, std::back_inserter(gone));
  std::ranges::set_difference(new_guards, old_guards, std::back_inserter(added));
  std::vector<GuardSubject> subjects;
  for (const std::string_view guard : added) subjects.push_back(SubjectOf(guard));
  std::ranges::sort(subjects);
  std::vector<std::string> changed;
  for (const std::string_view guard : gone) {
    const GuardSubject subject = SubjectOf(guard);
    if (subject.source.empty() || !std::ranges::binary_search(subjects, subject)) continue;
    changed.emplace_back(guard);
    if (changed.size() == kMaxChanged) break;
  }
  return changed;
}

}  // namespace shapewise
